"""What is known of a project's ground: consent to its set-up, what is installed, and which checks fail on its base."""

from dataclasses import dataclass, replace
from enum import StrEnum

from agents.domain.fact import Event, OnEitherStream, OnProject
from agents.domain.ids import PersonId

CONSENTS_KEPT = 50
NAMES_MOST = 200  # tests of one check that are remembered by name


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckBaseline:
    """One check on the base commit, run a few times. A test that failed in every run is red, in some unsteady."""

    name: str
    command: str
    runs: int
    failed: int  # runs that failed
    red: tuple[str, ...] = ()  # tests, where they are told by name
    unsteady: tuple[str, ...] = ()
    tests: int = 0
    seconds: float = 0.0  # the longest run
    problem: str = ""  # why it could not be run

    @property
    def is_red(self) -> bool:
        return not self.problem and self.failed == self.runs > 0

    @property
    def is_unsteady(self) -> bool:
        return bool(self.unsteady) or 0 < self.failed < self.runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """Every check on a tree in an environment."""

    tree: str
    key: str  # of the environment
    checks: tuple[CheckBaseline, ...] = ()


class Standing(StrEnum):
    """What stands between a project and its set-up."""

    ALLOWED = "allowed"
    ASKED = "asked"  # a person has to consent to the commands first
    DECLINED = "declined"  # this task goes on without


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupAllowed(OnProject):
    """A person consented to exactly these commands."""

    consent: str
    commands: tuple[str, ...]
    secrets: tuple[str, ...] = ()
    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentReady(OnProject):
    """What the project needs is installed."""

    key: str
    consent: str
    seconds: float = 0.0
    log: str = ""  # the artefact that holds what set-up said


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentFailed(OnProject):
    key: str
    consent: str
    problem: str
    log: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineMeasured(OnEitherStream):
    """On the stream of the project it is kept for tasks to come; on that of a task, people of that task are told."""

    baseline: Baseline


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineBegun(Event):
    """The project's checks are to be run before any change; what they say is not known yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupWanted(Event):
    """The task needs its project's environment, and it may be made now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupProposed(OnProject):
    """A model says how the project is set up, by files that code cannot read. Nothing of it is run without consent."""

    clue: str  # the hash of those files
    commands: tuple[str, ...]  # none: it finds nothing to be installed
    files: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupBegun(Event):
    """The set-up commands are run now."""

    commands: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupFailed(Event):
    """The set-up that was run for this task came to nothing; a person is asked what now."""

    log: str = ""  # the artefact of this task that holds what it said


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundNoted(Event):
    """What people should know of the repository before they approve a plan, though it keeps nothing from beginning."""

    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()  # files that seem to say how it is set up, and nobody could read


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundSettled(Event):
    """Nothing keeps the work from beginning any more."""

    without: bool = False  # a person chose to go on without what set-up would have installed
    by: PersonId | None = None
    log: str = ""  # the artefact of this task that holds what set-up said
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundState:
    """What a task knows of its project's ground."""

    without: bool = False
    measuring: bool = False
    baseline: Baseline | None = None
    setting_up: int = 0  # commands that are run now
    log: str = ""  # of the set-up that was run for this task
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """The last set-up of a project, as it ended."""

    key: str = ""
    log: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """How a model would set the project up, by what the files with this hash say."""

    clue: str
    commands: tuple[str, ...]
    files: tuple[str, ...] = ()
    why: str = ""


def remember(known: tuple[str, ...], more: str) -> tuple[str, ...]:
    return (*(each for each in known if each != more), more)[-CONSENTS_KEPT:]


def settle(ground: GroundState, fact: GroundSettled) -> GroundState:
    log, seconds = fact.log or ground.log, fact.seconds or ground.seconds
    return replace(ground, without=fact.without, setting_up=0, log=log, seconds=seconds)
