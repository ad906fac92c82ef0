"""Runs a minion's tools. What may not be done, or cannot, is an answer to the model and never an exception."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from agents.domain.checks.scope import Scope, ScopeMode, odd_pattern
from agents.domain.errors import OverlordError
from agents.domain.knowledge.document import Note
from agents.domain.limits import Limits
from agents.domain.skills.skill import Skill
from agents.domain.text.sanitize import clean, cut, one_line
from agents.minions.engines import HandIn
from agents.minions.engines.builtin.arguments import BadArguments, meant_name, no_such_tool, read_arguments
from agents.ports import Files, Listener, Outcome, Ran, Room, Show, Tool, Workspace, show_nothing

SCOPE = "MINION_SCOPE"
_SCOPE_TYPE = TypeAdapter(Scope)
LONGEST = 30_000  # characters of one result
HOW_TO_ASK = "To write more, call request_scope with the paths and the reason; a person decides."
HOW_TO_FIND = "glob_files finds files by a part of their name."
STARTS = 3  # of the sandbox, before a run gives up
PathText = Annotated[str, Field(min_length=1, max_length=4_096, description="from the root of the workspace")]
Pattern = Annotated[str, Field(min_length=1, max_length=1_000)]
Line = Annotated[int, Field(ge=1, le=10_000_000)]


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedCall:
    """One call of a tool. `problem`: why it cannot even be looked at."""

    id: str
    name: str
    given: Mapping[str, Any] = field(default_factory=dict)
    arguments: str = "{}"  # as the model wrote them, or an empty object where that is none
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of one call. `outcome`: the run, or this part of it, ends with it."""

    text: str
    error: bool = False
    outcome: Outcome | None = None
    wrote: str = ""
    skill: str = ""  # that it was given
    sent_back: bool = False  # by the project's tests, to be mended in this run
    strayed: bool = False  # sent back for files out of its scope


class ToolError(Exception):
    """What the model is told of a call that came to nothing."""


Run = Callable[["ToolExecutor", Any], Awaitable[Done]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec(Tool):
    """A tool as a model is offered it, and how it is run. `doing` says what it is about, for the status card."""

    run: Run
    doing: Callable[[Any], str]
    looks: bool = False  # at once, and changes nothing


def tool(does: str, *, doing: Callable[[Any], str], looks: bool = False) -> Callable[[Run], Spec]:
    """Makes a tool of the function that runs it, with its name. What it takes is the type of its parameter `given`."""

    def make(run: Run) -> Spec:
        name, takes = run.__name__, run.__annotations__["given"]
        return Spec(name=name, does=does, takes=takes, run=run, doing=doing, looks=looks)

    return make


class OutOfScope(OverlordError):
    """A write that may not be. The minion is told how to ask; the diff gate says no a second time."""


class NoRoom(Exception):
    """There is no sandbox, so nothing is run."""


class LateRoom:
    """The one sandbox of a run, opened when it is first needed."""

    def __init__(self, open: Callable[[], AbstractAsyncContextManager[Room]]) -> None:
        self._open = open
        self._held = AsyncExitStack()
        self._room: Room | None = None

    async def run(self, command: Sequence[str], seconds: float, heard: Listener | None = None) -> Ran:
        """In the same room to the end of the run, which counts what is written; one that died starts again by itself.

        One that does not start may start the next time: what is started can be killed by anybody.
        """
        for left in reversed(range(STARTS)):
            try:
                if self._room is None:
                    self._room = await self._held.enter_async_context(self._open())
                return await self._room.run(command, timeout=seconds, on_output=heard)
            except OverlordError as problem:
                if not left:
                    raise NoRoom(str(problem)) from problem
        raise AssertionError("unreachable")

    async def close(self) -> None:
        held, self._held, self._room = self._held, AsyncExitStack(), None
        await held.aclose()


@dataclass(slots=True, kw_only=True)
class ToolExecutor:
    """The scope is loaded once, from what the sandbox is told too, and every write is checked. Raises OutOfScope
    where it cannot be read: an unclear scope is no scope."""

    tools: Mapping[str, Spec]
    files: Files
    workspace: Workspace
    room: LateRoom
    skills: Sequence[Skill]
    limits: Limits
    hand_in: HandIn | None  # None: whoever only reads hands nothing in
    notes: Sequence[Note] = ()  # of the project
    show: Show = show_nothing
    questions: int = 0  # asked in this run
    fixes: int = 0  # how often this run was sent back by the tests
    strays: int = 0  # and for files out of its scope
    again: bool = False  # this turn was begun before a crash: what it wants may have been done
    doing: str = ""
    scope: Scope = field(init=False)

    def __post_init__(self) -> None:
        self.scope = parse_scope(self.workspace.environ.get(SCOPE, ""))

    def remember(self, questions: int, fixes: int, strays: int, *, again: bool) -> None:
        """Before each turn: what happened in those before it."""
        self.questions, self.fixes, self.strays, self.again = questions, fixes, strays, again

    def find(self, name: str) -> Spec | None:
        """The tool that is meant."""
        return self.tools.get(meant_name(name, self.tools))

    async def run(self, call: ParsedCall) -> Done:
        """Raises NoRoom, and nothing else that a minion could bring about."""
        if call.problem:
            return Done(text=call.problem, error=True)
        spec = self.find(call.name)
        if spec is None:
            return Done(text=no_such_tool(call.name, self.tools), error=True)
        try:
            given = read_arguments(spec.name, spec.takes, call.given)
            self.doing = one_line(clean(spec.doing(given)), 80)
            return await spec.run(self, given)
        except (BadArguments, ToolError) as error:
            return Done(text=str(error), error=True)
        except FileNotFoundError as error:
            return Done(text=f"{error.filename or 'That path'} is not there. {HOW_TO_FIND}", error=True)
        except (OverlordError, OSError) as error:
            return Done(text=cut(clean(str(error)), 600), error=True)

    def inside(self, path: str) -> str:
        """The path from the workspace's root. Models also write it absolutely, or with a dot in front."""
        root = f"{self.workspace.path}/"
        made = path.removeprefix(root) if path.startswith(root) else path
        made = "." if path == str(self.workspace.path) else made
        while made.startswith("./"):
            made = made[2:]
        return made.rstrip("/") or "."

    def write(self, path: str, content: bytes) -> None:
        """The only way to a file: checked first, then opened beneath the workspace."""
        if problem := self.scope.refuse(path):
            raise ToolError(f"Not written: {cut(clean(problem), 1_000)}. {HOW_TO_ASK}")
        self.files.write(path, content)


def parse_scope(text: str) -> Scope:
    """A list is directory mode. Broken or empty means that nothing may be written, never everything."""
    try:
        value = json.loads(text)
        written = {"mode": ScopeMode.DIRECTORY, "patterns": value} if isinstance(value, list) else value
        scope = _SCOPE_TYPE.validate_json(json.dumps(written), strict=True, extra="forbid")
    except ValueError as error:
        step = 'The host must pass a list of paths, or {"mode", "patterns"}.'
        raise OutOfScope("MINION_SCOPE cannot be read", next_step=step) from error
    if not all(pattern and not odd_pattern(pattern) for pattern in scope.patterns):
        raise OutOfScope("MINION_SCOPE has a pattern that is no path", next_step="Use paths inside the project.")
    return scope
