"""The sandbox for untrusted programs, and how their running output is shown."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from agents.domain.ids import TaskId

Listener = Callable[[str], None]  # called now and then with the end of a command's output so far


class Show(Protocol):
    """Shows one command of a subtask while the block runs. `gate`: the one that runs it, if it is no minion."""

    def __call__(self, command: str, gate: str = "") -> AbstractContextManager[Listener]: ...


Live = Callable[[TaskId, int], Show]  # of which task's which subtask


@contextmanager
def show_nothing(command: str, gate: str = "") -> Iterator[Listener]:
    """Shows nothing."""
    yield lambda last: None


class EndedBy(StrEnum):
    """Why a command in the sandbox is over."""

    EXIT = "exit"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    DISK = "disk"
    KILLED = "killed"  # the sandbox died under it, or its room was closed


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What may be used inside a sandbox. Sizes in bytes."""

    name: str
    seconds: float  # for one command, everything it started included
    memory: int
    cpus: int
    processes: int
    descriptors: int  # open files of one process
    disk: int  # by how much a run may let the workspace grow
    inodes: int  # files and folders that a run may make or change there
    file: int  # the largest single file
    kept: int  # of the output; the middle is cut and counted
    output: int  # a command that says more than this is ended
    egress: frozenset[str] = frozenset()  # "host:port" that may be reached; none: no network at all


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """What a sandbox shows of the machine, beside the system's own programs."""

    path: Path  # may be written, but for its .git
    git: Path | None = None  # the repository that path is a worktree of
    readable: tuple[Path, ...] = ()  # a venv and the interpreter it stands on, for example
    environ: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What came of one command in a sandbox. `output` is harmless to show."""

    ended_by: EndedBy
    exit_code: int | None  # None unless it ended by itself; 128 + n if signal n ended it
    output: str
    cut: int  # bytes of output that were left out
    seconds: float


class Room(Protocol):
    """A running sandbox. What a command leaves running ends with it."""

    async def run(
        self,
        command: Sequence[str],
        *,
        timeout: float | None = None,  # noqa: ASYNC109  it ends the command, which is a result like any other
        on_output: Listener | None = None,
    ) -> Ran:
        """One command at a time.

        `on_output` is told the end of what was said so far, a few times a second at most and once more at its end.
        """


class Sandbox(Protocol):
    """Runs programs that nobody trusts. There is no unsandboxed one."""

    @property
    def name(self) -> str: ...

    def open(self, workspace: Workspace, profile: Profile) -> AbstractAsyncContextManager[Room]:
        """A room for many commands. Raises SandboxUnusable."""

    async def once(
        self, workspace: Workspace, profile: Profile, command: Sequence[str], on_output: Listener | None = None
    ) -> Ran:
        """One command in a room of its own, told as in a room: what gates are run with. Raises SandboxUnusable."""
