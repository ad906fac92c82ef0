"""Judge whether the work still leads to what was asked for; where it has drifted, plan what remains anew."""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel

from agents.domain import events as e
from agents.domain.checks.scope import odd_path
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Follows, Moment
from agents.domain.decisions.kinds.learning.replan import ask_to_replan
from agents.domain.decisions.table import open_questions
from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.events import Event
from agents.domain.planning.work_kind import WorkKind
from agents.domain.supervision.amending import add, differences, reorder, small
from agents.domain.supervision.calling import after_drift
from agents.domain.supervision.facts import Drift, Supervision
from agents.domain.task.task import Task
from agents.domain.text.sanitize import AnswerBound, Line, Name, Sentence, clean, one_line
from agents.domain.work.dispatching import evolve_all, start_next
from agents.domain.work.remaining import can_add, waiting
from agents.flows.supervision.inputs import Seen, compress, describe
from agents.flows.supervision.looking import look_up
from agents.ports import Ask, Ports

MOST = 10  # subtasks that are added, or dropped
WHY = 600


class Verdict(StrEnum):
    ALIGNED = "aligned"
    MINOR = "minor_drift"
    MAJOR = "major_divergence"


class AssessAnswer(BaseModel):
    verdict: Verdict
    why: Line = ""

    def contradiction(self) -> str:
        """Why it is no answer, though it has the shape of one."""
        return (
            "it names drift, and not what has drifted" if self.verdict is not Verdict.ALIGNED and not self.why else ""
        )


class AddSays(BaseModel):
    title: Annotated[str, AnswerBound(120, least=1)]
    why: Sentence
    files: Annotated[tuple[Name, ...], AnswerBound(10)] = ()
    kind: WorkKind = WorkKind.FEATURE
    test: Sentence = ""


class DropSays(BaseModel):
    number: int
    why: Sentence


class RemainderAnswer(BaseModel):
    add: Annotated[tuple[AddSays, ...], AnswerBound(MOST)] = ()
    drop: Annotated[tuple[DropSays, ...], AnswerBound(MOST)] = ()
    order: Annotated[tuple[int, ...], AnswerBound(60)] = ()
    summary: Sentence = ""


async def assess(event: Event, ports: Ports) -> None:
    """With what supervisors found as evidence. Without an answer the work goes on: advice fails open."""
    assert isinstance(event, e.AssessmentDue)
    task = await ports.store.task(event.task)
    state = await look_up(task, ports)
    asked = Ask(
        question="assess",
        role="primary",
        step=f"assess:{event.call}",
        task=task,
        about=_evidence(task, state),
        refuse=AssessAnswer.contradiction,
    )
    drift, why = Drift.UNKNOWN, ""
    try:
        says, _ = await ports.llm.ask(asked, AssessAnswer)
        drift, why = Drift(says.verdict.value), one_line(clean(says.why), WHY)
    except (NoAnswer, BudgetReached) as none:
        why = one_line(none.what, 300)

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        return open_questions(now, _judge(now, event, drift, why, moment), moment)

    await ports.store.record(task.id, decide)


def _evidence(task: Task, state: Supervision) -> Mapping[str, object]:
    about = compress(task, state, None, Seen())
    told = ("done", "remaining", "results")
    log = [f"{each.by}: {each.summary or each.skipped}" for each in state.log if each.task == task.id][-6:]
    asked = [describe(each) for each in state.directives_of(task.id)][:10]
    return {**{name: about[name] for name in told}, "log": log, "directives": asked}


def _judge(task: Task, event: e.AssessmentDue, drift: Drift, why: str, moment: Moment) -> Follows:
    waits = task.supervision.assessing == event.call
    settled = sum(work.is_settled for work in task.work.subtasks)
    major = drift is Drift.MAJOR and can_add(task)
    found = drift if major or drift is not Drift.MAJOR else Drift.MINOR  # nothing of the plan is left to be changed
    judged = e.DriftJudged(task=task.id, at=moment.at, call=event.call, drift=found, why=why, settled=settled)
    if task.has_ended:
        return [judged]
    after = evolve_all(task, [judged])
    more = after_drift(after, moment.watching(after)) if found is Drift.MINOR else []
    return [judged, *more, *(start_next(evolve_all(after, more), moment) if waits else ())]


async def replan(event: Event, ports: Ports) -> None:
    """What is done stays. What the planner would change is for a person to take."""
    assert isinstance(event, e.DriftJudged)
    task = await ports.store.task(event.task)
    numbers = waiting(task)
    asked = Ask(
        question="remainder",
        role="primary",
        step=f"remainder:{event.call}",
        task=task,
        about={**_evidence(task, await look_up(task, ports)), "why": event.why, "numbers": list(numbers)},
        persona="planner",
        refuse=lambda answer: _refuse(answer, numbers),
    )
    problem, says = "", RemainderAnswer()
    try:
        says, _ = await ports.llm.ask(asked, RemainderAnswer)
    except (NoAnswer, BudgetReached) as none:
        problem = one_line(none.what, 400)

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        if not now.in_work or not now.supervision.diverged:
            return []
        drafted = _draft(now, says, event.why, problem, moment)
        asks = [] if now.of_kind(Kind.REPLAN) else [ask_to_replan(now, drafted)]
        return open_questions(now, [drafted, *asks], moment)

    await ports.store.record(task.id, decide)


def _refuse(answer: RemainderAnswer, numbers: Collection[int]) -> str:
    """Only what nobody has begun with may be dropped or moved."""
    wrong = sorted({each.number for each in answer.drop} | {*answer.order} - {*numbers})
    wrong = [number for number in wrong if number not in numbers]
    if wrong:
        return f"{wrong[0]} is no subtask that waits; those are {', '.join(map(str, numbers)) or 'none'}"
    odd = next((path for each in answer.add for path in each.files if odd_path(path)), "")
    if odd:
        return f"{odd[:80]} is no path inside the project"
    return "" if answer.add or answer.drop or answer.order else "it changes nothing"


def _draft(task: Task, says: RemainderAnswer, why: str, problem: str, moment: Moment) -> e.RemainderDrafted:
    old = task.plan.draft
    left = set(waiting(task))
    if problem or old is None or not can_add(task):
        return e.RemainderDrafted(task=task.id, at=moment.at, why=why, problem=problem)
    drops = tuple((each.number, one_line(each.why, 200)) for each in says.drop if each.number in left)
    plan = reorder(old, [number for number in says.order if number in left])
    wanted = [small(clean(s.title), clean(s.why), s.kind, s.files, clean(s.test)) for s in says.add]
    plan, _ = add(plan, wanted)
    told = differences(old, plan, dict(drops))
    return e.RemainderDrafted(task=task.id, at=moment.at, why=why, plan=plan, drops=drops, differences=told)
