"""A task that was stopped: what is done, under way and left."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.decisions.kinds.task.stopped import StoppedOption
from agents.domain.task.task import Task, TaskState
from agents.domain.work.work import SubtaskState
from bot.cards.kinds.kind_card import CANCEL_TASK, TAKE_OVER, KindCard, Label, request_in_short
from bot.messages import Style


def _title(task: Task, decision: Decision) -> str:
    return f"{task.id} {'is' if decision.state is DecisionState.OPEN else 'was'} stopped"


def _text(task: Task, decision: Decision) -> str:
    if task.in_work:
        return _at_work(task)
    done = f"a plan, version {task.plan.number}" if task.plan.draft else "nothing yet"
    asked = task.before_rest in (TaskState.DECOMPOSING, TaskState.IN_REVIEW)
    under_way = "at most one last answer, which is kept" if asked else "nothing"  # a model cannot be interrupted
    left = f"the rest of “{request_in_short(task)}”"
    return f"Done: {done}. In progress: {under_way}. Left: {left}. Nothing runs until you say so."


def _at_work(task: Task) -> str:
    names = {state: [f"{task.id}.{w.number}" for w in task.work.subtasks if w.state is state] for state in SubtaskState}
    done = ", ".join(names[SubtaskState.DONE]) or "nothing yet"
    busy = ", ".join((*names[SubtaskState.RUNNING], *names[SubtaskState.PAUSED]))
    under_way = f"{busy}; what it did is committed on its branch" if busy else "nothing"
    left = sum(not w.is_settled for w in task.work.subtasks)
    return f"Done: {done}. In progress: {under_way}. Left: {left} subtasks. Nothing runs until you say so."


CARD = KindCard(
    kind=Kind.STOPPED,
    name="whether to go on",
    title=_title,
    text=_text,
    labels={
        StoppedOption.RESUME: Label("Resume task", "Resumed", Style.PRIMARY),
        StoppedOption.HAND_OVER: TAKE_OVER,
        StoppedOption.CANCEL: CANCEL_TASK,
    },
)
