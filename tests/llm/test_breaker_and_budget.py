"""What stops a call before it is made: a model that rests, and money that is spent."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import BaseModel
from sqlalchemy import func, select

from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.models.money import Budgets, MoneyState
from store import tables
from store.database import Database
from tests.fakes.model_server import LARGE, SMALL, Fails, Says
from tests.llm.rig import Rig, asked, rigged, task

OK = {"verdict": "ok"}
PRICED = "gpt-4.1"  # litellm knows what it costs
WORST = 16_000 * 8e-6  # of its answer alone


class Verdict(BaseModel):
    verdict: str


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with rigged(tmp_path) as made:
        made.server.answers("custodiet", OK)
        yield made


@pytest.fixture
def priced(rig: Rig) -> Rig:
    rig.route, rig.models, rig.server.models = "openai", (PRICED,), (PRICED,)
    return rig


async def fail_steps(rig: Rig, count: int) -> None:
    """Steps of one call each that come to nothing."""
    rig.limits = rig.limits.__class__(step_retries=0)
    rig.server.answers("custodiet", Fails(status=503))
    for number in range(count):
        with pytest.raises(NoAnswer):
            await rig.job(f"failing-{number}").ask(asked(), Verdict)


async def test_after_five_failures_in_five_minutes_a_model_rests(rig: Rig) -> None:
    await fail_steps(rig, 7)
    assert rig.server.count() == 5
    with pytest.raises(NoAnswer, match=r"failed too often and rests until \d\d:\d\d UTC") as told:
        await rig.job("late").ask(asked(), Verdict)
    assert "name a fallback" in told.value.next_step


async def test_failures_that_are_far_apart_do_not_open_it(rig: Rig) -> None:
    for number in range(7):
        await fail_steps(rig, 1) if number == 0 else await one_more(rig, number)
        rig.clock.shift += timedelta(seconds=100)
    assert rig.server.count() == 7


async def one_more(rig: Rig, number: int) -> None:
    with pytest.raises(NoAnswer):
        await rig.job(f"more-{number}").ask(asked(), Verdict)


async def test_it_stays_open_over_a_restart_and_closes_after_a_good_probe(rig: Rig, tmp_path: Path) -> None:
    await fail_steps(rig, 5)
    rig.database.close()
    rig.database = Database(f"sqlite:///{tmp_path / 'overlord.db'}")
    with pytest.raises(NoAnswer, match="rests until"):
        await rig.job("early").ask(asked(), Verdict)
    rig.clock.shift += timedelta(seconds=301)
    rig.server.answers("custodiet", Says(value=OK, wait=0.3))
    results = await asyncio.gather(
        *(rig.job(f"probe-{n}").ask(asked(), Verdict) for n in range(4)), return_exceptions=True
    )
    assert rig.server.count() == 6, "one probe at a time"
    assert sum(not isinstance(result, NoAnswer) for result in results) == 1
    await asyncio.gather(*(rig.job(f"after-{n}").ask(asked(), Verdict) for n in range(3)))
    assert rig.server.count() == 9


async def test_a_bad_probe_opens_it_again(rig: Rig) -> None:
    await fail_steps(rig, 5)
    rig.clock.shift += timedelta(seconds=301)
    with pytest.raises(NoAnswer, match="gave no answer"):
        await rig.job("probe").ask(asked(), Verdict)
    with pytest.raises(NoAnswer, match="rests until"):
        await rig.job("next").ask(asked(), Verdict)
    assert rig.server.count() == 6


async def test_while_a_model_rests_its_fallback_answers(rig: Rig) -> None:
    await fail_steps(rig, 5)
    rig.models = (LARGE, SMALL)
    rig.server.answers("custodiet", OK)
    _, spent = await rig.job("next").ask(asked(), Verdict)
    assert rig.server.count(model=SMALL) == 1
    assert spent.degraded == f"hosted_vllm/{LARGE} failed too often and rests"


async def test_bad_answers_and_wrong_keys_do_not_open_it(rig: Rig) -> None:
    rig.limits = rig.limits.__class__(step_retries=0)
    rig.server.answers(
        "custodiet", Says(text="hm"), Fails(status=401), Says(text="hm"), Fails(status=401), Says(text="hm")
    )
    for number in range(8):
        with pytest.raises(NoAnswer, match="gave no answer"):
            await rig.job(f"bad-{number}").ask(asked(), Verdict)
    assert rig.server.count() == 8


@pytest.mark.parametrize(
    ("budgets", "name"),
    [
        (Budgets(task=0.2), "task T-1"),
        (Budgets(channel=0.2), "channel console:general on "),
        (Budgets(day=0.2), "day "),
    ],
)
async def test_a_call_that_may_go_over_a_budget_is_not_made(priced: Rig, budgets: Budgets, name: str) -> None:
    priced.budgets = budgets
    calls = 0
    with pytest.raises(BudgetReached) as reached:
        while calls < 100:
            await priced.job(f"job-{calls}").ask(asked(), Verdict)
            calls += 1
    assert priced.server.count() == calls > 1
    assert reached.value.budget.startswith(name)
    assert reached.value.limit == 0.2
    spent = await priced.database.read(lambda tx: tx.calls.spent_on(task().id))
    assert 0.2 - WORST - 0.02 < spent <= 0.2
    assert reached.value.spent == pytest.approx(spent)


async def test_budgets_hold_when_many_ask_at_once(priced: Rig) -> None:
    """Promise 18: what is under way counts as if it cost the most it can."""
    priced.budgets = Budgets(day=0.5)
    priced.server.answers("custodiet", Says(value=OK, wait=0.2))
    asks = (priced.job(f"job-{n}").ask(asked(task=task(n)), Verdict) for n in range(1, 21))
    results = await asyncio.gather(*asks, return_exceptions=True)
    refused = [result for result in results if isinstance(result, BudgetReached)]
    assert len(refused) == 20 - priced.server.count()
    assert priced.server.count() == int(0.5 / (WORST + 0.005))
    assert await priced.database.read(lambda tx: tx.db.scalar(select(func.sum(tables.calls.c.cost)))) <= 0.5


async def test_bad_answers_count_and_stop_the_tries(priced: Rig) -> None:
    priced.budgets = Budgets(task=WORST + 0.009)
    priced.server.answers("custodiet", Says(text="hm " * 1000))
    with pytest.raises(BudgetReached):
        await priced.job().ask(asked(policy="aggressive"), Verdict)
    assert priced.server.count() < 4
    assert await priced.database.read(lambda tx: tx.calls.spent_on(task().id)) > 0.008


async def test_a_task_of_its_own_raised_limit_goes_on(priced: Rig) -> None:
    priced.budgets = Budgets(task=0.01)
    with pytest.raises(BudgetReached):
        await priced.job().ask(asked(), Verdict)
    value, _ = await priced.job().ask(asked(task=replace(task(), money=MoneyState(budget=1.0))), Verdict)
    assert value.verdict == "ok"


async def test_when_the_next_call_may_pass_eighty_percent_it_is_told_once(priced: Rig) -> None:
    priced.budgets = Budgets(task=0.2)
    warned = []
    with pytest.raises(BudgetReached):
        for number in range(100):
            _, spent = await priced.job(f"job-{number}").ask(asked(), Verdict)
            if spent.warned:
                warned.append(spent.warned)
    assert len(warned) == 1
    assert 0.8 * 0.2 - WORST - 0.01 < warned[0].spent < 0.8 * 0.2 - WORST + 0.01


async def test_a_replayed_step_tells_the_warning_again(priced: Rig) -> None:
    priced.server.answers("custodiet", Says(text='{"verdict": "ok"}'), Says(value={"verdict": "x" * 60_000}))
    priced.budgets = Budgets(task=WORST + 0.02)
    _, spent = await priced.job().ask(asked(), Verdict)
    again, told = await priced.job().ask(asked(), Verdict)
    assert told == spent
    assert spent.cost > 0.1
    assert spent.warned is not None
    assert (spent.warned.name, spent.warned.limit) == ("task T-1", priced.budgets.task)
    assert spent.warned.spent == pytest.approx(spent.cost)
    with pytest.raises(BudgetReached):
        await priced.job("more").ask(asked(), Verdict)
    assert again.verdict.startswith("x")


async def test_a_local_model_costs_nothing_and_no_budget_stops_it(rig: Rig) -> None:
    rig.budgets = Budgets(task=0.0, day=0.0)
    _, spent = await rig.job().ask(asked(), Verdict)
    assert spent.cost == 0.0
    assert spent.warned is None
