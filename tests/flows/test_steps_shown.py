"""A workflow with a worker before the subtasks and a second one in each: its runs, judgements and times, as people are
shown them."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text, update

from agents.catalog.library import Declared, load_catalog
from agents.catalog.workflows import CHOSEN
from agents.catalog.yaml import Value
from agents.domain.decisions.authority import Kind
from agents.domain.models.failure import ErrorClass
from store import tables
from store.database import Database
from store.streams import audit, runs
from store.transaction import Transaction
from tests.builders.older_store import TWENTY_FOURTH
from tests.builders.shell import Answer, Shell
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import Workshop, failing
from tests.flows.work import APPROVED, Work
from tests.flows.world import planning
from tests.scenarios.plans import GO, OK
from tests.scenarios.working import ONE

STEPS: dict[str, Value] = {
    "design": {
        "type": "worker",
        "level": "task",
        "role": "implementer_fast",
        "position": "after plan_review",
        "config": {"files": "docs/"},
    },
    "polish": {"type": "worker", "role": "ui_designer", "position": "after review"},
}
CI = "ci"
FIRST, SECOND, LAST = 1, 2, 3  # the opening subtask, the only one of the plan, and the closing one


@pytest.fixture
async def work(tmp_path: Path) -> AsyncIterator[Work]:
    """At the merge. The first tests failed, and so did the project's CI on the whole."""
    catalog = load_catalog(Declared(workflow=CHOSEN.read({"steps": STEPS})))
    llm = ScriptedLlm(always={"decompose": ONE, "critic": GO, "custodiet": OK, "code_review": APPROVED})
    async with planning(tmp_path, lambda office: lambda job: llm) as plan:
        office = replace(plan.office, catalog=lambda: catalog)
        work = Work(office, plan.llm, plan.task, workshop=Workshop())
        work.workshop.gates.says = {f"T-1.{SECOND}-1": (failing(),)}
        work.workshop.gates.checks = {(CI, f"T-1.{LAST}-2"): (failing(CI),)}
        await work.accepted()
        await work.settle()
        assert (await work.now()).of_kind(Kind.MERGE)
        yield work


async def shown(tmp_path: Path, *command: str) -> Answer:
    shell = Shell(tmp_path)
    shell.home.mkdir(exist_ok=True)
    shell.environ["OVERLORD_DATABASE_URL"] = f"sqlite:///{tmp_path / 'overlord.db'}"
    return await asyncio.to_thread(shell.run, *command)


async def test_each_worker_has_rows_of_its_own_step_and_role(work: Work) -> None:
    found = await work.office.database.read(lambda tx: runs.history(tx.db, work.task))
    minions = [(run.name, run.role, run.success, run.retries, run.error) for run in found if run.engine]
    assert minions == [
        ("T-1.1-1 design", "implementer_fast", True, 0, ""),
        ("T-1.2-1 implement", "implementer", False, 0, ErrorClass.LOGIC),
        ("T-1.2-2 implement", "implementer", True, 1, ""),
        ("T-1.2-3 polish", "ui_designer", True, 0, ""),  # its own first run
        ("T-1.3-2 polish", "ui_designer", False, 0, ErrorClass.LOGIC),  # it passed, and was refused as the whole
        ("T-1.3-3 polish", "ui_designer", True, 1, ""),
    ]
    assert await work.office.database.read(lambda tx: audit.examine(tx.db).apart) == ()


async def test_rows_of_the_version_before_get_their_own_names(work: Work, tmp_path: Path) -> None:
    def go_back(tx: Transaction) -> None:
        tx.db.execute(update(tables.runs).where(tables.runs.c.engine != "").values(step="implement"))
        for statement in TWENTY_FOURTH:
            tx.db.execute(text(statement))
        tx.db.execute(update(tables.schema).values(version=23))

    await work.office.database.write(go_back)
    with closing(Database(f"sqlite:///{tmp_path / 'overlord.db'}")) as again:
        found = await again.read(lambda tx: runs.history(tx.db, work.task))
        assert {run.step for run in found if run.engine} == {"design", "implement", "polish"}
        assert await again.read(lambda tx: audit.examine(tx.db).apart) == ()


async def test_they_are_listed_with_kinds_and_both_judgements_of_an_attempt(work: Work, tmp_path: Path) -> None:
    told = (await shown(tmp_path, "tasks", "show", "T-1")).out
    assert re.search(r"(?m)^T-1\.1-1 design +implementer_fast +well ", told), told
    assert re.search(r"(?m)^T-1\.2-3 polish +ui_designer +well ", told), told
    assert re.search(r"(?m)^subtask +title +kind +size ", told), told
    assert re.search(r"(?m)^1 +Prepare: design +feature +small ", told), told
    assert re.search(r"(?m)^2 +Write the form +feature \(assumed from its files\) +small ", told), told
    judged = (await shown(tmp_path, "tasks", "show", "T-1", "--json")).json["evaluations"]
    of_whole = [
        (each["revision_number"], each["judgement"], each["overall"]) for each in judged if each["subtask"] == LAST
    ]
    assert of_whole == [(1, 1, "pass"), (1, 2, "needs_revision"), (2, 1, "pass")]


async def test_the_kept_workflow_shows_where_each_stands_how_often_and_how_long(work: Work, tmp_path: Path) -> None:
    told = (await shown(tmp_path, "workflows", "show", "--task", "T-1", "--json")).json
    opening, ordinary, closing = told["subtasks"]
    assert [each["step"] for each in (opening, ordinary, closing)] == ["", "", ""], "all are settled"
    assert ordinary["visits"] == {"rules": 2, "test": 2, "review": 1, "polish_rules": 1}
    assert closing["visits"]["ci"] == 2
    assert {"implement", "polish", "test"} <= ordinary["seconds"].keys() and opening["seconds"].keys() >= {"design"}
    assert all(took >= 0 for took in ordinary["seconds"].values())
    lines = (await shown(tmp_path, "workflows", "show", "--task", "T-1")).out.splitlines()
    row = next(line for line in lines if line.startswith("test "))
    assert "T-1.2: 2" in row and re.search(r"T-1\.2: \d+ s", row), row
    assert lines[-1].startswith("At no step: T-1.1 done, T-1.2 done, T-1.3 done")
