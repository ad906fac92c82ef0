"""One policy that plays both programs alike: it reads the same files, writes the same changes, and says the same."""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.corpus.script import APPROVED
from tests.fakes.llm import NOTHING_AGAINST
from tests.fakes.model_server import ModelServer, Says, Seen
from tests.scenarios.plans import GO, OK, means, subtask

TEST = "python -m pytest -q"
_SUBTASK = re.compile(r"^Subtask (\d+)", re.MULTILINE)
DONE = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
Edits = Mapping[str, tuple[str, str]]  # by path: what stands there, and what shall; nothing stands in a new file


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of the work, which one minion does."""

    title: str
    reads: tuple[str, ...]
    edits: Edits
    kind: str = "feature"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standard:
    """A request that both programs are given."""

    name: str
    request: str
    pieces: tuple[Piece, ...] = ()
    reads: tuple[str, ...] = ()  # to answer a question
    answer: str = ""

    @property
    def is_question(self) -> bool:
        return not self.pieces


class Policy:
    def __init__(self, standard: Standard) -> None:
        self.standard = standard

    def put_into(self, server: ModelServer) -> None:
        asked = self.standard
        steps = [subtask(piece.title, files=list(piece.edits), kind=piece.kind) for piece in asked.pieces]
        plan = {"status": "COMPLETE", "goal": asked.request, "subtasks": steps}
        server.answers("route", {"route": "question" if asked.is_question else "change", "confidence": 1.0})
        for question, says in {"decompose": plan, "critic": GO, "custodiet": OK, "code_review": APPROVED}.items():
            server.answers(question, says)
        server.answers("intent", means("other"))
        server.answers("wish", NOTHING_AGAINST)
        server.answers("setup", {"commands": [], "why": "what code found is enough"})
        server.answers("any", self._next_turn)

    def _next_turn(self, seen: Seen) -> Says:
        """By how often it has spoken: read, then answer; or read, write, test, hand in."""
        turn = sum(message["role"] == "assistant" for message in seen.body["messages"])
        tools = {each["function"]["name"] for each in seen.body.get("tools", ())}
        return self._of_mini(turn) if tools == {"bash"} else self._of_ours(turn, seen)

    def _of_ours(self, turn: int, seen: Seen) -> Says:
        asked = self.standard
        if asked.is_question:
            answers = ("give_answer", {"answer": asked.answer, "evidence": []})
            return _calls(*_reads(asked.reads)) if turn == 0 else _calls(answers)
        found = _SUBTASK.findall(seen.text)
        piece = asked.pieces[int(found[0]) - 1 if found else 0]
        turns: Sequence[Sequence[tuple[str, dict[str, Any]]]] = (
            _reads(piece.reads),
            [_written(path, old, new) for path, (old, new) in piece.edits.items()],
            [("run_command", {"command": TEST})],
            [("task_complete", {"summary": f"{piece.title}: done, and its test passes."})],
        )
        return _calls(*turns[min(turn, len(turns) - 1)])

    def _of_mini(self, turn: int) -> Says:
        """One turn each for what is read, what is written and the tests: a change is one piece of work there."""
        asked = self.standard
        reads = list(dict.fromkeys((*asked.reads, *(path for piece in asked.pieces for path in piece.reads))))
        steps = [[f"cat {shlex.quote(path)}" for path in reads]]
        if not asked.is_question:
            steps += [[_by_shell(path, *edit) for piece in asked.pieces for path, edit in piece.edits.items()], [TEST]]
        said = asked.answer or "All of it is done, and its tests pass."
        steps.append([f"echo {DONE} && echo {shlex.quote(said)}"])
        return _calls(*(("bash", {"command": command}) for command in steps[min(turn, len(steps) - 1)]))


def _reads(paths: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    return [("read_file", {"path": path}) for path in paths]


def _written(path: str, old: str, new: str) -> tuple[str, dict[str, Any]]:
    if not old:
        return "write_file", {"path": path, "content": new}
    return "edit_file", {"path": path, "old": old, "new": new}


def _by_shell(path: str, old: str, new: str) -> str:
    if not old:
        return f"cat > {shlex.quote(path)} <<'EOF'\n{new}EOF"
    change = f"p.write_text(p.read_text().replace({old!r}, {new!r}, 1))"
    return f"python3 - <<'EOF'\nfrom pathlib import Path\np = Path({path!r})\n{change}\nEOF"


def _calls(*calls: tuple[str, dict[str, Any]]) -> Says:
    return Says(calls=tuple((name, json.dumps(given)) for name, given in calls), finish="tool_calls")
