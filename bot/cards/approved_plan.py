"""The plan that was approved, whole: it stays readable on its closed card and on the task's page."""

from collections.abc import Iterator
from dataclasses import replace

from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.decisions.subject import OfPlan
from agents.domain.ids import DecisionId, derive_id
from agents.domain.planning.decomposition import Decomposition, Edge, Subtask
from agents.domain.task.task import Task
from bot.cards.plan import because, kind_in_words, order_in_words
from bot.cards.scene import INLINE, Ways
from bot.config.platforms import OWN
from bot.messages import Attached, Button, Card, Choice, Link

SHOW = "Show the plan"
PLAN = "p"  # the letter of its standing button


def with_plan(card: Card, task: Task, decision: Decision, ways: Ways) -> Card:
    """Folded where a card can be folded, by a link, or by a button that brings it to whoever presses."""
    if not _approves(task, decision):
        return card
    if ways.surface == OWN:
        return replace(card, files=(*card.files, Attached(name=f"{task.id}-plan.md", text=plan_text(task))))
    if url := ways.to(f"/task/{task.id}#plan"):
        return replace(card, links=(*card.links, Link(label=SHOW, url=url)))
    choice = Choice(decision=plan_id(task), letter=PLAN)
    return replace(card, buttons=(*card.buttons, Button(label=SHOW, choice=choice)))


def _approves(task: Task, decision: Decision) -> bool:
    """It was decided on the very plan that is in force."""
    about = decision.subject
    shown = about.hash if isinstance(about, OfPlan) else ""
    plan = task.plan.draft
    in_force = plan is not None and task.plan.accepted == plan.hash == shown
    return in_force and decision.state is DecisionState.DECIDED


def plan_id(task: Task) -> DecisionId:
    """Names the approved plan in the button that shows it. Nothing is decided by it."""
    return DecisionId(derive_id("plan", task.id, task.plan.accepted))


def plan_card(task: Task) -> Card:
    """What the button brings."""
    title, text = f"The plan of {task.id}", plan_text(task)
    if len(text) <= INLINE:
        return Card(title=title, text=text)
    return Card(title=title, text="It is attached.", files=(Attached(name=f"{task.id}-plan.md", text=text),))


def plan_text(task: Task) -> str:
    """Each subtask with its reason and how it is shown to work."""
    plan = task.plan.draft
    if plan is None:
        return ""
    return "\n".join([f"Goal: {plan.goal}", *(_section(task, plan, each) for each in plan.subtasks), *_rest(plan)])


def _section(task: Task, plan: Decomposition, subtask: Subtask) -> str:
    return "\n".join([f"\n{task.id}.{subtask.number} {title_of(plan, subtask)}", *(f"  {x}" for x in details(subtask))])


def title_of(plan: Decomposition, subtask: Subtask) -> str:
    if plan.is_closing(subtask.number):
        return "Verify that all of it together does what was asked for"
    return f"Find out: {subtask.title}" if subtask.spike else subtask.title


def details(subtask: Subtask) -> Iterator[str]:
    """What the plan's card has no room for."""
    needs = ", ".join(str(need.number) for need in subtask.needs if need.edge is Edge.BLOCKS)
    kind = "" if subtask.closing else f"{kind_in_words(subtask)}; {subtask.size}; confidence {subtask.confidence}"
    parts = (
        *(("Why", subtask.why), ("Kind", kind), ("Role", subtask.role), ("Test", subtask.test)),
        *(("Files", ", ".join(subtask.files)), ("After", needs)),
    )
    yield from (f"{label}: {value}" for label, value in parts if value)


def _rest(plan: Decomposition) -> Iterator[str]:
    yield f"\nOrder: {order_in_words(plan)}"
    yield from (f"Assumes: {because(each.what, each.why)}" for each in plan.assumptions)
    yield from (f"Open issue: {because(each.what, each.why)}" for each in plan.issues)
    yield from (f"Risk: {risk}" for risk in plan.risks)
    if plan.read:
        yield f"Read before: {', '.join(plan.read)}"
