"""Each class of error is met on a real way to a model, and led to what its action says."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import select

from agents.domain.errors import NoAnswer
from agents.domain.models.failure import ErrorClass
from agents.domain.models.routing import ROLES, Model, Served
from agents.flows.plan_answer import PlanSays
from agents.llm.client import JobLlm, Models
from agents.llm.gateway import Gateway
from agents.llm.prompts import Prompts
from agents.llm.rehearsal import MODEL
from store import tables
from store.transaction import Transaction
from tests.fakes.model_server import Answer, Fails, Says, Seen
from tests.llm.rig import SECRET, Rig, asked, files, rigged, task
from tests.scenarios.plans import plan

EMPTY = {"status": "COMPLETE", "goal": "all of it", "subtasks": []}
SILENT = {"status": "NEEDS_REFINEMENT"}


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with rigged(tmp_path) as rig:
        yield rig


def last_words(seen: Seen) -> str:
    return str(seen.body["messages"][-1]["content"])


async def ask(job: JobLlm) -> PlanSays:
    question = asked("decompose", about={"files": []}, refuse=PlanSays.contradiction)
    return (await job.ask(question, PlanSays))[0]


@pytest.mark.parametrize(
    ("answer", "error", "calls", "told"),
    [
        (Fails(status=401, message="no such key"), ErrorClass.RESOURCE, 1, ""),
        (Fails(status=503), ErrorClass.NETWORK, 3, ""),
        (Says(text="I would begin."), ErrorClass.PARSING, 2, "begins with “I would begin.”. Answer again with exactly"),
        (Says(value={"status": 7}), ErrorClass.VALIDATION, 2, "did not fit the schema: status"),
        (Says(value=EMPTY), ErrorClass.LOGIC, 2, "does not count: it says COMPLETE and has no subtasks"),
        (Says(value=SILENT), ErrorClass.LOGIC, 2, "asks nothing"),
        (Says(value={"status": "BLOCKED"}), ErrorClass.LOGIC, 2, "gives no reason"),
    ],
)
async def test_a_class_is_met_and_its_action_taken(
    rig: Rig, answer: Answer, error: ErrorClass, calls: int, told: str
) -> None:
    rig.server.answers("decompose", answer)
    with pytest.raises(NoAnswer) as failed:
        await ask(rig.job())
    assert (failed.value.error, rig.server.count()) == (error, calls)
    assert told in last_words(rig.server.seen[-1])


async def test_an_answer_that_contradicts_itself_is_mended_by_who_gave_it(rig: Rig) -> None:
    rig.server.answers("decompose", Says(value=EMPTY), Says(value=plan("Show a form")))
    assert len((await ask(rig.job())).subtasks) == 1
    assert rig.server.count() == 2


async def test_a_fault_of_the_client_library_is_tried_once_more_and_rests_no_model(rig: Rig) -> None:
    """Here what stands in for a provider trips over its own script; nobody knows what such a fault is."""
    broken = Gateway(scripts=[{"request": task().request.text, "decompose": 5}])
    chosen = {role: Served(models=(Model(name=MODEL),), why="a test") for role in ROLES}
    models = Models(
        chosen=chosen, prompts=Prompts(SECRET, files=files), clock=rig.clock, limits=rig.limits, gateway=broken
    )
    await broken.warm()
    with pytest.raises(NoAnswer, match="the client library failed") as failed:
        await ask(JobLlm(models=models, job="job-1", calls=rig.calls))

    def made(tx: Transaction) -> tuple[int, str]:
        attempts, error = tx.db.execute(select(tables.calls.c.attempts, tables.calls.c.error)).one()
        return int(attempts), str(error)

    assert await rig.database.read(made) == (2, ErrorClass.CLI_ERROR)
    assert failed.value.error == ErrorClass.CLI_ERROR
    assert not (await rig.database.read(lambda tx: tx.breakers.of(MODEL))).failures
