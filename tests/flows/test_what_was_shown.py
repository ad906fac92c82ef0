"""What was shown is what happens, flow by flow: where work goes, how much of it was read, and what is left of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import Change
from agents.domain.context.packing import ReviewPack
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.table import rule_name
from agents.domain.errors import OverlordError
from agents.domain.task.task import TaskState
from agents.domain.work.work import Ending, SubtaskState
from agents.ports import Asked, GaveUp, Outcome, Target
from bot.cards.decisions import decision_card
from bot.cards.progress import evaluation_rows
from bot.cards.reasons import put
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import MemoryCheckouts, Workshop, says
from tests.flows.work import APPROVED, PLAN, Work, work as work
from tests.flows.world import planning
from tests.scenarios.plans import GO, OK

S = SubtaskState


@pytest.mark.parametrize("shown", [True, False])
async def test_work_begins_from_the_branch_that_was_shown_and_is_merged_into_it(work: Work, shown: bool) -> None:
    """Whatever is checked out meanwhile. A branch that nobody could name for the plan is fixed when work begins."""
    forge, checkouts = work.workshop.forge, work.workshop.checkouts
    checkouts.theirs = {"main": "a" * 40, "release": "b" * 40}
    forge.on = "main" if shown else ""
    await work.run_next("intake", "decompose", "review")
    plan = (await work.now()).plan.draft
    assert plan and plan.into == ("main" if shown else "")
    forge.on = "release" if shown else "main"
    await work.press(Kind.PLAN, "approve")
    await work.run(await work.next_job())
    forge.on = "release"
    await work.settle()
    task = await work.now()
    assert (task.work.into, task.work.base) == ("main", "a" * 40)
    await work.press(Kind.MERGE, "merge")
    await work.settle()
    task = await work.now()
    assert task.state is TaskState.DONE and task.delivery.merged_into == "main"
    assert [pull.into for pull in forge.asked] == ["main"]
    assert forge.targets == [Target(branch="main", start="a" * 40)]


async def test_without_the_branch_that_was_shown_nothing_begins(work: Work) -> None:
    await work.accepted()
    work.workshop.checkouts.theirs = {"release": "b" * 40}
    with pytest.raises(OverlordError, match="no branch main any more"):
        await work.run(await work.next_job())
    assert not (await work.now()).work.branch


BIG = ReviewPack(parts=("the first half", "the second half"), read=900, lines=900)


@pytest.mark.parametrize("unread", [(), ("15,100 changed lines, from b.py on",)])
async def test_work_that_is_too_long_to_read_at_once_is_read_in_parts_or_waits_for_a_person(
    tmp_path: Path, unread: tuple[str, ...]
) -> None:
    llm = ScriptedLlm(always={"decompose": PLAN, "critic": GO, "custodiet": OK, "code_review": APPROVED})
    async with planning(tmp_path, lambda office: lambda job: llm) as plan:
        work = Work(plan.office, plan.llm, plan.task, workshop=Workshop())
        work.workshop.packs.packs[1] = replace(BIG, unread=unread)
        await work.accepted()
        await work.settle()
        task = await work.now()
    asked = [each for each in llm.asked if each.step.startswith("code_review:critic:1:1")]
    assert [(each.step[19:], each.about["pack"], each.about["part"], each.about["parts"]) for each in asked] == [
        ("1:1", "the first half", 1, 2),
        ("1:1:2", "the second half", 2, 2),
    ]
    found = [each.about["found"] for each in asked]
    assert found[0] and found[0] == found[1], "each part is read with what the checks found"
    gate = task.of_kind(Kind.GATE)
    assert gate is None or rule_name(gate) == "gate_high"
    assert (gate is not None and "not all of it was read" in put(gate.evidence[0])) is bool(unread)
    judged = task.work.on(1).evaluation
    assert judged and judged.reviews[0].read == 900 and judged.reviews[0].parts == 2


async def test_the_risk_of_a_step_is_of_all_its_files_and_its_card_counts_them(work: Work) -> None:
    many = tuple(Change(path=f"src/f{n}.py", status="M", added=1) for n in range(300))
    seen = list[int]()

    class Wide(MemoryCheckouts):
        async def changes(self, project: str, base: str, commit: str) -> tuple[Change, ...]:
            return many

    work.workshop.checkouts = Wide()
    await work.accepted()
    work.workshop.measure = lambda changes: seen.append(len(changes))
    await work.settle()
    task = await work.now()
    judged = task.work.on(1).evaluation
    assert set(seen) == {300} and judged and judged.files == 300 and "and 292 more" in str(evaluation_rows(judged))
    merge = task.of_kind(Kind.MERGE)
    assert merge and decision_card(task, merge, str).text.startswith("300 files, +300 −0. Low risk: ")


NESTED = "What changed cannot be committed: 'lib/': it is a repository of its own"


@pytest.mark.parametrize("times", [1, 3])
async def test_what_cannot_be_committed_goes_back_to_the_minion_and_then_to_a_person(work: Work, times: int) -> None:
    """It was a dead end: the job was given up, and tried again it failed again."""
    await work.accepted()
    while (await work.now()).work.on(3).attempt == 0:
        job = await work.any_job()
        assert job
        await work.run(job)
    checkouts = work.workshop.checkouts
    checkouts.refuses = [NESTED] * times
    await work.settle()
    task = await work.now()
    mine, facts = task.work.on(3), await work.facts()
    assert not task.parked and "JobParked" not in facts
    assert "repository of its own" in work.told(3).work.feedback[0]
    if times == 1:
        assert mine.state is S.DONE and mine.attempt == 2, "the files were there as it left them, and it mended them"
    else:
        asked = task.of_kind(Kind.ESCALATION)
        assert mine.state is S.NEEDS_HUMAN and asked and "3 attempts" in put(asked.evidence[0])
        assert mine.branch in checkouts.opened, "what it left is still there"


@pytest.mark.parametrize("outcome", [Asked(question="Which?"), GaveUp(ending=Ending.TURNS, problem="50 turns")])
async def test_a_run_that_ends_otherwise_is_no_dead_end_either(work: Work, outcome: Outcome) -> None:
    work.workshop.minions.scripts = {1: [says(outcome)], 2: [says(outcome)]}
    work.workshop.checkouts.refuses = [NESTED, NESTED]
    await work.accepted()
    await work.settle()
    task = await work.now()
    assert [each.state for each in task.work.subtasks[:2]] == [S.NEEDS_HUMAN] * 2 and not task.parked
    assert {each.branch for each in task.work.subtasks[:2]} <= work.workshop.checkouts.opened
    assert isinstance(outcome, Asked) or "repository of its own" in put(task.work.on(1).problem)
