"""The code bases: their branches and folders, the sandbox for programs in them, and the texts kept about them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from agents.domain.checks.evaluation import Change
from agents.domain.errors import OverlordError
from agents.domain.ids import TaskId
from agents.domain.models.program_end import EndedBy as EndedBy
from agents.domain.project.environment import Environment
from agents.domain.work.git_names import Message

Listener = Callable[[str], None]  # called now and then with the end of a command's output so far


class Show(Protocol):
    """Shows one command of a subtask while the block runs. `gate`: the one that runs it, if it is no minion."""

    def __call__(self, command: str, gate: str = "") -> AbstractContextManager[Listener]: ...


Live = Callable[[TaskId, int], Show]  # of which task's which subtask


@contextmanager
def show_nothing(command: str, gate: str = "") -> Iterator[Listener]:
    """Shows nothing."""
    yield lambda last: None


class Door(Protocol):
    """Answers at the one address that programs in a sandbox reach. Whoever made it decides what lies behind."""

    def serving(self, at: int) -> AbstractAsyncContextManager[None]:
        """As long as the block runs, at the descriptor of a socket that listens; it may be of another network."""


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
    in_the_open: bool = False  # whether those may be read from without TLS, too
    door: Door | None = None  # instead of such a list; None: nothing answers
    refused: Callable[[str], object] = bool  # told each "host:port" that was wanted and may not be reached

    @property
    def opens(self) -> bool:
        """Whether anything at all is reached from inside."""
        return bool(self.egress) or self.door is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A folder or file of the machine that a sandbox shows elsewhere, inside the workspace. Nobody writes it."""

    source: Path
    at: str  # from the top of the workspace; one of its kind must be there, and what is in that is hidden
    scratch: tuple[str, ...] = ()  # folders right in it that may be written all the same, in memory, for a while


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """What a sandbox shows of the machine, beside the system's own programs."""

    path: Path  # may be written, but for its .git
    git: Path | None = None  # the repository that path is a worktree of
    readable: tuple[Path, ...] = ()  # a venv and the interpreter it stands on, for example
    environ: Mapping[str, str] = field(default_factory=dict)
    shown: tuple[Shown, ...] = ()  # such as node_modules
    around: tuple[str, ...] = ()  # a program and its arguments, put in front of every command
    ways: tuple[tuple[str, str], ...] = ()  # how checks are run there, for whoever works in it: what, and the command
    fixed: tuple[str, ...] = ()  # folders and files beneath path that may be read alone
    first: tuple[str, ...] = ()  # for the shell: run in every room before anything else; what fails closes the room


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a project needs installed at a commit. `ready`: nothing has to be set up any more."""

    environment: Environment = field(default_factory=Environment)
    key: str = ""  # that what is installed is kept under
    ready: bool = True
    clues: Mapping[str, str] = field(default_factory=dict)  # texts that seem to tell what code cannot read, by path
    clue: str = ""  # their hash


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUpEnded:
    """`problem` is empty where all is there now."""

    key: str = ""
    problem: str = ""
    next_step: str = ""
    log: str = ""  # the artefact that holds what it said
    seconds: float = 0.0
    own_log: str = ""  # the same, among those of the task that it was run for


class Grounds(Protocol):
    """What projects need installed, and installing it."""

    async def find(self, project: str, commit: str, proposed: tuple[str, ...] = ()) -> Ground:
        """By the project's files and the operator's settings; nothing of the project is run. Raises OverlordError.

        `proposed`: set-up commands of a model, which hold only where nothing else was found or written.
        """

    async def set_up(
        self, project: str, commit: str, show: Show = show_nothing, proposed: tuple[str, ...] = ()
    ) -> SetUpEnded:
        """Runs the set-up commands, with a network. Only a person's consent to them allows the call."""


class NothingNeeded:
    """Grounds of projects that need nothing installed."""

    async def find(self, project: str, commit: str, proposed: tuple[str, ...] = ()) -> Ground:
        return Ground()

    async def set_up(
        self, project: str, commit: str, show: Show = show_nothing, proposed: tuple[str, ...] = ()
    ) -> SetUpEnded:
        return SetUpEnded()


NOTHING_NEEDED = NothingNeeded()


class CheckoutFailed(OverlordError):
    """A branch or its folder could not be made ready."""


class ProjectUnusable(OverlordError):
    """Its repository is in a state that a person must mend first."""


class Uncommittable(CheckoutFailed):
    """Something in a folder cannot be committed. Nothing of it was, and all of it is still there."""


class Projects(Protocol):
    """The code bases that work may be done on."""

    def names(self) -> Sequence[str]: ...

    def of_channel(self, channel: str) -> str:
        """The project that a channel's work is for, where it names one."""

    async def files(self, project: str) -> Sequence[str]:
        """Paths of the committed files; none if the project is not here."""

    async def require_usable(self, project: str) -> None:
        """Raise ProjectUnusable where no work on it can begin, whatever a model says."""

    async def notes(self, project: str) -> Sequence[str]:
        """What is odd about its repository and keeps no work from beginning: what it is, and what to do."""

    async def web(self, project: str, commit: str) -> str:
        """Where GitHub shows the files of a commit, without a slash at its end; empty: it is not there."""

    async def workflow_files(self, project: str, branch: str) -> Mapping[str, bytes]:
        """What the project says about workflows, as it is committed on a branch; empty: on the one it is at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """The files of one branch, in a folder of their own outside the repository. Only the host writes its .git."""

    project: str
    branch: str
    base: str  # the commit that the branch began from
    head: str  # the commit that the folder was at when it was opened
    workspace: Workspace  # as a sandbox shows it, with the project's own environment
    found: bool = False  # as an earlier run left it, changes that were not committed among them
    blind: tuple[str, ...] = ()  # folders that alone may be written, where the code of the product is not shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Work that was joined onto a branch, and the message of the commit that takes it back."""

    commit: str
    base: str  # that its own branch began from
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    tip: str  # of the branch, afterwards
    commits: tuple[str, ...] = ()  # that were made
    conflicts: tuple[str, ...] = ()  # paths that do not fit; then nothing was made
    stuck: str = ""  # the work that they are of


class Checkouts(Protocol):
    """Worktrees and branches of the projects. Host git never runs anything from a repository."""

    async def tip(self, project: str, branch: str) -> str:
        """The commit a branch, or HEAD, is at; empty if there is none."""

    async def source(self, project: str, branch: str) -> str:
        """The commit that a branch of the project's own repository is at, brought here; empty if there is none."""

    async def open(self, project: str, branch: str, start: str, blind: tuple[str, ...] = ()) -> Checkout:
        """The branch's folder: as it was left, or made now. A branch that is not there begins at the commit `start`.
        `blind`: another folder is shown, without the code of the product; what is written in these is copied back.

        Raises CheckoutFailed.
        """

    async def prepare(self, project: str) -> None:
        """Have folders ready ahead of time, so that the next `open` is quick. Raises CheckoutFailed."""

    async def commit(self, checkout: Checkout, message: Message) -> str:
        """Commit all that changed, for the minion; the commit the branch is at, also if nothing changed.

        Raises Uncommittable, naming what whoever works there must change.
        """

    async def changes(self, project: str, base: str, commit: str) -> Sequence[Change]: ...

    async def messages(self, project: str, commit: str, most: int) -> Sequence[str]:
        """Of the last commits that people made up to this one; merges and our own are left out."""

    async def unsaved_paths(self, checkout: Checkout) -> Sequence[str]:
        """Paths that differ from the last commit: what there is after a crash."""

    async def patch(self, project: str, base: str, commit: str) -> str:
        """The difference as text, cut with a count where it is huge."""

    async def tree(self, project: str, commit: str) -> str:
        """The hash of a commit's files: the same tree is the same work (loop detection)."""

    async def join(self, project: str, into: str, start: str, commit: str, message: Message) -> str | None:
        """Bring a commit onto the branch `into`, which begins at `start`, without a working folder; once is enough.

        Returns the branch's new tip; None: it does not fit. The message is of the commit that joins, if one is needed.
        """

    async def forward(self, project: str, into: str, start: str, commit: str) -> str:
        """Move the branch to a commit that has all that is on it; empty where it has not."""

    async def undo(self, project: str, branch: str, start: str, joined: Sequence[Joined]) -> Undone:
        """Take back what was joined onto a branch that begins at `start`, by new commits on top: all of it, or nothing
        where a part does not fit. Done again, it changes nothing more."""

    async def write(self, project: str, branch: str, start: str, files: Mapping[str, bytes], message: Message) -> str:
        """A commit on top of `start` that writes these files and nothing else, without a working folder; the branch is
        there afterwards. Made again, it is the same commit. Raises CheckoutFailed where a link or a file stands in the
        way of a folder."""

    async def close(self, checkout: Checkout) -> None:
        """Remove the folder; the branch stays. No link in it is followed."""

    async def discard(self, project: str, branch: str) -> None:
        """Remove the branch's folder if there is one: nobody will go on with it."""

    async def sweep(self, wanted: Collection[tuple[str, str]]) -> int:
        """Remove every folder that belongs to no wanted (project, branch): what a kill left behind."""


class Artefacts(Protocol):
    """Texts too long for a card: logs, patches, diffs. Named by what they are of; kept in the state folder."""

    async def keep(self, name: str, text: str) -> str:
        """Returns the name. Keeping the same name again replaces it."""

    async def read(self, name: str) -> str | None: ...
