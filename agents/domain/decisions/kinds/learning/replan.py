"""The work has drifted from what was asked for: take another plan for the rest, have it planned again, or keep it."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVAL, Kind
from agents.domain.decisions.decision import Refusal, Refused
from agents.domain.decisions.kind import Chosen, DecisionKind, Follows, Moment, Question
from agents.domain.decisions.subject import OfPlan
from agents.domain.reason import Reason, Why
from agents.domain.supervision.calling import after_amendment
from agents.domain.supervision.facts import Drift
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, evolve_all, start_next
from agents.domain.work.remaining import is_untouched
from agents.domain.work.work import SubtaskState


class ReplanOption(StrEnum):
    TAKE = "take"
    AGAIN = "again"
    KEEP = "keep"


def ask_to_replan(task: Task, drafted: e.RemainderDrafted) -> Question:
    """Bound to the version that is shown. Where none could be made, it may be tried again, or the plan is kept."""
    values = ReplanOption if drafted.plan else (ReplanOption.AGAIN, ReplanOption.KEEP)
    subject = _shown(task, drafted)
    return Question(
        kind=Kind.REPLAN,
        options=REPLAN.offer(*values),
        text=drafted.why,
        evidence=drafted.differences or ((drafted.problem,) if drafted.problem else ()),
        subject=subject,
        cause=f"replan:{subject.hash}",
    )


def _shown(task: Task, drafted: e.RemainderDrafted) -> OfPlan:
    """The version that it would be. It is another one once the plan was changed in another way."""
    if drafted.plan is None:
        return OfPlan(hash=task.plan.accepted, version=task.plan.number)
    return OfPlan(hash=drafted.plan.hash, version=task.plan.number + 1)


def apply_replan(task: Task, subject: OfPlan, chosen: Chosen, moment: Moment) -> Follows:
    drafted = task.supervision.remainder
    if not task.in_work or drafted is None:
        return []
    by = chosen.person
    match chosen.option.value:
        case ReplanOption.AGAIN:
            why = f"{drafted.why}\nA person adds: {chosen.words}" if chosen.words else drafted.why
            settled, call = task.supervision.assessed, f"{moment.cause}:again"
            again = e.DriftJudged(task=task.id, at=moment.at, call=call, drift=Drift.MAJOR, why=why, settled=settled)
            return [again]
        case ReplanOption.TAKE:
            if drafted.plan is None or subject != _shown(task, drafted):
                raise Refused(Refusal.CHANGED, task=task.id, decision=chosen.decision)
            return _take(task, drafted, chosen, moment)
        case _:
            kept = e.RemainderSettled(task=task.id, at=moment.at, taken=False, by=by)
            return [kept, *start_next(evolve_all(task, [kept]), moment)]


def _take(task: Task, drafted: e.RemainderDrafted, chosen: Chosen, moment: Moment) -> Follows:
    """What somebody has begun with meanwhile is not dropped."""
    assert drafted.plan is not None
    known = {step.number for step in task.plan.draft.subtasks} if task.plan.draft else set[int]()
    amended = e.PlanAmended(
        task=task.id,
        at=moment.at,
        number=task.plan.number + 1,
        plan=drafted.plan,
        by=chosen.by,
        added=tuple(step.number for step in drafted.plan.subtasks if step.number not in known),
        differences=drafted.differences,
    )
    facts: list[e.Event] = [e.RemainderSettled(task=task.id, at=moment.at, taken=True, by=chosen.person), amended]
    for number, why in drafted.drops:
        work = task.work.on(number)
        if is_untouched(work):
            reason = Reason(code=Why.DROPPED, details=(why,) if why else ())
            about = about_run(task, work, moment.at)
            facts.append(e.SubtaskDropped(**about, by=chosen.person, why=reason, outcome=SubtaskState.CANCELLED))
    after = evolve_all(task, facts)
    facts += after_amendment(after, moment.watching(after))
    return [*facts, *start_next(evolve_all(task, facts), moment)]


REPLAN = DecisionKind(
    name=Kind.REPLAN,
    subject=OfPlan,
    rule=APPROVAL,
    apply=apply_replan,
    options=ReplanOption,
    approves=frozenset({ReplanOption.TAKE}),
    needs_words=frozenset({ReplanOption.AGAIN}),
)
