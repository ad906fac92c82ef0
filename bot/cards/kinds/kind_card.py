"""What people read about a kind of decision: the record that is filled in for each, and what several kinds share."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import Group, Kind, Rule, deciding_groups
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kind import risk_of
from agents.domain.decisions.subject import OfRun, OfSubtask
from agents.domain.decisions.table import closed_by_silence
from agents.domain.planning.plan_faults import Fault
from agents.domain.planning.work_kind import WorkKind
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from bot.cards.reasons import put, put_all
from bot.cards.scene import Bill
from bot.messages import FormColumn, FormField, Row, Style
from bot.permissions import Permissions

Says = Callable[[Task, Decision], str]


@dataclass(frozen=True, slots=True)
class Label:
    """An option: what its button says, what a closed card says, and what its form asks for."""

    text: str  # a verb and its object
    closed: str = ""  # before “by Ana”; empty where the text is an answer in somebody's own words
    style: Style = Style.PLAIN
    asks: str = "In your own words"
    tells: bool = True  # a closed card repeats what was written into the form


# What several kinds offer, ask for or say.
CHANGES = Label("Request changes", "Changes requested", asks="What should be different?")
NARROW = Label("Narrow scope", "Narrower scope asked for", asks="What may be left out?")
OUTLINE = Label("Continue with a one-step plan", "One-step plan chosen")
EDIT_PLAN = Label(
    "Edit plan",
    "Plan edited",
    asks="One line a subtask. Leave a line out, or put # before it, to drop the subtask; move lines to change the "
    f"order; write over what should change. Kinds of work: {', '.join(WorkKind)}.",
    tells=False,
)
SNOOZE = Label("Snooze", "Snoozed")
ALLOW = Label("Allow these paths", "Allowed", Style.PRIMARY)
DROP = Label("Drop subtask", "Dropped")
TAKE_OVER = Label("I'll finish it myself", "Taken over")
CANCEL_TASK = Label("Cancel task", "Cancelled", Style.DANGER, "Why? The reason is kept with the task.")
DIFFERENTLY = "What should it do differently?"
MINION_WAITS = "Running, and a minion waits for you"
STEP_WAITS = "Running, and a step needs you"


def request_in_short(task: Task) -> str:
    """Of a proposal that is carried out what is to be done; why stands where it was approved."""
    text = task.request.text.strip()
    return one_line(text.partition("\n")[0] if task.request.mandate else text, 200)


def show_question(task: Task, decision: Decision) -> str:
    return decision.question


def subtask_of(decision: Decision) -> str:
    """Such as "T-1.2"."""
    about = decision.subject
    return f"{decision.task}.{about.subtask}" if isinstance(about, OfRun | OfSubtask) else decision.task


def named_subtask(task: Task, decision: Decision) -> str:
    """Such as "T-1.2 (Write the form)"; a plan that was changed since may not have it any more."""
    about, steps = decision.subject, task.plan.draft.subtasks if task.plan.draft else ()
    number = about.subtask if isinstance(about, OfRun | OfSubtask) else 0
    titles = [f" ({step.title})" for step in steps if step.number == number]
    return "".join((subtask_of(decision), *titles))


def show_request(task: Task, decision: Decision) -> str:
    return f"It is about “{request_in_short(task)}”."


def label_as_named(decision: Decision, option: Option) -> Label:
    """Of an option that people or models named."""
    named = option.label or option.value.replace("_", " ").capitalize()
    return Label(named, style=Style.PRIMARY if option.approves else Style.PLAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableForm:
    """A form in which something stands already, a line a row."""

    columns: tuple[FormColumn, ...]
    lines: Callable[[Task], str]
    check: Callable[[Task, str], tuple[Fault, ...]]  # what is wrong with changed lines, before they are sent


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldsForm:
    """A form with several fields, at most five."""

    fields: tuple[FormField, ...]
    fill: Callable[[Task], Mapping[str, str]]  # by field
    check: Callable[[Task, str], Mapping[str, str]]  # what is wrong with what was written, by field


@dataclass(frozen=True, slots=True, kw_only=True)
class KindCard:
    kind: Kind
    name: str  # what is to be decided, in lists
    risky: Mapping[RiskLevel, str] = field(default_factory=dict)  # the name, where the risk changes it
    title: Says
    closed_title: Says | None = None  # once it is decided; None: as before
    text: Says = show_question
    labels: Mapping[str, Label] = field(default_factory=dict)
    other: Callable[[Decision, Option], Label] = label_as_named  # an option that is not in `labels`
    asks: Callable[[Decision], str] | None = None  # what all its forms ask
    rows: Callable[[Task, Decision, Bill], Iterable[Row]] = lambda task, decision, bill: ()
    lines: Callable[[Decision], tuple[str, ...]] = lambda decision: put_all(decision.evidence)
    footer: Callable[[Task, Decision], Iterable[str]] = lambda task, decision: ()
    tables: Mapping[str, TableForm] = field(default_factory=dict)  # options whose form is a table
    forms: Mapping[str, FieldsForm] = field(default_factory=dict)  # options whose form has several fields
    whole: Callable[[Decision], str] = lambda decision: ""  # a question that is too long for the title
    at_work: str = ""  # the state of a task at work, while this is asked
    hold: str = "Wait for me"  # the button that stops its clock
    first: int = 5  # buttons that stand before “More”
    comments: str = ""  # the option that takes comments on lines of its diff
    checks: bool = False  # shows the checks of the run that it is about
    trouble: bool = False
    confirms: bool = True  # a dangerous option asks once more
    takes_words: bool = True  # a reply to the card may answer it

    def name_of(self, decision: Decision) -> str:
        risk = risk_of(decision.subject)
        return self.risky.get(risk, self.name) if risk else self.name

    def label(self, decision: Decision, option: Option) -> Label:
        return self.labels.get(option.value) or self.other(decision, option)


def is_short(question: str) -> bool:
    """The title says all of it."""
    return one_line(question) == question


def whole_question(decision: Decision) -> str:
    """What is too long for a title; empty where the title says it."""
    return "" if is_short(decision.question) else decision.question


def ask_whole(task: Task, decision: Decision) -> str:
    whole, about = whole_question(decision), show_request(task, decision)
    return f"{whole}\n\n{about}" if whole else about


def no_lines(decision: Decision) -> tuple[str, ...]:
    """Its evidence is in the rows or in the text."""
    return ()


def why_rows(task: Task, decision: Decision, bill: Bill) -> Iterator[Row]:
    yield from (Row(label="Why it matters", value=put(each)) for each in decision.evidence)
    yield from effect_rows(task, decision, bill)


def effect_rows(task: Task, decision: Decision, bill: Bill) -> Iterator[Row]:
    yield Row(label="Affects", value=_affected(task, decision))
    if closed_by_silence(decision) or decision.held_by:
        return
    if decision.due is None:
        yield Row(label="If nobody answers", value="it waits")
    else:
        yield Row(label="If nobody answers, it waits, and I remind you", at=decision.due)


def _affected(task: Task, decision: Decision) -> str:
    about = decision.subject
    if not isinstance(about, OfRun) or not task.work.subtasks or not task.plan.draft:
        return "nothing is planned before there is an answer"
    others = ", ".join(f"{task.id}.{each}" for each in task.plan.draft.dependents(about.subtask))
    waiting = f", and so {'do' if ',' in others else 'does'} {others}" if others else ""
    return f"{task.id}.{about.subtask} waits for the answer{waiting}; everything else goes on"


def who_may(rule: Rule, wider: Rule | None = None) -> str:
    """The rule in words: "the owner or an approver", "two people of security_team, devops_team or tech_lead"."""
    if wider and wider.anybody:
        return "anybody who is heard here"
    names = [_NAMES[group] for group in Group if group in deciding_groups(rule, wider)]
    listed = " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    if rule.people == 1 or wider:
        return listed
    return f"{rule.people} different people, each {listed}, and not the requester"


_NAMES: dict[Group, str] = {
    Group.OWNER: "the owner of the task",
    Group.APPROVER: "an approver",
    Group.TECH_LEAD: "a tech lead",
    Group.SECURITY_TEAM: "someone on the security team",
    Group.DEVOPS_TEAM: "someone on the devops team",
    Group.ADMIN: "an admin",
}


def nobody_may(permissions: Permissions, rule: Rule, channel: str) -> str | None:
    """What to say when too few people are named to decide by this rule; None when there are enough."""
    enough = permissions.too_few(rule, channel)
    if enough is None:
        return None
    who = f"Only {enough} of the people it needs is named" if enough else "Nobody is named who may decide this"
    by_hand = "" if rule.people > 1 else " Until then only the operator can, with `overlord decisions`."
    return f"{who}: it needs {who_may(rule)}. {_how_to_name(rule.who)}{by_hand}"


def _how_to_name(groups: frozenset[Group]) -> str:
    if Group.APPROVER in groups:
        return "Name them in OVERLORD_APPROVERS, or under `groups: approver:` in overlord.yaml, by account."
    names = " or ".join(f"`{group}:`" for group in Group if group in groups)
    return f"Name them under `groups:` in overlord.yaml, in {names}, by account."
