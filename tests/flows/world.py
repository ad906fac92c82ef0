"""A task that is being planned in a real store, with the jobs its facts ask for; flows are run by hand."""

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from agents.catalog.policies import load_specialists
from agents.domain.decisions import answering
from agents.domain.decisions.answering import Utterance
from agents.domain.decisions.authority import Presser
from agents.domain.decisions.kind import Moment, Withdrawal, withdraw
from agents.domain.events import TaskCancelled
from agents.domain.ids import PersonId, TaskId, Thread
from agents.domain.limits import Limits
from agents.domain.models.failure import POLICIES, RetryPolicy
from agents.domain.task import decide
from agents.domain.task.facts import Request
from agents.domain.task.task import Task
from agents.domain.workflow.workflow import Resolved
from agents.flows import FLOWS
from agents.ports import NOTHING_NEEDED, Grounds, Llm, Ports
from agents.workspace.projects import GitProjects
from bot.cards.work import outside
from bot.permissions import Permissions
from bot.running.jobs import launch
from bot.services import Services
from manifests import packaged_path
from store.codec import Cause
from store.database import Database
from store.running.jobs import Job
from store.running.leases import Lease
from store.running.port_adapters import JobLog, StepRetries
from store.transaction import Transaction
from tests.fakes.clock import ScaledClock
from tests.fakes.shelves import MemoryShelves
from tests.fakes.work import Workshop

ANA = Presser(person=PersonId("ana"))
CHANNEL = "console:general"


@dataclass
class Planning:
    """`llm` gives each job its model; jobs are taken in the order they were asked for."""

    office: Services
    llm: Callable[[Job], Llm]
    task: TaskId
    runs: int = 0
    workshop: Workshop = field(default_factory=Workshop)
    projects: GitProjects = field(default_factory=lambda: GitProjects({"shop": None}))
    grounds: Grounds = NOTHING_NEEDED
    shelves: MemoryShelves = field(default_factory=MemoryShelves)
    leaves: bool = False  # what is handed over leaves the machine
    policies: Mapping[str, RetryPolicy] = field(default_factory=lambda: POLICIES)

    async def next_job(self) -> Job:
        job = await self.any_job()
        assert job, "no job waits"
        return job

    async def any_job(self) -> Job | None:
        """Claim the next job; what goes on beside planning is run at once, unless a test looks at it itself."""
        while (job := await self._claimed()) and job.flow == "prepare_ground" and self.grounds is NOTHING_NEEDED:
            await self.run(job)
        return job

    async def _claimed(self) -> Job | None:
        """A job whose holder is given up on is claimed again."""
        self.runs += 1
        now = self.office.clock.now()
        await self.office.database.write(launch)
        until = now + self.office.limits.within("job_lease")
        lease = Lease(owner=f"run-{self.runs}", at=now, until=until, dead=(f"run-{self.runs - 1}",))
        jobs = await self.office.database.write(lambda tx: tx.jobs.claim(lease, self.office.limits, 1))
        return jobs[0] if jobs else None

    async def run(self, job: Job) -> None:
        await FLOWS[job.flow](job.event, self.ports(job))

    async def run_next(self, *flows: str) -> None:
        for flow in flows:
            job = await self.next_job()
            assert job.flow == flow
            await self.run(job)

    def ports(self, job: Job) -> Ports:
        shop = self.workshop
        return Ports(
            store=JobLog(self.office.database, job, self._moment),
            projects=self.projects,
            llm=self.llm(job),
            specialists=load_specialists(packaged_path("policies", "specialists.yaml")),
            limits=self.office.limits,
            minions=shop.minions,
            reader=shop.reader,
            checkouts=shop.checkouts,
            gates=shop.gates,
            grounds=self.grounds,
            knowledge=shop.knowledge,
            forge=shop.forge,
            texts=outside,
            issues=shop.issues,
            artefacts=shop.artefacts,
            packs=shop.packs,
            skills=self.shelves,
            workflow=self.office.workflow,
            resolve=self._resolve,
            retries=StepRetries(self.office.database, self.office.clock, self.policies, self.office.limits, job),
            live=self.office.show,
            risk=shop.measured,
        )

    async def _resolve(self, task: Task, branch: str) -> Resolved:
        return Resolved(workflow=self.office.workflow(task))

    def _moment(self, task: Task, cause: str) -> Moment:
        return replace(self.office.moment(task.request.channel, cause), leaves=self.leaves)

    async def now(self) -> Task:
        return await self.office.database.read(lambda tx: tx.log.task(self.task))

    async def facts(self) -> list[str]:
        recorded = await self.office.database.read(lambda tx: tx.log.facts(self.task))
        return [type(each.event).__name__ for each in recorded]

    async def remark(self, text: str) -> None:
        def transaction(tx: Transaction) -> None:
            task = tx.log.task(self.task)
            facts = answering.reply(task, Utterance(text=text), ANA, self.office.moment(task.request.channel, text))
            tx.log.append(task.id, facts, Cause(actor="console:ana", delivery=text))

        await self.office.database.write(transaction)

    async def cancel(self) -> None:
        """What is left of a task once a person has confirmed it."""

        def transaction(tx: Transaction) -> None:
            task = tx.log.task(self.task)
            moment = self.office.moment(task.request.channel, "cancel")
            ended = TaskCancelled(task=task.id, at=moment.at, by=ANA.person, reason="changed my mind")
            facts = [ended, *withdraw(task.open, Withdrawal.CANCELLED, moment)]
            tx.log.append(task.id, facts, Cause(actor="console:ana", delivery="cancel"))

        await self.office.database.write(transaction)


@asynccontextmanager
async def planning(place: Path, llm: Callable[[Services], Callable[[Job], Llm]]) -> AsyncIterator[Planning]:
    database = Database(f"sqlite:///{place / 'overlord.db'}")
    clock = ScaledClock(100, since=time.time())
    # nobody renews a lease here, and the clock is a hundred times as fast as the machine; control questions have tests
    # of their own
    limits = Limits(job_lease=6_000, control_every=0)
    office = Services(database=database, permissions=Permissions({}, frozenset()), clock=clock, limits=limits)

    def open_task(tx: Transaction) -> TaskId:
        moment, thread = office.moment(CHANNEL, "opened"), Thread(f"{CHANNEL}:1")
        request = Request(text="add a login page", by=ANA.person, thread=thread, channel=CHANNEL, at=moment.at)
        facts = decide.open_task(tx.log.next_id(), request, moment)
        return tx.log.open(facts, Cause(actor="console:ana", delivery="opened")).id

    try:
        yield Planning(office, llm(office), await database.write(open_task))
    finally:
        database.close()
