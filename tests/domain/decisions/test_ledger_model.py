"""P8 as a model: whatever people do to decisions, in any order, the ledger does what docs/security.md says.

The machine drives the real path (Inbox, SQLite, timers); ledger_page.py beside it says what should come of it.
"""

import asyncio
import shutil
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
)

from agents.domain.decisions.authority import Group
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import Withdrawal, withdraw
from agents.domain.ids import Account
from agents.domain.task.task import Task
from bot.messages import Pressed
from store.chat.deliveries import DeliveryState
from store.codec import Cause
from store.database import Database
from store.transaction import Transaction
from tests.builders.decisions import question, supersede
from tests.domain.ledger_page import (
    ACCOUNTS,
    ANA,
    ANA2,
    HOUR,
    KEEP,
    KINDS,
    LEA,
    LEA2,
    LINKS,
    MEMBERS,
    MINUTE,
    OPS,
    OPTIONS,
    PAGE,
    REMINDER,
    SEC,
    TERMINAL,
    TIMED,
    TWO_PEOPLE,
    Asked,
    Model,
)  # fmt: skip
from tests.store.room import CHANNEL, FULL, OPERATOR, STRICT, UNLIMITED, HandClock, Room, office_of

# ── the machine ───────────────────────────────────────────────────────────────────────────────────────────────────────

WRONG = ("another fingerprint", "another message", "another thread", "another decision's message", "the status card",
         "no such decision", "no such option", "nonsense")  # fmt: skip


PRESSES = st.lists(
    st.tuples(st.sampled_from(ACCOUNTS), st.sampled_from("aaabch"), st.sampled_from(("", "so"))), min_size=1, max_size=4
)
VOTES = st.sampled_from((SEC, OPS, LEA, ANA, ANA2, LEA2))


class LedgerMachine(RuleBasedStateMachine):
    tasks: Bundle[tuple[Task, Account]] = Bundle("tasks")
    asked: Bundle[Asked] = Bundle("asked")

    def __init__(self) -> None:
        super().__init__()
        self._folder = Path(tempfile.mkdtemp(prefix="ledger-"))
        self._loop = asyncio.Runner()
        self.model, self.clock = Model(), HandClock()
        groups = {Group(name): frozenset[str](members) for name, members in MEMBERS.items()}
        database = Database(f"sqlite:///{self._folder / 'overlord.db'}")
        self.room = Room(office_of(database, self.clock, groups))
        self.known: list[Asked] = []
        self.status: dict[str, str] = {}
        self.last: Pressed | None = None

    def teardown(self) -> None:
        self._loop.run(self.room.whole())
        self.room.database.close()
        self._loop.close()
        shutil.rmtree(self._folder)

    @initialize(target=tasks)
    def two_tasks(self) -> MultipleResults[tuple[Task, Account]]:
        self.link_accounts((OPERATOR, TERMINAL))
        return multiple(self._open(ANA, strict=False), self._open(ANA2, strict=True))

    @rule(target=tasks, owner=st.sampled_from(ACCOUNTS), strict=st.booleans())
    def open_a_task(self, owner: Account, strict: bool) -> tuple[Task, Account]:
        return self._open(owner, strict)

    def _open(self, owner: Account, strict: bool) -> tuple[Task, Account]:
        return self._loop.run(self.room.task(owner, STRICT if strict else CHANNEL)), owner

    @rule(target=asked, which=tasks, kind=st.sampled_from(KINDS), by_default=st.booleans())
    def ask_something(self, which: tuple[Task, Account], kind: str, by_default: bool) -> Asked:
        return self._ask(which, kind, by_default)

    def _ask(self, which: tuple[Task, Account], kind: str, by_default: bool) -> Asked:
        options = KEEP if kind == "cancel" else OPTIONS
        default = "approve" if by_default and PAGE[kind].silence == "default" else ""
        real = self._loop.run(self.room.ask(which[0], kind, options, default))
        return self._remember(which, kind, real, default)

    def _remember(self, which: tuple[Task, Account], kind: str, real: Decision, default: str) -> Asked:
        page, (task, owner) = PAGE[kind], which
        timed = default or page.silence == "expires" or page.reminders
        reminds = page.silence == "default" and not default
        after = REMINDER if reminds else timedelta(seconds=page.after)
        due = self.clock.now() + after if timed else None
        letters = tuple(option.letter for option in real.options)
        made = Asked(
            kind=kind, requester=owner, strict=task.request.channel == STRICT, letters=letters, due=due, task=task,
            real=real, default="a" if default else "",
        )  # fmt: skip
        self.known.append(made)
        return made

    @rule(asked=asked, presses=PRESSES)
    def press(self, asked: Asked, presses: list[tuple[Account, str, str]]) -> None:
        on = {"message": asked.message, "thread": asked.task.request.thread} if asked.message else {}
        for who, letter, words in presses:
            self._press(asked, who, letter, words, **on)

    @rule(which=tasks, kind=st.sampled_from(TWO_PEOPLE), pair=st.sampled_from(LINKS[:3]), one=VOTES, other=VOTES)
    def people_link_their_accounts_between_two_presses(
        self, which: tuple[Task, Account], kind: str, pair: tuple[Account, Account], one: Account, other: Account
    ) -> None:
        asked = self._ask(which, kind, by_default=False)
        self._press(asked, one, "a", "")
        self.link_accounts(pair)
        self._press(asked, other, "a", "")

    @rule(
        which=tasks, kind=st.sampled_from(TIMED), off=st.sampled_from((-1, 0, 1)), presses=PRESSES, fires=st.booleans()
    )
    def somebody_presses_as_time_runs_out(
        self, which: tuple[Task, Account], kind: str, off: int, presses: list[tuple[Account, str, str]], fires: bool
    ) -> None:
        asked = self._ask(which, kind, by_default=True)
        self.time_passes(PAGE[kind].after + off)
        if fires:
            self.timers_fire()
        self.press(asked, presses)

    @rule(asked=asked, who=st.sampled_from((LEA, OPERATOR, SEC)), wrong=st.sampled_from(WRONG))
    def press_something_else(self, asked: Asked, who: Account, wrong: str) -> None:
        """By someone who may: only what they press is wrong (attacks 13 and 14)."""
        elsewhere = next((other.message for other in self.known if other is not asked and other.message), "m-1")
        on = {"message": asked.message or "m-1", "thread": asked.task.request.thread}
        how = {
            "another fingerprint": {"shown": "0" * 32},
            "another message": on | {"message": "m-2"},
            "another thread": on | {"thread": "console:general:nowhere"},
            "another decision's message": on | {"message": elsewhere},
            "the status card": on | {"message": self.status.get(asked.task.id, "m-3")},
            "no such decision": {"token": f"{'x' * 22}.a"},
            "no such option": {"token": f"{asked.real.id}.z"},
            "nonsense": {"token": f"{asked.real.id}.approve;--"},
        }[wrong]
        outcome = self._loop.run(self.room.press(who, asked.real, "a", **how))
        assert outcome.state is DeliveryState.REFUSED, outcome

    @rule(pair=st.sampled_from(LINKS))
    def link_accounts(self, pair: tuple[Account, Account]) -> None:
        self._loop.run(self.room.database.write(lambda tx: tx.people.link(*pair)))
        self.model.link(*pair)

    @rule(seconds=st.sampled_from((1, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, 4 * HOUR, 30 * HOUR)))
    def time_passes(self, seconds: float) -> None:
        self.clock.pass_(seconds)

    @rule()
    def timers_fire(self) -> None:
        while self._loop.run(self.room.fire()):
            pass
        for asked in self.known:
            self.model.silence(asked, self.clock.now())

    @rule()
    def cards_are_shown(self) -> None:
        shown = self._loop.run(self.room.announce())
        for asked in self.known:
            asked.message = shown[f"decision:{asked.real.id}"]
        self.status = {key.removeprefix("status:"): message for key, message in shown.items()}

    @rule(target=asked, old=consumes(asked))
    def what_was_shown_changes(self, old: Asked) -> Asked:
        """A newer card takes the old one's place; the old one stays in the model, and is pressed no more."""
        if old.state != "open":
            return old
        default = "approve" if old.default else ""
        asked = question(old.kind, old.real.options, "changed", default)
        moment = self.room.office.moment(old.task.request.channel, self.room.key("changed"))

        def transaction(tx: Transaction) -> Decision:
            task = tx.log.task(old.task.id)
            facts = supersede(old.real, task, asked, moment)
            return tx.log.append(task.id, facts, Cause(actor="overlord", delivery=moment.cause)).open[-1]

        real = self._loop.run(self.room.database.write(transaction))
        old.state, old.due = "superseded", None
        self._press(old, LEA, "b", "")
        return self._remember((old.task, old.requester), old.kind, real, default)

    @rule(asked=asked)
    def it_is_withdrawn(self, asked: Asked) -> None:
        moment = self.room.office.moment(asked.task.request.channel, self.room.key("withdrawn"))
        if asked.state != "open":
            return
        facts = withdraw([asked.real], Withdrawal.CHANGES, moment)
        cause = Cause(actor="overlord", delivery=moment.cause)
        self._loop.run(self.room.database.write(lambda tx: tx.log.append(asked.task.id, facts, cause)))
        asked.state, asked.due = "withdrawn", None

    @rule()
    def the_last_press_is_delivered_again(self) -> None:
        if self.last:
            assert not self._loop.run(self.room.inbox.accept(replace(self.last, at=self.clock.now())))

    @invariant()
    def the_ledger_is_what_the_page_says(self) -> None:
        ids = [asked.real.id for asked in self.known]
        stored = self._loop.run(self.room.database.read(lambda tx: [tx.ledger.find(id) for id in ids]))
        for asked, real in zip(self.known, stored, strict=True):
            assert real is not None
            found = (str(real.state), real.outcome, real.reminders, real.held_by is not None, real.due)
            assert found == (asked.state, asked.outcome, asked.reminders, asked.held, asked.due), (asked, real)
            assert len(real.votes) == len(asked.votes) and len(real.decided_by) == len(asked.by), (asked, real)

    def _press(self, asked: Asked, who: Account, letter: str, words: str, **other: str) -> None:
        before = "decided by time" if asked.state == "decided" and not asked.by else asked.state
        pressed = self.room.pressed(who, asked.real, letter, words=words, **other)
        self.last = pressed
        outcome = self._loop.run(self.room.hear(pressed))
        counts = self.model.press(who, asked, letter, words, self.clock.now())
        expected = DeliveryState.HANDLED if counts else DeliveryState.REFUSED
        assert outcome.state is expected, (outcome, asked, who)
        if before != "open":
            assert _HONEST[before] in outcome.words


_HONEST = {
    "decided": "already decided by",
    "decided by time": "Nobody decided in time",
    "expired": "expired",
    "superseded": "has changed since",
    "withdrawn": "no longer needed",
}

assert UNLIMITED.reminder == 4 * HOUR and UNLIMITED.confirm == 10 * MINUTE, "the page's own times"
assert TWO_PEOPLE and TIMED, "no kind is left that several people or time decide"

TestLedger = pytest.mark.timeout(900)(LedgerMachine.TestCase)
TestLedger.settings = settings(max_examples=500 if FULL else 60, stateful_step_count=50 if FULL else 30)
