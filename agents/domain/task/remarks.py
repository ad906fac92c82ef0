"""What a remark in a task's thread leads to, once it is understood."""

from dataclasses import dataclass
from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Facts, Moment, Question, Withdrawal, ask, withdraw
from agents.domain.decisions.kinds.plan.change import CHANGE
from agents.domain.decisions.kinds.plan.plan import change_plan
from agents.domain.decisions.kinds.task.second import SECOND
from agents.domain.decisions.subject import OfRemark, OfWords
from agents.domain.decisions.table import questions
from agents.domain.ids import PersonId
from agents.domain.task.task import Task

SURE = 0.7


class Intent(StrEnum):
    CHANGE = "change"
    APPROVE = "approve"
    STATUS = "status"
    WHY = "why"
    COST = "cost"
    OTHER = "other"  # small talk, or a remark to keep in mind: silence is an answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    intent: Intent
    confidence: float


def after_remark(task: Task, remark: e.RemarkMade, understood: Understood, moment: Moment) -> Facts:
    """Below 0.7 one question is asked, and only where a wrong guess would change something."""
    if task.ended:
        return []
    if remark.asks and _may_be_a_request(task, understood):
        return _ask_whether_new(task, remark, moment)
    match understood.intent:
        case Intent.CHANGE if understood.confidence < SURE:
            return _ask_whether(task, remark, moment)
        case Intent.CHANGE:
            return change_plan(task, remark.by, remark.text, moment)
        case Intent.APPROVE:
            return _offer(task, remark.by, moment)
        case Intent.STATUS | Intent.WHY | Intent.COST:
            about = understood.intent.value
            return [e.TaskAskedAbout(task=task.id, at=moment.at, by=remark.by, about=about)]
        case Intent.OTHER:
            return []


def _may_be_a_request(task: Task, understood: Understood) -> bool:
    """What is no question about the task, and not surely a wish for the plan that is shown."""
    if understood.intent is Intent.CHANGE:
        return understood.confidence < SURE or not _plan_is_shown(task)
    return understood.intent is Intent.OTHER


def _ask_whether_new(task: Task, remark: e.RemarkMade, moment: Moment) -> Facts:
    """It is kept as a remark already; whoever said it may have meant a task of their own."""
    about = OfRemark(entitled=remark.entitled)
    return ask(task, Question(kind=SECOND, text=remark.text, subject=about, put_to=remark.by), moment)


def _plan_is_shown(task: Task) -> bool:
    return any(d.kind in (Kind.PLAN, Kind.DEBATE) for d in task.open)


def known(task: Task) -> list[str]:
    """What a reader of the remark should know of the thread: where the task is and what it waits for."""
    facts = [f"The task is {task.state.replace('_', ' ')}."]
    if task.plan.draft:
        facts.append(f"Version {task.plan.number} of a plan was drafted: {task.plan.draft.goal}")
    return facts + [
        f"Open for a person to decide: {d.kind.replace('_', ' ')}. {d.question}".strip() for d in questions(task)
    ]


def _ask_whether(task: Task, remark: e.RemarkMade, moment: Moment) -> Facts:
    if not _plan_is_shown(task):
        return []
    before = [d for d in task.open if d.kind is Kind.CHANGE]
    asked = ask(task, Question(kind=CHANGE, subject=OfWords(words=remark.text)), moment)
    return [*withdraw(before, Withdrawal.SAID_SINCE, moment), *asked]


def _offer(task: Task, by: PersonId, moment: Moment) -> Facts:
    for decision in questions(task):
        if any(option.approves for option in decision.options):
            return [e.ApprovalOffered(task=task.id, at=moment.at, by=by, decision=decision.id)]
    return []
