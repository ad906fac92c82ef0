"""Who judges plans and work: specialists and gates; and the forge that takes the work."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from agents.domain.checks.evaluation import PROJECT, GateRun
from agents.domain.checks.remote import RemoteCheck
from agents.domain.checks.scope import Scope
from agents.domain.errors import OverlordError
from agents.domain.planning.work_kind import WorkKind
from agents.domain.project.ground import Baseline
from agents.domain.skills.spec import SkillSpec
from agents.domain.work.git_names import Message
from agents.ports.workspace import Show, show_nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Specialist:
    """Advises on plans with tags that are among its domains; never blocks."""

    name: str
    domains: frozenset[str]
    focus: str


class ForgeFailed(OverlordError):
    """The forge refused, or could not be reached; what was done before stays done.

    `error`: its class, where the forge could not be asked or did not get to it. Empty: it refused, for a reason that
    people must do something about, so it is no fault of the step.
    """

    def __init__(self, what: str, *, next_step: str, error: str = "") -> None:
        super().__init__(what, next_step=next_step)
        self.error = error


class NoDrafts(ForgeFailed):
    """The forge knows no draft pull requests in this repository; nothing was opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the gates say of one commit. `coverage` in percent, where it was measured."""

    gates: tuple[GateRun, ...]
    coverage: float | None = None
    sandbox: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Committed work to be judged."""

    project: str
    base: str
    commit: str
    scope: Scope
    since: str = ""  # the commit that the whole task began from; empty: the base
    earlier: tuple[str, ...] = ()  # trees of earlier attempts (loop detection)
    log: str = ""  # the name that kept logs begin with
    role: str = ""  # whose work it is: a role may bring gates of its own
    check: str = PROJECT  # what is judged: by the rules, by all checks of the project, or by one of them
    command: str = ""  # run it as the check of that name
    without: frozenset[str] = frozenset()  # checks that people went on without
    kind: WorkKind | None = None  # of the subtask, as its plan was approved; None: nobody said
    changes_tests: bool = False  # the approved plan says that existing tests change
    accepted: frozenset[str] = frozenset()  # keys of changed tests that people accepted
    require_tests: bool = True  # whether new tests are asked for
    known: Baseline | None = None  # what was measured before any work
    skill: SkillSpec | None = None  # as it was approved, where the work is to write one


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A command that a gate will run, for a minion's own sandbox: what fails is mended before it counts."""

    argv: tuple[str, ...]
    shown: str
    before: tuple[str, ...] = ()  # says what it found before the work: only what is new counts


class Gates(Protocol):
    """Checks that the Overlord makes itself, in the gate sandbox, on the committed tree."""

    async def judge(self, candidate: Candidate, show: Show = show_nothing) -> Judged: ...

    def measures(self, project: str) -> bool:
        """Whether the project's checks are tried before any change."""

    async def baseline(self, project: str, commit: str, key: str, show: Show = show_nothing) -> Baseline | None:
        """Every check on a commit that nobody changed, three times each. None: there is nothing to be known.

        `key` names the environment; what is known of the same files in the same environment is not run again.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    number: int
    url: str  # where a person reads it; a page of the console for the local forge
    head: str  # commit
    state: str = "open"  # open, merged, closed
    draft: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """A pull request to be made. `key` names it: the same key is the same one."""

    key: str
    project: str
    branch: str
    head: str
    title: str
    body: str
    into: str = ""  # the branch to be merged into; empty: the one that work is for now
    draft: bool = False  # opened as one; what is open stays as it is
    replaces: str = ""  # a head that was shown before: another attempt may have begun elsewhere
    labels: tuple[str, ...] = ()  # that it has on the forge


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a merge was approved for. Tasks of older versions know neither."""

    branch: str = ""  # and no other
    start: str = ""  # the commit that the work began from: the branch must still have it
    tell: Callable[[str], None] = field(default=lambda advice: None, compare=False)  # what people must do by hand there


ANYWHERE = Target()


class Forge(Protocol):
    """Where work is handed over: the user's own repository, or GitHub. Each effect happens at most once."""

    async def base(self, project: str, number: int = 0) -> str:
        """The branch that work is for; with a number, the one that this pull request is for. Raises ForgeFailed."""

    async def open(self, pull: Pull) -> PullRequest:
        """Push the branch and open its pull request; found again by key if it is there. Raises ForgeFailed."""

    async def ready(self, project: str, number: int) -> None:
        """A draft is one no longer; nothing, where it is none. Raises ForgeFailed."""

    def runs_checks(self, project: str) -> bool:
        """Whether it has checks of its own, which run on what is pushed to it."""

    async def checks(self, project: str, commit: str) -> Sequence[RemoteCheck]:
        """What they say of a commit that was pushed. Raises ForgeFailed."""

    async def comment(self, key: str, project: str, number: int, text: str) -> None:
        """Say something on a pull request that people read on the forge; the same key is said once."""

    async def merge(
        self, project: str, number: int, head: str, message: Message, target: Target = ANYWHERE
    ) -> str | None:
        """Merge exactly this head into its target; the merge commit. None: it does not fit any more.

        Merged before is merged. Raises ForgeFailed where it is a draft, or its target is gone, rewritten or another.
        """

    async def publish(self, project: str, branch: str, head: str) -> str:
        """Put a branch where people work; what they type to be on it. Raises ForgeFailed."""

    async def fetch_branch(self, project: str, branch: str) -> str:
        """The commit that a branch is at where people work, brought into our own copy; empty if it is not there."""


class Issues(Protocol):
    """Issues that work was asked for in. Each saying has a key: the same key is said once. Raises ForgeFailed."""

    async def tell(self, key: str, project: str, number: int, text: str) -> None: ...

    async def mark_blocked(self, key: str, project: str, number: int, why: str) -> None:
        """Say so, and take the label off that asked for the work."""

    async def attention(self, key: str, project: str, number: int, why: str) -> None:
        """Say so, and mark it as one that needs a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRecord:
    """A pull request of the local forge, as it is remembered."""

    key: str
    project: str
    number: int  # within the project
    branch: str
    base: str  # the branch it is for
    head: str  # commit
    title: str
    body: str
    state: str = "open"  # draft, open, merged, closed
    was: str = ""  # where the base stood when the merge was made
    commit: str = ""  # the merge; made before the base moves, so it may not have happened yet


class PullBook(Protocol):
    """What the local forge remembers. Each act may come twice: the second changes nothing."""

    async def open(self, pull: Pull, base: str) -> PullRecord:
        """The record of this key, made and numbered if there is none. Until it is merged, it takes the latest words."""

    async def find(self, project: str, number: int) -> PullRecord | None: ...

    async def merging(self, project: str, number: int, was: str, commit: str) -> None:
        """The merge is made and about to be put in place; nothing, once it is merged."""

    async def mark_ready(self, project: str, number: int) -> None: ...

    async def mark_merged(self, project: str, number: int, commit: str) -> None: ...
