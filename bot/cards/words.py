"""Words that several cards share: what a state, a kind of decision and an option are called."""

from collections.abc import Callable

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option
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
    Kind.PROJECT: "which project it is for",
    Kind.QUESTION: "a minion's question",
    Kind.PLAN: "the plan",
    Kind.DEBATE: "a plan that the reviewers left open",
    Kind.SCOPE: "more scope",
    Kind.BUDGET: "more budget",
    Kind.MEANT: "what some words answer",
    Kind.SECOND: "whether it is a task of its own",
    Kind.CORRECTION: "an edit of the request after its approval",
    Kind.GATE_MEDIUM: "a step of medium risk",
    Kind.GATE_HIGH: "a step of high risk",
    Kind.GATE_CRITICAL: "a step of critical risk",
    Kind.MERGE: "the merge",
    Kind.MERGE_HIGH: "the merge of a risky change",
    Kind.MERGE_CRITICAL: "the merge of a critical change",
    Kind.ESCALATION: "work that got stuck",
    Kind.PROPOSAL: "a proposal",
    Kind.SKILL: "a skill",
    Kind.KNOWLEDGE: "a piece of knowledge",
    Kind.STOPPED: "whether to go on",
    Kind.BACKBURNER: "whether to bring it back",
    Kind.CANCEL: "whether to cancel",
    Kind.CONTROLS: "the controls",
}

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
    (Kind.ESCALATION, "retry"): ("Retry step", Style.PRIMARY),
    (Kind.ESCALATION, "outline"): ("Use a bare outline", Style.PLAIN),
    (Kind.ESCALATION, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.ESCALATION, "hint"): ("Retry with a hint", Style.PRIMARY),
    (Kind.ESCALATION, "expand"): ("Expand scope", Style.PLAIN),
    (Kind.ESCALATION, "take"): ("Take over branch", Style.PLAIN),
    (Kind.ESCALATION, "drop"): ("Drop subtask", Style.PLAIN),
    (Kind.ESCALATION, "hand_in"): ("Judge my branch", Style.PRIMARY),
    (Kind.ESCALATION, "again"): ("Try the merge again", Style.PRIMARY),
    (Kind.ESCALATION, "leave"): ("Leave it to me", Style.PLAIN),
    (Kind.QUESTION, "answer"): ("Answer…", Style.PLAIN),
    (Kind.SCOPE, "allow"): ("Allow these paths", Style.PRIMARY),
    (Kind.SCOPE, "refuse"): ("Keep the scope", Style.PLAIN),
    (Kind.SCOPE, "unrestricted"): ("Allow everything", Style.DANGER),
    (Kind.SCOPE, "paths"): ("Name the paths", Style.PLAIN),
    **{
        (kind, value): said
        for kind in (Kind.GATE_MEDIUM, Kind.GATE_HIGH, Kind.GATE_CRITICAL)
        for value, said in (("pass", ("Let it pass", Style.PRIMARY)), ("reject", ("Send it back", Style.PLAIN)))
    },
    **{
        (kind, value): said
        for kind in (Kind.MERGE, Kind.MERGE_HIGH, Kind.MERGE_CRITICAL)
        for value, said in (
            ("merge", ("Merge it", Style.PRIMARY)),
            ("changes", ("Request changes", Style.PLAIN)),
            ("leave", ("Leave it to me", Style.PLAIN)),
            ("cancel", ("Cancel task", Style.DANGER)),
        )
    },
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
    (Kind.CLARIFICATION, "outline"): ("Use a bare outline", Style.PLAIN),
    (Kind.CLARIFICATION, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.BUDGET, "cancel"): ("Cancel task", Style.DANGER),
    (Kind.PROPOSAL, "approve"): ("Approve proposal", Style.PRIMARY),
    (Kind.PROPOSAL, "reject"): ("Reject proposal", Style.PLAIN),
    (Kind.PROPOSAL, "reject_because"): ("Reject, and say why", Style.PLAIN),
    (Kind.CONTROLS, "stop"): ("Stop task", Style.PLAIN),
    (Kind.CONTROLS, "backburner"): ("Lay aside", Style.PLAIN),
    (Kind.CONTROLS, "cancel"): ("Cancel task", Style.DANGER),
}


def label(kind: Kind, option: Option) -> tuple[str, Style]:
    """What the button of an option says: a verb and its object."""
    if known := _LABELS.get((kind, option.value)):
        return known
    if option.approves:
        return option.label or f"Approve {KIND[kind]}", Style.PRIMARY
    return option.label or option.value.replace("_", " ").capitalize(), Style.PLAIN


def label_of(kind: Kind, option: Option) -> str:
    return label(kind, option)[0]


def state_of(task: Task) -> str:
    """Where it stands, as far as its facts tell."""
    closer = _CLOSER.get(task.state)
    return (closer(task) if closer else "") or STATE[task.state]


def _planned(task: Task) -> str:
    if task.of_kind(Kind.CLARIFICATION):
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
    return "Waiting for you: there is no plan yet" if task.of_kind(Kind.CLARIFICATION) else ""


def _blocked(task: Task) -> str:
    if task.of_kind(Kind.PLAN):
        return "A reviewer says stop: it needs you"
    return "Stopped at its budget: it needs you" if task.of_kind(Kind.BUDGET) else ""


def _at_work(task: Task) -> str:
    if any(task.of_kind(kind) for kind in (Kind.MERGE, Kind.MERGE_HIGH, Kind.MERGE_CRITICAL)):
        return "Ready to merge"
    asked = {(d.kind, d.subject.partition(":")[0]) for d in task.questions}
    return next((said for about, said in _NEEDS_YOU.items() if about in asked), "")


# What is asked while a task is at work, by its kind and what it is about; the first that is asked is said.
_NEEDS_YOU: dict[tuple[Kind, str], str] = {
    (Kind.ESCALATION, "merge"): "Could not be merged: it needs you",
    (Kind.ESCALATION, ""): "Got stuck: it needs you",
    (Kind.ESCALATION, "work"): "At work, and a step needs you",
    (Kind.QUESTION, "run"): "At work, and a minion waits for you",
    (Kind.SCOPE, "run"): "At work, and a minion waits for you",
}


_CLOSER: dict[TaskState, Callable[[Task], str]] = {
    TaskState.RECEIVED: lambda task: "Waiting for an answer" if task.questions else "",
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
    text, _ = label(decision.kind, decision.option(decision.outcome))
    return f"{text}: {decision.words}" if decision.words else text
