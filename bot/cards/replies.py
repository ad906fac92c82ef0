"""Answers to commands, and what is said when something cannot be done."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from agents.domain.decisions.decision import Decision, DecisionState, NameOf
from agents.domain.decisions.table import rule_of
from agents.domain.errors import OverlordError
from agents.domain.ids import TaskId
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from bot.cards.decisions import button, decision_card
from bot.cards.kinds import CARDS, kind_in_words
from bot.cards.kinds.kind_card import who_may
from bot.cards.status import state_of
from bot.config.platforms import find_platform
from bot.config.settings import Named
from bot.messages import Card, Link, Row, Tone

HELP = Card(
    title="What I understand",
    lines=(
        "Mention me with a request in your own words, and I take it from there.",
        "status · tasks · what needs me: see where things stand (tasks 2: the next page)",
        "digest on 9:00 Europe/Vienna · digest off · quiet 18:00-8:00: when I write to you (say it to me directly)",
        "stop · resume · cancel because … · snooze: steer the task of this thread (or name one: stop T-3)",
        "approve · who can approve: decisions, always with a button at the end",
        "retry: try a stuck step again",
        "restart phase 2 · revert phase 1 of T-3: an approver decides, on a card that shows what becomes of the rest",
        "why · cost: the reasons for a plan and its reviews, and what the task has cost so far",
        "mute · unmute: reminders for this task",
        "pause the queue · resume the queue · queue status: for approvers, whether new work starts",
        "projects · people · models: for the operator and admins, what is named, and how to add and remove",
        "aside …: talk in the thread without me listening",
        "link: make your accounts on several platforms count as one person (say it to me directly)",
    ),
)
HELLO = Card(title="Hello! Tell me in your own words what should change in the code, or say `help`.")
BUTTON_ABOVE = Card(
    title="The button is on my card above, in this thread",
    text="Words alone never approve anything; one press there does.",
)
LISTED = 20  # in one answer
WROTE_MOST = 2_000  # characters of what was written into a form that was not taken


def put_off_card(task: Task, decision: Decision, until: datetime) -> Card:
    return Card(
        title=f"{task.id}: {kind_in_words(decision)} is out of your list for now",
        text="Nothing else changed: its timer runs on, and everybody else still sees it.",
        rows=(Row(label="Back in your list", at=until),),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A part of a list, which is asked for by the words `of` and its number."""

    number: int = 1
    total: int = 0
    of: str = ""

    @property
    def last(self) -> int:
        return max(1, -(-self.total // LISTED))

    @property
    def slice(self) -> slice:
        return slice((self.number - 1) * LISTED, self.number * LISTED)

    @property
    def which(self) -> str:
        """Which of all of them these are; empty, where they are all."""
        start, end, _ = self.slice.indices(self.total)
        return f"; {start + 1} to {end} of them here" if self.last > 1 else ""

    @property
    def next(self) -> str:
        return f"Say `{self.of} {self.number + 1}` to see the next ones." if self.number < self.last else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueStatus:
    """The queue of work for minions and gates."""

    paused_by: str  # name; empty: it is not paused
    paused_at: datetime | None
    waiting: tuple[TaskId, ...]  # tasks with something that waits for its turn


def queue_card(queue: QueueStatus) -> Card:
    count = len(queue.waiting)
    waiting = f"{count} task{'s have' if count != 1 else ' has'} work that waits for its turn"
    if queue.paused_at is None:
        return Card(title="The queue is not paused", lines=(waiting,), footer="Approvers may say `pause the queue`.")
    rows = (Row(label="Paused by", value=queue.paused_by), Row(label="Since", at=queue.paused_at))
    how = "What runs goes on; nothing new starts until an approver says `resume the queue`."
    return Card(title="The queue is paused", text=how, rows=rows, lines=(waiting,))


def queue_news_card(task: Task, by: str, *, paused: bool) -> Card:
    if paused:
        what = "What runs goes on; the rest of this task waits until an approver says `resume the queue`."
        return Card(title=f"{task.id} waits: {by} paused the queue", text=what)
    return Card(title=f"{task.id} goes on: {by} resumed the queue", tone=Tone.GOOD)


def tasks_card(tasks: Sequence[Task], name: NameOf, page: Page) -> Card:
    if not tasks:
        return Card(title="No task is open", text="Mention me with a request to start one.")
    lines = tuple(f"{t.id} · {one_line(t.request.text, 70)} · {state_of(t)} · {name(t.request.by)}" for t in tasks)
    title = f"{page.total} open task{'s' if page.total > 1 else ''}"
    return Card(title=f"{title}{page.which}", lines=lines, footer=page.next)


def needs_card(needs: Sequence[tuple[Task, Decision]], page: Page, private: int = 0) -> Card:
    """Oldest first. `private` more belong to direct messages, so they are only counted here."""
    if not needs and private:
        return Card(title=f"{_things(private)} you in private", text="Ask me again in a direct message to see what.")
    if not needs:
        return NOTHING_NEEDS_YOU
    lines = tuple(f"{task.id} · {one_line(task.request.text, 60)}: {kind_in_words(d)}" for task, d in needs)
    more = f"{private} more: ask me in a direct message." if private else ""
    how = "Open the task's thread, or the console's “For you”, to decide."
    return Card(
        title=f"{_things(page.total)} you{page.which}",
        lines=lines,
        footer=" ".join(part for part in (how, page.next, more) if part),
    )


NOTHING_NEEDS_YOU = Card(
    title="Nothing needs you", text="I will say so in the thread when something does.", tone=Tone.GOOD
)


def _things(count: int) -> str:
    return f"{count} thing{'s' if count > 1 else ''} need{'' if count > 1 else 's'}"


def approve_card(task: Task, decision: Decision, name: NameOf, option: str = "") -> Card:
    """Words never approve; they bring the button. `option`: the letter of the one that was named."""
    card = decision_card(task, decision, name)
    if decision.state is not DecisionState.OPEN:
        return replace(card, title=f"Confirmed or closed: {card.title}")
    approving = [o for o in decision.options if o.approves or o.right]
    named = [o for o in approving if o.letter == option] or approving
    return Card(
        title=f"One press to confirm: {card.title}",
        text="Words alone never approve anything, so here is the button.",
        buttons=tuple(button(decision, each) for each in named),
        decision=decision.id,
        fingerprint=decision.fingerprint,
        tone=Tone.ASKING,
    )


def remark_card(task: Task, decision: Decision, text: str) -> Card:
    return Card(
        title=f"Kept as a remark on {task.id}: “{one_line(text, 60)}”",
        text=f"It answers nothing, as {kind_in_words(decision)} is decided by {who_may(rule_of(decision))}. "
        "For a task of your own, mention me outside this thread.",
    )


def who_card(rows: Sequence[tuple[str, str]]) -> Card:
    return Card(title="Who can approve", rows=tuple(Row(label=label, value=value) for label, value in rows))


def busy_card(error: OverlordError, until: datetime) -> Card:
    return Card(
        title="That is more than I can take in at once",
        text=str(error),
        rows=(Row(label="There is room again", at=until),),
        tone=Tone.BAD,
    )


def key_card(surface: str) -> Card:
    return Card(title=key_sentence(surface), tone=Tone.BAD)


def key_sentence(surface: str) -> str:
    spec = find_platform(surface)
    whose = spec.possessive if spec else "your shell's"
    return f"Something that looks like a key was hidden here; it is still in {whose} own history, so please rotate it."


def said_card(title: str, text: str = "") -> Card:
    return Card(title=title, text=text)


def second_words(who: str, task: Task) -> str:
    """The first message of a thread that somebody asked for in the thread of another task."""
    return f"{who} asks for this, beside {task.id}:"


def issue_words(author: str, title: str, url: str) -> str:
    """The first message of a thread about an issue."""
    return f"{author or 'Somebody'} asks on GitHub: {one_line(title, 200)}\n{url}"


def issues_wait_card(project: str, waiting: int, most: int) -> Card:
    more = "1 more issue waits" if waiting == 1 else f"{waiting:,} more issues wait"
    return Card(
        title=f"{more} for a turn at {project}",
        text=(
            f"I take on {most} at a time, in the order in which they got the label. The next one begins when one of "
            "these tasks has ended or is snoozed."
        ),
        footer="`issues_at_once` under `limits:` in overlord.yaml says how many.",
    )


def problem_card(error: OverlordError, wrote: str = "") -> Card:
    """`wrote`: what stood in a form that was not taken, so that nobody has to write it twice."""
    kept = f"\n\nYou wrote:\n{cut(wrote, WROTE_MOST)}" if wrote else ""
    return Card(title=error.what, text=f"{error.next_step}{kept}", tone=Tone.BAD)


def reminder_card(task: Task, decision: Decision, who: str, message: str = "") -> Card:
    """`message` is the one that asks; the card leads there."""
    asked = one_line(CARDS[decision.kind].title(task, decision), 200)
    return Card(
        title=f"{task.id} still waits for {who}",
        text=f"Nobody has answered yet: “{asked}”. The card with the buttons is above in this thread.",
        links=(Link(label="Go to the card", decision=decision.id, message=message),),
        footer="Say `mute` to hear no more reminders for this task.",
    )


def shut_card(task: str, request: str) -> Card:
    return Card(
        title=f"I cannot write in the thread of {task} at the moment",
        text=f"“{request}” goes on, and no question is decided by time meanwhile. Open the channel or thread again, or "
        "let me back in, and I go on there. Until then the console's “For you” shows what needs you, and I answer "
        f"`status {task}` here.",
        tone=Tone.BAD,
        direct=True,
    )


def gone_card(task: str, request: str) -> Card:
    return Card(
        title=f"The message that {task} began with was deleted",
        text=f"So I cannot answer there. “{request}” goes on; say `cancel {task}` or `stop {task}` here if it should "
        "not. The console's “For you” shows what needs you.",
        tone=Tone.BAD,
        direct=True,
    )


def undeliverable_card(title: str) -> Card:
    return Card(
        title=f"Something I wanted to say here was refused: {one_line(title, 80)}",
        text="Kept: all of it. Whoever it is for reads it in the console, and decides there if it asks for a decision.",
        tone=Tone.BAD,
    )


HOW_TO_NAME = {
    "projects": "projects add NAME /path/or/url [in CHANNEL] · projects remove NAME",
    "people": "people add ACCOUNT to GROUP · people remove ACCOUNT from GROUP",
    "models": "models set ROLE NAME · models unset ROLE",
}


NONE_NAMED = {
    "projects": "None is named, so the sample is the project.",
    "models": "None is named; what is found serves.",
}


def named_card(what: str, named: Named, groups: Sequence[tuple[str, str]]) -> Card:
    projects = [(name, f"{place}, in {channel}" if channel else place) for name, place, channel in named.projects]
    rows = {"projects": projects, "people": list(groups), "models": list(named.models)}[what]
    return Card(
        title=f"{what.capitalize()} ({len(rows)})" if what != "people" else "People, by what they may decide",
        text="" if rows else NONE_NAMED.get(what, ""),
        rows=tuple(Row(label=label, value=value) for label, value in rows),
        footer=HOW_TO_NAME[what],
    )


def outcome_card(told: str, *, refused: bool) -> Card:
    title, _, more = told.partition("\n")
    return Card(title=title, text=more, tone=Tone.BAD if refused else Tone.PLAIN)
