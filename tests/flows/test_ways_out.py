"""What people can do about work that its checks refused: check again, go on without a check, settle for less."""

import pytest

from agents.domain.checks.evaluation import GateRun, RiskLevel, Score
from agents.domain.checks.risk import Risk
from agents.domain.decisions.authority import Group, Kind, NotYours, Presser
from agents.domain.decisions.kinds.work.escalation import EscalationOption as Way
from agents.domain.ids import PersonId
from agents.domain.task.task import TaskState
from agents.domain.work.work import Degraded, SubtaskState
from agents.ports import History
from bot.cards.decisions import decision_card
from bot.cards.work.outside import pull_text
from tests.fakes.work import failing
from tests.flows.work import Work, work as work
from tests.flows.world import ANA

BROKEN = GateRun(name="tests", score=Score.FAIL, why="mocha: not found", command="npm test", exit_code=127)


async def stuck(work: Work, *found: GateRun) -> list[str]:
    """The first subtask cannot be judged; the ways out that are offered."""
    work.workshop.gates.says["T-1.1-1"] = found or (BROKEN,)
    await work.accepted()
    await work.settle()
    asked = (await work.now()).of_kind(Kind.ESCALATION)
    assert asked
    return [option.value for option in asked.options]


async def test_what_was_mended_around_the_work_is_checked_again_without_another_attempt(work: Work) -> None:
    assert Way.CHECK in await stuck(work)
    del work.workshop.gates.says["T-1.1-1"]
    runs = len(work.workshop.minions.briefs)
    await work.press(Kind.ESCALATION, Way.CHECK, by=ANA)
    await work.settle()
    task = await work.now()
    assert (task.work.on(1).state, task.work.on(1).attempt) == (SubtaskState.DONE, 1)
    assert [brief.subtask.number for brief in work.workshop.minions.briefs[runs:]] == [3], "only what waited for it"
    assert task.of_kind(Kind.MERGE)


async def test_what_still_fails_is_asked_about_again(work: Work) -> None:
    await stuck(work)
    for _ in range(3):
        await work.press(Kind.ESCALATION, Way.CHECK, by=ANA)
        assert await work.settle() == ["run_step"]
    assert (await work.now()).of_kind(Kind.ESCALATION)


async def test_a_person_goes_on_without_a_check_and_the_merge_card_says_who(work: Work) -> None:
    assert Way.WAIVE in await stuck(work)
    await work.press(Kind.ESCALATION, Way.WAIVE, "npm is not here today")
    await work.settle()
    task = await work.now()
    one = task.work.on(1)
    assert one.state is SubtaskState.DONE and [waiver.check for waiver in one.waived] == ["tests"]
    assert one.evaluation and [gate.name for gate in one.evaluation.gates if gate.skipped] == ["tests"]
    merge = task.of_kind(Kind.MERGE)
    assert merge
    rows = {row.label: row.value for row in decision_card(task, merge, lambda person: "Lea").rows}
    assert rows["Went on without"] == "tests of T-1.1, by Lea: npm is not here today"
    assert rows["✓ T-1.1"].endswith("passed without tests")
    assert "T-1.1 not checked: tests" in pull_text(task, History())[1]


async def test_only_who_may_let_the_step_pass_may_go_on_without_its_check(work: Work) -> None:
    work.workshop.risk = Risk(level=RiskLevel.HIGH, why=("it touches passwords",))
    await stuck(work)
    approver = Presser(person=PersonId("bo"), groups=frozenset({Group.APPROVER}))
    for nobody in (ANA, approver):
        with pytest.raises(NotYours):
            await work.press(Kind.ESCALATION, Way.WAIVE, "never mind", by=nobody)
    lead = Presser(person=PersonId("lea"), groups=frozenset({Group.TECH_LEAD}))
    await work.press(Kind.ESCALATION, Way.WAIVE, "never mind", by=lead)
    assert (await work.now()).work.on(1).waived[0].by == ("lea",)


async def test_two_people_go_on_without_a_check_of_a_critical_change(work: Work) -> None:
    work.workshop.risk = Risk(level=RiskLevel.CRITICAL, why=("it touches CI",))
    await stuck(work)
    teams = [Presser(person=PersonId(name), groups=frozenset({Group.SECURITY_TEAM})) for name in ("kim", "lea")]
    await work.press(Kind.ESCALATION, Way.WAIVE, "never mind", by=teams[0])
    task = await work.now()
    asked = task.of_kind(Kind.ESCALATION)
    assert asked and not task.work.on(1).waived
    assert any(row.label == "Approvals (1 of 2)" for row in decision_card(task, asked, str).rows)
    await work.press(Kind.ESCALATION, Way.WAIVE, "never mind", by=teams[1])
    assert (await work.now()).work.on(1).waived[0].by == ("kim", "lea")


async def test_a_waiver_is_for_one_attempt_and_its_tree(work: Work) -> None:
    """The review sends it back: the next attempt is other work, and its tests are run."""
    await stuck(work)
    work.workshop.gates.checks["rules", "T-1.1-2"] = (GateRun(name="scope", score=Score.PASS, why="kept"),)
    await work.press(Kind.ESCALATION, Way.HINT, "look again")
    await work.settle()
    one = (await work.now()).work.on(1)
    assert (one.attempt, one.waived, one.state) == (2, (), SubtaskState.DONE)
    assert not work.workshop.gates.judged[-1].without


async def test_the_rules_cannot_be_gone_on_without(work: Work) -> None:
    spilt = GateRun(name="secrets", score=Score.FAIL, why="what looks like a secret in app.py")
    work.workshop.gates.checks["rules", "T-1.1-1"] = (spilt,)
    await work.accepted()
    await work.settle()
    asked = (await work.now()).of_kind(Kind.ESCALATION)
    assert asked and not {Way.CHECK, Way.WAIVE, Way.CORE} & {option.value for option in asked.options}


@pytest.mark.parametrize("less", Degraded)
async def test_after_two_failed_attempts_a_person_may_settle_for_less(work: Work, less: Degraded) -> None:
    for attempt in (1, 2, 3):
        work.workshop.gates.says[f"T-1.1-{attempt}"] = (failing(),)
    await work.accepted()
    await work.settle()
    with pytest.raises(NotYours):
        await work.press(Kind.ESCALATION, less, by=ANA)
    await work.press(Kind.ESCALATION, less)
    await work.settle()
    task = await work.now()
    assert work.told(1).work.degraded is less and task.work.on(1).state is SubtaskState.DONE
    merge = task.of_kind(Kind.MERGE)
    assert merge and task.state is TaskState.RUNNING
    assert any(row.label == "Less than planned" for row in decision_card(task, merge, str).rows)
    assert {"core": "core only", "stub": "a stub"}[less] in pull_text(task, History())[1]


async def test_a_first_failure_offers_nothing_less(work: Work) -> None:
    assert Way.STUB not in await stuck(work)
