"""What a card is made from: the task, people, what it cost, and links to what is too long for a card."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from urllib.parse import urlsplit

from agents.domain.checks.evaluation import Evaluation, comments_on
from agents.domain.decisions.decision import Decision, NameOf
from agents.domain.ids import Account, DecisionId, PersonId, Thread, derive_id, surface_of
from agents.domain.task.task import Task
from agents.domain.text.dollars import dollars
from agents.domain.work.work import QueuePause, run_key
from bot.config.platforms import OWN
from bot.messages import Attached, Button, Card, Choice, Link, Row

HERE = frozenset({"127.0.0.1", "::1", "localhost"})
INLINE = 2_400  # characters of comments that need no file
SETUP_LOG = "Log of the set-up"
DIFF, LOG, COMMENTS = "d", "l", "c"  # the standing buttons of a task's checks
_LABELS = {DIFF: "Show the diff", LOG: "Log", COMMENTS: "Comments"}
_TITLES = {DIFF: "What {} changes", LOG: "What the checks of {} printed", COMMENTS: "What reviewers say of {}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """`public`: where people reach the console. Whoever reads the console itself is there already."""

    surface: str = OWN
    public: str = ""

    def to(self, path: str) -> str:
        """An address, or nothing where only the operator could open it."""
        if self.surface == OWN:
            return path
        return f"{self.public}{path}" if self.public else ""

    def openable(self, url: str) -> str:
        parts = urlsplit(url)
        return url if parts.hostname not in HERE else self.to(parts.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """Dollars: spent on one task so far, and what it may cost where that is configured."""

    spent: float = 0.0
    budget: float | None = None

    def limit(self, task: Task) -> float | None:
        """What a person raised it to counts before what is configured."""
        return self.budget if task.money.budget is None else task.money.budget


NO_BILL = Bill()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    task: Task
    decision: Callable[[DecisionId], Decision | None]
    name: NameOf
    accounts: Callable[[PersonId], tuple[Account, ...]]
    deciders: Callable[[Decision], tuple[Account, ...]] = lambda decision: ()  # who should be pinged to decide
    next_approver: Callable[[int], Account | None] = lambda number: None
    ways: Ways = field(default_factory=Ways)  # to what is too long for a card
    bill: Callable[[], Bill] = Bill  # summed up when a card asks for it
    paused: Callable[[], QueuePause | None] = lambda: None  # the queue, if it is
    shown: Callable[[str], Card | None] = lambda key: None  # what the message of this key shows, if there is one
    message: Callable[[str], str] = lambda key: ""  # the platform's id of the message of this key
    nobody: Callable[[Decision], str] = lambda decision: ""  # what to say when nobody is named who may decide


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """A card and the key it goes under: the same key is the same message."""

    key: str
    card: Card
    thread: Thread | None = None  # None: the task's own


def rows_of(*pairs: tuple[str, str]) -> list[Row]:
    """A row for each label that has a value."""
    return [Row(label=label, value=value) for label, value in pairs if value]


def bill_rows(task: Task, bill: Bill) -> list[Row]:
    """As its facts leave it: a card is drawn again when something happens, so the time is that of the last change."""
    took = duration_in_words(task.changed_at - task.request.at)
    return [Row(label="Cost", value=_cost(task, bill)), Row(label="Time", value=f"{took} since it was asked for")]


def _cost(task: Task, bill: Bill) -> str:
    if task.plan.rehearsal:
        return "nothing, as this is a rehearsal"
    limit = bill.limit(task)
    of = f" of a budget of {dollars(limit)}" if limit is not None else ""
    return f"{dollars(bill.spent)}{of}" if bill.spent or of else "nothing so far"


def step_in_words(name: str) -> str:
    """Workflows are written with names such as `unit_test_gate`."""
    return name.replace("_", " ").strip()


def duration_in_words(took: timedelta) -> str:
    minutes = round(took.total_seconds() / 60)
    if minutes < 1:
        return f"{max(0, took.total_seconds()):.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    hours, left = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {left} min" if left else f"{hours} h"
    return f"{hours // 24} days {hours % 24} h"


def ways_of(task: Task, public: str) -> Ways:
    return Ways(surface=surface_of(task.request.thread), public=public)


def with_task_page(card: Card, task: Task, ways: Ways) -> Card:
    """And those of the task that it follows, and of its follow-ups."""
    if not ways.to("/"):
        return card
    own = [("Task page", task.id)] if ways.surface != OWN else []
    before = [(f"Follows {id}", id) for id in (task.request.follows,) if id]
    others = [*before, *((f"Followed by {id}", id) for id in task.followed_by)]
    links = (Link(label=label, url=ways.to(f"/task/{id}")) for label, id in (*own, *others))
    return replace(card, links=(*card.links, *links))


def with_kept(card: Card, task: Task, name: str, label: str, ways: Ways) -> Card:
    """A diff or a patch, by a link or as a file."""
    if url := ways.to(f"/task/{task.id}/kept/{name}"):
        return replace(card, links=(*card.links, Link(label=label, url=url)))
    return replace(card, files=(*card.files, Attached(name=name)))


def with_checks(card: Card, task: Task, judged: Evaluation, ways: Ways) -> Card:
    """The diff, the logs and the comments: by links, or by buttons that bring them to whoever presses."""
    files = _kept_of(task, judged)
    if not ways.to("/"):
        id = checks_id(task, judged)
        shown = (Button(label=_LABELS[each], choice=Choice(decision=id, letter=each)) for each in files if files[each])
        return replace(card, buttons=tuple(shown))
    for each, names in files.items():
        for name in names:
            which = f": {name.partition(f'-{judged.attempt}-')[2].replace('-', ' ')}" if len(names) > 1 else ""
            card = with_kept(card, task, name, f"{_LABELS[each]}{which}", ways)
    return card


def checks_id(task: Task, judged: Evaluation) -> DecisionId:
    """Names one judgement in the buttons that show it. Nothing is decided by it."""
    return DecisionId(derive_id("checks", run_key(task.id, judged.subtask, judged.attempt)))


def checks_card(task: Task, judged: Evaluation, letter: str) -> Card | None:
    """What a standing button brings; None where there is no such button."""
    names = _kept_of(task, judged).get(letter, ())
    if not names:
        return None
    title = _TITLES[letter].format(f"{task.id}.{judged.subtask}, attempt {judged.attempt}")
    if letter == COMMENTS and len(said := comments_on(judged)) <= INLINE:
        return Card(title=title, text=said)
    return Card(title=title, text="It is attached.", files=tuple(Attached(name=name) for name in names))


def _kept_of(task: Task, judged: Evaluation) -> dict[str, tuple[str, ...]]:
    """Names of what was kept of a judgement, by the button that shows it."""
    run = run_key(task.id, judged.subtask, judged.attempt)
    return {
        DIFF: (f"{run}.patch",) if judged.changes else (),
        LOG: tuple(gate.log for gate in judged.gates if gate.log),
        COMMENTS: (f"{run}.comments",) if judged.reviews else (),
    }
