"""Engines chosen by success: recorded once, in force for the role alone, shown, and taken back by a person."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert

from agents.catalog.library import load_catalog, with_engines
from agents.domain.decisions.authority import Group, NotYours, Presser
from agents.domain.errors import OverlordError
from agents.domain.ids import Account, PersonId, Thread
from agents.domain.limits import Limits
from agents.domain.metrics.adaptive import Adaptive
from agents.domain.models.routing import by_program
from agents.domain.workflow.roles import TITLES, EngineName
from bot.intake.engine_choices import obey_words, read_choices
from bot.intake.naming import Namer
from bot.messages import Said
from bot.permissions import Permissions
from bot.queries.metrics_queries import MetricsQueries
from bot.running.adapting import adapt_engines
from bot.running.world import models_to_choose
from bot.services import Services
from store import tables
from store.codec import seconds
from store.database import Database
from tests.store.room import HandClock
from tests.store.test_role_record import ROW

ANA = Account("console:ana")
HERE = frozenset({EngineName.BUILTIN, EngineName.CODEX})
ROLE = "implementer"


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Services]:
    clock = HandClock()
    database = Database(f"sqlite:///{tmp_path / 'a.db'}")
    adaptive = Adaptive(enabled=True)
    made = Services(
        database=database, permissions=Permissions({}, frozenset()), clock=clock, limits=Limits(), adaptive=adaptive
    )
    rows = [
        row(made, at, engine, at % 10 < well)
        for engine, well in ((EngineName.BUILTIN, 6), (EngineName.CODEX, 9))
        for at in range(20)
    ]
    await database.write(lambda tx: tx.db.execute(insert(tables.runs), rows))
    yield made
    database.close()


def row(office: Services, at: int, engine: EngineName, success: bool) -> dict[str, Any]:
    began = seconds(office.clock.now() - timedelta(days=1, hours=at))
    about = {"subtask": 1, "attempt": 1, "role": ROLE, "engine": f"{TITLES[engine]}, bubblewrap", "success": success}
    return {**ROW, **about, "task": f"T-{engine}-{at}", "at": began}


async def say(office: Services, words: str, key: str = "said") -> str:
    at = office.clock.now()
    return await office.database.write(lambda tx: obey_words(tx, words, key, ANA, at))


async def test_the_better_engine_is_chosen_once_and_shown(office: Services) -> None:
    assert [await adapt_engines(office, lambda: HERE) for _ in range(2)] == [1, 0]
    (chosen,) = await queries(office).engine_choices()
    assert (chosen.role, chosen.written, chosen.engine) == (ROLE, EngineName.BUILTIN, EngineName.CODEX)
    assert "Codex scored 0.63 over 20 runs" in chosen.why and "built-in scored 0.42 over 20 runs" in chosen.why
    (act,) = await office.database.read(lambda tx: tx.acts.latest(5))
    assert act.actor == "overlord" and "engines undo implementer" in act.outcome


def queries(office: Services) -> MetricsQueries:
    made = MetricsQueries()
    made._services = office
    return made


def clock_of(office: Services) -> HandClock:
    assert isinstance(office.clock, HandClock)
    return office.clock


async def test_a_person_takes_it_back_and_it_stays_so_until_they_say_otherwise(office: Services) -> None:
    await adapt_engines(office, lambda: HERE)
    assert "keeps it" in await say(office, "Engines undo implementer")
    assert await adapt_engines(office, lambda: HERE) == 0
    assert (await office.database.read(read_choices))[ROLE].undone
    await say(office, "engines adapt implementer", "again")
    clock_of(office).pass_(86_400)
    assert await adapt_engines(office, lambda: HERE) == 1
    assert not (await office.database.read(read_choices))[ROLE].undone


async def test_whoever_plans_or_reviews_is_moved_too(office: Services) -> None:
    plain = {"subtask": 0, "role": "planner", "step": "plan"}
    rows = [
        {**row(office, at, EngineName.BUILTIN, at % 2 == 0), **plain, "engine": "", "attempt": 2, "model": model}
        for model in ("anthropic/claude-sonnet-5", "codex-cli/gpt-5.4")
        for at in range(12)
    ]
    for at, each in enumerate(rows):
        each.update(task=f"T-{at}", success=each["success"] or each["model"].startswith("codex-cli/"))
    await office.database.write(lambda tx: tx.db.execute(insert(tables.runs), rows))
    assert await adapt_engines(office, lambda: HERE) == 2
    chosen = await office.database.read(read_choices)
    assert {role: each.engine for role, each in chosen.items()} == dict.fromkeys((ROLE, "planner"), EngineName.CODEX)


def test_models_of_engines_thatmodels_to_choose_are_served() -> None:
    locked = Adaptive(enabled=True, locked_assignments={"planner": EngineName.CLAUDE, ROLE: EngineName.BUILTIN})
    assert [*models_to_choose(locked, [EngineName.CODEX])] == [by_program("claude", ""), by_program("codex", "")]
    assert models_to_choose(Adaptive(), [EngineName.CODEX]) == {}


@pytest.mark.parametrize(("group", "may"), [(Group.APPROVER, True), (Group.ADMIN, False), (Group.TECH_LEAD, False)])
async def test_an_approver_takes_a_choice_back_and_nobody_else(office: Services, group: Group, may: bool) -> None:
    await adapt_engines(office, lambda: HERE)
    words, at = "engines undo implementer", office.clock.now()
    said = Said(
        key="k", thread=Thread("console:general:1"), channel="console:general", message="", by=ANA, text=words, at=at
    )
    speaker = Presser(person=PersonId("p"), groups=frozenset({group}))
    namer = Namer(said=said, speaker=speaker, permissions=office.permissions, named=office.named)
    if not may:
        with pytest.raises(NotYours):
            await office.database.write(lambda tx: namer.obey(words, tx))
        return
    assert await office.database.write(lambda tx: namer.obey(words, tx))
    assert (await office.database.read(read_choices))[ROLE].undone


async def test_nothing_is_chosen_where_it_is_off_or_the_engine_is_not_here(office: Services) -> None:
    assert await adapt_engines(replace(office, adaptive=Adaptive()), lambda: HERE) == 0
    assert await adapt_engines(office, lambda: {EngineName.BUILTIN}) == 0
    with pytest.raises(OverlordError, match="No engine was chosen for implementer"):
        await say(office, "engines undo implementer")


def test_a_role_on_another_engine_leaves_model_and_flags_behind() -> None:
    ours = load_catalog()
    role = replace(ours.roles[ROLE], model="openai/x", flags=("-c",), engine=EngineName.CODEX)
    ours = replace(ours, roles={**ours.roles, ROLE: role})
    moved = with_engines(ours, {ROLE: EngineName.CLAUDE, "nobody": EngineName.CODEX}).roles[ROLE]
    assert (moved.engine, moved.model, moved.flags) == (EngineName.CLAUDE, "", ())
    assert with_engines(ours, {ROLE: EngineName.CODEX}) is ours
