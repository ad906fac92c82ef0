"""Tasks that begin a thread of their own: approved proposals, and second requests made in another task's thread."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.ids import Account, DecisionId, ProposalId, Thread, surface_of
from agents.domain.learning.proposal import Listed
from agents.domain.task.request import Mandate
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from bot.cards.kinds.proposals import begun_words, request_words
from bot.cards.replies import second_words
from bot.intake.inbox import REQUEST_MOST, Inbox
from bot.messages import Later, Mandated, Platform, Refused, Said, Unsure
from bot.services import Services
from store.transaction import Transaction

log = logging.getLogger("overlord.new_threads")
AGAIN = timedelta(seconds=30)  # after a platform did not take the first message
SINCE = timedelta(hours=20)  # what is older was begun, or is not wanted any more; deliveries are kept for longer


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """Channels of the console, for what cannot be said where it was proposed: nobody can keep us from writing there."""

    open: str
    alone: str  # the operator's direct line, for what not everybody may see


class ApprovedProposals:
    """An approval is carried out once: the thread is found again by its key, and so is the delivery."""

    def __init__(
        self, office: Services, inbox: Inbox, platforms: Mapping[str, Platform], elsewhere: "Elsewhere"
    ) -> None:
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
    def _waiting(tx: Transaction) -> list[Listed]:
        return [each for each in tx.proposals.to_carry_out() if not tx.deliveries.state(_key(each))]

    async def _ask_for(self, listed: Listed) -> None:
        """A thread is begun before the delivery is stored, and found again if we die in between."""
        task = await self._office.database.read(lambda tx: tx.log.task(listed.task))
        by = listed.account or Account("")
        name = await self._office.database.read(lambda tx: _name(tx, by))
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


def _name(tx: Transaction, account: Account) -> str:
    person = tx.people.find(account)
    return person.name if person else account.rpartition(":")[2]


class SecondTasks:
    """Each is begun once: the thread is found again by its key, and so is the delivery."""

    def __init__(self, office: Services, inbox: Inbox, platforms: Mapping[str, Platform]) -> None:
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

    def _waiting(self, tx: Transaction) -> list[Decision]:
        made = tx.ledger.made_since(Kind.SECOND, self._office.clock.now() - SINCE)
        wanted = [each for each in made if each.option(each.outcome).value == "task"]
        return [each for each in wanted if not tx.deliveries.state(_second_key(each))]

    async def _ask_for(self, decision: Decision) -> None:
        task, by, name = await self._office.database.read(lambda tx: _who(tx, decision))
        platform = self._platforms[surface_of(task.request.channel)]
        words = self._office.redact(f"{second_words(name, task)} {one_line(decision.question, 1000)}")
        thread: Thread = await platform.begin(task.request.channel, _second_key(decision), words)
        asked = Said(
            key=_second_key(decision),
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


def _second_key(decision: Decision) -> str:
    return f"second:{decision.id}"


def _who(tx: Transaction, decision: Decision) -> tuple[Task, Account, str]:
    """The task in whose thread it was said, and the account of whoever said it there."""
    task, person = tx.log.task(decision.task), tx.people.get(decision.put_to)
    here = [account for account in person.accounts if surface_of(account) == surface_of(task.request.thread)]
    return task, (*here, *person.accounts)[0], person.name
