"""The present of a project: what outlives its tasks, as the facts on its stream leave it."""

from dataclasses import dataclass, field, replace
from datetime import datetime

from agents.domain.decisions.decision import Decision, DecisionOpened, still_open
from agents.domain.errors import IllegalMove
from agents.domain.fact import AboutDecision, Event
from agents.domain.ids import ProjectId
from agents.domain.knowledge.facts import OF_NOTES, Learnt, fold_notes, remember as remember_notes
from agents.domain.learning.proposal import Listed, ProposalApproved, ProposalMade, ProposalRejected
from agents.domain.models.control import ReviewerTried, Tried, remember_try
from agents.domain.project.ground import (
    Baseline,
    BaselineMeasured,
    EnvironmentFailed,
    EnvironmentReady,
    Installed,
    Proposed,
    SetupAllowed,
    SetupProposed,
    remember,
)
from agents.domain.supervision.facts import OF_SUPERVISION, Supervision, SupervisorRan, fold_counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What grows without end stays in the log; this stays small."""

    id: ProjectId
    changed_at: datetime
    open: tuple[Decision, ...] = ()
    proposals: tuple[Listed, ...] = ()  # that nobody has decided on yet
    consents: tuple[str, ...] = ()  # to set-up commands, by their hash; the last ones
    installed: Installed | None = None
    baseline: Baseline | None = None  # the last that was measured
    proposed: Proposed | None = None  # how a model would set it up, the last time one was asked
    tried: tuple[Tried, ...] = ()  # how models did at control questions
    supervision: Supervision = field(default_factory=Supervision)
    learnt: Learnt = field(default_factory=Learnt)

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
        case DecisionOpened() | AboutDecision():
            return replace(project, open=still_open(project.open, event))
        case ReviewerTried():
            return replace(project, tried=remember_try(project.tried, event.model, missed=event.missed))
        case ProposalMade():
            made = Listed(proposal=event.proposal, task=event.task)
            return replace(project, proposals=(*project.proposals, made))
        case ProposalApproved() | ProposalRejected():
            pending = tuple(each for each in project.proposals if each.proposal.id != event.proposal)
            return replace(project, proposals=pending)
        case SetupAllowed() | SetupProposed() | EnvironmentReady() | EnvironmentFailed() | BaselineMeasured():
            return _on_ground(project, event)
        case _ if isinstance(event, OF_SUPERVISION):
            counted = fold_counts(project.supervision, event)
            found = event.notes if isinstance(event, SupervisorRan) else ()
            return replace(project, supervision=counted, learnt=remember_notes(project.learnt, found, event.at))
        case _ if isinstance(event, OF_NOTES):
            return replace(project, learnt=fold_notes(project.learnt, event))
        case _:
            raise IllegalMove(
                f"{type(event).__name__} is no fact about a project",
                next_step="Run `overlord doctor` to check the log.",
            )


def _on_ground(
    project: Project, event: SetupAllowed | SetupProposed | EnvironmentReady | EnvironmentFailed | BaselineMeasured
) -> Project:
    match event:
        case SetupAllowed():
            return replace(project, consents=remember(project.consents, event.consent))
        case SetupProposed():
            said = Proposed(clue=event.clue, commands=event.commands, files=event.files, why=event.why)
            return replace(project, proposed=said)
        case EnvironmentReady():
            return replace(project, installed=Installed(key=event.key, log=event.log))
        case EnvironmentFailed():
            return replace(project, installed=Installed(key=event.key, log=event.log, problem=event.problem))
        case BaselineMeasured():
            return replace(project, baseline=event.baseline)
