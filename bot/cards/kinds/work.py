"""Decisions while a plan is carried out, up to the merge."""

from collections.abc import Iterator

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import same_option
from agents.domain.decisions.kinds.delivery import GateOption, MergeOption, UnmergedOption
from agents.domain.decisions.kinds.work import (
    EscalationOption,
    QuestionOption,
    ScopeOption,
    StartScopeOption,
    TakenOption,
)
from agents.domain.decisions.subject import OfStep
from agents.domain.decisions.table import rights_to
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import (
    CANCEL_TASK,
    KindCard,
    Label,
    is_short,
    no_lines,
    show_question,
    show_request,
    who_may,
    whole_question,
    why_rows,
)
from bot.cards.kinds.plans import CHANGES
from bot.cards.progress import merge_rows
from bot.cards.scene import Bill, bill_rows
from bot.messages import Row, Style

WAITS = "Running, and a minion waits for you"


def _question_title(task: Task, decision: Decision) -> str:
    return decision.question if is_short(decision.question) else decision.question.partition(":")[0]


def _question_whole(decision: Decision) -> str:
    whole = whole_question(decision)
    return whole.partition(": ")[2] or whole


def _question_text(task: Task, decision: Decision) -> str:
    whole, about = _question_whole(decision), show_request(task, decision)
    return f"{whole}\n\n{about}" if whole else about


# Its options are answers that the minion suggests, and one that takes words.
QUESTION = KindCard(
    kind=Kind.QUESTION,
    name="a minion's question",
    title=_question_title,
    text=_question_text,
    labels={QuestionOption.ANSWER: Label("Answer…", "Answered")},
    asks=lambda d: d.question.partition(": ")[2][:140],
    rows=why_rows,
    lines=no_lines,
    whole=_question_whole,
    at_work=WAITS,
    hold="Pause timer",
)


ALLOW = Label("Allow these paths", "Allowed", Style.PRIMARY)

SCOPE = KindCard(
    kind=Kind.SCOPE,
    name="more scope",
    title=lambda task, d: f"{task.id}: may it write more?",
    labels={
        ScopeOption.ALLOW: ALLOW,
        ScopeOption.REFUSE: Label("Keep the scope", "Scope kept", asks="What should it do instead?"),
    },
    at_work=WAITS,
)


START_SCOPE = KindCard(
    kind=Kind.START_SCOPE,
    name="what a subtask may write",
    title=lambda task, d: f"{task.id}: what may it write?",
    labels={
        StartScopeOption.ALLOW: ALLOW,
        StartScopeOption.UNRESTRICTED: Label("Allow everything", "Everything allowed", Style.DANGER),
        StartScopeOption.PATHS: Label(
            "Name the paths", "Paths named", asks="Which paths may it write? One a line; folders end in /"
        ),
    },
)


DROP = Label("Drop subtask", "Dropped")
DIFFERENTLY = "What should it do differently?"

ESCALATION = KindCard(
    kind=Kind.ESCALATION,
    name="work that got stuck",
    title=show_question,
    text=show_request,
    labels={
        EscalationOption.HINT: Label("Retry with a hint", "Retried with a hint", Style.PRIMARY, DIFFERENTLY),
        EscalationOption.EXPAND: Label(
            "Expand scope", "More scope asked for", asks="Which paths may it write too? One a line"
        ),
        EscalationOption.TAKE: Label("I'll finish it myself", "Taken over"),
        EscalationOption.DROP: DROP,
        EscalationOption.CANCEL: CANCEL_TASK,
    },
    at_work="Running, and a step needs you",
    checks=True,
    trouble=True,
)


TAKEN = KindCard(
    kind=Kind.TAKEN,
    name="work that somebody took over",
    title=show_question,
    text=show_request,
    labels={
        TakenOption.HAND_IN: Label("Check my branch", "Handed in", Style.PRIMARY),
        TakenOption.DROP: DROP,
        TakenOption.CANCEL: CANCEL_TASK,
    },
    at_work=ESCALATION.at_work,
    checks=True,
    trouble=True,
)


def _gate_title(task: Task, decision: Decision) -> str:
    """Which step it is, of how many; a plan that was changed since may not have it any more."""
    steps = task.plan.draft.subtasks if task.plan.draft else ()
    about = decision.subject.subtask if isinstance(decision.subject, OfStep) else 0
    step = next((each for each in steps if each.number == about), None)
    what = f"step {step.number} of {len(steps)}: {step.title}" if step else "all of it together"
    return f"{task.id}: review {what}"


GATE = KindCard(
    kind=Kind.GATE,
    name="a step of medium risk",
    risky={RiskLevel.HIGH: "a step of high risk", RiskLevel.CRITICAL: "a step of critical risk"},
    title=_gate_title,
    labels={
        GateOption.PASS: Label("Continue", "Continued", Style.PRIMARY),
        GateOption.REJECT: Label("Ask for a fix", "Fix asked for", asks=DIFFERENTLY),
    },
    checks=True,
)


LEAVE = Label("I'll finish it myself", "Taken over")


def _merge_rows(task: Task, decision: Decision, bill: Bill) -> list[Row]:
    return [*merge_rows(task), *bill_rows(task, bill)]


def _merge_footer(task: Task, decision: Decision) -> Iterator[str]:
    if changes := same_option(decision, MergeOption.CHANGES):
        yield f"To ask for changes: {who_may(*rights_to(decision, changes))}."
    if task.plan.rehearsal:
        yield "A rehearsal: whatever changes you ask for, a script plays the ones it has."


MERGE = KindCard(
    kind=Kind.MERGE,
    name="the merge",
    risky={RiskLevel.HIGH: "the merge of a risky change", RiskLevel.CRITICAL: "the merge of a critical change"},
    title=lambda task, d: f"{task.id} is ready to merge",
    labels={
        MergeOption.MERGE: Label("Merge it", "Merge approved", Style.PRIMARY),
        MergeOption.CHANGES: CHANGES,
        MergeOption.LEAVE: LEAVE,
        MergeOption.CANCEL: CANCEL_TASK,
    },
    rows=_merge_rows,
    footer=_merge_footer,
    at_work="Ready to merge",
)


UNMERGED = KindCard(
    kind=Kind.UNMERGED,
    name="a merge that did not fit",
    title=show_question,
    text=show_request,
    labels={
        UnmergedOption.AGAIN: Label("Try the merge again", "Merge tried again", Style.PRIMARY),
        UnmergedOption.LEAVE: LEAVE,
        UnmergedOption.CANCEL: CANCEL_TASK,
    },
    at_work="Could not be merged: it needs you",
    trouble=True,
)
