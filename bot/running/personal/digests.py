"""Sends digests when they are due, and closes their cards once what they ask is decided elsewhere."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from agents.domain.decisions.decision import DecisionState
from agents.domain.ids import DecisionId
from bot.cards.decisions import decision_card
from bot.cards.personal.digest import SHOWN, digest_card, in_order
from bot.delivery.announcer import wish
from bot.intake.access import needs_of, read_waiting
from bot.services import Services
from store.chat.digests import Reader
from store.transaction import Transaction

MOST = 30  # decisions that are looked at for one digest


class DigestRounds:
    """What is said and when the next one is due are one transaction, so that a crash neither loses nor repeats one."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def go_round(self) -> int:
        return await self._services.database.write(self._send_due) + await self._services.database.write(self._refresh)

    async def next_due(self, since: datetime) -> float | None:
        due = await self._services.database.read(lambda tx: tx.digests.next_due())
        return None if due is None else max(0.0, (due - self._services.clock.now()).total_seconds())

    def _send_due(self, tx: Transaction) -> int:
        now = self._services.clock.now()
        for reader in tx.digests.due(now):
            if until := reader.hours.quiet_until(now):  # we were down when it was due
                tx.digests.put_off(reader, until)
                continue
            shown, day = self._send(reader, now, tx), reader.hours.day(now)
            tx.digests.note_sent(reader, now, shown, day)
        return 0

    def _send(self, reader: Reader, now: datetime, tx: Transaction) -> Sequence[DecisionId]:
        """Nothing is sent where nothing waits; an hour that was missed comes late, once."""
        speaker = self._services.presser(reader.account, tx, reader.memberships)
        waiting = needs_of(tx, speaker, self._services.permissions, now)
        asked = in_order(read_waiting(tx, waiting[:MOST]))
        if not asked:
            return ()
        key = f"digest:{reader.hours.day(now)}"
        tx.posts.want(wish(key, reader.thread, digest_card(asked[: 2 * SHOWN], len(waiting), now)), now)
        for task, decision in asked[:SHOWN]:
            card = decision_card(task, decision, tx.people.name)
            tx.posts.want(wish(f"{key}:{decision.id}", reader.thread, card), now)
        return [decision.id for _, decision in asked[:SHOWN]]

    def _refresh(self, tx: Transaction) -> int:
        """What was decided on another surface has no buttons here any more, and says who decided."""
        now = self._services.clock.now()
        for reader in tx.digests.showing():
            left = tuple(filter(partial(self._is_open, reader, now, tx), reader.shown))
            if left != reader.shown:
                tx.digests.settle(reader, left)
        return 0

    def _is_open(self, reader: Reader, now: datetime, tx: Transaction, shown: str) -> bool:
        day, _, id = shown.partition(":")
        decision = tx.ledger.find(DecisionId(id))
        if decision is None:
            return False
        if decision.state is not DecisionState.OPEN:
            task = tx.log.in_thread(decision.task)
            card = decision_card(task, decision, tx.people.name)
            tx.posts.want(wish(f"digest:{day}:{id}", reader.shown_in, card), now)
        return decision.state is DecisionState.OPEN
