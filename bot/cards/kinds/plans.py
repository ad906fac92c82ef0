"""Decisions on the way to a plan."""

from collections.abc import Iterator

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.plan import ChangeOption, DebateOption, NoPlanOption, PlanOption
from agents.domain.decisions.subject import OfPlan, OfWords
from agents.domain.planning.review import Ruling, Stance
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from bot.cards.kinds.kind_card import (
    CANCEL_TASK,
    KindCard,
    Label,
    ask_whole,
    effect_rows,
    is_short,
    no_lines,
    request_in_short,
    show_request,
    whole_question,
    why_rows,
)
from bot.cards.plan import is_contested, plan_rows, size_in_words
from bot.cards.scene import Bill
from bot.messages import Row, Style

NARROW = Label("Narrow scope", "Narrower scope asked for", asks="What may be left out?")
SNOOZE = Label("Snooze", "Snoozed")
CHANGES = Label("Request changes", "Changes requested", asks="What should be different?")


def shows_plan(task: Task, decision: Decision) -> bool:
    """Only the version that is decided on is shown."""
    about = decision.subject
    return isinstance(about, OfPlan) and task.plan.draft is not None and task.plan.draft.hash == about.hash


def plan_card_rows(task: Task, decision: Decision, bill: Bill) -> tuple[Row, ...]:
    return plan_rows(task, bill) if shows_plan(task, decision) else ()


def _plan_footer(task: Task, decision: Decision) -> Iterator[str]:
    yield "Anybody here may ask for changes, by button or in words."
    if task.plan.rehearsal:
        yield "A rehearsal: a script plays planner and reviewers, no model was asked."


def _plan_title(task: Task, decision: Decision) -> str:
    """Of the version that is decided on, whatever was planned since."""
    shown = decision.subject.version if isinstance(decision.subject, OfPlan) else 0
    number = shown or task.plan.number
    again = f", version {number}" if number > 1 else ""
    if any(option.approves for option in decision.options):
        return f"{task.id}: please look at the plan{again}"
    if task.plan.review is None or number != task.plan.number:
        return f"{task.id}: a reviewer says stop{again}"
    who = "critic" if task.plan.review.critic_stance is Stance.STOP else "scope guard"
    return f"{task.id}: the {who} says stop"


def _plan_text(task: Task, decision: Decision) -> str:
    request = request_in_short(task)
    if task.plan.review and task.plan.review.ruling is Ruling.BLOCKED:
        return f"“{request}” cannot go on like this, and nobody can approve it as it is. Say what should change."
    size = f": {size_in_words(task.plan.draft)}" if task.plan.draft else ""
    return f"“{request}”{size}. Nothing starts before it is approved."


PLAN = KindCard(
    kind=Kind.PLAN,
    name="the plan",
    title=_plan_title,
    text=_plan_text,
    labels={
        PlanOption.APPROVE: Label("Approve plan", "Plan approved", Style.PRIMARY),
        PlanOption.CHANGES: CHANGES,
        PlanOption.NARROW: NARROW,
        PlanOption.SEND_BACK: Label("Send plan back", "Plan sent back", asks="What is wrong with the whole of it?"),
        PlanOption.BACKBURNER: SNOOZE,
        PlanOption.CANCEL: CANCEL_TASK,
    },
    rows=plan_card_rows,
    footer=_plan_footer,
    first=2,
)


def _debate_text(task: Task, decision: Decision) -> str:
    why = task.plan.debate.tension if task.plan.debate and is_contested(task) else task.problem
    return f"{(why or 'The reviewers could not settle it').rstrip('.')}. {show_request(task, decision)}"


DEBATE = KindCard(
    kind=Kind.DEBATE,
    name="a plan that the reviewers left open",
    title=lambda task, d: f"{task.id}: the plan needs your judgement",
    text=_debate_text,
    labels={
        DebateOption.APPROVE: Label("Proceed as proposed", "Plan approved", Style.PRIMARY),
        DebateOption.NARROW: NARROW,
        DebateOption.INFORMATION: Label(
            "Ask for more information", "More information asked for", asks="What should be found out first?"
        ),
        DebateOption.CANCEL: CANCEL_TASK,
    },
    rows=plan_card_rows,
    footer=_plan_footer,
    first=3,
)


OUTLINE = Label("Continue with a one-step plan", "One-step plan chosen")


def _no_plan_text(task: Task, decision: Decision) -> str:
    request = request_in_short(task)
    return f"“{request}” needs another way. Reply with what I should know, or edit your request; then I plan again."


NO_PLAN = KindCard(
    kind=Kind.NO_PLAN,
    name="what to do without a plan",
    title=lambda task, d: f"{task.id}: I could not make a plan",
    text=_no_plan_text,
    labels={NoPlanOption.OUTLINE: OUTLINE, NoPlanOption.CANCEL: CANCEL_TASK},
    rows=effect_rows,
)


_CLARIFICATION_NAME = "a question about the request"

# A question of the planner; its options are answers that the planner suggests.
CLARIFICATION = KindCard(
    kind=Kind.CLARIFICATION,
    name=_CLARIFICATION_NAME,
    title=lambda task, d: f"{task.id}: {d.question if is_short(d.question) else _CLARIFICATION_NAME}",
    text=ask_whole,
    rows=why_rows,
    lines=no_lines,
    whole=whole_question,
)


def _change_title(task: Task, decision: Decision) -> str:
    words = decision.subject.words if isinstance(decision.subject, OfWords) else ""
    return f"{task.id}: Should this change the plan: “{one_line(words, 300)}”?"


CHANGE = KindCard(
    kind=Kind.CHANGE,
    name="whether a remark changes the plan",
    title=_change_title,
    text=ask_whole,
    labels={
        ChangeOption.YES: Label("Change the plan", "Change of the plan asked for"),
        ChangeOption.NO: Label("Keep the plan as it is", "Plan kept as it is"),
    },
    rows=why_rows,
    lines=no_lines,
)
