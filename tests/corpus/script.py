"""What the model says in a walk: a plan of one subtask, reviewers who agree, a minion that tries what it is told."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from tests.corpus.projects import Project
from tests.fakes.llm import NOTHING_AGAINST
from tests.fakes.model_server import ModelServer, Says, Seen
from tests.scenarios.plans import GO, OK, means, subtask

MODEL = "gpt-4.1"
APPROVED = {"status": "approved"}
REQUEST = "Add a function that says that a change came all the way, with a test"
_TESTS = re.compile(r"(?m)^- Tests: (.+)$")
_ENDED = re.compile(r"exit code (\d+)")
Turn = tuple[str, dict[str, object]]


class Script:
    """Of one project. `tried` is what became of the command that the minion was told to run the tests with."""

    def __init__(self, project: Project, repository: Path) -> None:
        self.project = project
        self.repository = repository
        self.tried: list[str] = []

    def put_into(self, server: ModelServer) -> None:
        files = list(self.project.change.paths)
        kind = "feature" if self.project.tested else "refactor"
        step = subtask("Add the function", files=files, kind=kind)
        server.answers("decompose", {"status": "COMPLETE", "goal": "It can be called", "subtasks": [step]})
        server.answers("critic", GO)
        server.answers("custodiet", OK)
        server.answers("code_review", APPROVED)
        server.answers("intent", means("other"))
        server.answers("wish", NOTHING_AGAINST)
        server.answers("setup", {"commands": [], "why": "what code found is enough"})
        server.answers("any", self._minion)

    def _minion(self, seen: Seen) -> Says:
        """By how often it has spoken: look, try the tests, write, try again, hand in."""
        spoken = [message for message in seen.body["messages"] if message["role"] == "assistant"]
        heard = [message for message in seen.body["messages"] if message["role"] == "tool"]
        turns: list[Callable[[str], list[Turn]]] = [self._look, self._try, self._write, self._try]
        if len(spoken) in (2, 4) and heard and (told := _TESTS.search(seen.text)):
            self.tried.append(f"{told[1]}: {_said(heard[-1]['content'])}")
        if len(spoken) >= len(turns):
            return _calls(("task_complete", {"summary": "The function is there, and its test passes."}))
        return _calls(*turns[len(spoken)](seen.text))

    def _look(self, text: str) -> list[Turn]:
        return [
            ("read_file", {"path": path}) for path in self.project.change.paths if (self.repository / path).exists()
        ]

    def _try(self, text: str) -> list[Turn]:
        told = _TESTS.search(text)
        return [("run_command", {"command": told[1]})] if told else [("list_directory", {})]

    def _write(self, text: str) -> list[Turn]:
        return [("write_file", {"path": path, "content": content}) for path, content in self.changed().items()]

    def changed(self) -> dict[str, str]:
        made = {}
        for path, added in self.project.change.added.items():
            file = self.repository / path
            made[path] = (file.read_text().rstrip("\n") + "\n" if file.exists() else "") + added
        return made


def _calls(*turns: Turn) -> Says:
    return Says(calls=tuple((name, json.dumps(given)) for name, given in turns), finish="tool_calls")


def _said(content: object) -> str:
    """How a command ended, in a word and its last line."""
    text = content if isinstance(content, str) else json.dumps(content)
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return " … ".join(line[:160] for line in (lines[:1] + lines[-1:] if len(lines) > 1 else lines))
