"""Command-line agents of others as the suite of minions takes them: real programs, and a provider that plays acts."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agents.catalog.models import packaged_engines
from agents.domain.errors import OverlordError
from agents.domain.workflow.roles import EngineName
from agents.llm.relay.lender import Lendings
from agents.minions.engines import EngineServices, ProgramServices
from agents.workspace.programs.finding import Programs
from agents.workspace.sandbox.walls import CLI
from tests.fakes.engine_provider import FixedPrices, MemoryBook, ProviderThread
from tests.fakes.llm import ScriptedTalker
from tests.fakes.model_server import Answer, Fails, Says, Seen
from tests.minions.field import Field

LAYER = Path.home() / ".cache" / "overlord-tests"
MODELS = {EngineName.CLAUDE: "claude-sonnet-5", EngineName.CODEX: "gpt-5.4", EngineName.GEMINI: "gemini-pro-latest"}
WIRE = {EngineName.CLAUDE: "anthropic", EngineName.CODEX: "responses", EngineName.GEMINI: "gemini"}
# What each program's own tools are called, and those of ours as it names them.
OWN = {EngineName.CLAUDE: "mcp__overlord__", EngineName.CODEX: "mcp__overlord__", EngineName.GEMINI: "mcp_overlord_"}


def programs() -> Programs:
    return Programs(home=LAYER, known=packaged_engines())


def is_here(engine: EngineName) -> bool:
    try:
        programs().find(engine)
    except OverlordError:
        return False
    return True


def write(engine: EngineName, path: str, content: str) -> tuple[str, str]:
    match engine:
        case EngineName.CLAUDE:
            return "Edit", json.dumps({"file_path": path, "old_string": "", "new_string": content})
        case EngineName.CODEX:
            lines = "".join(f"+{line}\n" for line in content.splitlines())
            patch = f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch"
            return "exec_command", json.dumps({"cmd": f"apply_patch <<'PATCH'\n{patch}\nPATCH"})
        case _:
            return "write_file", json.dumps({"file_path": path, "content": content})


def run(engine: EngineName, command: str) -> tuple[str, str]:
    name = {EngineName.CLAUDE: "Bash", EngineName.CODEX: "exec_command", EngineName.GEMINI: "run_shell_command"}[engine]
    return name, json.dumps({"cmd" if engine is EngineName.CODEX else "command": command})


def own(engine: EngineName, tool: str, **given: object) -> tuple[str, str]:
    return f"{OWN[engine]}{tool}", json.dumps(given)


@dataclass
class CliRig:
    """The real program. Its provider plays one act a turn, the last of them again and again."""

    engine: EngineName
    acts: Sequence[Any]
    provider: ProviderThread = field(init=False)
    book: MemoryBook = field(init=False)
    root: str = ""

    def __post_init__(self) -> None:
        free = next((at for at, act in enumerate(self.acts) if type(act).__name__ == "OutOfMoney"), None)
        self.book = MemoryBook(stops_at=free)
        script: list[Answer] = [act if isinstance(act, Says | Fails) else self._play(act) for act in self.acts]
        script = script or [Says(text="Nothing is scripted.")]
        self.provider = ProviderThread(WIRE[self.engine], MODELS[self.engine], script)
        self.provider.__enter__()

    def close(self) -> None:
        self.provider.__exit__(None, None, None)

    def services(self, ground: Field) -> EngineServices:
        self.root = str(ground.root)
        lender = Lendings(
            prices=FixedPrices(),
            calls=self.book,
            job="job",
            models={self.engine: self.provider.asked(MODELS[self.engine])},
        )
        here = ProgramServices(find=programs().find, lender=lender, profile=CLI)
        return replace(ground.services(ScriptedTalker()), programs=here)

    def told(self) -> str:
        return self.provider.server.seen[-1].text

    def turns(self) -> int:
        return len(self.provider.server.seen)

    def _play(self, act: Any) -> Callable[[Seen], Says]:
        def says(seen: Seen) -> Says:
            return Says(calls=(self._call(act),), finish="tool_calls")

        return says

    def _call(self, act: Any) -> tuple[str, str]:
        """By name, for the acts are told apart where the rigs are."""
        given: Mapping[str, Any] = vars(act)
        match type(act).__name__:
            case "Write":
                return write(self.engine, f"{self.root}/{act.path}", act.content)
            case "Run":
                return run(self.engine, act.command)
            case "Ask":
                return own(self.engine, "ask_human", question=act.question, options=list(act.options))
            case "WantScope":
                return own(self.engine, "request_scope", paths=list(act.paths), why=act.why)
            case "Finish":
                return own(self.engine, "task_complete", **given)
            case "Block":
                return own(self.engine, "task_blocked", **given)
            case name:
                raise AssertionError(f"{name} is not played")
