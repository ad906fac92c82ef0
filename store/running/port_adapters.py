"""The ports of jobs, model calls, pull requests and turns, over the database: each act is one transaction."""

import asyncio
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import bindparam, func, select, update

from agents.domain.decisions.kind import Moment
from agents.domain.errors import SettingsProblem, StaleLease, StepRests
from agents.domain.events import Event, Measured, MeasuredWork
from agents.domain.ids import Account, PersonId, TaskId
from agents.domain.limits import Limits
from agents.domain.models.failure import FAILURES, WINDOW, Again, Breaker, Failure, RetryPolicy, next_try
from agents.domain.models.money import Budgets
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from agents.ports import (
    Admitted,
    Answered,
    Call,
    Clock,
    Decide,
    History,
    Later,
    Pull,
    PullRecord,
    Spent,
    Surroundings,
    Tried,
)
from store import tables
from store.codec import Cause, from_row, moment, seconds
from store.database import Database
from store.running.calls import STEP
from store.running.jobs import Job
from store.running.nearby import surroundings as _surroundings
from store.sql import Prepared, insert_once
from store.streams.metrics import retried_often
from store.streams.runs import past_work
from store.transaction import Transaction

_P, _T = tables.pulls, tables.turns
_TURNS = Prepared(select(_T.c.body).where(_T.c.run == bindparam("which")).order_by(_T.c.number))
_TURN = Prepared(select(_T.c.body).where(_T.c.run == bindparam("which"), _T.c.number == bindparam("place")))
_UNMERGED = ("draft", "open")
LOOK_AGAIN = 0.25  # seconds of the machine between two looks at a task that is waited for
Also = Callable[[Task, Moment], Sequence[Event]]


class JobLog:
    """Implements agents.ports.Store. A job that died is run again unless it recorded its end; what it noted stays."""

    def __init__(
        self, database: Database, job: Job, moment: Callable[[Task, str], Moment], also: Also = lambda task, moment: ()
    ) -> None:
        self._database = database
        self._job = job
        self._moment = moment
        self._also = also  # facts that came up on the way, such as a budget that runs low

    async def task(self, id: TaskId) -> Task:
        return await self._database.read(lambda tx: tx.log.task(id))

    async def note(self, id: TaskId, decide: Decide) -> Task:
        return await self._append(id, decide, lambda tx: tx.jobs.hold(self._job.id, self._job.fence))

    async def accounts(self, person: PersonId) -> Sequence[Account]:
        return await self._database.read(lambda tx: sorted(tx.people.get(person).accounts))

    async def name(self, person: PersonId) -> str:
        name = await self._database.read(lambda tx: tx.people.name(person))
        return "" if name == person else name

    async def history(self, id: TaskId) -> History:
        def read(tx: Transaction) -> History:
            closed = [each for each in tx.ledger.of_task(id) if each.closed_at]
            people = {tx.log.task(id).request.by, *(person for each in closed for person in each.decided_by)}
            names = {person: tx.people.name(person) for person in people}
            known = {person: name for person, name in names.items() if name != person}
            facts = [(each.hash, each.event) for each in tx.log.facts(id)]
            return History(facts=facts, decisions=closed, names=known, spent=tx.calls.spent_on(id))

        return await self._database.read(read)

    async def surroundings(self, id: TaskId) -> Surroundings:
        return await self._database.read(partial(_surroundings, id))

    async def until(self, id: TaskId, holds: Callable[[Task], bool]) -> Task:
        while not holds(task := await self.task(id)):  # noqa: ASYNC110  another process may write it
            await asyncio.sleep(LOOK_AGAIN)
        return task

    async def record(self, id: TaskId, decide: Decide) -> None:
        await self._append(id, decide, lambda tx: tx.jobs.finish(self._job.id, self._job.fence))

    async def record_or_wait(self, id: TaskId, decide: Callable[[Task, Moment], Sequence[Event] | Later]) -> None:
        job = self._job

        def transaction(tx: Transaction) -> None:
            task = tx.log.task(id)
            moment = self._moment_in(tx, task)
            found = decide(task, moment)
            if isinstance(found, Later):
                tx.jobs.postpone(job.id, job.fence, moment.at + timedelta(seconds=found.seconds))
            else:
                tx.jobs.finish(job.id, job.fence)
            facts = add_usage(found.facts if isinstance(found, Later) else found, tx, job)
            tx.log.append(id, [*self._also(task, moment), *facts], self._cause)

        await self._database.write(transaction)

    @property
    def _cause(self) -> Cause:
        return Cause(actor="overlord", delivery=f"job:{self._job.id}")

    def _moment_in(self, tx: Transaction, task: Task) -> Moment:
        moment = self._moment(task, self._cause.delivery)
        return replace(
            moment,
            is_proposed=tx.proposals.is_known,
            repeated=tx.failures.find_repeated,
            skills_fared=tx.skills.too_seldom,
            retried=lambda task: retried_often(tx.db, task.id, moment.at),
            past=lambda: past_work(tx.db),
            project=lambda: tx.log.project_of(task),
        )

    async def _append(self, id: TaskId, decide: Decide, first: Callable[[Transaction], None]) -> Task:
        def transaction(tx: Transaction) -> Task:
            first(tx)
            task = tx.log.task(id)
            moment = self._moment_in(tx, task)
            facts = add_usage(decide(task, moment), tx, self._job)
            return tx.log.append(id, [*self._also(task, moment), *facts], self._cause)

        return await self._database.write(transaction)


def add_usage(facts: Sequence[Event], tx: Transaction, job: Job) -> list[Event]:
    """The facts, the first that ends work of models with what the job's calls took."""
    told = list(facts)
    at = next((at for at, fact in enumerate(told) if isinstance(fact, Measured | MeasuredWork)), None)
    if at is not None and isinstance(fact := told[at], Measured | MeasuredWork):
        told[at] = replace(fact, usage=tx.calls.take_untold(fact.task, job.id))
    return told


TaskLimit = Callable[[Task], float | None]


class CallLog:
    """Implements agents.ports.CallBook. `task_limit`: what a person raised a task's own budget to, if anyone did."""

    def __init__(self, database: Database, clock: Clock, budgets: Budgets, task_limit: TaskLimit) -> None:
        self._database = database
        self._clock = clock
        self._budgets = budgets
        self._task_limit = task_limit

    async def begin(self, call: Call) -> Admitted | Answered:
        budgets, at = self._limits(call), self._clock.now()
        return await self._database.write(lambda tx: tx.calls.begin(call, budgets, at))

    async def record_try(self, call: Call, tried: Tried) -> None:
        at = self._clock.now()
        await self._database.insist(lambda tx: tx.calls.record_try(call, tried, at))

    async def finish(self, call: Call, tried: Tried, answer: str, degraded: str) -> Spent:
        budgets, at = self._limits(call), self._clock.now()

        def transaction(tx: Transaction) -> Spent:
            spent = tx.calls.record_try(call, tried, at, answer, degraded)
            return tx.calls.warn(call, spent, budgets, at) if spent else tx.calls.total_spent(call)

        return await self._database.insist(transaction)

    def _limits(self, call: Call) -> Budgets:
        own = self._task_limit(call.task)
        return self._budgets if own is None else replace(self._budgets, task=own)


class StepRetries:
    """Implements agents.ports.Retries for one job."""

    def __init__(
        self, database: Database, clock: Clock, policies: Mapping[str, RetryPolicy], limits: Limits, job: Job
    ) -> None:
        self._database = database
        self._clock = clock
        self._policies = policies
        self._limits = limits
        self._job = job

    def policy(self, name: str) -> RetryPolicy:
        if name not in self._policies:
            step = f"Put it back under `retries:` in overlord.yaml. There are: {', '.join(self._policies)}."
            raise SettingsProblem(f"There is no retry policy `{name}` any more", next_step=step)
        return self._policies[name].under(self._limits)

    def next_try(self, failure: Failure, failures: int, policy: RetryPolicy) -> Again | None:
        return next_try(failure, failures, policy, random.random())

    async def admit(self, step: str) -> None:
        name, now = f"{STEP}{step}", seconds(self._clock.now())

        def transaction(tx: Transaction) -> Breaker | None:
            breaker = tx.breakers.of(name)
            admitted = breaker.admit(now, by_person=self._job.is_persons_retry)
            if admitted is None:
                return breaker
            tx.breakers.put(name, breaker, admitted)
            return None

        if (await self._database.read(lambda tx: tx.breakers.of(name))).opened_at is None:
            return
        if breaker := await self._database.write(transaction):
            until = f"{moment(breaker.rests_until(now)):%H:%M} UTC"
            last = f". It was: {breaker.problem.rstrip('.')}" if breaker.problem else ""
            what = f"The step {step} failed {FAILURES} times within {WINDOW / 60:g} minutes and rests until {until}"
            raise StepRests(f"{what}{last}", next_step="Fix that, then press Retry step: it is tried at once.")

    async def settle(self, step: str, failure: Failure | None) -> None:
        now = seconds(self._clock.now())
        problem = one_line(failure.message, 300) if failure else ""

        def change(was: Breaker) -> Breaker:
            return was.after_failure(now, problem=problem) if failure else was.after_success()

        await self._change(step, change)

    async def release(self, step: str) -> None:
        await self._change(step, Breaker.after_release)

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(self._clock.real_seconds(seconds))

    async def _change(self, step: str, change: Callable[[Breaker], Breaker]) -> None:
        """Mostly a step that is well stays well, and nothing is written."""
        name = f"{STEP}{step}"
        before = await self._database.read(lambda tx: tx.breakers.of(name))
        if change(before) != before:
            await self._database.insist(lambda tx: tx.breakers.put(name, was := tx.breakers.of(name), change(was)))


class PullLog:
    """Implements agents.ports.PullBook. The same key is the same row."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def open(self, pull: Pull, base: str) -> PullRecord:
        at = self._clock.now()
        return await self._database.write(lambda tx: open_pull(tx, pull, base, at))

    async def find(self, project: str, number: int) -> PullRecord | None:
        return await self._database.read(lambda tx: find_pull(tx, project, number))

    async def merging(self, project: str, number: int, was: str, commit: str) -> None:
        await self._database.write(lambda tx: _change_pull(tx, project, number, was=was, merge=commit))

    async def mark_merged(self, project: str, number: int, commit: str) -> None:
        await self._database.insist(lambda tx: _change_pull(tx, project, number, state="merged", merge=commit))

    async def mark_ready(self, project: str, number: int) -> None:
        await self._database.write(lambda tx: _mark_ready(tx, project, number))


def open_pull(tx: Transaction, pull: Pull, base: str, at: datetime) -> PullRecord:
    """Numbers have no gaps: writers stand in line, so nobody takes the same one."""
    words = {"head": pull.head, "title": pull.title, "body": pull.body}
    last = select(func.max(_P.c.number)).where(_P.c.project == pull.project)
    number = int(tx.db.execute(last).scalar() or 0) + 1
    row = {"key": pull.key, "project": pull.project, "number": number, "branch": pull.branch, "base": base}
    if not insert_once(tx.db, _P, {**row, **words, "state": "draft" if pull.draft else "open", "at": seconds(at)}):
        tx.db.execute(update(_P).where(_P.c.key == pull.key, _P.c.state.in_(_UNMERGED)).values(**words))
    opened = tx.db.execute(select(_P).where(_P.c.key == pull.key)).one()
    return from_row(PullRecord, opened, commit=opened.merge)


def find_pull(tx: Transaction, project: str, number: int) -> PullRecord | None:
    found = tx.db.execute(select(_P).where(_P.c.project == project, _P.c.number == number)).one_or_none()
    return from_row(PullRecord, found, commit=found.merge) if found else None


def _mark_ready(tx: Transaction, project: str, number: int) -> None:
    draft = (_P.c.project == project, _P.c.number == number, _P.c.state == "draft")
    tx.db.execute(update(_P).where(*draft).values(state="open"))


def _change_pull(tx: Transaction, project: str, number: int, **values: str) -> None:
    """What was merged stays as it is."""
    still_open = (_P.c.project == project, _P.c.number == number, _P.c.state == "open")
    tx.db.execute(update(_P).where(*still_open).values(**values))


class TurnLog:
    """Implements agents.ports.Turns: a row a turn, appended before the next one is begun."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def of(self, run: str) -> Sequence[Mapping[str, object]]:
        rows = await self._database.read(lambda tx: _TURNS.run(tx.db, {"which": run}).fetchall())
        return [json.loads(body) for (body,) in rows]

    async def add(self, run: str, number: int, turn: Mapping[str, object]) -> None:
        """Once. Where somebody else has written this turn, they drive the run now: raises StaleLease."""
        body = json.dumps(turn)  # in ASCII: a minion's text must not break the store
        row = {"run": run, "number": number, "body": body, "at": seconds(self._clock.now())}

        def transaction(tx: Transaction) -> bool:
            if insert_once(tx.db, _T, row):
                return True
            found = _TURN.run(tx.db, {"which": run, "place": number}).fetchone()
            return found is not None and found[0] == body

        if not await self._database.insist(transaction):
            raise StaleLease(run)
