"""Tasks that begin a thread of their own: approved proposals, second requests in another task's thread, and issues."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Generic, TypeVar

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.learning.proposal import proposal_of_decision
from agents.domain.ids import Account, PersonId, Thread, surface_of
from agents.domain.learning.proposal import Listed, ProposalType
from agents.domain.task.facts import Mandate, Origin
from agents.domain.task.task import Task, TaskState
from agents.domain.text.sanitize import cut, one_line
from agents.ports import ForgeFailed
from agents.workspace.forge.issue_intake import GitHubIntake, LabelledIssue
from bot.cards.kinds.learning.proposal import begun_words, discuss_question, discuss_words, request_words
from bot.cards.replies import issue_words, issues_wait_card, second_words
from bot.delivery.announcer import wish
from bot.intake.inbox import Inbox
from bot.intake.requesting import REQUEST_MOST
from bot.messages import Labelled, Later, Mandated, Platform, Refused, Said, Unsure
from bot.services import Services
from store.database import StoreUnavailable
from store.transaction import Transaction

log = logging.getLogger("overlord.new_threads")
AGAIN = timedelta(seconds=30)  # after a platform did not take the first message
SINCE = timedelta(hours=20)  # what is older was begun, or is not wanted any more; deliveries are kept for longer
LONG = timedelta(days=365)  # for which a proposal may wait
TEXT_MOST = REQUEST_MOST - 100  # characters
NOT_TAKEN = (Later, Unsure, Refused)
Asked = TypeVar("Asked")


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """Channels of the console, where nobody can keep us from writing: for what cannot be said where it belongs."""

    open: str
    alone: str  # the operator's direct line, for what not everybody may see


@dataclass(frozen=True, slots=True, kw_only=True)
class Threads:
    """Where threads are begun, and who hears what is asked for in them."""

    services: Services
    inbox: Inbox
    platforms: Mapping[str, Platform]
    elsewhere: Elsewhere

    async def begin(self, channel: str, key: str, words: str, elsewhere: str = "") -> tuple[str, Thread]:
        """A thread is begun before its delivery is stored, and found again by its key if we die in between.

        Where we may not write in the channel: better heard elsewhere than not at all.
        """
        words = self.services.redact(words)
        if platform := self.platforms.get(surface_of(channel)):
            try:
                return channel, await platform.begin(channel, key, words)
            except Refused as problem:
                if not elsewhere:
                    raise
                log.warning("no thread could be begun", extra={"channel": channel, "problem": str(problem)})
        return elsewhere, await self.platforms[surface_of(elsewhere)].begin(elsewhere, key, words)


class _Waiting(ABC, Generic[Asked]):
    """Requests in the store that have no thread yet. Each is begun once: its delivery has a key of its own."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._database, self._clock = threads.services.database, threads.services.clock
        self._tried = dict[str, datetime]()  # by key; a platform did not take it

    @abstractmethod
    def _wanted(self, tx: Transaction) -> Iterable[tuple[str, Asked]]:
        """What was asked for lately, by its key."""

    @abstractmethod
    async def _ask_for(self, key: str, asked: Asked) -> None: ...

    async def begin_waiting(self) -> int:
        """What troubles one of them does not hold up others."""
        waiting = await self._database.read(self._waiting)
        self._tried = {key: at for key, at in self._tried.items() if key in waiting}
        for key, asked in waiting.items():
            if self._just_tried(key):
                continue
            try:
                await self._ask_for(key, asked)
                self._tried.pop(key, None)
            except NOT_TAKEN as problem:
                log.warning("a request has no thread yet", extra={"request": key, "problem": str(problem)})
                self._tried[key] = self._clock.now()
        return 0

    async def next_due(self, since: datetime) -> float | None:
        """Seconds until one that was tried in vain is tried again."""
        soonest = min(self._tried.values(), default=None)
        return None if soonest is None else max(0.0, (soonest + AGAIN - self._clock.now()).total_seconds())

    def _just_tried(self, key: str) -> bool:
        """In vain; a clock that was set back does not make it longer."""
        tried = self._tried.get(key)
        return tried is not None and timedelta(0) <= self._clock.now() - tried < AGAIN

    def _waiting(self, tx: Transaction) -> dict[str, Asked]:
        return {key: asked for key, asked in self._wanted(tx) if not tx.deliveries.state(key)}


class ApprovedProposals(_Waiting[Listed]):
    def _wanted(self, tx: Transaction) -> Iterable[tuple[str, Listed]]:
        return ((f"proposal:{each.proposal.id}", each) for each in tx.proposals.to_carry_out())

    async def _ask_for(self, key: str, asked: Listed) -> None:
        task, by = await self._database.read(lambda tx: tx.log.task(asked.task)), asked.account or Account("")
        name = await self._database.read(lambda tx: _name(tx, by))
        mandate = Mandate(
            proposal=asked.proposal.id,
            title=asked.proposal.title,
            project=asked.proposal.project,
            task=task.id,
            thread=task.request.thread,
            skill=asked.proposal.type is ProposalType.NEW_SKILL,
            revises=asked.proposal.revises,
        )
        elsewhere = self._threads.elsewhere.alone if task.request.direct else self._threads.elsewhere.open
        channel, thread = await self._threads.begin(task.request.channel, key, begun_words(mandate, name), elsewhere)
        delivery = Mandated(
            key=key,
            thread=thread,
            channel=channel,
            message=thread.rpartition(":")[2],
            by=by,
            name=name,
            text=cut(request_words(asked.proposal), TEXT_MOST),
            mandate=mandate,
            direct=task.request.direct,
            at=self._clock.now(),
        )
        if await self._threads.inbox.accept(delivery):
            log.info("a proposal asks for work", extra={"proposal": mandate.proposal})


def _name(tx: Transaction, account: Account) -> str:
    person = tx.people.find(account)
    return person.name if person else account.rpartition(":")[2]


class SecondTasks(_Waiting[Decision]):
    def _wanted(self, tx: Transaction) -> Iterable[tuple[str, Decision]]:
        made = tx.ledger.made_since(Kind.SECOND, self._clock.now() - SINCE)
        return ((f"second:{each.id}", each) for each in made if each.option(each.outcome).value == "task")

    async def _ask_for(self, key: str, asked: Decision) -> None:
        task, by, name = await self._database.read(lambda tx: _who(tx, asked, asked.put_to))
        words = f"{second_words(name, task)} {one_line(asked.question, 1000)}"
        await self._begin(key, task, words, asked.question, (by, name))

    async def _begin(self, key: str, task: Task, words: str, text: str, who: tuple[Account, str]) -> None:
        channel, thread = await self._threads.begin(task.request.channel, key, words)
        delivery = Said(
            key=key,
            thread=thread,
            channel=channel,
            message=thread.rpartition(":")[2],
            by=who[0],
            name=who[1],
            text=text,
            mentions_bot=True,
            direct=task.request.direct,
            at=self._clock.now(),
        )
        await self._threads.inbox.accept(delivery)


class DiscussedProposals(SecondTasks):
    """A person wants to talk about a proposal: a thread of its own, which begins with a question about the code."""

    def _wanted(self, tx: Transaction) -> Iterable[tuple[str, Decision]]:
        since = self._clock.now() - SINCE
        made = tx.ledger.made_since(Kind.PROPOSAL, since - LONG)
        wanted = (each for each in made if each.closed_at and each.closed_at >= since and each.decided_by)
        return ((f"discuss:{each.id}", each) for each in wanted if each.option(each.outcome).value == "discuss")

    async def _ask_for(self, key: str, asked: Decision) -> None:
        task, by, name = await self._database.read(lambda tx: _who(tx, asked, asked.decided_by[0]))
        found = await self._database.read(lambda tx: proposal_of_decision(tx.log.in_thread(task.id), asked))
        if found:
            words = discuss_words(name, task, found.title)
            await self._begin(key, task, words, cut(discuss_question(found), TEXT_MOST), (by, name))


def _who(tx: Transaction, decision: Decision, person_id: PersonId) -> tuple[Task, Account, str]:
    """The task in whose thread it was said, and the account of whoever said it there."""
    task, person = tx.log.task(decision.task), tx.people.get(person_id)
    here = [account for account in person.accounts if surface_of(account) == surface_of(task.request.thread)]
    return task, (*here, *person.accounts)[0], person.name


class IssueWatch:
    """Looks for issues that got the label. A project's are taken on a few at a time, in the order they came."""

    def __init__(self, threads: Threads, intake: GitHubIntake, channels: Mapping[str, str]) -> None:
        """`channels`: where people talk about the issues of each project; empty: on the console."""
        self._threads, self._intake, self._channels = threads, intake, channels
        self._database, self._clock = threads.services.database, threads.services.clock
        self._most = threads.services.limits.issues_at_once
        self._troubles = dict[str, str]()

    async def look(self) -> None:
        """Take in what is new. GitHub's troubles are not ours: they are logged, and it looks again."""
        for project in self._channels:
            try:
                await self._take_in(project)
                self._troubles.pop(project, None)
            except (ForgeFailed, *NOT_TAKEN) as problem:
                self._tell(project, problem)

    async def _take_in(self, project: str) -> None:
        """What waits is not kept here: an issue may be closed, or lose its label, before its turn comes."""
        found = await self._intake.news(project)
        try:
            new, under_way = await self._database.read(partial(_new, project, found))
            room = max(0, self._most - under_way)
            for issue in new[:room]:
                await self._accept(issue)
            if waiting := new[room:]:
                self._intake.forget(project)
                await self._database.write(partial(self._tell_once, project, waiting))
        except (StoreUnavailable, *NOT_TAKEN):
            self._intake.forget(project)
            raise

    def _tell_once(self, project: str, waiting: Sequence[LabelledIssue], tx: Transaction) -> None:
        """Until the last of those that it was said of has its turn; in the thread of the last that was taken on."""
        taken = _taken_on(project, tx)
        if len(taken) < self._most or any(tx.posts.is_wanted(_waits(issue)) for issue in waiting):
            return
        card = issues_wait_card(project, len(waiting), self._most)
        tx.posts.want(wish(_waits(waiting[-1]), taken[0].request.thread, card), self._clock.now())

    async def _accept(self, issue: LabelledIssue) -> None:
        words, own = issue_words(issue.author, issue.title, issue.url), self._channels[issue.project]
        channel, thread = await self._threads.begin(own, issue.key, words, self._threads.elsewhere.open)
        if await self._threads.inbox.accept(_labelled(issue, channel, thread, self._clock.now())):
            log.info("an issue asks for work", extra={"issue": issue.url})

    def _tell(self, project: str, problem: Exception) -> None:
        if self._troubles.get(project) != str(problem):
            log.warning("issues cannot be taken in", extra={"project": project, "problem": str(problem)})
        self._troubles[project] = str(problem)


def _new(project: str, found: Sequence[LabelledIssue], tx: Transaction) -> tuple[list[LabelledIssue], int]:
    """Those that were not taken on before, and how many of the project are under way."""
    new = [issue for issue in found if not tx.deliveries.state(issue.key)]
    if not new:
        return [], 0
    on_the_way = sum(received.kind == Labelled.__name__ for received in tx.deliveries.to_settle())
    return new, len(_taken_on(project, tx)) + on_the_way


def _taken_on(project: str, tx: Transaction) -> list[Task]:
    """Tasks that came from its issues and are to be worked on, the newest first."""
    tasks = tx.log.tasks(ended=False)
    ours = (task for task in tasks if task.request.origin and task.request.origin.project == project)
    return [task for task in ours if task.state is not TaskState.BACKBURNER]


def _waits(issue: LabelledIssue) -> str:
    return f"issues-wait:{issue.key}"


def _labelled(issue: LabelledIssue, channel: str, thread: Thread, at: datetime) -> Labelled:
    return Labelled(
        key=issue.key,
        thread=thread,
        channel=channel,
        message=thread.rpartition(":")[2],
        by=Account(f"github:{issue.author}"),
        name=issue.author,
        text=cut(f"{issue.title}\n\n{issue.body}".strip(), TEXT_MOST),
        origin=Origin(
            key=issue.key,
            project=issue.project,
            number=issue.number,
            url=issue.url,
            by=issue.author,
            heard=issue.heard,
        ),
        hidden=issue.hidden,
        at=at,
    )
