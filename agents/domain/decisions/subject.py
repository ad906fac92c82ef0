"""What a decision is about: a value of its own for each shape, so that nothing is told apart by reading a string.

Stored without a tag: no two of them have the same fields.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.ids import ProposalId
from agents.domain.knowledge.owners import Carried, NoteChange


class _Exact:
    """Read back from storage only where all fields fit."""

    __slots__ = ()
    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OfSubtask(_Exact):
    """A subtask before its first run."""

    subtask: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRun(_Exact):
    """One attempt at a subtask; `words`: what its minion asks for, as it says it."""

    subtask: int
    attempt: int
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfStep(_Exact):
    """The work that one attempt handed in, as it was checked; `unseen`: subtasks that only time let pass, where the
    whole would leave this machine next."""

    subtask: int
    attempt: int
    commit: str
    risk: RiskLevel
    unseen: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OfHead(_Exact):
    """The whole of the work, at this commit, and how much it changes."""

    commit: str
    risk: RiskLevel
    files: int = 0
    added: int = 0  # lines
    removed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OfPlan(_Exact):
    hash: str
    version: int


class PhaseAct(StrEnum):
    """What a person wants done with a phase of a plan at work."""

    RESTART = "restart"
    REVERT = "revert"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfPhase(_Exact):
    """A phase, what is to be done with it, and which of its work that was shown with."""

    phase: int
    act: PhaseAct
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfBudget(_Exact):
    """`budget` is empty for the task's own one."""

    budget: str
    limit: float
    spent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OfJob(_Exact):
    flow: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfWords(_Exact):
    """What a person wrote."""

    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRemark(_Exact):
    """A remark that was made; `entitled`: by somebody whom minions heed."""

    entitled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfProposal(_Exact):
    """A proposal as it was shown."""

    proposal: ProposalId
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfDirectives(_Exact):
    """What supervisors ask for, by id; `critical`: no new subtask starts before it is decided."""

    directives: tuple[str, ...]
    critical: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OfNotes(_Exact):
    """Changes of notes, exactly as they were shown; `establishes`: the notes are there, and have proved themselves."""

    notes: tuple[NoteChange, ...]
    establishes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OfNotesPull(_Exact):
    """A pull request of notes alone, at this head."""

    number: int
    head: str
    carried: tuple[Carried, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfWish(_Exact):
    """A wish of the task, by its number."""

    wish: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OfSetup(_Exact):
    """Set-up commands of a project, exactly as they were shown, and the names of the secrets they are given."""

    consent: str
    commands: tuple[str, ...]
    secrets: tuple[str, ...]
    proposed: tuple[str, ...] = ()  # files that a model read them from; none: code did


@dataclass(frozen=True, slots=True, kw_only=True)
class OfSkill(_Exact):
    """A draft of a skill as it was shown, by its hash."""

    skill: str
    draft: int


Subject = (
    OfSubtask
    | OfRun
    | OfStep
    | OfHead
    | OfPlan
    | OfPhase
    | OfBudget
    | OfJob
    | OfWords
    | OfRemark
    | OfProposal
    | OfWish
    | OfSetup
    | OfSkill
    | OfDirectives
    | OfNotes
    | OfNotesPull
)
