"""The present of a project: what outlives its tasks, as the facts on its stream leave it."""

from dataclasses import dataclass, replace
from datetime import datetime

from agents.domain import events as e
from agents.domain.decisions import fold as decisions
from agents.domain.decisions.decision import Decision
from agents.domain.errors import IllegalMove
from agents.domain.events import Event
from agents.domain.ids import ProjectId
from agents.domain.learning.proposal import Listed


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What grows without end stays in the log; this stays small."""

    id: ProjectId
    changed_at: datetime
    open: tuple[Decision, ...] = ()
    proposals: tuple[Listed, ...] = ()  # that nobody has decided on yet

    @property
    def name(self) -> str:
        return self.id.removeprefix("P-")


def begin(first: Event) -> Project:
    """A project's stream begins with whatever is first recorded about it."""
    return evolve(Project(id=ProjectId(first.stream), changed_at=first.at), first)


def evolve(project: Project, event: Event) -> Project:
    """Apply one fact. Raises IllegalMove if it cannot be about a project, or cannot follow from where it is."""
    project = replace(project, changed_at=event.at)
    match event:
        case e.DecisionOpened() | e.AboutDecision():
            return replace(project, open=decisions.still_open(project.open, event))
        case e.ProposalMade():
            made = Listed(proposal=event.proposal, task=event.task)
            return replace(project, proposals=(*project.proposals, made))
        case e.ProposalApproved() | e.ProposalRejected():
            pending = tuple(each for each in project.proposals if each.proposal.id != event.proposal)
            return replace(project, proposals=pending)
        case _:
            raise IllegalMove(
                f"{type(event).__name__} is no fact about a project",
                next_step="Run `overlord doctor` to check the log.",
            )
