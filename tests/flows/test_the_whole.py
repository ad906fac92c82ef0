"""Where one subtask is all there is, the same change is not judged a second time as the whole."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.checks.risk import Risk
from agents.domain.decisions.authority import Kind
from agents.domain.work.work import SubtaskState
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import Workshop
from tests.flows.work import APPROVED, Work
from tests.flows.world import planning
from tests.scenarios.plans import GO, OK, subtask

PLAN = {"status": "COMPLETE", "goal": "Logging in works", "subtasks": [subtask("Write the form", files=["form.py"])]}


@pytest.fixture
async def single(tmp_path: Path) -> AsyncIterator[Work]:
    llm = ScriptedLlm(always={"decompose": PLAN, "critic": GO, "custodiet": OK, "code_review": APPROVED})
    async with planning(tmp_path, lambda office: lambda job: llm) as plan:
        yield Work(plan.office, plan.llm, plan.task, workshop=Workshop())


async def test_one_subtask_is_judged_once(single: Work) -> None:
    await single.accepted()
    ran = await single.settle()
    task = await single.now()
    assert ran.count("run_step") == 4, "rules, test, review; and ci, which only the whole has"
    assert len(single.workshop.gates.judged) == 1 and task.of_kind(Kind.MERGE)
    first, whole = (work.evaluation for work in task.work.subtasks)
    assert first and whole and (whole.subtask, whole.gates, whole.reviews) == (2, first.gates, first.reviews)
    kept = single.workshop.artefacts.kept
    for end in (".patch", ".comments"):
        assert kept[f"T-1.2-1{end}"] == kept[f"T-1.1-1{end}"] != "", "what its card leads to is there"


async def test_a_risky_one_is_let_pass_once(single: Work) -> None:
    single.workshop.risk = Risk(level=RiskLevel.HIGH, why=("it touches passwords",))
    await single.accepted()
    await single.settle()
    await single.press(Kind.GATE, "pass")
    await single.settle()
    task = await single.now()
    merge = task.of_kind(Kind.MERGE)
    assert merge and task.work.on(2).risk is RiskLevel.HIGH, "the same people must merge it"


async def test_what_came_beside_it_is_judged(single: Work) -> None:
    """A person asks for changes at the merge: the whole is another tree then."""
    await single.accepted()
    await single.settle()
    await single.press(Kind.MERGE, "changes", "rename it")
    await single.settle()
    assert len(single.workshop.gates.judged) >= 2
    assert (await single.now()).work.on(1).state is SubtaskState.DONE
