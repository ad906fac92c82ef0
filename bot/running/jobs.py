"""Asks for the jobs that facts lead to, runs them under leases in the scheduler's pool, and settles deliveries."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from agents.domain import events as e
from agents.domain.decisions.kind import Facts, Moment
from agents.domain.errors import (
    BudgetReached,
    IllegalMove,
    NoAnswer,
    QuestionTooLong,
    StaleLease,
    StepFailed,
    StepRests,
)
from agents.domain.events import JobRetried
from agents.domain.ids import is_project
from agents.domain.planning import planning
from agents.domain.project.project import Project
from agents.domain.task import decide
from agents.domain.task.task import Task
from agents.ports import Ports, ProjectUnusable
from bot.intake.inbox import Inbox
from bot.running.scheduler import Scheduler
from bot.services import Leases, Services
from store.chat.deliveries import DeliveryState, Received
from store.codec import Cause, Recorded
from store.database import StoreUnavailable
from store.running.jobs import LONGEST_WAIT, Job
from store.running.port_adapters import add_usage
from store.transaction import Transaction

if TYPE_CHECKING:
    from agents.flows import On

log = logging.getLogger("overlord.jobs")

JOBS_AT_ONCE = 16
TOO_LONG = "this task took {steps} steps, which is as many as it may take by itself (`limits.task_steps`)"
PATIENT = 15  # tries of what holds up nobody, a minute apart in the end
BATCH = 400
TOO_EARLY = 0.02  # seconds until what came too early is looked at again


class Jobs:
    """Claims jobs, runs each under a lease on the scheduler, and parks what cannot be finished."""

    def __init__(
        self, services: Services, ports: Callable[[Job], Awaitable[Ports]], leases: Leases, scheduler: Scheduler
    ) -> None:
        self._services = services
        self._database, self._clock, self._limits = services.database, services.clock, services.limits
        self._ports = ports
        self._leases = leases
        self._claimed: dict[str, Job] = {}
        self._scheduler = scheduler
        self.ended = asyncio.Event()  # set when a job makes room for another, or is to be tried again

    async def stop(self) -> None:
        """Being stopped is no fault of a job: what is under way is given back, and counts as no attempt."""
        under_way = list(self._claimed.values())
        await self._scheduler.stop()
        with suppress(StoreUnavailable):
            await self._database.write(lambda tx: tx.jobs.release(under_way))

    async def run_waiting(self) -> int:
        """Claim what may run and hand it to the scheduler."""
        room = JOBS_AT_ONCE - len(self._claimed)
        if room <= 0:
            return 0
        lease = self._leases.for_seconds(self._limits.job_lease, busy=self._claimed)
        jobs = await self._database.write(lambda tx: tx.jobs.claim(lease, self._limits, room))
        self._claimed |= {job.id: job for job in jobs}
        for job in jobs:
            await self._scheduler.start_job(job.id, self._run, job)
        return len(jobs)

    async def next_try(self, since: datetime) -> float | None:
        due = await self._database.read(lambda tx: tx.jobs.next_try(since))
        return None if due is None else max(0.0, (due - self._clock.now()).total_seconds())

    async def _run(self, job: Job) -> None:
        renewal = asyncio.create_task(self._renew(job))
        try:
            if job.attempts >= self._most(job):
                await self._give_up(job, job.problem)
            else:
                await self._try(job)
        except asyncio.CancelledError:  # by `stop` alone
            log.info("job was stopped", extra={"job": job.id, "flow": job.flow})
        finally:
            renewal.cancel()
            if self._claimed.get(job.id) is job:
                del self._claimed[job.id]
            self.ended.set()

    async def _try(self, job: Job) -> None:
        try:
            if most := await self._steps_exceeded(job):
                await self._give_up(job, TOO_LONG.format(steps=most))
                return
            ports = await self._ports(job)
            from agents.flows import FLOWS

            await FLOWS[job.flow](job.event, ports)
        except StaleLease:
            log.info("job was taken over", extra={"job": job.id, "flow": job.flow})
        except IllegalMove as moved:  # the task moved on meanwhile; there is nothing left to do for it
            log.info("job had nothing left to do", extra={"job": job.id, "why": moved.what})
            await self._database.write(lambda tx: tx.jobs.finish(job.id, job.fence))
        except (
            NoAnswer,
            ProjectUnusable,
            StepFailed,
            StepRests,
        ) as none:  # tried as often as it may be; or for a person to mend
            overflow = isinstance(none, QuestionTooLong)
            await self._give_up(job, f"{none.what}. {none.next_step}", overflow=overflow)
        except BudgetReached as reached:
            await self._out_of_money(job, reached)
        except StoreUnavailable:  # this process holds it and is not at work on it, so it is claimed again at once
            log.warning("job will run again when the store is back", extra={"job": job.id})
        except Exception as problem:  # a flow's own fault must not take the program down
            log.exception("job failed", extra={"job": job.id, "flow": job.flow})
            await self._failed(job, f"{type(problem).__name__}: {problem}")

    async def _steps_exceeded(self, job: Job) -> int:
        """How many its task may take, so many for each of its subtasks, where it took more; else 0."""
        if not _row(job).counted:
            return 0
        from agents.flows import COUNTED

        steps = await self._database.read(lambda tx: tx.jobs.steps(job, COUNTED))
        if steps <= self._limits.task_steps:  # most tasks by far
            return 0
        task = await self._database.read(lambda tx: tx.log.task(job.task))
        most = self._limits.task_steps * max(1, len(task.work.subtasks))
        return most if steps > most else 0

    async def _failed(self, job: Job, problem: str) -> None:
        if job.attempts + 1 >= self._most(job):
            await self._give_up(job, problem)
            return
        again = self._clock.now() + timedelta(seconds=min(LONGEST_WAIT, 2.0 ** (job.attempts + 1)))
        await self._database.write(lambda tx: tx.jobs.put_back(job, problem, again))

    def _most(self, job: Job) -> int:
        return max(PATIENT, self._limits.job_recoveries) if _is_aside(job) else self._limits.job_recoveries

    async def _give_up(self, job: Job, problem: str, *, overflow: bool = False) -> None:
        """Say so in the thread, and ask the owner what to do."""
        if _is_aside(job):
            log.warning("given up", extra={"job": job.id, "flow": job.flow, "problem": problem})
            await self._database.write(lambda tx: tx.jobs.park(job, problem))
            return

        def facts(task: Task, moment: Moment) -> Facts:
            kept = "Kept: the request and everything recorded so far."
            parked = e.JobParked(
                task=task.id, at=moment.at, job=job.id, flow=job.flow, problem=problem, kept=kept, overflow=overflow
            )
            return decide.park(task, parked, moment)

        await self._park(job, problem, facts)

    async def _out_of_money(self, job: Job, reached: BudgetReached) -> None:
        if _is_aside(job):
            await self._give_up(job, reached.what)
            return

        def facts(task: Task, moment: Moment) -> Facts:
            stopped = e.BudgetReached(
                task=task.id,
                at=moment.at,
                job=job.id,
                flow=job.flow,
                budget=reached.budget,
                limit=reached.limit,
                spent=reached.spent,
                wanted=reached.wanted,
            )
            return planning.over_budget(task, stopped, moment)

        await self._park(job, reached.what, facts)

    async def _park(self, job: Job, problem: str, facts: Callable[[Task, Moment], Facts]) -> None:
        def transaction(tx: Transaction) -> None:
            if not tx.jobs.park(job, problem):
                return
            task, cause = tx.log.task(job.task), Cause(actor="overlord", delivery=f"job:{job.id}:{job.fence}")
            moment = self._services.moment(task.request.channel, cause.delivery)
            tx.log.append(task.id, add_usage(facts(task, moment), tx, job), cause)

        await self._database.write(transaction)

    async def _renew(self, job: Job) -> None:
        while True:
            await asyncio.sleep(self._clock.real_seconds(self._limits.job_renewal))
            until = self._clock.now() + self._limits.within("job_lease")
            with suppress(StoreUnavailable):  # nobody else can take it over either
                if not await self._database.write(partial(_renewed, job, until)):
                    return


def _is_aside(job: Job) -> bool:
    """Whether it may fail without holding up a task; what is about a project holds up none."""
    return _row(job).aside or is_project(job.stream)


def _row(job: Job) -> "On":
    from agents.flows import row_of

    return row_of(type(job.event), job.flow)


def _renewed(job: Job, until: datetime, tx: Transaction) -> bool:
    return tx.jobs.renew(job.id, job.fence, until)


async def settle_waiting(inbox: Inbox) -> int:
    """Settle what came in: in order within a thread, threads side by side. One bad delivery holds up nobody."""
    threads: dict[str, list[Received]] = {}
    waiting = await inbox.waiting()
    for received in waiting:
        threads.setdefault(received.thread, []).append(received)
    ends = await asyncio.gather(*(_settle_in_order(inbox, each) for each in threads.values()))
    for end in ends:
        if isinstance(end, StoreUnavailable):
            raise end
    if not all(ends):
        await asyncio.sleep(TOO_EARLY)
    return len(waiting)


async def _settle_in_order(inbox: Inbox, deliveries: list[Received]) -> StoreUnavailable | bool:
    """Whether all are settled: what came too early waits, and a `stop` goes past it. An outage ends it: nothing was
    lost, what is left is still received, and the pump comes back.
    """
    settled = True
    for received in deliveries:
        try:
            settled &= await _settle(inbox, received)
        except StoreUnavailable as outage:
            return outage
    return settled


async def _settle(inbox: Inbox, received: Received) -> bool:
    try:
        return (await inbox.settle(received)).state is not DeliveryState.RECEIVED
    except StoreUnavailable:
        raise
    except Exception as problem:
        log.exception("delivery failed", extra={"delivery": received.key})
        await inbox.give_up(received, repr(problem))
        return True


def launch(tx: Transaction) -> int:
    """Ask for the jobs that each unread fact leads to, as `FLOW_AFTER` says. Returns how many facts were read.

    The cursor moves in the transaction that writes the jobs, so a fact is handled once and never skipped.
    """
    unread = tx.log.unread("launcher", BATCH)
    if asked := [job for recorded in unread for job in _jobs_after(recorded, tx)]:
        tx.jobs.ask(*asked)
    if unread:
        tx.log.mark_read("launcher", unread[-1].seq)
    return len(unread)


def _jobs_after(recorded: Recorded, tx: Transaction) -> Iterator[tuple[Recorded, str, str]]:
    """The fact, the flow and the lane of each job; the store skips those that were asked for before."""
    from agents.flows import Repeats  # no answer of the console needs the flows: they are loaded once it is up

    event = recorded.event
    rows = [row for row in _rows_after(event) if row.run or row.repeats]
    if not rows:
        return
    if is_project(event.stream) and (project := tx.log.project(event.stream)):
        yield from _jobs_of(recorded, project)
        return
    task = tx.log.task(event.task)
    yield from _jobs_of(recorded, task)
    for row in rows:
        if row.repeats is Repeats.PARKED and isinstance(event, JobRetried):
            tx.jobs.again(event.job)
        if row.repeats is Repeats.HELD_BACK and not task.at_rest:
            for earlier in tx.log.facts(task.id):
                yield from _jobs_of(earlier, task)


def _jobs_of(recorded: Recorded, about: Task | Project) -> Iterator[tuple[Recorded, str, str]]:
    lane = about.name if isinstance(about, Project) else about.project or ""
    rests = isinstance(about, Task) and about.at_rest
    for row in _rows_after(recorded.event):
        if row.run and row.when(about) and (row.at_rest or not rests):
            yield recorded, row.run.__name__, lane if row.is_long else ""


def _rows_after(event: e.Event) -> "Sequence[On]":
    from agents.flows import rows_after

    return rows_after(type(event))
