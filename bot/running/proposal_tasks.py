"""Approved proposals become tasks: each begins a thread where it was proposed, and is taken in like words."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from agents.domain.ids import Account, ProposalId, Thread, surface_of
from agents.domain.learning.proposal import Listed
from agents.domain.task.request import Mandate
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut
from bot.cards.proposals import begun_words, request_words
from bot.intake.inbox import REQUEST_MOST, Inbox
from bot.messages import Later, Mandated, Platform, Refused, Unsure
from bot.services import Office
from store.books import Books

log = logging.getLogger("overlord.proposals")
AGAIN = timedelta(seconds=30)  # after a platform did not take the first message


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """Channels of the console, for what cannot be said where it was proposed: nobody can keep us from writing there."""

    open: str
    alone: str  # the operator's direct line, for what not everybody may see


class ApprovedProposals:
    """An approval is carried out once: the thread is found again by its key, and so is the delivery."""

    def __init__(self, office: Office, inbox: Inbox, platforms: Mapping[str, Platform], elsewhere: "Elsewhere") -> None:
        self._office = office
        self._inbox = inbox
        self._platforms = platforms
        self._elsewhere = elsewhere
        self._tried = dict[ProposalId, datetime]()  # and a platform did not take it

    async def carry_out(self) -> int:
        """Ask for the tasks of proposals that were approved. What troubles one of them does not hold up others."""
        for listed in await self._office.database.read(self._waiting):
            id = listed.proposal.id
            if self._just_tried(id):
                continue
            try:
                await self._ask_for(listed)
                self._tried.pop(id, None)
            except (Later, Unsure, Refused) as problem:
                log.warning("a proposal has no thread yet", extra={"proposal": id, "problem": str(problem)})
                self._tried[id] = self._office.clock.now()
        return 0

    async def next_due(self, since: datetime) -> float | None:
        """Seconds until one that was tried in vain is tried again."""
        soonest = min(self._tried.values(), default=None)
        return None if soonest is None else max(0.0, (soonest + AGAIN - self._office.clock.now()).total_seconds())

    def _just_tried(self, id: ProposalId) -> bool:
        """In vain; a clock that was set back does not make it longer."""
        tried = self._tried.get(id)
        return tried is not None and timedelta(0) <= self._office.clock.now() - tried < AGAIN

    @staticmethod
    def _waiting(books: Books) -> list[Listed]:
        return [each for each in books.proposals.to_carry_out() if not books.deliveries.state(_key(each))]

    async def _ask_for(self, listed: Listed) -> None:
        """A thread is begun before the delivery is stored, and found again if we die in between."""
        task = await self._office.database.read(lambda books: books.log.task(listed.task))
        by = listed.account or Account("")
        name = await self._office.database.read(lambda books: _name(books, by))
        mandate = Mandate(
            proposal=listed.proposal.id,
            title=listed.proposal.title,
            project=listed.proposal.project,
            task=task.id,
            thread=task.request.thread,
        )
        channel, thread = await self._begun(_key(listed), task, begun_words(mandate, name))
        asked = Mandated(
            key=_key(listed),
            thread=thread,
            channel=channel,
            message=thread.rpartition(":")[2],
            by=by,
            name=name,
            text=cut(request_words(listed.proposal), REQUEST_MOST - 100),
            mandate=mandate,
            direct=task.request.direct,
            at=self._office.clock.now(),
        )
        if await self._inbox.accept(asked):
            log.info("a proposal asks for work", extra={"proposal": mandate.proposal})

    async def _begun(self, key: str, task: Task, words: str) -> tuple[str, Thread]:
        channel, words = task.request.channel, self._office.redact(words)
        platform = self._platforms.get(surface_of(channel))
        if platform:
            try:
                return channel, await platform.begin(channel, key, words)
            except Refused as problem:  # we may not write there: better heard elsewhere than not at all
                log.warning("no thread could be begun", extra={"channel": channel, "problem": str(problem)})
        channel = self._elsewhere.alone if task.request.direct else self._elsewhere.open
        return channel, await self._platforms[surface_of(channel)].begin(channel, key, words)


def _key(listed: Listed) -> str:
    return f"proposal:{listed.proposal.id}"


def _name(books: Books, account: Account) -> str:
    person = books.people.find(account)
    return person.name if person else account.rpartition(":")[2]
