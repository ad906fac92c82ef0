"""Lets silence mean what it means, for each decision whose time has come."""

import asyncio
from datetime import datetime
from functools import partial

from agents.domain import pressing
from agents.domain.ids import DecisionId, TaskId
from bot.office import Office
from store.books import Books
from store.codec import Cause


class Timers:
    def __init__(self, office: Office) -> None:
        self._office = office

    async def fire_due(self) -> int:
        """Returns how many decisions moved."""
        now = self._office.clock.now()
        due = await self._office.database.read(lambda books: books.timers.due(now))
        return sum(await asyncio.gather(*(self._office.database.write(partial(self._fire, *timer)) for timer in due)))

    async def next_due(self, since: datetime) -> float | None:
        """Seconds until the next timer."""
        now = self._office.clock.now()
        due = await self._office.database.read(lambda books: books.timers.next_due())
        return None if due is None else max(0.0, (due - now).total_seconds())

    def _fire(self, decision: DecisionId, id: TaskId, books: Books) -> int:
        task = books.log.task(id)
        waiting = task.decision(decision)
        if waiting is None or waiting.due is None:
            return 0
        cause = f"timer:{decision}:{waiting.due.timestamp():.3f}"
        then = pressing.begin_clock_again if books.posts.is_unseen(f"decision:{decision}") else pressing.when_due
        moment = self._office.moment(task.channel, cause)
        facts = then(task, decision, moment) or pressing.when_due(task, decision, moment)
        books.log.append(id, facts, Cause(actor="overlord", delivery=cause))
        return 1 if facts else 0
