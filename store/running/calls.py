"""What was asked of models: each step once, its cost reserved before and counted after, and which models rest."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

from sqlalchemy import bindparam, func, select, update

from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.fact import Usage
from agents.domain.ids import TaskId
from agents.domain.models.failure import WINDOW, Breaker, ErrorClass, Failure
from agents.domain.models.money import Budget, Budgets, Spending, strictest
from agents.ports import Admitted, Answered, Call, Spent, Tried
from store import tables
from store.codec import moment, seconds, shape
from store.sql import Prepared, TransactionPart, upsert

_C, _B = tables.calls, tables.breakers


class CallState(StrEnum):
    RESERVED = "reserved"  # a call is under way
    DONE = "done"
    FAILED = "failed"  # no answer yet; another call may be begun


_PAID = (_C.c.cost, _C.c.tokens_in, _C.c.tokens_out, _C.c.cached_tokens, _C.c.seconds)
_WARNING = (_C.c.warned, _C.c.warned_limit, _C.c.warned_spent)
_KNOWN = (_C.c.state, _C.c.model, _C.c.answer, _C.c.degraded, *_WARNING, _C.c.reserved, _C.c.attempts, *_PAID)
_NAMES = tuple(column.name for column in _KNOWN)
_COUNTED = ("attempts", *(column.name for column in _PAID))

_UNDER_WAY = (_C.c.id == bindparam("which"), _C.c.state == CallState.RESERVED)
_ONE = Prepared(select(*_KNOWN).where(_C.c.id == bindparam("which")))
_TRIED = Prepared(
    update(_C)
    .where(*_UNDER_WAY)
    .values(
        state=bindparam("next"),
        reserved=0.0,
        problem=bindparam("why"),
        error=bindparam("kind"),
        answer=bindparam("said"),
        degraded=bindparam("worse"),
        **{column.name: column + bindparam(f"more_{column.name}") for column in _PAID},
    )
    .returning(*_KNOWN)
)
_FREE = Prepared(update(_C).where(_C.c.id == bindparam("which")).values(reserved=0.0))
_WARN = Prepared(
    update(_C)
    .where(_C.c.id == bindparam("which"))
    .values(warned=bindparam("budget"), warned_limit=bindparam("most"), warned_spent=bindparam("so_far"))
)
_TOLD = Prepared(
    select(_C.c.id).where(_C.c.warned == bindparam("budget"), _C.c.warned_limit == bindparam("most")).limit(1)
)
_BODY = Prepared(select(_B.c.body).where(_B.c.name == bindparam("which")))

_MEASURED = ("id", "question", "role", "step", "model", "state", "error", "told", *_COUNTED)
_OF_JOB = (_C.c.task == bindparam("of_task"), _C.c.job == bindparam("of_job"))
_OF_JOB_ALL = Prepared(select(*(_C.c[name] for name in _MEASURED)).where(*_OF_JOB).order_by(_C.c.at, _C.c.id))
_TELL = Prepared(update(_C).where(_C.c.id == bindparam("which")).values(told=bindparam("amounts")))

_SUMS = (func.coalesce(func.sum(_C.c.cost), 0.0), func.coalesce(func.sum(_C.c.reserved), 0.0))
_ON = _C.c.day == bindparam("on")
_OF_TASK = Prepared(select(*_SUMS).where(_C.c.task == bindparam("of_task")))
_OF_DAY = Prepared(select(*_SUMS).where(_ON))
_OF_CHANNEL = Prepared(select(*_SUMS).where(_ON, _C.c.channel == bindparam("place")))


class Calls(TransactionPart):
    def begin(self, call: Call, budgets: Budgets, at: datetime) -> Admitted | Answered:
        """A finished step is given back; else its next call is reserved, if budgets and models allow it."""
        known = self._find(call.id)
        if known and known["state"] == CallState.DONE:
            return Answered(answer=known["answer"], spent=_to_spent(known))
        counted = {name: known[name] if known else 0 for name in _COUNTED}
        if known and known["reserved"]:  # its process died: that call is over
            _FREE.run(self._db, {"which": call.id})
        model = self._admit(call, seconds(at))
        self._check(self._budgets(call, budgets, at), call.models[model])
        row = {
            "id": call.id,
            "task": call.task.id if call.task else "",
            "channel": call.channel,
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
        row = {
            "which": call.id,
            "next": CallState.FAILED if tried.failure else CallState.DONE,
            "why": tried.failure.message if tried.failure else "",
            "kind": tried.failure.error.value if tried.failure else "",
            "said": answer,
            "worse": degraded,
            **{f"more_{column.name}": getattr(tried, column.name) for column in _PAID},
        }
        counted = _TRIED.run(self._db, row).fetchall()
        if not counted:
            return None
        if tried.cost:
            upsert(self._db, tables.totals, {"name": tables.MODEL_DOLLARS, "value": tried.cost}, add=True)
        self._learn(tried, seconds(at))
        return _to_spent(dict(zip(_NAMES, counted[0], strict=True)))

    def total_spent(self, call: Call) -> Spent:
        known = self._find(call.id)
        return _to_spent(known) if known else Spent()

    def warn(self, call: Call, spent: Spent, budgets: Budgets, at: datetime) -> Spent:
        """Say that a budget is nearly used up: once, in the row of the step that took it there."""
        for budget in self._budgets(call, budgets, at):
            about = {"budget": budget.name, "most": budget.limit}
            told = not budget.worth_a_word(call.models.get(spent.model, 0.0)) or _TOLD.run(self._db, about).fetchone()
            if not told:
                _WARN.run(self._db, {"which": call.id, **about, "so_far": budget.spent})
                return self.total_spent(call)
        return spent

    def spent_on(self, task: TaskId) -> float:
        return float(_OF_TASK.run(self._db, {"of_task": task}).fetchone()[0])

    def take_untold(self, task: TaskId, job: str) -> tuple[Usage, ...]:
        """What a job's calls took that no fact has told yet, for each who was asked. It counts as told from here on."""
        found, told = dict[str, list[dict[str, Any]]](), list[dict[str, str]]()
        for row in _OF_JOB_ALL.run(self._db, {"of_task": task, "of_job": job}).fetchall():
            call = dict(zip(_MEASURED, row, strict=True))
            amounts = {name: call[name] for name in _COUNTED}
            before = json.loads(call["told"] or "{}")
            if amounts == before:
                continue
            told.append({"which": call["id"], "amounts": json.dumps(amounts)})
            by = call["step"].split(":")[1] if call["question"] == "specialist" else call["role"]
            more = {name: amount - before.get(name, 0) for name, amount in amounts.items()}
            found.setdefault(by, []).append(call | more)
        if told:
            _TELL.run_all(self._db, told)
        return tuple(_usage(by, calls) for by, calls in found.items())

    def breaker(self, model: str) -> Breaker:
        row = _BODY.run(self._db, {"which": model}).fetchone()
        return _breaker(row[0]) if row else Breaker()

    def _find(self, id: str) -> dict[str, Any] | None:
        row = _ONE.run(self._db, {"which": id}).fetchone()
        return dict(zip(_NAMES, row, strict=True)) if row else None

    def _admit(self, call: Call, now: float) -> str:
        """The first model that may be asked now."""
        soonest = now + WINDOW
        for model in call.models:
            breaker = self.breaker(model)
            if (admitted := breaker.admit(now)) is not None:
                self._set(model, breaker, admitted)
                return model
            soonest = min(soonest, max(now, (breaker.opened_at or now) + WINDOW))
        raise NoAnswer(
            f"{' and '.join(call.models)} failed too often and rest until {moment(soonest):%H:%M} UTC",
            next_step="Ask again after that. Check the provider, or name a fallback under `models:` in overlord.yaml.",
            error=ErrorClass.NETWORK,
        )

    def _learn(self, tried: Tried, now: float) -> None:
        before = self.breaker(tried.model)
        match tried.failure:
            case Failure(error=ErrorClass.NETWORK):
                after = before.failed(now, at_once=tried.rests)
            case Failure(error=ErrorClass.RESOURCE):  # a wrong key or an empty purse says nothing about health
                after = before.released()
            case _:
                after = before.succeeded()
        self._set(tried.model, before, after)

    def _set(self, model: str, before: Breaker, after: Breaker) -> None:
        if after != before:
            upsert(self._db, _B, {"name": model, "body": shape(Breaker).dump_json(after).decode()})

    def _budgets(self, call: Call, budgets: Budgets, at: datetime) -> list[Budget]:
        """Each limit there is, with what is spent and reserved under it."""
        day, task = _day(at), call.task.id if call.task else ""
        raised = dict(call.task.money.raised) if call.task else {}
        wanted: list[tuple[str, float | None, Prepared, dict[str, str]]] = [
            (f"task {task}", budgets.task if task else None, _OF_TASK, {"of_task": task}),
            (f"channel {call.channel} on {day}", budgets.channel, _OF_CHANNEL, {"on": day, "place": call.channel}),
            (f"day {day}", budgets.day, _OF_DAY, {"on": day}),
        ]
        made = []
        for name, limit, sums, where in wanted:
            if limit is not None:
                spent, reserved = sums.run(self._db, where).fetchone()
                made.append(Budget(name=name, limit=raised.get(name, limit), spent=spent, reserved=reserved))
        return made

    def _check(self, budgets: list[Budget], reserve: float) -> None:
        state, budget = strictest(tuple(budgets), reserve)
        if state is Spending.STOP and budget and budget.limit is not None:
            promised = budget.spent + budget.reserved
            raise BudgetReached(budget.name, limit=budget.limit, spent=promised, wanted=reserve)


def _to_spent(row: Mapping[str, Any]) -> Spent:
    warned = None
    if row["warned"]:
        warned = Budget(name=row["warned"], limit=row["warned_limit"], spent=row["warned_spent"])
    rehearsal = str(row["model"]).startswith("rehearsal/")
    counted = {name: row[name] for name in _COUNTED}
    return Spent(model=row["model"], degraded=row["degraded"], warned=warned, rehearsal=rehearsal, **counted)


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


@lru_cache(maxsize=64)
def _breaker(body: str) -> Breaker:
    return shape(Breaker).validate_json(body)


def _day(at: datetime) -> str:
    return at.date().isoformat()
