"""Fires due timers of decisions: the default is taken, it expires, or people are reminded."""

import asyncio
from datetime import datetime, timedelta
from functools import partial

from agents.domain.decisions import pressing
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import Facts, Moment
from agents.domain.ids import DecisionId, StreamId, TaskId
from agents.domain.task.task import Task
from bot.services import Services
from store.codec import Cause
from store.transaction import Transaction

GRACE = timedelta(seconds=60)  # for reading what was said while we were down


class Timers:
    """`since`: when the program started. What fell due before that waits until the words of that time are read."""

    def __init__(self, services: Services, since: datetime | None = None) -> None:
        self._services = services
        self._since = since

    async def fire_due(self) -> int:
        """Returns how many decisions moved."""
        now = self._services.clock.now()
        due = await self._services.database.read(lambda tx: tx.ledger.due(now))
        return sum(await asyncio.gather(*(self._services.database.write(partial(self._fire, *timer)) for timer in due)))

    async def next_due(self, since: datetime) -> float | None:
        """Seconds until the next timer."""
        now = self._services.clock.now()
        due = await self._services.database.read(lambda tx: tx.ledger.next_due())
        return None if due is None else max(0.0, (due - now).total_seconds())

    def _fire(self, decision: DecisionId, id: StreamId, tx: Transaction) -> int:
        asked = tx.ledger.find(decision)
        task = tx.log.in_thread(asked.task if asked else TaskId(id))
        waiting = task.decision(decision)
        if waiting is None or waiting.due is None:
            return 0
        cause = f"timer:{decision}:{waiting.due.timestamp():.3f}"
        moment = self._services.moment(task.request.channel, cause)
        facts = self._put_off(task, waiting, moment, tx) or pressing.when_due(task, decision, moment)
        tx.log.append(task.id, facts, Cause(actor="overlord", delivery=cause))
        return 1 if facts else 0

    def _quiet_until(self, waiting: Decision, at: datetime, tx: Transaction) -> datetime | None:
        """The first reminder goes to whom it was put to; later ones to others, whose hours they are not."""
        if waiting.reminders:
            return None
        person = tx.people.get(waiting.put_to)
        reader = tx.digests.of({person.id, *person.known_as})
        return reader.hours.quiet_until(at) if reader else None

    def _put_off(self, task: Task, waiting: Decision, moment: Moment, tx: Transaction) -> Facts:
        """Silence decides only where people could see the question, and where what they said was read."""
        if tx.posts.is_unseen(f"decision:{waiting.id}"):
            return pressing.begin_clock_again(task, waiting.id, moment)
        if tx.deliveries.has_words_in(task.request.thread):
            return pressing.begin_clock_again(task, waiting.id, moment, until=moment.at + GRACE)
        if until := self._quiet_until(waiting, moment.at, tx):
            return pressing.hold_reminder(task, waiting.id, moment, until)
        if self._since and waiting.due and waiting.due < self._since:
            return pressing.begin_clock_again(task, waiting.id, moment, until=self._since + GRACE)
        return []
