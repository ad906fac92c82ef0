"""A database that an earlier version wrote: its facts hold, its open buttons work, its tasks go on to their merge."""

import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.table import rule_name
from agents.domain.ids import TaskId, Thread
from agents.domain.task.task import Task, TaskState
from bot.queries.query_api import QueryApi
from store import tables
from store.database import Database
from store.streams import audit
from store.transaction import Transaction
from tests.fakes.clock import ScaledClock
from tests.fakes.work import Workshop
from tests.scenarios import console_stage
from tests.scenarios.conftest import PEOPLE, Play
from tests.scenarios.stage import Setup, Stage, until
from tests.scenarios.working import given
from tests.store.history import VERSIONS, restore

CONFIG = """
projects:
  - {{name: api, path: {home}}}
  - {{name: web, path: {home}}}
limits: {{quota_per_person: 1000, quota_per_channel: 1000}}
"""
# What is pressed where a decision is open, by the option's value; else its first one.
CHOSEN = {Kind.CANCEL: "keep", Kind.DEBATE: "approve", Kind.PLAN: "approve", Kind.ESCALATION: "drop"}
WHO = {"gate_critical": ("sec", "ops"), "merge_critical": ("ops", "sec")}
UNPRESSED = (Kind.CONTROLS, Kind.CLARIFICATION, Kind.NO_PLAN)
WORDS = "as you think best"


@pytest.mark.parametrize("version", VERSIONS)
async def test_what_it_stores_follows_from_its_facts(version: str, url: str) -> None:
    restore(version, url)
    database = Database(url)
    try:
        assert await _faults(database) == ("", (), ())
        steps = await database.read(lambda tx: set(tx.db.execute(select(tables.runs.c.step)).scalars()))
        assert {"plan", "plan_review", "implement", "review"} <= steps, "its runs are rows, as far as its facts tell"
    finally:
        database.close()


@pytest.mark.parametrize("version", VERSIONS)
async def test_open_buttons_work_and_a_task_goes_on_to_its_merge(
    version: str, url: str, tmp_path: Path, loaded: None
) -> None:
    restore(version, url)
    async with AsyncExitStack() as stack:
        play = await _open(stack, url, tmp_path)
        tasks = await _tasks(play)
        waiting = [(task, each) for task in tasks for each in task.open if each.kind not in UNPRESSED]
        assert {each.kind for _, each in waiting} >= {Kind.PLAN, Kind.QUESTION, Kind.SCOPE, Kind.MERGE, Kind.STOPPED}
        for task, decision in waiting:
            await _decide(play, task, decision)
        planned = next(task for task in tasks if task.id == "T-2")
        await _merge(play, planned)
        assert await _faults(play.program.services.database) == ("", (), ())


async def _faults(database: Database) -> tuple[str, tuple[Any, ...], tuple[str, ...]]:
    def question(tx: Transaction) -> tuple[str, tuple[Any, ...], tuple[str, ...]]:
        found = audit.examine(tx.db)
        return audit.integrity(tx.db), found.broken, found.apart

    return await database.read(question)


async def _open(stack: AsyncExitStack, url: str, tmp_path: Path) -> Play:
    scene = given(Workshop())

    def config(stage: Stage) -> str:
        names = {who: stage.account(who) for who in ("lead", "sec", "ops")}
        return (PEOPLE + CONFIG).format(home=tmp_path, **names)

    clock = ScaledClock(10, since=time.time())
    environ = {"OVERLORD_DATABASE_URL": url}
    setup = Setup(home=tmp_path / "home", config=config, clock=clock, swap=scene.swap, environ=environ)
    return Play(*await console_stage.open_stage(stack, setup))


async def _tasks(play: Play) -> list[Task]:
    return await play.program.services.database.read(lambda tx: tx.log.tasks(ended=False, limit=100))


async def _decide(play: Play, task: Task, decision: Decision) -> None:
    """Press it as whoever may, unless something else closed it meanwhile."""
    values = [option.value for option in decision.options]
    wanted = CHOSEN.get(decision.kind, values[0])
    letter = decision.options[values.index(wanted) if wanted in values else 0].letter
    stage: Any = play.stage
    for who in WHO.get(rule_name(decision), ("lead",)):
        if not await _is_open(play, task.id, decision):
            return
        on = await _shown_on(play.program.queries, task.request.thread, stage.account(who), decision)
        await stage.press_token(who, task.request.thread, on, f"{decision.id}.{letter}", WORDS)

    async def closed() -> bool:
        return not await _is_open(play, task.id, decision)

    await until(closed, f"{task.id}: {decision.kind} decided")


async def _is_open(play: Play, id: TaskId, decision: Decision) -> bool:
    task = await play.program.services.database.read(lambda tx: tx.log.task(id))
    return any(each.id == decision.id for each in task.open)


async def _shown_on(desk: QueryApi, thread: Thread, who: Any, decision: Decision) -> str:
    seen = await desk.conversation(thread, who)
    assert seen, f"no thread {thread}"
    for message in seen.messages:
        for button in (*message.card.buttons, *message.card.more) if message.card else ():
            if button.choice.token.startswith(decision.id):
                return message.id
    raise AssertionError(f"no button for {decision.kind} in {thread}")


async def _merge(play: Play, task: Task) -> None:
    async def ready() -> Decision | None:
        now = await play.program.services.database.read(lambda tx: tx.log.task(task.id))
        return next((each for each in now.open if each.kind is Kind.MERGE), None)

    merge = await until(ready, f"{task.id} is ready to merge")

    async def shown() -> bool:
        try:
            await _decide(play, task, merge)
        except AssertionError:
            return False
        return True

    await until(shown, "the merge card")

    async def done() -> bool:
        now = await play.program.services.database.read(lambda tx: tx.log.task(task.id))
        return now.state is TaskState.DONE

    await until(done, f"{task.id} is merged")
