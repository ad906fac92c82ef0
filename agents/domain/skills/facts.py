"""Facts of a skill on its way from a draft to an approved one, and what a task knows of the skill that it makes."""

from dataclasses import dataclass, field

from agents.domain.fact import Event, Measured
from agents.domain.ids import PersonId
from agents.domain.planning.decomposition import Decomposition
from agents.domain.reason import Cause
from agents.domain.skills.spec import SkillSpec
from agents.domain.work.git_names import PLAIN, GitManners
from agents.domain.workflow.workflow import Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillWanted(Event):
    """Code says so: the words of a command, a reading that is sure, or an approved proposal of this type."""

    by: PersonId
    revises: str = ""  # the name of the skill that is to be better; empty: a new one


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillDrafted(Measured):
    """A draft that a person may approve, edit or reject."""

    number: int
    spec: SkillSpec
    folder: str = ""  # of the project's skills
    faults: tuple[str, ...] = ()  # it cannot be approved while there are any
    why: Cause = ""  # no model could draft it
    edited_by: PersonId | None = None
    rehearsal: bool = False
    into: str = ""  # the branch that it is for
    workflow: Workflow | None = None
    manners: GitManners = PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillEdited(Event):
    """What a person made of the draft. It is a draft once code has looked at it beside the other skills."""

    by: PersonId
    spec: SkillSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillApproved(Event):
    """A minion may write exactly this one file."""

    by: PersonId
    spec: SkillSpec
    plan: Decomposition


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRejected(Event):
    by: PersonId
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillWork:
    """The skill that a task makes, and nothing else."""

    revises: str = ""
    number: int = 0  # of the draft; 0: there is none yet
    spec: SkillSpec = field(default_factory=SkillSpec)
    edited: SkillSpec | None = None  # by a person, and not looked at yet
    edited_by: PersonId | None = None
    folder: str = ""
    faults: tuple[str, ...] = ()
    why: Cause = ""
    into: str = ""
    rehearsal: bool = False
    approved_by: PersonId | None = None
    rejected: bool = False

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.spec.name}.yaml"
