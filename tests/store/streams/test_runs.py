"""Every run is a row, made from the facts that real flows record: by whom, how often, how long, for how much."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, update

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.errors import NoAnswer
from agents.domain.fact import Usage
from agents.domain.ids import TaskId
from agents.domain.metrics.run_row import Run
from agents.domain.models.failure import ErrorClass
from agents.domain.planning.decomposition import Level
from agents.domain.planning.work_kind import Expected, Took, expect
from agents.domain.task import decide
from agents.domain.work.outcome import ERROR_OF_ENDING
from agents.domain.work.work import Ending
from agents.domain.workflow.workflow import DEFAULT
from agents.ports import Asked, GaveUp
from store import tables
from store.codec import Cause
from store.running.jobs import Job
from store.running.port_adapters import add_usage
from store.streams import audit, run_rows, runs
from store.transaction import Transaction
from tests.builders import decompositions
from tests.builders.shell import Shell
from tests.fakes.llm import ScriptedLlm, no_answer
from tests.fakes.model_server import LARGE, Fails, ModelServer, Says
from tests.fakes.work import Workshop, failing, says
from tests.flows.planning import served
from tests.flows.work import PLAN, Work, work
from tests.flows.world import ANA, Planning, planning
from tests.llm.rig import LOADED
from tests.scenarios.plans import GO, OK, plan
from tests.store.room import MORNING

__all__ = ["work"]


async def rows(world: Planning, step: str, subtask: int = 0) -> list[Run]:
    """As the table has them, which is what the facts say."""
    found = await world.office.database.read(lambda tx: runs.history(tx.db, world.task))
    assert await world.office.database.read(lambda tx: audit.examine(tx.db).apart) == ()
    return [run for run in found if run.step == step and run.subtask == subtask]


async def give_up(world: Planning, job: Job) -> None:
    def transaction(tx: Transaction) -> None:
        task, moment = tx.log.task(world.task), world.office.moment("console:general", "parked")
        parked = e.JobParked(task=task.id, at=moment.at, job=job.id, flow=job.flow, problem="no answer", kept="all")
        tx.jobs.park(job, "no answer")
        facts = add_usage(decide.park(task, parked, moment), tx, job)
        tx.log.append(task.id, facts, Cause(actor="overlord", delivery="parked"))

    await world.office.database.write(transaction)


async def test_attempts_are_counted_and_those_that_did_not_pass_are_told_from_the_one_that_did(work: Work) -> None:
    work.workshop.gates.says = {"T-1.1-1": (failing(),)}
    await work.accepted()
    await work.settle()
    first, second = await rows(work, "implement", 1)
    assert (first.attempt, first.success, first.retries, first.error) == (1, False, 0, ErrorClass.LOGIC)
    assert (second.attempt, second.success, second.retries, second.error) == (2, True, 1, "")
    assert (second.role, second.workflow, second.task_type) == ("implementer", "default", "feature")
    assert second.engine and second.seconds > 0
    (review,) = await rows(work, "review", 1)
    assert (review.role, review.attempt, review.success, review.cost) == ("critic", 2, True, 0.01)
    assert not await rows(work, "implement", 4), "no minion worked on the whole"
    (planned,) = await rows(work, "plan")
    assert (planned.role, planned.success, planned.workflow) == ("planner", True, "default")
    assert {run.role for run in await rows(work, "plan_review")} >= {"critic", "custodiet"}


@pytest.mark.parametrize("ending", list(Ending))
async def test_a_run_that_came_to_nothing_has_the_class_of_its_error(work: Work, ending: Ending) -> None:
    work.workshop.minions.scripts = {1: [says(GaveUp(ending=ending, problem="it would not do"))]}
    await work.accepted()
    await work.settle()
    (run,) = await rows(work, "implement", 1)
    assert (run.success, run.error) == (False, ERROR_OF_ENDING[ending])


async def test_waiting_for_a_person_is_no_part_of_a_run(work: Work) -> None:
    work.workshop.minions.scripts = {2: [says(Asked(question="Which hash?", options=("bcrypt", "argon2")))]}
    await work.accepted()
    await work.settle()
    (waits,) = await rows(work, "implement", 2)
    assert waits.success is None and waits.outcome == "not yet"
    await asyncio.sleep(0.5)  # fifty seconds by the clock of the work
    await work.say("argon2", ANA)
    await work.settle()
    (done,) = await rows(work, "implement", 2)
    assert done.success and done.seconds < 50 + waits.seconds


async def test_what_a_person_finished_is_no_success_of_the_minion(work: Work) -> None:
    work.workshop.minions.scripts = {1: [says(GaveUp(ending=Ending.TURNS, problem="no"))]}
    await work.accepted()
    await work.settle()
    await work.press(Kind.ESCALATION, "take")
    work.workshop.checkouts.branches["ai/t-1.1-write-the-form"] = "f" * 40
    await work.press(Kind.TAKEN, "hand_in")
    await work.settle()
    assert [run.success for run in await rows(work, "implement", 1)] == [False]


async def test_a_reviewer_without_a_verdict_did_not_succeed(tmp_path: Path) -> None:
    llm = ScriptedLlm(always={"decompose": PLAN, "critic": GO, "custodiet": OK, "code_review": no_answer()})
    async with planning(tmp_path, lambda office: lambda job: llm) as plan:
        work = Work(plan.office, plan.llm, plan.task, workshop=Workshop())
        await work.accepted()
        await work.settle()
        (review,) = await rows(work, "review", 1)
        assert (review.success, review.error) == (False, ErrorClass.LOGIC)


async def test_tokens_calls_and_money_are_those_of_the_calls_and_each_is_told_once(tmp_path: Path) -> None:
    async with ModelServer() as server, planning(tmp_path, served(server)) as world:
        await LOADED.warm()
        server.answers("decompose", Says(text="no JSON"), Says(value=plan("Show a form")))
        server.answers("critic", Says(value={**GO, "verdict": "revise", "changes": ["say how"]}), Says(value=GO))
        server.answers("custodiet", *[Says(value=OK)] * 2)
        await world.run_next("intake", "decompose", "review")
        (first,) = await rows(world, "plan")
        assert (first.model, first.calls, first.retries) == (f"hosted_vllm/{LARGE}", 2, 0)
        assert first.tokens_in > 0 and first.tokens_out > 0 and first.seconds > 0
        critic, custodiet = await rows(world, "plan_review")
        assert (critic.role, custodiet.role, critic.calls, custodiet.calls) == ("critic", "custodiet", 1, 1)

        def untold(tx: Transaction) -> tuple[object, ...]:
            calls = tx.db.execute(tables.calls.select()).mappings().all()
            jobs = [row for row in calls if row["step"] != "route"]  # to read a message is no run of anybody
            assert sum(row["tokens_in"] for row in jobs) == first.tokens_in + critic.tokens_in + custodiet.tokens_in
            return tuple(row["step"] for row in jobs if not row["told"])

        assert await world.office.database.read(untold) == ()


async def test_a_planner_that_gave_no_answer_has_the_class_of_its_error_and_goes_on_in_its_row(tmp_path: Path) -> None:
    async with ModelServer() as server, planning(tmp_path, served(server)) as world:
        await LOADED.warm()
        server.answers("decompose", *[Fails(status=401, message="no such key")] * 2, Says(value=plan("Show a form")))
        work = Work(world.office, world.llm, world.task)
        await work.run_next("intake")
        job = await work.next_job()
        with pytest.raises(NoAnswer):
            await work.run(job)
        await give_up(work, job)
        (failed,) = await rows(world, "plan")
        assert (failed.success, failed.error) == (False, ErrorClass.RESOURCE) and failed.calls
        await work.press(Kind.STUCK, "retry")
        await work.run_next("decompose")
        (done,) = await rows(world, "plan")
        assert done.success and done.calls == failed.calls + 1 and done.tokens_in > failed.tokens_in


async def test_runs_are_shown_and_doctor_compares_them_with_the_facts(work: Work, tmp_path: Path) -> None:
    work.workshop.gates.says = {"T-1.1-1": (failing(),)}
    await work.accepted()
    await work.settle()
    shell = Shell(tmp_path)
    shell.home.mkdir()
    shell.environ["OVERLORD_DATABASE_URL"] = f"sqlite:///{tmp_path / 'overlord.db'}"
    shown = (await asyncio.to_thread(shell.run, "tasks", "show", "T-1")).out
    assert re.search(r"T-1\.1-1 implement +implementer +failed +0 +\d+ s +0 +\$0\.00 +logic", shown), shown
    assert re.search(r"T-1 plan 1 +planner +well +0 ", shown), shown
    told: list[dict[str, Any]] = (await asyncio.to_thread(shell.run, "tasks", "show", "T-1", "--json")).json["runs"]
    implemented = [(run["subtask"], run["attempt"], run["success"]) for run in told if run["step"] == "implement"]
    assert implemented[:1] == [(1, 1, False)] and (1, 2, True) in implemented

    def tamper(tx: Transaction) -> None:
        tx.db.execute(update(tables.runs).where(tables.runs.c.subtask == 1).values(cost=5.0))

    await work.office.database.write(tamper)
    assert await work.office.database.read(lambda tx: audit.examine(tx.db).apart) == ("T-1: its runs",)


def test_a_plan_that_code_wrote_is_no_run_of_a_planner() -> None:
    drafted = decompositions.plan(decompositions.subtask(1))
    for level, planners in ((Level.PRIMARY, 1), (Level.MINIMAL, 0)):
        read = run_rows.Runs()
        read.read(
            e.DecompositionDrafted(task=TaskId("T-1"), at=MORNING, number=1, plan=drafted, estimate=0.0, level=level)
        )
        assert len([row for row in read.rows.values() if row["role"] == "planner"]) == planners


def test_plans_are_numbered_and_take_as_long_as_their_models() -> None:
    drafted = decompositions.plan(decompositions.subtask(1))
    used = (Usage(by="planner", model="m", calls=1, seconds=1.5), Usage(by="planner", model="m", calls=2, seconds=0.25))
    read = run_rows.Runs()
    for number in (1, 2):
        about = {"task": TaskId("T-1"), "at": MORNING, "number": number, "plan": drafted, "estimate": 0.0}
        read.read(e.DecompositionDrafted(**about, usage=used))  # type: ignore[arg-type]
    assert [(row["attempt"], row["calls"], row["seconds"]) for row in read.rows.values()] == [
        (1, 3, 1.75),
        (2, 3, 1.75),
    ]


def test_a_minion_works_as_the_role_of_the_tasks_own_workflow() -> None:
    steps = [replace(each, roles=("trader",)) if each is DEFAULT.implement else each for each in DEFAULT.steps]
    about = {"task": TaskId("T-1"), "at": MORNING, "subtask": 1, "attempt": 1}
    started = e.MinionStarted(**about, branch="b", base="c", engine="builtin")  # type: ignore[arg-type]
    for workflow, role in ((None, "implementer"), (replace(DEFAULT, steps=tuple(steps)), "trader")):
        read = run_rows.Runs(workflow=workflow)
        read.read(started)
        assert [row["role"] for row in read.rows.values()] == [role]


def _row(task: int, subtask: int, attempt: int = 1, *, cost: float = 0.1, **more: Any) -> run_rows.Row:
    row = run_rows.Runs().at(e.TaskResumed(task=TaskId(f"T-{task}"), at=MORNING, by=ANA.person), "x", attempt, "r")
    return {**row, "subtask": subtask, "cost": cost, "seconds": 60.0, "calls": 3, "success": True, **more}


async def test_what_the_next_plan_may_take_is_read_off_what_was_done(work: Work) -> None:
    kept = [
        *(_row(1, number) for number in range(1, 5)),
        *(_row(1, 5, attempt, success=attempt == 2, cost=0.5) for attempt in (1, 2)),
        _row(1, 6, success=False),
        _row(1, 7, success=None),
        _row(1, 8, model="rehearsal/one"),
        _row(1, 9, calls=0),
        _row(1, 0, cost=9.0),  # its planning
        _row(2, 1, cost=9.0),  # of a task that is not listed any more
    ]

    def transaction(tx: Transaction) -> list[Took]:
        tx.db.execute(insert(tables.runs), kept)
        return runs.past_work(tx.db)

    past = await work.office.database.write(transaction)
    assert sorted(round(each.cost, 2) for each in past) == [0.1, 0.1, 0.1, 0.1, 1.0]
    assert max(each.seconds for each in past) == 120.0
    found = expect(past, 3)
    assert found == Expected(usual=Took(cost=0.3, seconds=180.0), most=Took(cost=3.0, seconds=360.0), of=5)
    assert expect(past[:4], 3) is None, "too few to say"


async def test_a_plan_is_drafted_with_what_such_work_took(work: Work) -> None:
    await work.office.database.write(lambda tx: tx.db.execute(insert(tables.runs), [_row(1, n) for n in range(1, 9)]))
    await work.run_next("intake", "decompose")
    drafted = (await work.now()).plan
    assert drafted.expected and drafted.expected.of == 8 and drafted.draft
    assert drafted.expected.usual.cost == round(0.1 * len(drafted.draft.subtasks), 4)
