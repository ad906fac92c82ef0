"""What the console and the CLI may ask and do. Both go through here, so both see and decide the same."""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial

from agents.domain.decisions.authority import Group, Presser
from agents.domain.decisions.decision import Decision
from agents.domain.errors import TaskArchived
from agents.domain.ids import Account, PersonId, TaskId, Thread, surface_of
from agents.domain.learning.proposal import Listed
from agents.domain.planning.plan_faults import Fault
from agents.domain.task.task import Task, TaskState
from agents.domain.work.outcome import TELLING, WorkerOutcome, outcomes
from agents.domain.work.step_times import READS, step_times
from agents.domain.work.work import run_key
from agents.workspace.files.artefacts import FileArtefacts
from bot.cards.decisions import decision_card
from bot.cards.discreet import discreet, discreet_proposal
from bot.cards.evidence import comment_button, evidence_of, with_evidence
from bot.cards.plan import subtask_table
from bot.cards.planning.wishes import wish_rows
from bot.cards.reasons import put
from bot.cards.replies import QueueStatus
from bot.cards.scene import Bill, Ways
from bot.cards.status import status_card
from bot.cards.timeline import in_words
from bot.cards.workflow import workflow_graph
from bot.config.platforms import OWN
from bot.intake.access import count_needs, needs_of, read_waiting, search_waiting, sees, waiting_for, waiting_in_task
from bot.intake.commands import queue_status
from bot.intake.inbox import Inbox, Outcome
from bot.live import ChangeNotifier, Running
from bot.messages import Delivery, load_card
from bot.queries import (
    EVERYTHING,
    Conversation,
    Heard,
    KeptText,
    Message,
    NamedPage,
    Need,
    Portion,
    TaskPage,
    TimelineEntry,
)
from bot.queries.form_checks import check_form
from bot.queries.learning import LearntSection, read_learning
from bot.queries.metrics_queries import MetricsQueries
from bot.queries.named_queries import read_named
from bot.queries.telling import worth_telling
from bot.services import Services
from store.chat.deliveries import DeliveryState
from store.chat.threads import Kept
from store.codec import Recorded
from store.running.port_adapters import TurnLog, find_pull
from store.streams import runs
from store.streams.ledger import Waiting
from store.streams.log import Which
from store.streams.projections import evaluations_of, why_missing
from store.transaction import Transaction

MESSAGES_SHOWN = 500  # of one thread
REPLIES_SHOWN, FACTS_SHOWN = 4, 200
ANSWER_WITHIN = 2.0  # seconds a surface waits to show what became of a delivery


class QueryApi(MetricsQueries):
    def __init__(self, services: Services, inbox: Inbox, notifier: ChangeNotifier, artefacts: FileArtefacts) -> None:
        self._artefacts = artefacts
        self._services = services
        self._database = services.database
        self._inbox = inbox
        self._notifier = notifier
        self._open_to_all: set[TaskId] = set()  # met so far; a task that was asked for in a channel stays open

    async def hear(self, delivery: Delivery) -> Heard | None:
        """Take a delivery. It is stored first; then a moment is waited for its outcome. None: that is not known yet."""
        outcome = await self._inbox.outcome(delivery, ANSWER_WITHIN)
        return _heard(outcome) if outcome else None

    async def channel(self, channel: str, viewer: Account, portion: Portion = EVERYTHING) -> Sequence[Conversation]:
        """The latest threads of a channel, oldest first, each with its first message and its last few replies."""

        def question(tx: Transaction) -> list[Conversation]:
            if not _may_read(channel, viewer):
                return []
            threads = tx.threads.latest(channel, portion.most, portion.skip)
            return [self._conversation(tx, thread, viewer, REPLIES_SHOWN) for thread in threads]

        return await self._database.read(question)

    async def conversation(self, thread: Thread, viewer: Account, last: int = MESSAGES_SHOWN) -> Conversation | None:
        """Its first message and the last ones; None where there is none, or it is not for this person."""

        def question(tx: Transaction) -> Conversation | None:
            known = tx.threads.find(thread)
            mine = known and _may_read(known.channel, viewer)
            return self._conversation(tx, thread, viewer, last) if mine else None

        return await self._database.read(question)

    async def tasks(
        self, viewer: Account, *, ended: bool = False, limit: int | None = None, search: str = "", before: int = 0
    ) -> Sequence[Task]:
        """Tasks that this person may see, newest first; with `ended`, those that have ended too.

        `before`: only those with smaller numbers.
        """
        which = Which(search=search, before=before)

        def question(tx: Transaction) -> list[Task]:
            seen = partial(self._sees, self._viewer(viewer, tx), tx)

            def is_listed(task: Task) -> bool:
                """What turned out to be no request is in no list."""
                return task.state is not TaskState.WITHDRAWN and seen(task)

            return tx.log.tasks(ended=ended, limit=limit, which=which, only=is_listed)

        return await self._database.read(question)

    async def page(self, task: TaskId, viewer: Account, before: int | None = None) -> TaskPage | None:
        """None where there is no such task, and where this person may not see it: they cannot tell which.

        `before`: its timeline ends with the fact before this one.
        """
        found = await self._database.read(partial(self._page, task, viewer, before))
        if found is None:
            return None
        running = await self._services.live.running(task, self._services.redact)
        return replace(found, kept=tuple(await self._kept_of(task)), running=running)

    async def looked_at(self, task: TaskId) -> Sequence[str]:
        """What each turn of the run that answers a question was about, so far."""
        rows = await TurnLog(self._database, self._services.clock).of(run_key(task, 0, 1))
        return [self._services.redact(str(row["doing"])) for row in rows if row.get("doing")]

    async def find_kept(self, task: TaskId, name: str, viewer: Account) -> KeptText | None:
        """A long text that was kept of a task, and the decision that it is shown for."""
        seen = await self._database.read(partial(self._seen, (task,), viewer))
        names = await self._kept_of(task) if seen else []
        text = await self._artefacts.read(name) if name in names else None
        if text is None:
            return None
        found = KeptText(
            text=await asyncio.to_thread(self._services.redact, text),
            others=tuple(each for each in names if each.endswith((".diff", ".patch"))),
        )
        return await self._database.read(partial(self._with_need, task, name, found))

    async def check_form(self, token: str, words: str) -> tuple[Fault, ...]:
        return await self._database.read(partial(check_form, token, words))

    def _with_need(self, id: TaskId, name: str, found: KeptText, tx: Transaction) -> KeptText:
        task = tx.log.in_thread(id)
        for decision in tx.ledger.questions_of(id):
            if evidence_of(task, decision)[0] == name:
                return replace(found, need=self._need(tx, task, decision), comments=comment_button(decision))
        return found

    async def _kept_of(self, task: TaskId) -> list[str]:
        return [name for name in await self._artefacts.names(task) if name[len(task)] in ".-"]

    async def pull(self, project: str, number: int, viewer: Account) -> TaskId | None:
        """The task that a pull request of the local forge is of."""

        def question(tx: Transaction) -> TaskId | None:
            record = find_pull(tx, project, number)
            return next(iter(self._seen((TaskId(record.key),), viewer, tx)), None) if record else None

        return await self._database.read(question)

    async def queue(self) -> QueueStatus:
        return await self._database.read(queue_status)

    async def count_needs(self, viewer: Account) -> int:
        """How much waits for this person."""
        permissions, at = self._services.permissions, self._services.clock.now()
        return await self._database.read(lambda tx: count_needs(tx, self._viewer(viewer, tx), permissions, at))

    async def needs(self, viewer: Account, portion: Portion = EVERYTHING) -> Sequence[Need]:
        """What waits for this person, oldest first, but for what they put off."""
        permissions, at = self._services.permissions, self._services.clock.now()
        found = partial(needs_of, permissions=permissions, at=at)
        return await self._database.read(lambda tx: self._needs(tx, found(tx, self._viewer(viewer, tx)), portion))

    async def waiting(self, viewer: Account, portion: Portion = EVERYTHING) -> Sequence[Need]:
        """What waits for anybody, of tasks that this person may see, oldest first. Some of them have ended."""

        def question(tx: Transaction) -> list[Need]:
            asked, person = tx.ledger.waiting(), self._viewer(viewer, tx)
            shown = self._seen({each.task for each in asked if each.direct}, viewer, tx)
            mine = {each.id for each in waiting_for(tx, person, self._services.permissions)}
            seen = [each for each in asked if not each.direct or each.task in shown]
            found = self._needs(tx, seen, portion)
            return [replace(need, mine=need.decision.id in mine) for need in found]

        return await self._database.read(question)

    def _needs(self, tx: Transaction, found: Sequence[Waiting], portion: Portion) -> list[Need]:
        """Cards are made of those alone that are shown."""
        wanted = search_waiting(tx, found, portion.search)[portion.skip :][: portion.most]
        return [self._need(tx, task, decision) for task, decision in read_waiting(tx, wanted)]

    async def proposals(self, viewer: Account, *, pending: bool) -> Sequence[Listed]:
        """What tasks that this person may see gave rise to, oldest first; `pending`: and nobody has decided on."""

        def question(tx: Transaction) -> list[Listed]:
            made = tx.proposals.all(pending=pending)
            seen = self._seen({listed.task for listed in made}, viewer, tx)
            return [discreet_proposal(listed, self._services.redact) for listed in made if listed.task in seen]

        return await self._database.read(question)

    async def find_named(self, viewer: Account) -> NamedPage | None:
        """Projects, people and models, for whoever may name them; None for all others."""

        def question(tx: Transaction) -> NamedPage | None:
            if Group.ADMIN not in self._viewer(viewer, tx).groups:
                return None
            return read_named(tx, self._services, partial(_name, tx))

        return await self._database.read(question)

    async def learning(self, viewer: Account) -> Sequence[LearntSection]:
        """What was learnt of tasks that this person may see."""
        redact = self._services.redact
        return await self._database.read(
            lambda tx: read_learning(tx, lambda id: bool(self._seen((id,), viewer, tx)), redact)
        )

    async def name_of(self, viewer: Account) -> str:
        return await self._database.read(lambda tx: _name(tx, viewer))

    async def names(self, people: Collection[PersonId]) -> Mapping[PersonId, str]:
        """What to call each of these people."""
        return await self._database.read(lambda tx: {person: tx.people.name(person) for person in people})

    async def audible(self, names: frozenset[str], viewer: Account) -> frozenset[str]:
        """Of what changed, what this person may hear of."""
        places = {name for name in names if name in ("needs", "queue") or _may_read(name.rpartition(":")[0], viewer)}
        tasks = {TaskId(name) for name in names if name.startswith("T-")}
        known = tasks & self._open_to_all
        asked = tasks - known
        seen = await self._database.read(partial(self._seen, asked, viewer)) if asked else set()
        return frozenset[str]().union(places, known, seen)

    async def live(self, task: TaskId, viewer: Account) -> Sequence[Running]:
        """What runs for a task at this moment; nothing where this person may not see it."""
        if not self._services.live.runs(task) or not await self.audible(frozenset({task}), viewer):
            return ()
        return await self._services.live.running(task, self._services.redact)

    def looking(self, task: TaskId) -> AbstractContextManager[asyncio.Event]:
        """Set, while somebody looks, when `live` has something else to say. Whoever waits for it clears it."""
        return self._services.live.looking(task)

    def changes(self) -> AsyncIterator[frozenset[str]]:
        """What changed, as it changes: threads ("console:general:…"), tasks ("T-3"), "needs", "queue". Never ends."""
        return self._notifier.changes()

    def _sees(self, viewer: Presser, tx: Transaction, task: Task) -> bool:
        return sees(viewer, task, tx, self._services.permissions)

    def _seen(self, tasks: Iterable[TaskId], viewer: Account, tx: Transaction) -> set[TaskId]:
        """Those of these tasks that there are and that this person may see."""
        found = [task for id in tasks if (task := tx.log.find(id))]
        self._open_to_all.update(task.id for task in found if not task.request.direct)
        person = self._viewer(viewer, tx)
        return {task.id for task in found if self._sees(person, tx, task)}

    def _conversation(self, tx: Transaction, thread: Thread, viewer: Account, last: int) -> Conversation:
        known = tx.threads.find(thread)
        shown, left_out = tx.messages.in_thread(thread, viewer, last)
        return Conversation(
            thread=thread,
            channel=known.channel if known else "",
            messages=tuple(_message(tx, k, viewer) for k in shown),
            task=tx.log.find(known.task) if known and known.task else None,
            more=left_out,
        )

    def _page(self, id: TaskId, viewer: Account, before: int | None, tx: Transaction) -> TaskPage | None:
        found, reader = tx.log.find(id), self._viewer(viewer, tx)
        if found is None and isinstance(missing := why_missing(tx.db, id), TaskArchived):
            raise missing
        if found is None or not self._sees(reader, tx, found):
            return None
        task = tx.log.in_thread(id)
        facts = tx.log.facts_in_thread(task, last=FACTS_SHOWN, before=before)
        mine = waiting_in_task(tx, task, reader, self._services.permissions)
        redact = self._services.redact
        times = step_times(task, (fact.event for fact in tx.log.facts(id, kinds=READS))) if task.plan.accepted else {}
        return TaskPage(
            task=task,
            owner=tx.people.name(task.request.by),
            spent=tx.calls.spent_on(task.id),
            status=discreet(status_card(task, tx.people.name, self._bill(tx, task), tx.jobs.current_pause()), redact),
            needs=tuple(self._need(tx, task, decision) for decision in mine),
            timeline=tuple(self._entry(tx, fact) for fact in worth_telling(facts)),
            more=facts[0].version if facts else 0,
            outcomes=tuple(self._outcomes(tx, id)),
            evaluations=tuple(replace(each, feedback=redact(each.feedback)) for each in evaluations_of(tx.db, id)),
            runs=tuple(runs.history(tx.db, id)),
            wishes=wish_rows(task, tx.people.name, redact),
            subtasks=tuple(tuple(map(redact, row)) for row in subtask_table(task.plan.draft)),
            workflow=workflow_graph(task, times),
            times=times,
        )

    def _outcomes(self, tx: Transaction, id: TaskId) -> Iterator[WorkerOutcome]:
        redact = self._services.redact
        for each in outcomes(fact.event for fact in tx.log.facts(id, kinds=TELLING)):
            blockers = tuple(redact(put(why)) for why in each.blockers)
            did, then = redact(put(each.action_taken)), put(each.next_step)
            yield replace(each, action_taken=did, blockers=blockers, next_step=then)

    def _need(self, tx: Transaction, task: Task, decision: Decision) -> Need:
        card = decision_card(task, decision, tx.people.name, self._bill(tx, task))
        card = with_evidence(card, task, decision, self._ways)
        return Need(decision=decision, task=task, card=discreet(card, self._services.redact))

    @property
    def _ways(self) -> Ways:
        """Whoever asks here reads the console itself."""
        return Ways()

    def _bill(self, tx: Transaction, task: Task) -> Bill:
        return Bill(spent=tx.calls.spent_on(task.id), budget=self._services.budgets.task)

    def _entry(self, tx: Transaction, fact: Recorded) -> TimelineEntry:
        by_rule = surface_of(fact.cause.actor) == "overlord"
        return TimelineEntry(
            version=fact.version,
            at=fact.event.at,
            kind=type(fact.event).__name__,
            words=self._services.redact(in_words(fact.event, tx.people.name, tx.ledger.find)),
            by="" if by_rule else _name(tx, Account(fact.cause.actor)),
            hash=fact.hash,
        )

    def _viewer(self, viewer: Account, tx: Transaction) -> Presser:
        """As the inbox's presser, but reading only: someone never met has no rights and gets no row."""
        person = tx.people.find(viewer)
        accounts = person.accounts if person else (viewer,)
        groups = self._services.permissions.groups_of(accounts)
        known_as = person.known_as if person else frozenset()
        return Presser(person=person.id if person else PersonId(""), known_as=known_as, groups=groups)


class DirectQueries(QueryApi):
    """For the CLI: settles what it hears itself, so that it works whether or not the program runs."""

    @property
    def _ways(self) -> Ways:
        return Ways(surface="cli", public=self._services.public_url)

    async def hear(self, delivery: Delivery) -> Heard | None:
        await self._inbox.accept(delivery)
        for received in await self._inbox.waiting():
            if received.key == delivery.key:
                return _heard(await self._inbox.settle(received))
        known = await self._database.read(lambda tx: tx.deliveries.state(delivery.key))  # the program was quicker
        return _heard(Outcome(state=known[0], words=known[1])) if known else None


def _heard(outcome: Outcome) -> Heard:
    return Heard(refused=outcome.state in (DeliveryState.REFUSED, DeliveryState.PARKED), words=outcome.words)


def _may_read(channel: str, viewer: Account) -> bool:
    """The console shows its own channels to all its readers, and a direct line only to its two ends."""
    login = viewer.partition(":")[2]
    return channel.startswith(f"{OWN}:") and (not channel.startswith(f"{OWN}:@") or channel == f"{OWN}:@{login}")


def _message(tx: Transaction, kept: Kept, viewer: Account) -> Message:
    return Message(
        id=kept.message,
        thread=kept.thread,
        at=kept.at,
        by=_name(tx, Account(kept.by)) if kept.by else "",
        text=kept.text,
        card=load_card(kept.card) if kept.card else None,
        edited=kept.edited and bool(kept.by),
        mine=kept.by == viewer,
        seen=kept.seen,
        private=bool(kept.only_for),
    )


def _name(tx: Transaction, account: Account) -> str:
    person = tx.people.find(account)
    return person.name if person else account.partition(":")[2]
