"""How the console shows things: templates, and what they need."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from markupsafe import Markup, escape

from agents.domain.decisions.table import questions
from agents.domain.ids import TaskId, fingerprint
from agents.domain.task.task import Task, TaskState
from bot.cards.approved_plan import details, title_of
from bot.cards.plan import shows_plan
from bot.cards.status import TONE, state_of
from bot.cards.work.attempts import attempts
from bot.live import Running
from bot.messages import CODE, Card, Tone, dump_card, when
from bot.platforms.console.drawing import draw
from bot.queries import Conversation, Message

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent
TEXT_SHOWN = 1_200  # characters of a text before "show all"
LINES_SHOWN = 12

# drawings in templates/icons.html; the words and tones of a state are those of the cards
ICONS: dict[TaskState, str] = {
    TaskState.RECEIVED: "dot",
    TaskState.DECOMPOSING: "work",
    TaskState.IN_REVIEW: "work",
    TaskState.AWAITING_APPROVAL: "ask",
    TaskState.RUNNING: "work",
    TaskState.POLISHING: "work",
    TaskState.DONE: "tick",
    TaskState.BLOCKED: "cross",
    TaskState.BACKBURNER: "pause",
    TaskState.PAUSED: "pause",
    TaskState.FAILED: "cross",
    TaskState.CANCELLED: "cross",
    TaskState.ANSWERING: "work",
    TaskState.ANSWERED: "tick",
    TaskState.WITHDRAWN: "cross",
}
TONES: dict[Tone, tuple[str, str]] = {
    Tone.PLAIN: ("", ""),
    Tone.GOOD: ("Done", "tick"),
    Tone.BAD: ("Problem", "cross"),
    Tone.ASKING: ("Needs a decision", "ask"),
}
AGES = ((60, 1, "s"), (3600, 60, "min"), (86_400, 3600, "h"), (float("inf"), 86_400, "d"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a card's buttons are pressed. With no message, `shown` says what was on the screen."""

    thread: str
    channel: str
    message: str = ""
    shown: str = ""
    task: str = ""
    about: str = ""  # said after a button's label to those who only hear it
    back: str = ""  # the page to return to


@cache
def templates() -> "Environment":
    """Loaded when first asked for: the console answers before it can show a page."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # or each include asks the disk, and a page has hundreds
    )
    filters = (utc, iso, cut, mark, conversation_mark, thread_path, is_here, initial, first_line, code)
    functions = (
        state_of,
        title_of,
        details,
        questions,
        attempts,
        shows_plan,
        changes_path,
        live_mark,
        ago,
        draw,
        nonce,
    )
    made.filters |= {each.__name__: each for each in filters}
    made.globals |= {each.__name__: each for each in functions}
    made.globals |= {"ICONS": ICONS, "STATE_TONES": TONE, "TONES": TONES, "LINES_SHOWN": LINES_SHOWN}
    return made


def render(template: str, whole: Mapping[str, object]) -> str:
    """Long enough to hold up an event loop: to be called beside it."""
    return templates().get_template(template).render(whole)


def nonce() -> str:
    """The number of one form, which makes sending it twice sending it once."""
    return secrets.token_urlsafe(12)


def utc(at: datetime) -> str:
    return when(at.astimezone(UTC))


def iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def ago(at: datetime, now: datetime) -> str:
    """ "3 min"; a page that stays open counts on by itself."""
    seconds = max(0.0, (now - at).total_seconds())
    size, unit = next((size, unit) for below, size, unit in AGES if seconds < below)
    return f"{int(seconds // size)} {unit}"


def cut(text: str, limit: int = TEXT_SHOWN) -> tuple[str, str]:
    """What is shown at once, and the rest, which one may ask for. It is cut between words where it can be."""
    if len(text) <= limit + limit // 5:
        return text, ""
    space = max(text.rfind(" ", 0, limit), text.rfind("\n", 0, limit))
    at = space if space > limit // 2 else limit
    return text[:at], text[at:]


def code(text: str) -> Markup:
    """What stands between backticks is shown as code; all of it is escaped."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(text))))


def first_line(text: str, limit: int = 140) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def initial(name: str) -> str:
    return name[:1].upper() or "?"


def is_here(thread: str) -> bool:
    """Conversations on other platforms are not stored, so there is no page of them."""
    return thread.startswith("console:")


def thread_path(thread: str) -> str:
    return f"/thread/{quote(thread, safe=':@')}"


def mark(message: Message) -> str:
    """Changes with whatever is shown of a message, so a page replaces only what differs."""
    card = dump_card(message.card) if message.card else ""
    return fingerprint(message.id, message.by, message.text, card, f"{message.edited}{message.seen}{message.private}")


def conversation_mark(conversation: Conversation) -> str:
    state = state_of(conversation.task) if conversation.task else ""
    return fingerprint(conversation.thread, state, str(conversation.more), *map(mark, conversation.messages))


def cards_mark(cards: Sequence[Card], *more: str) -> str:
    return fingerprint(*map(dump_card, cards), *more)


def live_mark(running: Sequence[Running]) -> str:
    return fingerprint(*(f"{run.number}\x1f{run.said}" for run in running))


def changes_path(task: Task) -> str:
    """Where all that the task changed can be read."""
    return f"/task/{task.id}/kept/{task.id}.diff"


_RUN = re.compile(r"\.(\d+)-(\d+)[.-](.+)")  # T-1.3-2-original-tests: subtask, attempt, what it is


def kept_of(task: TaskId, names: Sequence[str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """What was kept, by what it is about: the task as a whole first, then each attempt at each subtask."""
    groups: dict[tuple[int, int], list[tuple[str, str]]] = {}
    for name in names:
        rest = name.removeprefix(task)
        run = _RUN.fullmatch(rest)
        about, label = ((int(run[1]), int(run[2])), run[3].replace("-", " ")) if run else ((0, 0), rest.strip(".-"))
        groups.setdefault(about, []).append((name, label))
    said = {(n, m): f"{task}.{n}, attempt {m}" if n else f"{task}" for n, m in groups}
    return [(said[about], sorted(groups[about])) for about in sorted(groups)]


def diffs_of(task: TaskId, names: Sequence[str]) -> list[tuple[str, str]]:
    """The diffs of a task by name, each with what it is of: the whole first, then each attempt at each subtask."""
    runs = {name: _RUN.fullmatch(name.removeprefix(task)) for name in names}
    order = sorted(names, key=lambda name: (int(run[1]), int(run[2])) if (run := runs[name]) else (0, 0))
    return [(n, f"{task}.{run[1]}, attempt {run[2]}" if (run := runs[n]) else "The whole") for n in order]


def about(task: Task | None, card: Card) -> str:
    return f"{task.id}: {first_line(task.request.text, 60)}" if task else first_line(card.title, 60)


def place_in_thread(conversation: Conversation, message: Message, card: Card) -> Place:
    return Place(
        thread=conversation.thread,
        channel=conversation.channel,
        message=message.id,
        task=conversation.task.id if conversation.task else "",
        about=about(conversation.task, card),
        back=thread_path(conversation.thread),
    )


def place_on_ledger(task: Task, card: Card, back: str) -> Place:
    return Place(
        thread=task.request.thread,
        channel=task.request.channel,
        shown=card.fingerprint,
        task=task.id,
        about=about(task, card),
        back=back,
    )
