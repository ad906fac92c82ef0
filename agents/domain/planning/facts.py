"""Facts of planning, from a first draft to an accepted plan, and the plan of a task as they leave it."""

from dataclasses import dataclass, replace

from agents.domain.fact import Event, Fold, Measured
from agents.domain.ids import PersonId
from agents.domain.planning.decomposition import Decomposition, Level, Subtask
from agents.domain.planning.review import MAX_ROUNDS, Debate, Point, Review, Round
from agents.domain.planning.work_kind import Expected
from agents.domain.reason import Cause
from agents.domain.work.git_names import PLAIN, GitManners
from agents.domain.workflow.workflow import Part, Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionDrafted(Measured):
    number: int  # version of the plan
    plan: Decomposition
    estimate: float = 0.0  # dollars, by earlier versions from hours that a model guessed; shown no more
    expected: Expected | None = None  # from what was done before
    rehearsal: bool = False  # no real model was asked
    level: Level = Level.PRIMARY
    why: Cause = ""  # of a level below the first
    workflow: Workflow | None = None  # shown with it, and pinned by its approval; earlier versions do not say it
    edited_by: PersonId | None = None  # a person made it of the one before, by hand
    manners: GitManners = PLAIN  # shown with it
    looked: int = 0  # turns in which the planner looked at the code
    short: bool = False  # the short path: no specialists, no debate


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionSentBack(Measured):
    """By code that checks it, or by the reviewers; people ask for changes in words of their own."""

    number: int
    reasons: tuple[str, ...]
    review: Review | None = None  # None: the checks found fault, and nobody was asked to review
    debate: Debate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewersDisagreed(Measured):
    number: int
    review: Review
    rounds: int = MAX_ROUNDS  # that they may argue


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateRoundHeld(Event):
    """Noted as it happens: a debate that is cut short goes on from here."""

    number: int
    round: Round


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionApproved(Measured):
    """By the reviewers; a person comes next."""

    number: int
    review: Review
    debate: Debate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionBlocked(Measured):
    number: int
    review: Review


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionEscalated(Measured):
    """The rules ran out: no verdict, no agreement, or too many tries. A person decides with what there is."""

    number: int
    why: Cause
    review: Review | None = None
    debate: Debate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClarificationAnswered(Event):
    by: PersonId
    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAccepted(Event):
    hash: str  # of the plan that was shown
    by: tuple[PersonId, ...]  # empty: the channel's policy lets a single subtask through
    workflow: Workflow | None = None  # the task goes on by it; None: accepted before workflows were kept
    points: tuple[Point, ...] = ()  # of the reviewers, which were shown with it and go on into the work
    may_add: int = 0  # small subtasks inside its files that may be added without asking again: a person's choice


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAmended(Event):
    """What remains of the accepted plan is another: a new version, by a person or within what a person allowed."""

    number: int  # version of the plan
    plan: Decomposition
    by: tuple[PersonId, ...] = ()  # empty: as was allowed with the approval, or only in another order
    added: tuple[int, ...] = ()
    differences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChangeRequested(Event):
    by: PersonId
    words: str
    entitled: bool = False  # an approver said it; what the owner says counts as that anyway


@dataclass(frozen=True, slots=True, kw_only=True)
class FullReviewWanted(Event):
    """A person wants specialists to read the plan too, and reviewers to argue, though the change is small."""

    by: PersonId
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictWanted(Event):
    """A person has those reviewers asked again who gave no verdict."""

    by: PersonId
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEdited(Event):
    """A person changed the plan by hand. It is a version once code has looked at it beside the project."""

    by: PersonId
    plan: Decomposition
    words: str  # what is different
    grew: bool  # it asks for more than the one before, so reviewers read it
    lines: str = ""  # as they were sent; earlier versions do not say it


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEditRefused(Event):
    """What a person made of the plan does not fit the project; the plan is as it was."""

    by: PersonId
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningSimplified(Event):
    """The planner could not take or finish the whole question; it is asked once more with less to read."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidanceLeftOut(Event):
    """A file of the project's own guidance for models could not be used; planning went on without it."""

    file: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRead(Event):
    """What the project's own files make of the workflow for its plan. They may only add to it, and tighten it."""

    workflow: Workflow
    left_out: tuple[str, ...] = ()  # what may not stand there: its line, what is wrong, and where it may


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineChosen(Event):
    """No model could plan it, and a person goes on with a one-step plan; it is reviewed and approved as any plan."""

    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanState:
    draft: Decomposition | None = None  # the last one
    number: int = 0  # its version
    level: Level = Level.PRIMARY  # how far planning had to be degraded
    level_why: Cause = ""
    looked: int = 0  # turns in which its planner looked at the code
    short: bool = False  # it takes the short path
    previous: Decomposition | None = None  # what the reader of a changed plan has seen
    expected: Expected | None = None  # what it may take
    rehearsal: bool = False
    review: Review | None = None
    debate: Debate | None = None
    tries: int = 0  # drafts since a person last had a word in it
    feedback: tuple[str, ...] = ()  # what was found wrong with the last one; what people want is in the wishes
    asked: int = 0  # how often a person had a word in it: answered the planner, asked for changes, or edited it
    edited_by: PersonId | None = None  # by hand
    edit_refused: tuple[str, ...] = ()  # why the last edit by hand was not taken
    edit_tried: str = ""  # its lines, for whoever goes on from there
    guidance_left_out: tuple[tuple[str, str], ...] = ()  # files of the project's guidance, and why each was
    manners: GitManners = PLAIN  # of the draft: how git is used for it
    workflow_left_out: tuple[str, ...] = ()  # what of the project's own workflow files is not used, and why
    proposed: Workflow | None = None  # that the draft is to be approved under; None: drafted by an earlier version
    accepted: str = ""  # hash
    approved_by: tuple[PersonId, ...] = ()  # empty: the channel's policy let it through
    workflow: Workflow | None = None  # that the plan was accepted under
    points: tuple[Point, ...] = ()  # of the reviewers, that it was accepted with
    may_add: int = 0  # small subtasks that may still be added without asking

    def subtask(self, number: int) -> Subtask:
        assert self.draft is not None
        return next(subtask for subtask in self.draft.subtasks if subtask.number == number)

    def part(self, number: int) -> Part:
        """Which steps of the workflow a subtask goes through."""
        return part_in(self.draft, number)

    def is_closing(self, number: int) -> bool:
        """Whether a subtask is the one that judges the whole."""
        return self.draft is not None and self.draft.is_closing(number)


def part_in(plan: Decomposition | None, number: int) -> Part:
    """Which steps of the workflow a subtask of this plan goes through."""
    if plan is not None and plan.is_closing(number):
        return Part.CLOSING
    return Part.OPENING if plan is not None and plan.is_opening(number) else Part.ORDINARY


fold = Fold[PlanState]()
fold.on(PlanningSimplified)(lambda plan, fact: replace(plan, level=Level.SIMPLIFIED, level_why=fact.why))
fold.on(FullReviewWanted)(lambda plan, fact: replace(plan, short=False, review=None, debate=None))
fold.on(VerdictWanted)(lambda plan, fact: replace(plan, debate=None))
fold.on(DecompositionApproved)(lambda plan, fact: replace(plan, review=fact.review, debate=fact.debate))
fold.on(DecompositionBlocked)(lambda plan, fact: replace(plan, review=fact.review))
fold.on(DecompositionEscalated)(lambda plan, fact: replace(plan, review=fact.review, debate=fact.debate))
fold.on(PlanChangeRequested, ClarificationAnswered)(lambda plan, fact: asked_again(plan))
fold.on(WorkflowRead)(lambda plan, fact: replace(plan, proposed=fact.workflow, workflow_left_out=fact.left_out))


@fold.on(PlanAccepted)
def _(plan: PlanState, fact: PlanAccepted) -> PlanState:
    kept = replace(plan, accepted=fact.hash, approved_by=fact.by, workflow=fact.workflow, feedback=())
    return replace(kept, points=fact.points, may_add=fact.may_add)


@fold.on(PlanAmended)
def _(plan: PlanState, fact: PlanAmended) -> PlanState:
    left = plan.may_add if fact.by else max(0, plan.may_add - len(fact.added))
    now = replace(plan, draft=fact.plan, number=fact.number, accepted=fact.plan.hash)
    return replace(now, may_add=left)


@fold.on(DecompositionDrafted)
def _(plan: PlanState, fact: DecompositionDrafted) -> PlanState:
    return replace(
        plan,
        draft=fact.plan,
        number=fact.number,
        previous=plan.previous if plan.tries else plan.draft,
        expected=fact.expected,
        rehearsal=fact.rehearsal,
        level=fact.level,
        level_why=fact.why,
        proposed=fact.workflow,
        edited_by=fact.edited_by,
        manners=fact.manners,
        looked=fact.looked,
        short=fact.short,
        tries=plan.tries + 1,
        review=None,
        debate=None,
    )


@fold.on(PlanEdited)
def _(plan: PlanState, fact: PlanEdited) -> PlanState:
    return replace(plan, feedback=(), tries=0, asked=plan.asked + 1, edit_refused=(), edit_tried=fact.lines)


fold.on(PlanEditRefused)(lambda plan, fact: replace(plan, edit_refused=fact.reasons))


@fold.on(GuidanceLeftOut)
def _(plan: PlanState, fact: GuidanceLeftOut) -> PlanState:
    return replace(plan, guidance_left_out=(*plan.guidance_left_out, (fact.file, fact.why)))


@fold.on(DecompositionSentBack)
def _(plan: PlanState, fact: DecompositionSentBack) -> PlanState:
    tries = plan.tries + (fact.number > plan.number)
    return replace(plan, feedback=fact.reasons, review=fact.review, debate=fact.debate, tries=tries)


@fold.on(ReviewersDisagreed)
def _(plan: PlanState, fact: ReviewersDisagreed) -> PlanState:
    return replace(plan, review=fact.review, debate=Debate(began=fact.review, now=fact.review, most=fact.rounds))


def asked_again(plan: PlanState) -> PlanState:
    again = replace(plan, feedback=(), tries=0, asked=plan.asked + 1, edit_refused=(), edit_tried="")
    return at_first(again)


def at_first(plan: PlanState) -> PlanState:
    """Whoever has a word in it has it planned from all there is again."""
    return replace(plan, level=Level.PRIMARY, level_why="")
