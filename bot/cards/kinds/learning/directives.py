"""What supervisors ask for, as people meet it: one card, and three ways for each directive."""

from collections.abc import Iterator

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kinds.learning.directives import DirectiveOption, named_option
from agents.domain.decisions.subject import OfDirectives
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import KindCard, Label, no_lines
from bot.cards.scene import Bill
from bot.messages import Row, Style

_SAYS: dict[DirectiveOption, tuple[str, str]] = {
    DirectiveOption.ADD: ("Add to this task", "Added to this task"),
    DirectiveOption.OWN: ("Own task", "Made a task of its own"),
    DirectiveOption.DISMISS: ("Dismiss", "Dismissed"),
}


def _label(decision: Decision, option: Option) -> Label:
    """With the number of the directive, where there are several."""
    act, number = named_option(option.value)
    text, closed = _SAYS[act]
    style = Style.PRIMARY if act is DirectiveOption.ADD and number == 1 else Style.PLAIN
    several = len(decision.evidence) > 1
    return Label(f"{number}: {text}" if several else text, f"{closed}: {number}" if several else closed, style)


def _title(task: Task, decision: Decision) -> str:
    many = len(decision.evidence)
    what = "a supervisor asks for a correction" if many == 1 else f"supervisors ask for {many} corrections"
    held = isinstance(decision.subject, OfDirectives) and decision.subject.critical
    return f"{task.id}: {what}{', and no new subtask starts until you decide' if held else ''}"


def _rows(task: Task, decision: Decision, bill: Bill) -> Iterator[Row]:
    for number, line in enumerate(decision.plain_evidence, 1):
        yield Row(label=f"{number}", value=line)


CARD = KindCard(
    kind=Kind.DIRECTIVES,
    name="what supervisors ask for",
    title=_title,
    text=lambda task, d: (
        "“Add to this task” makes a small subtask of it, with the usual checks. “Own task” asks for it in a thread of "
        "its own, with a plan to approve. Nothing of it happens by itself."
    ),
    other=_label,
    rows=_rows,
    lines=no_lines,
    first=3,
    at_work="Held: a supervisor asks for something critical",
)
