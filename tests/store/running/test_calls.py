"""The book of calls on each kind of database: reserved, counted once, given back when finished."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.ids import TaskId
from agents.domain.models.failure import ErrorClass, Failure
from agents.domain.models.money import Budgets
from agents.ports import Admitted, Answered, Call, Tried
from store import tables
from store.database import Database
from store.running.port_adapters import CallLog
from tests.llm.rig import task

MODEL, OTHER = "openai/large", "openai/small"
DOWN = Failure(error=ErrorClass.NETWORK, message="it is down")


class Clock:
    def __init__(self) -> None:
        self.at = datetime(2026, 1, 2, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def real_seconds(self, seconds: float) -> float:
        return seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def log(database: Database, clock: Clock, budgets: Budgets | None = None) -> CallLog:
    return CallLog(database, clock, budgets or Budgets(), lambda task: task.money.budget)


def call(id: str = "c1", number: int = 1, reserve: float = 1.0, models: tuple[str, ...] = (MODEL,)) -> Call:
    about = task(number)
    return Call(
        id=id, task=about, question="critic", role="critic",
        models=dict.fromkeys(models, reserve),
    )  # fmt: skip


async def spent_on(database: Database, number: int = 1) -> float:
    return await database.read(lambda tx: tx.calls.spent_on(TaskId(f"T-{number}")))


async def test_a_step_is_reserved_paid_and_given_back_for_nothing(database: Database, clock: Clock) -> None:
    book = log(database, clock)
    assert await book.begin(call()) == Admitted(model=MODEL)
    tried = Tried(model=MODEL, cost=0.25, tokens_in=900, tokens_out=80, cached_tokens=700, seconds=1.5)
    spent = await book.finish(call(), tried, '{"verdict": "ok"}', "")
    assert (spent.cost, spent.tokens_in, spent.tokens_out, spent.cached_tokens) == (0.25, 900, 80, 700)
    assert await book.begin(call()) == Answered(answer='{"verdict": "ok"}', spent=spent)
    assert await spent_on(database) == 0.25


async def test_what_came_to_nothing_is_counted_once(database: Database, clock: Clock) -> None:
    book, bad = log(database, clock), Failure(error=ErrorClass.PARSING, message="it is empty")
    await book.begin(call())
    for _ in range(3):  # told again where the answer to a commit was lost
        await book.record_try(call(), Tried(model=MODEL, cost=0.1, failure=bad))
    await book.begin(call())
    spent = await book.finish(call(), Tried(model=MODEL, cost=0.2), "{}", "")
    assert await book.finish(call(), Tried(model=MODEL, cost=0.2), "{}", "") == spent
    assert spent.cost == pytest.approx(0.3)
    assert spent.attempts == 2


async def test_the_first_answer_stays(database: Database, clock: Clock) -> None:
    book = log(database, clock)
    await book.begin(call())
    await book.finish(call(), Tried(model=MODEL), "first", "")
    await book.finish(call(), Tried(model=MODEL), "second", "")
    begun = await book.begin(call())
    assert isinstance(begun, Answered)
    assert begun.answer == "first"


async def test_what_is_under_way_counts_as_spent(database: Database, clock: Clock) -> None:
    book = log(database, clock, Budgets(day=2.5))
    await book.begin(call("c1", 1))
    await book.begin(call("c2", 2))
    with pytest.raises(BudgetReached) as reached:
        await book.begin(call("c3", 3))
    assert (reached.value.budget, reached.value.limit, reached.value.spent) == ("day 2026-01-02", 2.5, 2.0)
    await book.finish(call("c1", 1), Tried(model=MODEL, cost=0.1), "{}", "")
    await book.begin(call("c3", 3))


async def test_a_step_that_is_begun_again_holds_one_reserve(database: Database, clock: Clock) -> None:
    book = log(database, clock, Budgets(task=1.5))
    for _ in range(3):  # its process died each time
        await book.begin(call())


async def test_tomorrow_is_another_day_but_the_same_task(database: Database, clock: Clock) -> None:
    book = log(database, clock, Budgets(task=10.0, channel=1.5, day=5.0))
    await book.begin(call("c1"))
    await book.finish(call("c1"), Tried(model=MODEL, cost=1.0), "{}", "")
    with pytest.raises(BudgetReached, match="channel console:general on 2026-01-02"):
        await book.begin(call("c2"))
    clock.at += timedelta(days=1)
    await book.begin(call("c2"))
    assert await spent_on(database) == 1.0


async def test_many_at_once_never_reserve_more_than_there_is(database: Database, clock: Clock) -> None:
    book = log(database, clock, Budgets(day=10.0))
    begun = await asyncio.gather(*(book.begin(call(f"c{n}", n)) for n in range(1, 41)), return_exceptions=True)
    assert sum(isinstance(each, Admitted) for each in begun) == 10
    assert sum(isinstance(each, BudgetReached) for each in begun) == 30


async def test_a_refused_call_leaves_nothing_behind(database: Database, clock: Clock) -> None:
    with pytest.raises(BudgetReached):
        await log(database, clock, Budgets(task=0.5)).begin(call())
    assert await database.read(lambda tx: tx.db.execute(select(tables.calls)).all()) == []


async def test_a_warning_belongs_to_one_budget_and_one_limit(database: Database, clock: Clock) -> None:
    async def pay(id: str, budgets: Budgets) -> str:
        book = log(database, clock, budgets)
        await book.begin(call(id, reserve=0.125))
        spent = await book.finish(call(id, reserve=0.125), Tried(model=MODEL, cost=0.125), "{}", "")
        return spent.warned.name if spent.warned else ""

    small = Budgets(task=1.0, day=1.25)
    told = [await pay(f"c{n}", small) for n in range(8)]
    assert told == ["", "", "", "", "", "task T-1", "day 2026-01-02", ""]
    assert await pay("c8", Budgets(task=1.25)) == "task T-1", "a raised limit is another one"


async def test_five_failures_open_the_circuit_of_that_model_only(database: Database, clock: Clock) -> None:
    book = log(database, clock)
    for number in range(5):
        await book.begin(call(f"c{number}"))
        await book.record_try(call(f"c{number}"), Tried(model=MODEL, failure=DOWN))
        clock.at += timedelta(seconds=10)
    with pytest.raises(NoAnswer, match="rests until 12:05 UTC"):
        await book.begin(call("c6"))
    assert await book.begin(call("c7", models=(MODEL, OTHER))) == Admitted(model=OTHER)
    clock.at += timedelta(seconds=300)
    assert await book.begin(call("c8")) == Admitted(model=MODEL)
    with pytest.raises(NoAnswer):
        await book.begin(call("c9"))
    await book.finish(call("c8"), Tried(model=MODEL), "{}", "")
    assert await book.begin(call("c9")) == Admitted(model=MODEL)


async def test_a_circuit_that_rests_at_once_and_a_probe_that_says_nothing(database: Database, clock: Clock) -> None:
    book = log(database, clock)
    await book.begin(call("c1"))
    await book.record_try(call("c1"), Tried(model=MODEL, failure=DOWN, rests=True))
    with pytest.raises(NoAnswer):
        await book.begin(call("c2"))
    clock.at += timedelta(seconds=300)
    await book.begin(call("c2"))
    await book.record_try(call("c2"), Tried(model=MODEL, failure=Failure(error=ErrorClass.RESOURCE, message="no key")))
    assert await book.begin(call("c3")) == Admitted(model=MODEL), "another may probe"
