"""The plan of a task, as its facts leave it."""

from dataclasses import dataclass

from agents.domain.planning.debate import Debate
from agents.domain.planning.decomposition import Decomposition, Level, Subtask
from agents.domain.planning.verdicts import Review
from agents.domain.workflow.workflow import Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanState:
    draft: Decomposition | None = None  # the last one
    number: int = 0  # its version
    level: Level = Level.PRIMARY  # how far planning had to be degraded
    level_why: str = ""
    previous: Decomposition | None = None  # what the reader of a changed plan has seen
    estimate: float = 0.0
    rehearsal: bool = False
    review: Review | None = None
    debate: Debate | None = None
    tries: int = 0  # drafts since a person last had a word in it
    feedback: tuple[str, ...] = ()  # what the next draft must heed
    guidance_left_out: tuple[tuple[str, str], ...] = ()  # files of the project's guidance, and why each was
    accepted: str = ""  # hash
    workflow: Workflow | None = None  # that the plan was accepted under

    def subtask(self, number: int) -> Subtask:
        assert self.draft is not None
        return next(subtask for subtask in self.draft.subtasks if subtask.number == number)

    def is_closing(self, number: int) -> bool:
        """Whether a subtask is the one that judges the whole."""
        return self.draft is not None and self.draft.is_closing(number)
