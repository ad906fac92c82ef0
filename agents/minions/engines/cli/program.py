"""What one command-line agent is: how it is called, what is in its home, what its tools do, how its output reads."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from agents.domain.workflow.roles import EngineName
from agents.ports import Act, Program

SERVER = "overlord"  # what its tools of ours are grouped under
LONGEST = 400_000  # characters of what it says last that are kept: no plan is longer
ERRORS = "stderr: "  # in front of each line of its error channel


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One start. `tools`: the address of ours, empty for who only answers; `seconds`: how long one of them may take."""

    cli: "Cli"
    program: Program
    model: str
    token: str
    address: str
    tools: str
    turns: int
    seconds: float
    flags: tuple[str, ...] = ()  # that the role adds


class Parser(Protocol):
    """Reads what a program prints, line by line; anything at all may come. What it claims of itself is not believed:
    what was asked of models is counted by the host, and what was changed is measured by it."""

    def take(self, line: str) -> None: ...

    @property
    def end(self) -> "End":
        """So far."""


@dataclass(slots=True, kw_only=True)
class End:
    """`over`: it said that it is done with what it was asked. `text`: its last words."""

    over: bool = False
    text: str = ""
    problem: str = ""
    status: int | None = None  # of HTTP, where it names one in a field of its own
    denied: list[str] = field(default_factory=list)  # of its own tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Doing:
    """What one of its tools does, in words for the status card, and which argument says with what."""

    verb: str
    argument: str = ""
    writes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cli:
    """`hidden`: folders of a project that would give it orders, settings or hooks."""

    name: EngineName
    title: str
    command: Callable[[Launch], Sequence[str]]
    environ: Callable[[Launch], Mapping[str, str]]
    home: Callable[[Launch], Mapping[str, str]]
    parser: Callable[[], Parser]
    tools: Mapping[str, Doing]
    hidden: tuple[str, ...]

    def describe(self, act: Act) -> str:
        doing = self.tools.get(act.name)
        if doing is None:
            return f"using {act.name}"
        what = act.arguments.get(doing.argument)
        return f"{doing.verb} {what}" if isinstance(what, str) and what else doing.verb

    def path_written(self, act: Act) -> str:
        """The path that it wrote, as it named it; empty: none."""
        doing = self.tools.get(act.name)
        what = act.arguments.get(doing.argument) if doing and doing.writes else None
        return what if isinstance(what, str) else ""


def json_line(line: str) -> dict[str, Any] | None:
    """An event; None for anything else, which programs print as well."""
    if not line.startswith("{"):
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def words(value: object) -> str:
    return value if isinstance(value, str) else ""


def read_output(cli: Cli, output: str) -> tuple[End, str]:
    """What its events say, and its error channel."""
    parser, errors = cli.parser(), []
    for line in output.splitlines():
        if line.startswith(ERRORS):
            errors.append(line.removeprefix(ERRORS))
        else:
            parser.take(line)
    return parser.end, "\n".join(errors)
