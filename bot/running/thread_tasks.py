"""Words in another task's thread that ask for a task of their own: each begins a thread, and is taken in like words."""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.ids import Account, DecisionId, Thread, surface_of
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from bot.cards.replies import second_words
from bot.intake.inbox import Inbox
from bot.messages import Later, Platform, Refused, Said, Unsure
from bot.services import Office
from store.books import Books

log = logging.getLogger("overlord.second_tasks")
AGAIN = timedelta(seconds=30)  # after a platform did not take the first message
SINCE = timedelta(hours=20)  # what is older was begun, or is not wanted any more; deliveries are kept for longer


class SecondTasks:
    """Each is begun once: the thread is found again by its key, and so is the delivery."""

    def __init__(self, office: Office, inbox: Inbox, platforms: Mapping[str, Platform]) -> None:
        self._office, self._inbox, self._platforms = office, inbox, platforms
        self._tried = dict[DecisionId, datetime]()

    async def begin(self) -> int:
        """Begin the tasks that were asked for and have no thread yet."""
        now = self._office.clock.now()
        for decision in await self._office.database.read(self._waiting):
            tried = self._tried.get(decision.id)
            if tried is not None and timedelta(0) <= now - tried < AGAIN:
                continue
            try:
                await self._ask_for(decision)
            except (Later, Unsure, Refused) as problem:
                log.warning("a second task has no thread yet", extra={"task": decision.task, "problem": str(problem)})
                self._tried[decision.id] = now
        return 0

    async def next_due(self, now: datetime) -> float | None:
        """Seconds until one that was tried in vain is tried again."""
        return AGAIN.total_seconds() if self._tried else None

    def _waiting(self, books: Books) -> list[Decision]:
        made = books.ledger.made_since(Kind.SECOND, self._office.clock.now() - SINCE)
        wanted = [each for each in made if each.option(each.outcome).value == "task"]
        return [each for each in wanted if not books.deliveries.state(_key(each))]

    async def _ask_for(self, decision: Decision) -> None:
        task, by, name = await self._office.database.read(lambda books: _who(books, decision))
        platform = self._platforms[surface_of(task.request.channel)]
        words = self._office.redact(f"{second_words(name, task)} {one_line(decision.question, 1000)}")
        thread: Thread = await platform.begin(task.request.channel, _key(decision), words)
        asked = Said(
            key=_key(decision),
            thread=thread,
            channel=task.request.channel,
            message=thread.rpartition(":")[2],
            by=by,
            name=name,
            text=decision.question,
            mentions_bot=True,
            direct=task.request.direct,
            starts_thread=True,
            at=self._office.clock.now(),
        )
        await self._inbox.accept(asked)
        self._tried.pop(decision.id, None)


def _key(decision: Decision) -> str:
    return f"second:{decision.id}"


def _who(books: Books, decision: Decision) -> tuple[Task, Account, str]:
    """The task in whose thread it was said, and the account of whoever said it there."""
    task, person = books.log.task(decision.task), books.people.get(decision.put_to)
    here = [account for account in person.accounts if surface_of(account) == surface_of(task.request.thread)]
    return task, (*here, *person.accounts)[0], person.name
