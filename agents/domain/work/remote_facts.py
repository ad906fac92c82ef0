"""Facts of what a forge is shown of the work before it is finished, and of what its own checks say."""

from dataclasses import dataclass, field

from agents.domain.checks.evaluation import Checked
from agents.domain.fact import AboutWork, Event


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftDue(AboutWork):
    """The rules passed on everything together, and the workflow wants people outside to see it from now on."""

    commit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftOpened(Event):
    """A draft pull request is there, at this head; whether it is any good is not known yet."""

    number: int
    url: str
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksAwaited(AboutWork):
    """A step waits for what the forge's own checks say of a commit that was pushed. No job waits meanwhile."""

    step: str
    commit: str
    checked: Checked = field(default_factory=Checked)  # what the step found before


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksSeen(AboutWork):
    """How they stand; recorded when that has changed."""

    waiting: tuple[str, ...]  # those that have not ended
    ended: int
    problem: str = ""  # why they could not be read this time; they are then as they were seen before
