"""What was asked of models: each step once, its cost reserved before and counted after, and which models rest."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Row, func, select, update

from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.fact import Usage
from agents.domain.ids import TaskId
from agents.domain.models.failure import WINDOW, Breaker, BreakerState, ErrorClass, Failure
from agents.domain.models.money import Budget, Budgets, Spending, strictest
from agents.domain.models.routing import Model
from agents.ports import Admitted, Answered, Call, Spent, Tried
from store import tables
from store.codec import from_row, moment, seconds, shape
from store.sql import TransactionPart, upsert

_C = tables.calls
_B = tables.breakers
STEP = "step:"


class Breakers(TransactionPart):
    def of(self, name: str) -> Breaker:
        body = self._db.execute(select(_B.c.body).where(_B.c.name == name)).scalar()
        return _load(body) if body else Breaker()

    def put(self, name: str, before: Breaker, after: Breaker) -> None:
        if after != before:
            upsert(self._db, _B, {"name": name, "body": shape(Breaker).dump_json(after).decode()})

    def resting(self, at: datetime) -> list[tuple[str, datetime, str]]:
        """What is not tried now: its name, until when, and what went wrong last."""
        now = seconds(at)
        rows = ((name, _load(body)) for name, body in self._db.execute(select(_B).order_by(_B.c.name)))
        return [
            (name, moment(breaker.rests_until(now)), breaker.problem)
            for name, breaker in rows
            if breaker.state(now) is BreakerState.OPEN
        ]


@lru_cache(maxsize=64)
def _load(body: str) -> Breaker:
    return shape(Breaker).validate_json(body)


class CallState(StrEnum):
    RESERVED = "reserved"  # a call is under way
    DONE = "done"
    FAILED = "failed"  # no answer yet; another call may be begun


_PAID = ("cost", "tokens_in", "tokens_out", "cached_tokens", "seconds")
_COUNTED = ("attempts", *_PAID)
_SUMS = select(func.coalesce(func.sum(_C.c.cost), 0.0), func.coalesce(func.sum(_C.c.reserved), 0.0))


class Calls(TransactionPart):
    def begin(self, call: Call, budgets: Budgets, at: datetime) -> Admitted | Answered:
        """A finished step is given back; else its next call is reserved, if budgets and models allow it."""
        known = self._find(call.id)
        if known and known.state == CallState.DONE:
            return Answered(answer=known.answer, spent=self._spent(known))
        counted = {name: getattr(known, name) if known else 0 for name in _COUNTED}
        if known and known.reserved:  # its process died: that call is over
            self._db.execute(update(_C).where(_C.c.id == call.id).values(reserved=0.0))
        model = self._admit(call, seconds(at))
        self._check(self._budgets(call, budgets, at), call.models[model])
        row = {
            "id": call.id,
            "task": call.task.id,
            "channel": call.task.request.channel,
            "day": _day(at),
            "question": call.question,
            "role": call.role,
            "model": model,
            "state": CallState.RESERVED,
            "reserved": call.models[model],
            "at": seconds(at),
            "job": call.job,
            "step": call.step,
            **counted,
            "attempts": counted["attempts"] + 1,
        }
        upsert(self._db, _C, row)
        upsert(self._db, tables.totals, {"name": tables.MODEL_CALLS, "value": 1}, add=True)
        return Admitted(model=model)

    def record_try(self, call: Call, tried: Tried, at: datetime, answer: str = "", degraded: str = "") -> Spent | None:
        """Count what a call cost and what it showed about its model; None where that was counted before."""
        under_way = (_C.c.id == call.id, _C.c.state == CallState.RESERVED)
        ended = {
            "state": CallState.FAILED if tried.failure else CallState.DONE,
            "reserved": 0.0,
            "problem": tried.failure.message if tried.failure else "",
            "error": tried.failure.error.value if tried.failure else "",
            "answer": answer,
            "degraded": degraded,
            **{name: _C.c[name] + getattr(tried, name) for name in _PAID},
        }
        row = self._db.execute(update(_C).where(*under_way).values(ended).returning(_C)).one_or_none()
        if row is None:
            return None
        if tried.cost:
            upsert(self._db, tables.totals, {"name": tables.MODEL_DOLLARS, "value": tried.cost}, add=True)
        self._learn(tried, seconds(at))
        return self._spent(row)

    def total_spent(self, call: Call) -> Spent:
        known = self._find(call.id)
        return self._spent(known) if known else Spent()

    def _spent(self, row: Row[Any]) -> Spent:
        """With what a program asked on the way, where one answered."""
        spent = _to_spent(row)
        if not Model(name=row.model).program:
            return spent
        asked = _C.c.step.startswith(f"{row.step}:cli:", autoescape=True)
        sums = [func.coalesce(func.sum(_C.c[name]), 0) for name in _PAID]
        found = self._db.execute(select(*sums).where(_C.c.task == row.task, _C.c.job == row.job, asked)).one()
        return replace(spent, **{name: getattr(spent, name) + more for name, more in zip(_PAID, found, strict=True)})

    def warn(self, call: Call, spent: Spent, budgets: Budgets, at: datetime) -> Spent:
        """Say that a budget is nearly used up: once, in the row of the step that took it there."""
        for budget in self._budgets(call, budgets, at):
            told = select(_C.c.id).where(_C.c.warned == budget.name, _C.c.warned_limit == budget.limit).limit(1)
            worth_a_word = budget.worth_a_word(call.models.get(spent.model, 0.0))
            if worth_a_word and self._db.execute(told).first() is None:
                warned = {"warned": budget.name, "warned_limit": budget.limit, "warned_spent": budget.spent}
                self._db.execute(update(_C).where(_C.c.id == call.id).values(warned))
                return self.total_spent(call)
        return spent

    def spent_on(self, task: TaskId) -> float:
        return float(self._db.execute(_SUMS.where(_C.c.task == task)).one()[0])

    def take_untold(self, task: TaskId, job: str) -> tuple[Usage, ...]:
        """What a job's calls took that no fact has told yet, for each who was asked. It counts as told from here on."""
        found = dict[str, list[Mapping[str, Any]]]()
        of_job = select(_C).where(_C.c.task == task, _C.c.job == job).order_by(_C.c.at, _C.c.id)
        for call in self._db.execute(of_job).all():
            amounts = {name: getattr(call, name) for name in _COUNTED}
            before = json.loads(call.told or "{}")
            if amounts == before:
                continue
            self._db.execute(update(_C).where(_C.c.id == call.id).values(told=json.dumps(amounts)))
            by = call.step.split(":")[1] if call.question == "specialist" else call.role
            more = {name: amount - before.get(name, 0) for name, amount in amounts.items()}
            found.setdefault(by, []).append(call._asdict() | more)
        return tuple(_usage(by, calls) for by, calls in found.items())

    @property
    def _breakers(self) -> Breakers:
        return Breakers(self._db, self._touched)

    def _find(self, id: str) -> Row[Any] | None:
        return self._db.execute(select(_C).where(_C.c.id == id)).one_or_none()

    def _admit(self, call: Call, now: float) -> str:
        """The first model that may be asked now."""
        soonest = now + WINDOW
        for model in call.models:
            breaker = self._breakers.of(model)
            if (admitted := breaker.admit(now)) is not None:
                self._breakers.put(model, breaker, admitted)
                return model
            soonest = min(soonest, breaker.rests_until(now))
        rest = "rests" if len(call.models) == 1 else "rest"
        raise NoAnswer(
            f"{' and '.join(call.models)} failed too often and {rest} until {moment(soonest):%H:%M} UTC",
            next_step="Ask again after that. Check the provider, or name a fallback under `models:` in overlord.yaml.",
            error=ErrorClass.NETWORK,
        )

    def _learn(self, tried: Tried, now: float) -> None:
        before = self._breakers.of(tried.model)
        match tried.failure:
            case Failure(error=ErrorClass.NETWORK):
                after = before.after_failure(now, at_once=tried.rests, problem=tried.failure.message)
            # a wrong key, an empty purse or a fault of our own client says nothing about health
            case Failure(error=ErrorClass.RESOURCE | ErrorClass.CLI_ERROR):
                after = before.after_release()
            case _:
                after = before.after_success()
        self._breakers.put(tried.model, before, after)

    def _budgets(self, call: Call, budgets: Budgets, at: datetime) -> list[Budget]:
        """Each limit there is, with what is spent and reserved under it."""
        day, task, channel = _day(at), call.task.id, call.task.request.channel
        raised = dict(call.task.money.raised)
        wanted: list[tuple[str, float | None, ColumnElement[bool]]] = [
            (f"task {task}", budgets.task, _C.c.task == task),
            (f"channel {channel} on {day}", budgets.channel, (_C.c.day == day) & (_C.c.channel == channel)),
            (f"day {day}", budgets.day, _C.c.day == day),
        ]
        made = []
        for name, limit, which in wanted:
            if limit is not None:
                spent, reserved = self._db.execute(_SUMS.where(which)).one()
                made.append(Budget(name=name, limit=raised.get(name, limit), spent=spent, reserved=reserved))
        return made

    def _check(self, budgets: list[Budget], reserve: float) -> None:
        state, budget = strictest(tuple(budgets), reserve)
        if state is Spending.STOP and budget and budget.limit is not None:
            promised = budget.spent + budget.reserved
            raise BudgetReached(budget.name, limit=budget.limit, spent=promised, wanted=reserve)


def _to_spent(row: Row[Any]) -> Spent:
    warned = Budget(name=row.warned, limit=row.warned_limit, spent=row.warned_spent) if row.warned else None
    return from_row(Spent, row, warned=warned, rehearsal=row.model.startswith("rehearsal/"), left_out=())


def _usage(by: str, calls: Sequence[Mapping[str, Any]]) -> Usage:
    """`calls`: oldest first."""
    last = calls[-1]
    return Usage(
        by=by,
        model=last["model"],
        calls=sum(call["attempts"] for call in calls),
        tokens_in=sum(call["tokens_in"] for call in calls),
        tokens_out=sum(call["tokens_out"] for call in calls),
        cached_tokens=sum(call["cached_tokens"] for call in calls),
        cost=round(sum(call["cost"] for call in calls), 6),
        seconds=round(sum(call["seconds"] for call in calls), 3),
        error=last["error"] if last["state"] == CallState.FAILED else "",
    )


def _day(at: datetime) -> str:
    return at.date().isoformat()
