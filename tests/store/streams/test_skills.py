"""Skills as tables: no state that a person decides on without that decision, and rates that are looked up quickly."""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError

from agents.domain.ids import PersonId, TaskId, Thread
from agents.domain.skills.fared import Fared
from agents.domain.skills.registry import EVOLVED, MANUAL, register
from agents.domain.skills.skill import Skill
from agents.domain.task.facts import Request
from agents.domain.task.task import Task
from agents.domain.work.work import Work, WorkState
from store.database import Database
from store.skill_tables import skill_uses, skills
from store.transaction import Transaction

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
ROW = {
    "task": "T-1", "project": "shop", "name": "x", "state": "draft", "revises": "", "draft": 1, "spec": "{}", "at": 0.0,
}  # fmt: skip


@pytest.mark.parametrize("state", ["approved", "writing", "validating", "in_pr", "failed", "merged"])
async def test_the_database_itself_refuses_what_nobody_decided(tmp_path: Path, state: str) -> None:
    """P9: neither without a decision, nor with one that there is not."""
    with closing(Database(f"sqlite:///{tmp_path / 'x.db'}")) as database:
        for more in ({}, {"decision": "of-nobody"}, {"decision": "of-nobody", "merge": "of-nobody"}):

            def write(tx: Transaction, more: dict[str, str] = more) -> None:
                tx.db.execute(insert(skills).values({**ROW, "state": state, **more}))

            with pytest.raises(IntegrityError):
                await database.write(write)
        await database.write(lambda tx: tx.db.execute(insert(skills).values(ROW)) and None)


def task_with(name: str) -> Task:
    request = Request(text="x", by=PersonId("ana"), thread=Thread("c:1"), channel="c", at=AT)
    work = WorkState(subtasks=(Work(number=1, skills=(name,)),))
    return Task(id=TaskId("T-0"), request=request, changed_at=AT, project="shop", work=work)


def used(number: int, *, passed: bool, skill: str = "often") -> dict[str, object]:
    return {"task": f"T-{number}", "skill": skill, "project": "shop", "passed": passed, "at": float(number)}


async def test_a_skill_that_helps_too_seldom_is_found_by_its_last_tasks(tmp_path: Path) -> None:
    with closing(Database(f"sqlite:///{tmp_path / 'x.db'}")) as database:

        def write(tx: Transaction) -> None:
            rows = [used(number, passed=number <= 20 or number % 5 == 0) for number in range(1, 31)]
            rows += [used(number, passed=False, skill="new") for number in range(1, 5)]
            tx.db.execute(insert(skill_uses), rows)

        await database.write(write)
        assert await database.read(lambda tx: tx.skills.too_seldom(task_with("often"))) == {
            "often": Fared(tasks=10, passed=2)
        }
        assert await database.read(lambda tx: tx.skills.too_seldom(task_with("new"))) == {}, "too few to tell"
        played = task_with("often")
        played = replace(played, plan=replace(played.plan, rehearsal=True))
        assert await database.read(lambda tx: tx.skills.too_seldom(played)) == {}
        assert (await database.read(lambda tx: tx.skills.outcomes()))["shop", "often"] == Fared(tasks=30, passed=22)


def test_the_registry_says_where_a_skill_came_from() -> None:
    ours = Skill(name="ours", description="x", version="1", instructions="x")
    drafted = Skill(name="theirs", description="x", version="1", instructions="x", source="shop")
    fared = {("shop", "ours"): Fared(tasks=2, passed=1), ("api", "ours"): Fared(tasks=1, passed=1)}
    found = register([ours, drafted], {("shop", "theirs")}, fared)
    assert [(each.origin, each.fared) for each in found] == [
        (MANUAL, Fared(tasks=3, passed=2)),
        (EVOLVED, Fared(tasks=0, passed=0)),
    ]


async def test_many_finished_tasks_cost_no_more_than_few(tmp_path: Path) -> None:
    """What `make bench` measures; here only that an index is used, whatever the machine is busy with."""
    from sqlalchemy import text

    with closing(Database(f"sqlite:///{tmp_path / 'x.db'}")) as database:
        plan = (
            "EXPLAIN QUERY PLAN SELECT passed FROM skill_uses WHERE project='a' AND skill='b' ORDER BY at DESC LIMIT 10"
        )
        said = await database.read(lambda tx: str(tx.db.execute(text(plan)).all()))
        assert "uses_of_skill" in said and "SCAN" not in said and "TEMP B-TREE" not in said
