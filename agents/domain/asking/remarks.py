"""What follows from a remark in a task's thread: a change, a question, a command, consent, or nothing."""

from collections.abc import Callable
from enum import StrEnum

from pydantic import BaseModel, Field

from agents.domain import events as e
from agents.domain.asking.meaning import SURE, Confident, Message, Routed, command_meant, named_tasks, task_meant
from agents.domain.asking.names import Act, Route
from agents.domain.asking.turning import ask_about_code
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Facts, Moment, Question, Withdrawal, withdraw
from agents.domain.decisions.kinds.plan.change import change_plan
from agents.domain.decisions.subject import OfRemark, OfWords
from agents.domain.decisions.table import ask, questions
from agents.domain.ids import PersonId
from agents.domain.task.task import Task


class Intent(StrEnum):
    CHANGE = "change"
    QUESTION = "question"  # about the code
    COMMAND = "command"  # to this task or another one, in free words
    APPROVE = "approve"
    STATUS = "status"
    WHY = "why"
    COST = "cost"
    OTHER = "other"  # small talk, or a remark to keep in mind: silence is an answer


_INTENTS = (
    "change: the plan or the request should be different; question: about the code itself; command: to stop, resume, "
    "cancel, retry or snooze a task, or about the queue, with `act`; approve: consent to what is open; "
    "status: how it stands; why: the reasons for a plan, a verdict or a wait; cost: money; "
    "other: anything else, small talk too"
)


class Understood(BaseModel):
    """What a model takes a remark for."""

    intent: Intent = Field(description=_INTENTS)
    confidence: Confident
    act: Act | None = Field(default=None, description="of a command: which one; else null")
    task: str = Field(default="", max_length=200, description="of a command: the task it is for, such as T-3")


def after_remark(task: Task, remark: e.RemarkMade, understood: Understood, moment: Moment) -> Facts:
    """Below 0.7 one question is asked, and only where a wrong guess would change something."""
    if task.has_ended:
        return []
    if remark.asks and _may_be_a_request(task, understood):
        return _ask_whether_new(task, remark, moment)
    return _FOLLOWS[understood.intent](task, remark, understood, moment)


def _change(task: Task, remark: e.RemarkMade, understood: Understood, moment: Moment) -> Facts:
    if understood.confidence < SURE:
        return _ask_whether(task, remark, moment)
    return change_plan(task, remark.by, remark.text, moment, entitled=remark.entitled)


def _question(task: Task, remark: e.RemarkMade, understood: Understood, moment: Moment) -> Facts:
    """Answered beside the work. Where it is not known which code it is about, it stays a remark."""
    sure = understood.confidence >= SURE and task.project
    return ask_about_code(task, remark.by, remark.text, moment) if sure else []


def _about(task: Task, remark: e.RemarkMade, understood: Understood, moment: Moment) -> Facts:
    words = remark.text.strip() if understood.confidence >= SURE else ""
    return [e.TaskAskedAbout(task=task.id, at=moment.at, by=remark.by, about=understood.intent.value, words=words)]


WHICH_COMMAND = "which_command"


def _obey(task: Task, remark: e.RemarkMade, understood: Understood, moment: Moment) -> Facts:
    """A command without a task's name is for the thread's own. Of one with several names, or which nobody is sure of,
    nothing is done, and its author hears so."""
    if len(named_tasks(remark.text)) > 1 or understood.act is None or understood.confidence < SURE:
        return [e.TaskAskedAbout(task=task.id, at=moment.at, by=remark.by, about=WHICH_COMMAND)]
    said = Message(by=remark.by, text=remark.text, delivery=remark.delivery)
    about = task_meant(understood.task, remark.text, {task.id}) or task.id
    routed = Routed(route=Route.STEER, confidence=understood.confidence, act=understood.act, about=about)
    return command_meant(task, said, routed, moment)


def _may_be_a_request(task: Task, understood: Understood) -> bool:
    """What is no question about the task, and not surely a wish for the plan that is shown."""
    if understood.intent is Intent.CHANGE:
        return understood.confidence < SURE or not _plan_is_shown(task)
    return understood.intent is Intent.OTHER


def _ask_whether_new(task: Task, remark: e.RemarkMade, moment: Moment) -> Facts:
    """It is kept as a remark already; whoever said it may have meant a task of their own."""
    about = OfRemark(entitled=remark.entitled)
    return ask(task, Question(kind=Kind.SECOND, text=remark.text, subject=about, put_to=remark.by), moment)


def _plan_is_shown(task: Task) -> bool:
    return any(d.kind in (Kind.PLAN, Kind.DEBATE, Kind.SKILL_DRAFT) for d in task.open)


def remark_context(task: Task) -> list[str]:
    """What a reader of the remark should know of the thread: where the task is and what it waits for."""
    facts = [f"The task is {task.state.replace('_', ' ')}."]
    if task.plan.draft:
        facts.append(f"Version {task.plan.number} of a plan was drafted: {task.plan.draft.goal}")
    return facts + [
        f"Open for a person to decide: {d.kind.replace('_', ' ')}. {d.wording}".strip() for d in questions(task)
    ]


def _ask_whether(task: Task, remark: e.RemarkMade, moment: Moment) -> Facts:
    if not _plan_is_shown(task):
        return []
    before = [d for d in task.open if d.kind is Kind.CHANGE]
    asked = ask(task, Question(kind=Kind.CHANGE, subject=OfWords(words=remark.text)), moment)
    return [*withdraw(before, Withdrawal.SAID_SINCE, moment), *asked]


def _offer(task: Task, by: PersonId, moment: Moment) -> Facts:
    for decision in questions(task):
        if any(option.approves for option in decision.options):
            return [e.ApprovalOffered(task=task.id, at=moment.at, by=by, decision=decision.id)]
    return []


_FOLLOWS: dict[Intent, Callable[[Task, e.RemarkMade, Understood, Moment], Facts]] = {
    Intent.CHANGE: _change,
    Intent.QUESTION: _question,
    Intent.COMMAND: _obey,
    Intent.APPROVE: lambda task, remark, understood, moment: _offer(task, remark.by, moment),
    Intent.STATUS: _about,
    Intent.WHY: _about,
    Intent.COST: _about,
    Intent.OTHER: lambda task, remark, understood, moment: [],
}
