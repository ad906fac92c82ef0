"""What people read about a kind of decision: the record that each file in this room fills in."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kind import risk_of
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from bot.cards.parts.bill import Bill
from bot.messages import Row, Style

Says = Callable[[Task, Decision], str]


@dataclass(frozen=True, slots=True)
class Label:
    """An option: what its button says, what a closed card says, and what its form asks for."""

    text: str  # a verb and its object
    closed: str = ""  # before “by Ana”; empty where the text is an answer in somebody's own words
    style: Style = Style.PLAIN
    asks: str = "In your own words"


CANCEL = Label("Cancel task", "Cancelled", Style.DANGER, "Why? The reason is kept with the task.")


def request_in_short(task: Task) -> str:
    return one_line(task.request.text, 200)


def show_question(task: Task, decision: Decision) -> str:
    return decision.question


def show_request(task: Task, decision: Decision) -> str:
    return f"It is about “{request_in_short(task)}”."


def label_as_named(decision: Decision, option: Option) -> Label:
    """Of an option that people or models named."""
    named = option.label or option.value.replace("_", " ").capitalize()
    return Label(named, style=Style.PRIMARY if option.approves else Style.PLAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindCard:
    kind: Kind
    name: str  # what is to be decided, in lists
    risky: Mapping[RiskLevel, str] = field(default_factory=dict)  # the name, where the risk changes it
    title: Says
    text: Says = show_question
    labels: Mapping[str, Label] = field(default_factory=dict)
    other: Callable[[Decision, Option], Label] = label_as_named  # an option that is not in `labels`
    asks: Callable[[Decision], str] | None = None  # what all its forms ask
    rows: Callable[[Task, Decision, Bill], Iterable[Row]] = lambda task, decision, bill: ()
    lines: Callable[[Decision], tuple[str, ...]] = lambda decision: decision.evidence
    footer: Callable[[Task, Decision], Iterable[str]] = lambda task, decision: ()
    whole: Callable[[Decision], str] = lambda decision: ""  # a question that is too long for the title
    at_work: str = ""  # the state of a task at work, while this is asked
    hold: str = "Wait for me"  # the button that stops its clock
    first: int = 5  # buttons that stand before “More”
    checks: bool = False  # shows the checks of the run that it is about
    trouble: bool = False
    confirms: bool = True  # a dangerous option asks once more
    takes_words: bool = True  # a reply to the card may answer it

    def name_of(self, decision: Decision) -> str:
        risk = risk_of(decision.subject)
        return self.risky.get(risk, self.name) if risk else self.name

    def label(self, decision: Decision, option: Option) -> Label:
        return self.labels.get(option.value) or self.other(decision, option)
