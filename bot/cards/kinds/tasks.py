"""Decisions about a task as a whole: to stop, snooze, cancel or retry it, or to give it more money."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, DecisionState, Option
from agents.domain.decisions.kinds.task import (
    BudgetOption,
    CancelOption,
    ControlOption,
    SnoozedOption,
    StoppedOption,
    StuckOption,
)
from agents.domain.decisions.subject import OfBudget, OfJob
from agents.domain.task.task import Task, TaskState
from agents.domain.work.work import SubtaskState
from bot.cards.kinds.kind_card import CANCEL_TASK, KindCard, Label, request_in_short, show_request
from bot.cards.kinds.plans import OUTLINE, SNOOZE
from bot.messages import Style


def _stopped_title(task: Task, decision: Decision) -> str:
    return f"{task.id} {'is' if decision.state is DecisionState.OPEN else 'was'} stopped"


def _stopped_text(task: Task, decision: Decision) -> str:
    if task.in_work:
        return _stopped_at_work(task)
    done = f"a plan, version {task.plan.number}" if task.plan.draft else "nothing yet"
    asked = task.before_rest in (TaskState.DECOMPOSING, TaskState.IN_REVIEW)
    under_way = "at most one last answer, which is kept" if asked else "nothing"  # a model cannot be interrupted
    left = f"the rest of “{request_in_short(task)}”"
    return f"Done: {done}. In progress: {under_way}. Left: {left}. Nothing runs until you say so."


def _stopped_at_work(task: Task) -> str:
    names = {state: [f"{task.id}.{w.number}" for w in task.work.subtasks if w.state is state] for state in SubtaskState}
    done = ", ".join(names[SubtaskState.DONE]) or "nothing yet"
    busy = ", ".join((*names[SubtaskState.RUNNING], *names[SubtaskState.PAUSED]))
    under_way = f"{busy}; what it did is committed on its branch" if busy else "nothing"
    left = sum(not w.settled for w in task.work.subtasks)
    return f"Done: {done}. In progress: {under_way}. Left: {left} subtasks. Nothing runs until you say so."


STOPPED = KindCard(
    kind=Kind.STOPPED,
    name="whether to go on",
    title=_stopped_title,
    text=_stopped_text,
    labels={
        StoppedOption.RESUME: Label("Resume task", "Resumed", Style.PRIMARY),
        StoppedOption.HAND_OVER: Label("I'll finish it myself", "Taken over"),
        StoppedOption.CANCEL: CANCEL_TASK,
    },
)


def _snoozed_title(task: Task, decision: Decision) -> str:
    return f"{task.id} {'is' if decision.state is DecisionState.OPEN else 'was'} snoozed"


def _snoozed_text(task: Task, decision: Decision) -> str:
    return f"“{request_in_short(task)}” waits here and costs nothing. Bring it back whenever you like."


SNOOZED = KindCard(
    kind=Kind.BACKBURNER,
    name="whether to bring it back",
    title=_snoozed_title,
    text=_snoozed_text,
    labels={
        SnoozedOption.RESUME: Label("Bring task back", "Brought back", Style.PRIMARY),
        SnoozedOption.CANCEL: CANCEL_TASK,
    },
)


def _cancel_text(task: Task, decision: Decision) -> str:
    reason = f"The reason given: {decision.question}" if decision.question else "A reason will be asked for."
    return f"“{request_in_short(task)}” ends for good. {reason}"


CANCEL = KindCard(
    kind=Kind.CANCEL,
    name="whether to cancel",
    title=lambda task, d: f"Cancel {task.id}?",
    text=_cancel_text,
    labels={CancelOption.CANCEL: CANCEL_TASK, CancelOption.KEEP: Label("Keep task", "Kept")},
    confirms=False,
    takes_words=False,
)


# The standing buttons of a status card.
CONTROLS = KindCard(
    kind=Kind.CONTROLS,
    name="the controls",
    title=lambda task, d: f"{task.id}: please decide the controls",
    labels={
        ControlOption.STOP: Label("Stop task", "Stopped"),
        ControlOption.BACKBURNER: SNOOZE,
        ControlOption.CANCEL: CANCEL_TASK,
    },
    confirms=False,
)


# What a flow is doing, as people would say it.
FLOW: dict[str, str] = {
    "intake": "choosing the project",
    "decompose": "planning",
    "review": "the review of the plan",
    "debate": "the debate about the plan",
    "understand": "reading what was said",
    "begin_work": "beginning the work",
    "resume_work": "going on with the work",
    "work": "a minion's work",
    "evaluate": "checking the work",
    "integrate": "bringing the work together",
    "open_pull": "opening the pull request",
    "merge": "the merge",
    "keep_work": "keeping what there was",
    "publish_branch": "bringing the branch to you",
    "tidy": "tidying up",
}


def _stuck_text(task: Task, decision: Decision) -> str:
    flow = decision.subject.flow if isinstance(decision.subject, OfJob) else ""
    failed = f"{FLOW.get(flow, flow).capitalize()} could not be finished, and I stopped trying."
    return f"{failed} {show_request(task, decision)}"


STUCK = KindCard(
    kind=Kind.STUCK,
    name="work that got stuck",
    title=lambda task, d: f"{task.id} got stuck",
    text=_stuck_text,
    labels={
        StuckOption.RETRY: Label("Retry step", "Retried", Style.PRIMARY),
        StuckOption.OUTLINE: OUTLINE,
        StuckOption.CANCEL: CANCEL_TASK,
    },
    at_work="Got stuck: it needs you",
    trouble=True,
)


def _raise_label(decision: Decision, option: Option) -> Label:
    """Earlier versions stored the label."""
    limit = f"${float(option.value):.2f}"
    return Label(option.label or f"Raise to {limit}", f"Raised to {limit}", Style.PRIMARY)


def _budget_text(task: Task, decision: Decision) -> str:
    about = decision.subject
    assert isinstance(about, OfBudget)
    budget = about.budget or f"task {task.id}"
    used = f"The budget of {budget} is ${about.limit:.2f}, and ${about.spent:.2f} is spent or promised."
    return f"{used} “{request_in_short(task)}” waits. What is finished is kept and is not paid for again."


# Its options are limits in dollars.
BUDGET = KindCard(
    kind=Kind.BUDGET,
    name="more budget",
    title=lambda task, d: f"{task.id}: the budget is used up",
    text=_budget_text,
    labels={BudgetOption.CANCEL: CANCEL_TASK},
    other=_raise_label,
)
