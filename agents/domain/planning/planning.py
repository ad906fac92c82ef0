"""From a drafted decomposition to a plan that a person may approve."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.domain import events as e
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import Kind, PlanPolicy
from agents.domain.decisions.decision import Option, with_letters
from agents.domain.decisions.kind import Facts, Moment, Question, Withdrawal, offers_to_go_on, withdraw
from agents.domain.decisions.kinds.plan.debate import DEBATE, DebateOption
from agents.domain.decisions.kinds.plan.no_plan import NO_PLAN, NoPlanOption
from agents.domain.decisions.kinds.plan.plan import BLOCKED, PLAN, PlanOption
from agents.domain.decisions.kinds.task.budget import raises
from agents.domain.decisions.subject import OfBudget, OfPlan
from agents.domain.decisions.table import ask
from agents.domain.planning.debating import disagreement
from agents.domain.planning.decomposition import Decomposition, Level, with_closing
from agents.domain.planning.facts import PlanState
from agents.domain.planning.ladder import accept
from agents.domain.planning.opening import with_opening, without_early_starts
from agents.domain.planning.plan_faults import faults
from agents.domain.planning.plan_reading import correct_plan, takes_short_path
from agents.domain.planning.review import MAX_ROUNDS, Debate, Review, Round, Ruling
from agents.domain.planning.work_kind import expect
from agents.domain.reason import Cause, Reason, Why
from agents.domain.task.fold import evolve
from agents.domain.task.task import Task, TaskState
from agents.domain.text.sanitize import cut, one_line
from agents.domain.workflow.workflow import Resolved, Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class Clarify:
    """The planner cannot go on without an answer."""

    question: str
    options: tuple[str, ...] = ()
    why: str = ""  # it matters


@dataclass(frozen=True, slots=True, kw_only=True)
class CannotPlan:
    why: str


Drafted = Decomposition | Clarify | CannotPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What the planner came up with, and what is known about it."""

    says: Drafted
    files: Collection[str] | None = None  # of the project, where it is here
    rehearsal: bool = False
    level: Level = Level.PRIMARY
    why: Cause = ""  # of a level below the first
    into: str = ""  # the branch that the work is for
    roles: Collection[str] = ()  # that may work on a subtask
    unfit: Collection[int] = ()  # subtasks that the role named for them cannot do
    workflow: Workflow | None = None  # with what the project's own files add; None: nobody looked
    looked: int = 0  # turns in which the planner looked at the code
    risk: RiskLevel | None = None  # of changing its files, by their paths; None: nobody knows


def stands_at(task: Task, state: TaskState) -> bool:
    """The task is there, or will be when it is resumed."""
    return task.state is state or (task.at_rest and task.before_rest is state)


def nothing(task: Task, moment: Moment) -> Facts:
    """The task moved on before the work began."""
    return []


def overtaken(seen: Task, now: Task) -> bool:
    """What was thought about is not what is wanted any more: a newer request, a newer plan, or other wishes."""
    before, after = ((task.request.text, task.plan.number, task.plan.feedback, task.plan.asked) for task in (seen, now))
    return before != after


def brought_plan(task: Task) -> Decomposition | None:
    """That a feature file holds: the first version. Later ones are a planner's, who is told what was wrong with it."""
    untouched = not task.plan.number and not task.plan.tries and not task.plan.feedback and not task.plan.asked
    return task.request.plan if untouched else None


def after_draft(task: Task, draft: Draft, moment: Moment) -> Facts:
    """A whole draft is checked by code before anybody is asked to read it."""
    if not stands_at(task, TaskState.DECOMPOSING):
        return []
    match draft.says:
        case Clarify(question=text, options=options, why=why):
            choices = with_letters(*(Option(value=option, label=option) for option in options[:5]))
            evidence = (one_line(why, 300),) if why.strip() else ()
            return ask(task, Question(kind=Kind.CLARIFICATION, options=choices, text=text, evidence=evidence), moment)
        case CannotPlan(why=why):
            return _escalate(task, task.plan.number, why, None, moment)
        case Decomposition() as drafted:
            mended = correct_plan(drafted, draft.roles, task.project or "", draft.unfit)
            workflow = draft.workflow or moment.workflow(task)
            plan = with_closing(without_early_starts(replace(mended, into=draft.into), workflow))
    number = task.plan.number + 1
    if found := tuple(faults(plan, draft.files, draft.roles)):
        back = e.DecompositionSentBack(task=task.id, at=moment.at, number=number, reasons=found)
        return _sent_back(task, back, moment)
    whole, words = with_opening(plan, workflow), (task.request.text, *(wish.words for wish in task.wishes))
    made = e.DecompositionDrafted(
        task=task.id,
        at=moment.at,
        number=number,
        plan=whole,
        expected=None if draft.rehearsal else expect(moment.past(), len(plan.subtasks)),
        rehearsal=draft.rehearsal,
        level=draft.level,
        why=draft.why,
        workflow=workflow,
        manners=moment.manners(task),
        looked=draft.looked,
        short=draft.level is Level.PRIMARY and takes_short_path(whole, workflow, draft.risk, words),
    )
    return [made]


def after_edit(
    task: Task, edited: e.PlanEdited, files: Collection[str] | None, roles: Mapping[str, Sequence[str]], moment: Moment
) -> Facts:
    """An edit by hand becomes a version. Reviewers read it again if it grew, or if one of them had stopped it.

    `roles`: that may do a subtask, each with why it cannot do one of these.
    """
    if not stands_at(task, TaskState.DECOMPOSING) or task.plan.draft is None:
        return []
    if found := (*faults(edited.plan, files, roles), *(why for each in roles.values() for why in each)):
        refused = e.PlanEditRefused(task=task.id, at=moment.at, by=edited.by, reasons=found)
        return [refused, *_ask_as_before(task, moment)]
    plan, before = task.plan, task.plan.review
    made = e.DecompositionDrafted(
        task=task.id,
        at=moment.at,
        number=plan.number + 1,
        plan=edited.plan,
        expected=None if plan.rehearsal else expect(moment.past(), len(edited.plan.subtasks)),
        rehearsal=plan.rehearsal,
        level=plan.level,
        why=plan.level_why,
        workflow=_shown(task, moment),
        manners=moment.manners(task),
        edited_by=edited.by,
        short=plan.short and not edited.grew,
    )
    if edited.grew or before is None or before.ruling is Ruling.BLOCKED:
        return [made]
    drafted, number = evolve(task, made), made.number
    if _is_left_open(plan):
        again = e.DecompositionEscalated(
            task=task.id, at=moment.at, number=number, why=task.problem, review=before, debate=plan.debate
        )
        return [made, again, *_ask_plan(drafted, Kind.DEBATE, moment)]
    approved = e.DecompositionApproved(task=task.id, at=moment.at, number=number, review=before, debate=plan.debate)
    return [made, approved, *_ask_plan(drafted, Kind.PLAN, moment)]


def _ask_as_before(task: Task, moment: Moment) -> Facts:
    """The plan as it was, with what could be chosen then."""
    review = task.plan.review
    if review is not None and review.ruling is Ruling.BLOCKED:
        return _ask_plan(task, Kind.PLAN, moment, PLAN.offer(*BLOCKED))
    return _ask_plan(task, Kind.DEBATE if _is_left_open(task.plan) else Kind.PLAN, moment)


def _is_left_open(plan: PlanState) -> bool:
    """The reviewers did not agree to it, so a person judges it."""
    review, debate = plan.review, plan.debate
    return review is None or review.ruling is not Ruling.APPROVED or (debate is not None and not debate.is_settled)


def note_workflow(seen: Task, found: Resolved, task: Task, moment: Moment) -> Facts:
    """Noted before the planner is asked, so that whatever becomes of that, the project's own steps are there."""
    if overtaken(seen, task) or not stands_at(task, TaskState.DECOMPOSING):
        return []
    told = found.left_out == task.plan.workflow_left_out
    if told and found.workflow in (task.plan.proposed, moment.workflow(task)):
        return []
    return [e.WorkflowRead(task=task.id, at=moment.at, workflow=found.workflow, left_out=found.left_out)]


def _shown(task: Task, moment: Moment) -> Workflow:
    """The workflow that is shown with the plan, or will be."""
    return task.plan.proposed or moment.workflow(task)


def note_simplified(seen: Task, why: str, task: Task, moment: Moment) -> Facts:
    """Noted before the smaller question is asked, so that a crash in between does not ask the whole one again."""
    if overtaken(seen, task) or not stands_at(task, TaskState.DECOMPOSING):
        return []
    return [e.PlanningSimplified(task=task.id, at=moment.at, why=cut(why, 400))]


def after_review(task: Task, review: Review, moment: Moment) -> Facts:
    """A conflict opens a debate where there may be one; everything else is read off the table."""
    if not stands_at(task, TaskState.IN_REVIEW):
        return []
    rounds = 0 if task.plan.short else min(MAX_ROUNDS, moment.limits.debate_rounds)
    if review.conflict and rounds > 0:
        number = task.plan.number
        return [e.ReviewersDisagreed(task=task.id, at=moment.at, number=number, review=review, rounds=rounds)]
    return _ruled(task, review.ruling, review, None, moment)


def after_round(task: Task, round: Round, moment: Moment) -> Facts:
    if not stands_at(task, TaskState.IN_REVIEW):
        return []
    return [e.DebateRoundHeld(task=task.id, at=moment.at, number=task.plan.number, round=round)]


def after_debate(task: Task, debate: Debate, moment: Moment, *, paid: bool = True) -> Facts:
    """Where there is no money left to argue with, the table is read as it is."""
    if not stands_at(task, TaskState.IN_REVIEW):
        return []
    return _ruled(task, (debate if paid else debate.now).ruling, debate.now, debate if paid else None, moment)


def over_budget(task: Task, reached: e.BudgetReached, moment: Moment) -> Facts:
    """At 100 % the work pauses and a person is asked. Each option is a limit, in dollars."""
    if task.has_ended:
        return []
    shared = "" if reached.budget == f"task {task.id}" else reached.budget
    subject = OfBudget(budget=shared, limit=reached.limit, spent=reached.spent)
    question = Question(
        kind=Kind.BUDGET, options=raises(reached.limit, reached.spent + reached.wanted), subject=subject
    )
    stale = withdraw(offers_to_go_on(task), Withdrawal.BUDGET, moment)
    return [reached, *stale, *ask(task, question, moment)]


def _ruled(task: Task, ruling: Ruling, review: Review, debate: Debate | None, moment: Moment) -> Facts:
    number = task.plan.number
    match ruling:
        case Ruling.APPROVED:
            approved = e.DecompositionApproved(task=task.id, at=moment.at, number=number, review=review, debate=debate)
            judged = replace(task, plan=replace(task.plan, review=review))
            return [approved, *_ask_for_approval(judged, moment)]
        case Ruling.NEEDS_REVISION:
            back = e.DecompositionSentBack(
                task=task.id, at=moment.at, number=number, reasons=review.reasons, review=review, debate=debate
            )
            return _sent_back(task, back, moment)
        case Ruling.BLOCKED:
            blocked = e.DecompositionBlocked(task=task.id, at=moment.at, number=number, review=review)
            return [blocked, *_ask_plan(task, Kind.PLAN, moment, PLAN.offer(*BLOCKED))]
        case Ruling.ESCALATE_TO_HUMAN:
            why = disagreement(debate) if debate else _missing(review)
            return _escalate(task, number, why, (review, debate), moment)


def _ask_for_approval(task: Task, moment: Moment) -> Facts:
    """A person, unless the channel lets a single subtask through by itself and the workflow does not object."""
    plan = task.plan.draft
    usual = task.plan.level is Level.PRIMARY  # what was degraded is never waved through
    lets_through = moment.channel.plan is PlanPolicy.AUTO and not _shown(task, moment).plan_review.human_approval
    if plan and usual and lets_through and len(plan.steps) == 1:
        return [accept(task, plan.hash, (), moment)]
    return _ask_plan(task, Kind.PLAN, moment)


def _ask_plan(task: Task, kind: Kind, moment: Moment, options: tuple[Option, ...] = ()) -> Facts:
    """The approval is bound to the hash of what is shown."""
    assert task.plan.draft is not None, "there is nothing to decide on"
    subject = OfPlan(hash=task.plan.draft.hash, version=task.plan.number)
    if kind is Kind.PLAN and not options:
        hidden = {PlanOption.FULL: task.plan.short, PlanOption.APPROVE_ADD: moment.supervision(task).enabled}
        options = PLAN.offer(*(each for each in PlanOption if hidden.get(each, True)))
    if kind is Kind.DEBATE and task.plan.review is not None and task.plan.review.silent:
        options = DEBATE.offer(*DebateOption)
    return ask(task, Question(kind=kind, options=options, subject=subject), moment)


def _sent_back(task: Task, back: e.DecompositionSentBack, moment: Moment) -> Facts:
    """The first and as many as may be sent back by the workflow; then a person decides."""
    if task.plan.level is Level.MINIMAL and back.review is not None:
        why = Reason(code=Why.NO_PLANNER, details=back.reasons[:3])
        return _escalate(task, task.plan.number, why, (back.review, back.debate), moment)
    drafted = task.plan.tries + (back.number > task.plan.number)
    if drafted <= _shown(task, moment).plan.max_retries:
        return [back]
    why = Reason(code=Why.NEVER_HELD, count=drafted, details=back.reasons[:3])
    return _escalate(task, task.plan.number, why, (back.review, back.debate), moment)


def _escalate(
    task: Task, number: int, why: Cause, held: tuple[Review | None, Debate | None] | None, moment: Moment
) -> Facts:
    review, debate = held or (None, None)
    escalated = e.DecompositionEscalated(
        task=task.id, at=moment.at, number=number, why=why, review=review, debate=debate
    )
    later = replace(moment, cause=f"{moment.cause}:escalated")
    if task.plan.draft is None:
        # there is nothing to approve; whoever asked for it may tell more, in words
        options = NO_PLAN.offer() if held else NO_PLAN.offer(NoPlanOption.CANCEL)  # the planner itself says no
        lines = tuple(line for line in why.splitlines() if line.strip()) if isinstance(why, str) else (why,)
        return [escalated, *ask(task, Question(kind=Kind.NO_PLAN, options=options, evidence=lines), later)]
    return [escalated, *_ask_plan(replace(task, plan=replace(task.plan, review=review)), Kind.DEBATE, later)]


def _missing(review: Review) -> Reason:
    return Reason(code=Why.NO_VERDICT, names=tuple(review.silent))
