"""Words that several cards share: what a state, a kind of decision and an option are called."""

from collections.abc import Callable

from agents.domain.checks.risk import RiskLevel
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kind import risk_of
from agents.domain.decisions.table import questions
from agents.domain.planning.debate import Position
from agents.domain.planning.decomposition import Level
from agents.domain.task.task import Task, TaskState
from bot.messages import Style, Tone

STATE: dict[TaskState, str] = {
    TaskState.RECEIVED: "Received",
    TaskState.DECOMPOSING: "Waiting for a plan",
    TaskState.IN_REVIEW: "Reviewers are reading the plan",
    TaskState.AWAITING_APPROVAL: "Waiting for approval",
    TaskState.RUNNING: "At work",
    TaskState.POLISHING: "Being polished",
    TaskState.DONE: "Done",
    TaskState.BLOCKED: "Blocked: it needs you",
    TaskState.BACKBURNER: "Laid aside",
    TaskState.PAUSED: "Stopped",
    TaskState.FAILED: "Failed",
    TaskState.CANCELLED: "Cancelled",
}

TONE: dict[TaskState, Tone] = {
    **dict.fromkeys(TaskState, Tone.PLAIN),
    TaskState.DONE: Tone.GOOD,
    TaskState.AWAITING_APPROVAL: Tone.ASKING,
    TaskState.BLOCKED: Tone.BAD,
    TaskState.FAILED: Tone.BAD,
}

KIND: dict[Kind, str] = {
    Kind.INTAKE: "whether to take on a request from outside",
    Kind.CLARIFICATION: "a question about the request",
    Kind.NO_PLAN: "what to do without a plan",
    Kind.CHANGE: "whether a remark changes the plan",
    Kind.PROJECT: "which project it is for",
    Kind.QUESTION: "a minion's question",
    Kind.PLAN: "the plan",
    Kind.DEBATE: "a plan that the reviewers left open",
    Kind.SCOPE: "more scope",
    Kind.START_SCOPE: "what a subtask may write",
    Kind.BUDGET: "more budget",
    Kind.MEANT: "what some words answer",
    Kind.SECOND: "whether it is a task of its own",
    Kind.CORRECTION: "an edit of the request after its approval",
    Kind.GATE: "a step of medium risk",
    Kind.MERGE: "the merge",
    Kind.STUCK: "work that got stuck",
    Kind.ESCALATION: "work that got stuck",
    Kind.TAKEN: "work that somebody took over",
    Kind.UNMERGED: "a merge that did not fit",
    Kind.PROPOSAL: "a proposal",
    Kind.STOPPED: "whether to go on",
    Kind.BACKBURNER: "whether to bring it back",
    Kind.CANCEL: "whether to cancel",
    Kind.CONTROLS: "the controls",
}

_RISKY: dict[tuple[Kind, RiskLevel | None], str] = {
    (Kind.GATE, RiskLevel.HIGH): "a step of high risk",
    (Kind.GATE, RiskLevel.CRITICAL): "a step of critical risk",
    (Kind.MERGE, RiskLevel.HIGH): "the merge of a risky change",
    (Kind.MERGE, RiskLevel.CRITICAL): "the merge of a critical change",
}


def kind_in_words(decision: Decision) -> str:
    """What is to be decided."""
    return _RISKY.get((decision.kind, risk_of(decision.subject)), KIND[decision.kind])


POSITION: dict[Position, str] = {Position.MAINTAIN: "keeps to it", Position.REVISE: "gives way"}

# M222: what a reader of a plan should know of how it came about.
LEVEL: dict[Level, str] = {
    Level.PRIMARY: "",
    Level.SIMPLIFIED: (
        "simplified. The planner could not take in or finish the whole, so it was shown the request and the top of the "
        "project alone. Look twice at the files."
    ),
    Level.MINIMAL: (
        "minimal. No model could plan this. This is a bare outline: the request as one subtask, with TODO where you "
        "know more than I do."
    ),
}

SHORT_LEVEL: dict[Level, str] = {
    Level.PRIMARY: "",
    Level.SIMPLIFIED: "simplified, from less than all there is",
    Level.MINIMAL: "minimal, a bare outline",
}

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
    "evaluate": "judging the work",
    "integrate": "bringing the work together",
    "open_pull": "opening the pull request",
    "merge": "the merge",
    "keep_work": "keeping what there was",
    "publish_branch": "bringing the branch to you",
    "tidy": "tidying up",
}

_LABELS: dict[tuple[Kind, str], tuple[str, Style]] = {
    (Kind.INTAKE, "take"): ("Take it on", Style.PRIMARY),
    (Kind.INTAKE, "cancel"): ("Turn it down", Style.DANGER),
    (Kind.STOPPED, "resume"): ("Resume task", Style.PRIMARY),
    (Kind.STOPPED, "hand_over"): ("Hand it to me", Style.PLAIN),
    (Kind.STOPPED, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.BACKBURNER, "resume"): ("Bring task back", Style.PRIMARY),
    (Kind.BACKBURNER, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.CANCEL, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.CANCEL, "keep"): ("Keep task", Style.PLAIN),
    (Kind.STUCK, "retry"): ("Retry step", Style.PRIMARY),
    (Kind.STUCK, "outline"): ("Use a bare outline", Style.PLAIN),
    (Kind.STUCK, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.ESCALATION, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.ESCALATION, "hint"): ("Retry with a hint", Style.PRIMARY),
    (Kind.ESCALATION, "expand"): ("Expand scope", Style.PLAIN),
    (Kind.ESCALATION, "take"): ("Take over branch", Style.PLAIN),
    (Kind.ESCALATION, "drop"): ("Drop subtask", Style.PLAIN),
    (Kind.TAKEN, "hand_in"): ("Judge my branch", Style.PRIMARY),
    (Kind.TAKEN, "drop"): ("Drop subtask", Style.PLAIN),
    (Kind.TAKEN, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.UNMERGED, "again"): ("Try the merge again", Style.PRIMARY),
    (Kind.UNMERGED, "leave"): ("Leave it to me", Style.PLAIN),
    (Kind.UNMERGED, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.SECOND, "task"): ("New task", Style.PLAIN),
    (Kind.MEANT, "remark"): ("Just a remark", Style.PLAIN),
    (Kind.CHANGE, "yes"): ("Change the plan", Style.PLAIN),
    (Kind.CHANGE, "no"): ("Keep the plan as it is", Style.PLAIN),
    (Kind.CORRECTION, "change"): ("Ask for this change", Style.PLAIN),
    (Kind.CORRECTION, "keep"): ("Keep what was approved", Style.PLAIN),
    (Kind.QUESTION, "answer"): ("Answer…", Style.PLAIN),
    (Kind.SCOPE, "allow"): ("Allow these paths", Style.PRIMARY),
    (Kind.SCOPE, "refuse"): ("Keep the scope", Style.PLAIN),
    (Kind.START_SCOPE, "allow"): ("Allow these paths", Style.PRIMARY),
    (Kind.START_SCOPE, "unrestricted"): ("Allow everything", Style.DANGER),
    (Kind.START_SCOPE, "paths"): ("Name the paths", Style.PLAIN),
    (Kind.GATE, "pass"): ("Let it pass", Style.PRIMARY),
    (Kind.GATE, "reject"): ("Send it back", Style.PLAIN),
    (Kind.MERGE, "merge"): ("Merge it", Style.PRIMARY),
    (Kind.MERGE, "changes"): ("Request changes", Style.PLAIN),
    (Kind.MERGE, "leave"): ("Leave it to me", Style.PLAIN),
    (Kind.MERGE, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.PLAN, "approve"): ("Approve plan", Style.PRIMARY),
    (Kind.PLAN, "changes"): ("Request changes", Style.PLAIN),
    (Kind.PLAN, "narrow"): ("Narrow scope", Style.PLAIN),
    (Kind.PLAN, "send_back"): ("Send plan back", Style.PLAIN),
    (Kind.PLAN, "backburner"): ("Lay aside", Style.PLAIN),
    (Kind.PLAN, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.DEBATE, "approve"): ("Proceed as proposed", Style.PRIMARY),
    (Kind.DEBATE, "narrow"): ("Narrow scope", Style.PLAIN),
    (Kind.DEBATE, "information"): ("Ask for more information", Style.PLAIN),
    (Kind.DEBATE, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.NO_PLAN, "outline"): ("Use a bare outline", Style.PLAIN),
    (Kind.NO_PLAN, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.BUDGET, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.PROPOSAL, "approve"): ("Approve proposal", Style.PRIMARY),
    (Kind.PROPOSAL, "reject"): ("Reject proposal", Style.PLAIN),
    (Kind.PROPOSAL, "reject_because"): ("Reject, and say why", Style.PLAIN),
    (Kind.CONTROLS, "stop"): ("Stop task", Style.PLAIN),
    (Kind.CONTROLS, "backburner"): ("Lay aside", Style.PLAIN),
    (Kind.CONTROLS, "cancel"): ("Cancel task", Style.DANGER),
}


# What a person is asked for with an option that needs words.
_ASKS: dict[str, str] = {
    "cancel": "Why? The reason is kept with the task.",
    "reject_because": "Why? The reason is kept with the task.",
    "hint": "What should it do differently?",
    "reject": "What should it do differently?",
    "expand": "Which paths may it write too? One a line",
    "paths": "Which paths may it write? One a line; folders end in /",
    "refuse": "What should it do instead?",
    "changes": "What should be different?",
    "narrow": "What may be left out?",
    "send_back": "What is wrong with the whole of it?",
    "information": "What should be found out first?",
}


def prompt(decision: Decision, option: Option) -> str:
    """What its form asks; empty where it takes no words."""
    if not option.needs_words:
        return ""
    if decision.kind is Kind.QUESTION:
        return decision.question.partition(": ")[2][:140]
    return _ASKS.get(option.value, "In your own words")


def label(decision: Decision, option: Option) -> tuple[str, Style]:
    """What the button of an option says: a verb and its object."""
    kind = decision.kind
    if known := _LABELS.get((kind, option.value)):
        return known
    if kind is Kind.SECOND and not option.label:
        return f"Remark on {decision.task}", Style.PLAIN
    if kind is Kind.BUDGET and not option.label:
        return f"Raise to ${float(option.value):.2f}", Style.PRIMARY
    if option.approves:
        return option.label or f"Approve {kind_in_words(decision)}", Style.PRIMARY
    return option.label or option.value.replace("_", " ").capitalize(), Style.PLAIN


def label_of(decision: Decision, option: Option) -> str:
    return label(decision, option)[0]


def state_of(task: Task) -> str:
    """Where it stands, as far as its facts tell."""
    closer = _CLOSER.get(task.state)
    return (closer(task) if closer else "") or STATE[task.state]


def _planned(task: Task) -> str:
    if task.of_kind(Kind.CLARIFICATION) or task.of_kind(Kind.NO_PLAN):
        return "Waiting for an answer"
    if task.plan.draft or task.plan.tries:
        return f"Being planned again, version {task.plan.number + 1}"
    return "Being planned again" if task.plan.feedback else ""


def _reviewed(task: Task) -> str:
    if task.plan.debate is None:
        return ""
    if task.plan.debate.over:
        return "The critic and the custodiet have argued"
    return f"The critic and the custodiet argue, round {task.plan.debate.next_round} of {task.plan.debate.most}"


def _awaiting(task: Task) -> str:
    if task.of_kind(Kind.DEBATE):
        return "Waiting for a person's judgement"
    return "Waiting for you: there is no plan yet" if task.of_kind(Kind.NO_PLAN) else ""


def _blocked(task: Task) -> str:
    if task.of_kind(Kind.PLAN):
        return "A reviewer says stop: it needs you"
    return "Stopped at its budget: it needs you" if task.of_kind(Kind.BUDGET) else ""


def _at_work(task: Task) -> str:
    if task.of_kind(Kind.MERGE):
        return "Ready to merge"
    return next((said for kind, said in _NEEDS_YOU.items() if task.of_kind(kind)), "")


# What is asked while a task is at work; the first that is asked is said.
_NEEDS_YOU: dict[Kind, str] = {
    Kind.UNMERGED: "Could not be merged: it needs you",
    Kind.STUCK: "Got stuck: it needs you",
    Kind.ESCALATION: "At work, and a step needs you",
    Kind.TAKEN: "At work, and a step needs you",
    Kind.QUESTION: "At work, and a minion waits for you",
    Kind.SCOPE: "At work, and a minion waits for you",
}


_CLOSER: dict[TaskState, Callable[[Task], str]] = {
    TaskState.RECEIVED: lambda task: "Waiting for an answer" if questions(task) else "",
    TaskState.DECOMPOSING: _planned,
    TaskState.IN_REVIEW: _reviewed,
    TaskState.AWAITING_APPROVAL: _awaiting,
    TaskState.BLOCKED: _blocked,
    TaskState.RUNNING: _at_work,
}


def chosen(decision: Decision) -> str:
    """What was decided, in words."""
    if not decision.outcome:
        return decision.words
    text, _ = label(decision, decision.option(decision.outcome))
    return f"{text}: {decision.words}" if decision.words else text
