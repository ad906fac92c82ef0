"""From an accepted plan to a merge, flow by flow: minions, gates and the forge are played at their ports."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import GateRun, RiskLevel, Score
from agents.domain.checks.risk import Risk
from agents.domain.decisions.authority import Group, Kind, Presser
from agents.domain.decisions.subject import OfHead
from agents.domain.decisions.table import rule_name
from agents.domain.ids import Account, PersonId
from agents.domain.reason import Reason, Why
from agents.domain.task.task import Task, TaskState
from agents.domain.work.git_names import Message
from agents.domain.work.work import Ending, SubtaskState
from agents.ports import Asked, Brief, Checkout, GaveUp, Outcome, WantsScope, Watch
from bot.cards.decisions import decision_card
from bot.cards.reasons import put, put_all
from bot.cards.status import state_of
from store.streams import audit
from tests.fakes.llm import ScriptedLlm, no_answer
from tests.fakes.work import MemoryCheckouts, Workshop, failing, finishes, never_ends, says
from tests.flows.work import PLAN, Work, work as work
from tests.flows.world import ANA, planning
from tests.scenarios.plans import GO, OK

S = SubtaskState

CHECKS = ("run_step",) * 3  # rules, tests, review


async def test_two_subtasks_run_side_by_side_and_the_third_waits_for_both(work: Work) -> None:
    await work.accepted()
    await work.run_next("begin_work")
    task = await work.now()
    assert [w.queued for w in task.work.subtasks] == [True, True, False, False]
    assert task.work.branch == "ai/t-1-logging-in-works" and task.work.base

    await work.run_next("work", "evaluate", "work", "evaluate")
    assert await work.states() == [S.EVALUATING, S.EVALUATING, S.PENDING, S.PENDING]
    await work.run_next(*CHECKS, "run_step", "run_step", "integrate")  # one of each in turn
    assert [w.queued for w in (await work.now()).work.subtasks] == [False, False, False, False], (
        "one of two is not enough"
    )
    await work.run_next("run_step", "integrate", "work", "evaluate", *CHECKS, "integrate")
    assert work.workshop.minions.briefs[-1].notes == ("T-1.1: left by 1", "T-1.2: left by 2")


async def test_the_history_says_which_subtask_came_in_and_who_let_it_pass(work: Work) -> None:
    work.workshop.risk = Risk(level=RiskLevel.MEDIUM, why=("it touches passwords",))
    bo = await work.office.database.write(lambda tx: tx.people.meet(Account("console:bo"), "Bo"))
    await work.accepted()
    await work.settle()
    await work.press(Kind.GATE, "pass", by=Presser(person=bo, groups=frozenset(Group)))
    await work.run_next("integrate")
    told = "T-1.1: Write the form\n\ndone\n\nPart of T-1: Logging in works\nPassed by Bo"
    assert work.workshop.checkouts.joined == [told], "the asker has no name here, so none is said"


async def done(work: Work) -> Task:
    await work.accepted()
    assert (await work.settle())[-7:] == ["evaluate", *CHECKS, "integrate", "run_step", "open_pull"], (
        "ci is a step, too"
    )
    return await work.now()


async def test_the_whole_is_judged_again_and_handed_over_as_one_pull_request(work: Work) -> None:
    task = await done(work)
    assert [w.state for w in task.work.subtasks] == [S.DONE] * 4 and len(work.workshop.minions.briefs) == 3
    assert task.delivery.pull == 1 and task.delivery.head == work.workshop.checkouts.branches[task.work.branch]
    merge = task.of_kind(Kind.MERGE)
    assert merge and isinstance(merge.subject, OfHead) and merge.subject.commit == task.delivery.head
    assert not work.workshop.checkouts.opened, "every folder is gone"

    await work.press(Kind.MERGE, "merge")
    await work.run_next("merge")
    task = await work.now()
    assert task.state is TaskState.DONE and work.workshop.forge.merged == [merge.subject.commit]
    assert not task.open and task.delivery.merged_into == "main"


async def test_work_whose_branch_was_lost_is_handed_over_by_the_commit_that_was_judged(work: Work) -> None:
    await work.accepted()
    while job := await work.any_job():
        if job.flow == "open_pull":
            work.workshop.checkouts.branches.clear()
        await work.run(job)
    task = await work.now()
    closing = task.work.subtasks[-1].evaluation
    assert closing and task.delivery.head == closing.commit and task.of_kind(Kind.MERGE)


async def test_a_merge_that_does_not_fit_is_taken_to_a_person_and_can_be_tried_again(work: Work) -> None:
    await done(work)
    work.workshop.forge.fits = False
    await work.press(Kind.MERGE, "merge")
    await work.settle()
    assert (await work.now()).of_kind(Kind.UNMERGED)
    assert state_of(await work.now()) == "Could not be merged: it needs you"
    work.workshop.forge.fits = True
    await work.press(Kind.UNMERGED, "again")
    await work.settle()
    assert (await work.now()).state is TaskState.DONE


async def test_changes_asked_for_at_the_merge_are_worked_in_and_shown_anew(work: Work) -> None:
    before = await done(work)
    await work.press(Kind.MERGE, "changes", "rename it, please")
    await work.settle()
    brief = work.workshop.minions.briefs[-1]
    assert [wish.words for wish in brief.task.wishes] == ["rename it, please"]
    assert brief.work.scope.refuse("password.py") is None and brief.work.scope.refuse("other.py")
    task = await work.now()
    merge = task.of_kind(Kind.MERGE)
    assert merge and isinstance(merge.subject, OfHead)
    assert (
        merge.subject.commit == task.delivery.head != before.delivery.head
        and task.delivery.pull == before.delivery.pull
    )
    assert [each.base for each in work.workshop.gates.judged[-2:]] == [task.work.base] * 2, (
        "judged as the whole, both times"
    )


async def test_work_that_fails_its_checks_goes_back_with_the_evidence_at_most_twice(work: Work) -> None:
    work.workshop.gates.says = {f"T-1.1-{n}": (failing(),) for n in (1, 2, 3)}
    await work.accepted()
    await work.settle()
    task = await work.now()
    assert task.work.on(1).attempt == 3 and "test_login" in task.work.on(1).feedback[0]
    assert task.work.on(1).state is S.NEEDS_HUMAN and state_of(task) == "Running, and a step needs you"
    assert [b.work.branch or b.checkout.branch for b in work.workshop.minions.briefs if b.subtask.number == 1] == [
        "ai/t-1.1-write-the-form"
    ] * 3
    stuck = task.of_kind(Kind.ESCALATION)
    assert stuck and put_all(stuck.evidence) == (
        "3 attempts failed",
        "Kept: branch ai/t-1.1-write-the-form",
        "Kept: patch T-1.1-3.patch",
    )
    assert task.work.on(1).patch in work.workshop.artefacts.kept and "test_login" in put(task.work.on(1).problem)

    work.workshop.gates.says = {}
    await work.press(Kind.ESCALATION, "hint", "import the module", by=ANA)
    await work.settle()
    assert (await work.now()).work.on(1).state is S.DONE
    assert "test_login" in work.told(1).work.feedback[-1]
    assert [wish.words for wish in work.told(1).task.wishes] == ["import the module"]


async def test_what_was_refused_for_good_may_come_again_and_what_was_sent_back_may_not(work: Work) -> None:
    broken = replace(failing(), score=Score.FAIL, why="it cannot be run here: install pytest")
    work.workshop.gates.says = {"T-1.1-1": (broken,), "T-1.1-2": (failing(),)}
    await work.accepted()
    await work.settle()
    await work.press(Kind.ESCALATION, "hint", "it is installed now", by=ANA)
    await work.settle()
    first, second, third = (each for each in work.workshop.gates.judged if each.log.startswith("T-1.1-"))
    assert not any(first.earlier) and not any(second.earlier), "the files were not at fault"
    assert [tree for tree in third.earlier if tree] == [f"tree of {second.commit}"]


async def test_work_with_a_secret_in_it_begins_on_another_branch(work: Work) -> None:
    secret = GateRun(name="secrets", score=Score.FAIL, why="what looks like a secret in form.py")
    work.workshop.gates.says = {"T-1.1-1": (secret,)}
    await work.accepted()
    await work.settle()
    await work.press(Kind.ESCALATION, "hint", "leave the key out", by=ANA)
    await work.settle()
    branches = [b.checkout.branch for b in work.workshop.minions.briefs if b.subtask.number == 1]
    assert branches == ["ai/t-1.1-write-the-form", "ai/t-1.1-write-the-form-2"]


async def test_a_question_waits_for_its_answer_and_the_run_goes_on(work: Work) -> None:
    asks = says(Asked(question="Which hash?", options=("bcrypt", "argon2"), default="argon2"))
    work.workshop.minions.scripts = {2: [asks]}
    await work.accepted()
    await work.settle()
    task = await work.now()
    question = task.of_kind(Kind.QUESTION)
    assert question and task.work.on(2).state is S.NEEDS_HUMAN and question.default
    await work.settle()
    await work.say("argon2", ANA)
    await work.settle()
    assert work.told(2).since == ("argon2",)
    assert (await work.now()).work.on(2).state is S.DONE


async def test_nobody_without_the_right_answers_a_question(work: Work) -> None:
    work.workshop.minions.scripts = {2: [says(Asked(question="Which hash?"))]}
    await work.accepted()
    await work.settle()
    await work.say("md5", Presser(person=PersonId("mallory")))
    task = await work.now()
    assert task.of_kind(Kind.QUESTION) and not task.wishes, "a remark, and not even one that minions are told"


async def test_more_scope_is_one_decision_over_the_very_paths(work: Work) -> None:
    wants = says(WantsScope(paths=("settings.py",), why="the form needs a switch"))
    work.workshop.minions.scripts = {1: [wants]}
    await work.accepted()
    await work.settle()
    scope = (await work.now()).of_kind(Kind.SCOPE)
    assert scope and scope.evidence == ("settings.py",)
    await work.press(Kind.SCOPE, "allow")
    await work.settle()
    brief = work.told(1)
    assert brief.work.scope.refuse("settings.py") is None and brief.work.scope.refuse("other.py")
    assert "settings.py" in brief.since[0]


async def test_a_refused_scope_leaves_it_as_it_was_and_says_what_to_do_instead(work: Work) -> None:
    work.workshop.minions.scripts = {1: [says(WantsScope(paths=("settings.py",), why="a switch"))]}
    await work.accepted()
    await work.settle()
    await work.press(Kind.SCOPE, "refuse", "use the environment")
    await work.settle()
    brief = work.told(1)
    assert brief.work.scope.refuse("settings.py") and "use the environment" in brief.since[0]


@pytest.mark.parametrize("ending", list(Ending))
async def test_a_run_that_came_to_nothing_goes_to_a_person_with_its_patch(work: Work, ending: Ending) -> None:
    work.workshop.minions.scripts = {1: [says(GaveUp(ending=ending, problem="it would not do"))]}
    await work.accepted()
    await work.settle()
    task = await work.now()
    assert task.work.on(1).state is S.NEEDS_HUMAN and task.work.on(1).patch in work.workshop.artefacts.kept
    stuck = task.of_kind(Kind.ESCALATION)
    assert stuck and stuck.evidence[0] == "it would not do"


async def test_what_is_dropped_takes_along_what_waits_for_it(work: Work) -> None:
    work.workshop.minions.scripts = {1: [says(GaveUp(ending=Ending.BLOCKED, problem="no"))]}
    await work.accepted()
    await work.settle()
    await work.press(Kind.ESCALATION, "drop")
    assert await work.states() == [S.FAILED, S.DONE, S.BLOCKED, S.PENDING]
    assert (await work.now()).work.on(3).problem == Reason(code=Why.NEEDS_DROPPED, names=("T-1.1",))
    assert put((await work.now()).work.on(3).problem) == "it waits for T-1.1, which was dropped"
    await work.settle()
    assert (await work.now()).of_kind(Kind.MERGE)


async def test_a_task_of_which_nothing_came_has_failed(work: Work) -> None:
    no = says(GaveUp(ending=Ending.TURNS, problem="50 turns were not enough"))
    work.workshop.minions.scripts = {1: [no], 2: [no]}
    await work.accepted()
    await work.settle()
    await work.press(Kind.ESCALATION, "drop")
    assert (await work.now()).state is TaskState.RUNNING, "one of two is still open"
    await work.press(Kind.ESCALATION, "drop")
    task = await work.now()
    assert await work.states() == [S.FAILED, S.FAILED, S.BLOCKED, S.PENDING]
    assert (task.state, task.open, put(task.reason)) == (TaskState.FAILED, (), "every subtask failed or was dropped")
    assert put(task.work.on(1).problem) == "dropped: 50 turns were not enough"
    await work.run_next("tidy")
    assert not work.workshop.checkouts.opened
    apart = await work.office.database.read(lambda tx: audit.examine(tx.db).apart)
    assert apart == (), "doctor agrees"


async def test_a_person_may_take_a_branch_over_and_hand_it_in(work: Work) -> None:
    work.workshop.minions.scripts = {1: [says(GaveUp(ending=Ending.TURNS, problem="no"))]}
    await work.accepted()
    await work.settle()
    await work.press(Kind.ESCALATION, "take")
    work.workshop.checkouts.branches["ai/t-1.1-write-the-form"] = "f" * 40
    await work.press(Kind.TAKEN, "hand_in")
    await work.settle()
    assert "f" * 40 in [candidate.commit for candidate in work.workshop.gates.judged]
    assert (await work.now()).work.on(1).state is S.DONE


@pytest.mark.parametrize(
    ("level", "rule"),
    [
        (RiskLevel.MEDIUM, "gate_medium"),
        (RiskLevel.HIGH, "gate_high"),
        (RiskLevel.CRITICAL, "gate_critical"),
    ],
)
async def test_a_step_gate_is_as_strict_as_the_risk(work: Work, level: RiskLevel, rule: str) -> None:
    work.workshop.risk = Risk(level=level, why=("auth code: password.py",))
    await work.accepted()
    await work.settle()
    gate = (await work.now()).of_kind(Kind.GATE)
    assert gate and rule_name(gate) == rule
    assert gate and gate.evidence == ("auth code: password.py",) and bool(gate.due) is (level is RiskLevel.MEDIUM)
    await work.press(Kind.GATE, "pass")
    if level is RiskLevel.CRITICAL:
        assert (await work.now()).of_kind(Kind.GATE), "one is not enough"
        await work.press(Kind.GATE, "pass", by=Presser(person=PersonId("sec"), groups=frozenset({Group.SECURITY_TEAM})))
    await work.settle()
    assert (await work.now()).work.on(1).state is S.DONE


@pytest.mark.parametrize("leaves", [False, True])
async def test_attack_19_what_only_time_let_pass_does_not_leave_the_machine(work: Work, leaves: bool) -> None:
    """Nobody looks at three steps of medium risk. A person lets the whole go, or it stays here for ever."""
    work.workshop.risk = Risk(level=RiskLevel.MEDIUM, why=("auth code: password.py",))
    work.leaves = leaves
    await work.accepted()
    for _ in range(2):  # two side by side, and the third
        await work.settle()
        assert set(await work.time_passes()) == {Kind.GATE}
    await work.settle()
    task = await work.now()
    assert [each.by_time for each in task.work.subtasks] == [True, True, True, False]
    gate = task.of_kind(Kind.GATE)
    assert gate and rule_name(gate) == "gate_medium"
    said = decision_card(task, gate, str).text
    assert "auth code" in said, "the whole has a gate like any other step"
    assert ("T-1.1 and T-1.2 and T-1.3 passed only because the time" in said) is leaves
    if leaves:
        assert not gate.due
        assert not await work.time_passes() and not work.workshop.forge.pulls
        await work.press(Kind.GATE, "pass")
    else:
        assert set(await work.time_passes()) == {Kind.GATE}
    await work.settle()
    assert (await work.now()).of_kind(Kind.MERGE) and len(work.workshop.forge.pulls) == 1


SILENT: dict[str, object] = {
    "it is down": no_answer(),
    "it cannot say": {"status": "no_verdict"},
    "it turns it down and says nothing": {"status": "rejected"},
}


@pytest.mark.parametrize("silence", SILENT)
async def test_a_reviewer_who_says_nothing_is_never_taken_for_a_yes(tmp_path: Path, silence: str) -> None:
    llm = ScriptedLlm(always={"decompose": PLAN, "critic": GO, "custodiet": OK, "code_review": SILENT[silence]})
    async with planning(tmp_path, lambda office: lambda job: llm) as plan:
        work = Work(plan.office, plan.llm, plan.task, workshop=Workshop())
        await work.accepted()
        await work.settle()
        gate = (await work.now()).of_kind(Kind.GATE)
        assert gate and rule_name(gate) == "gate_high", "low risk, but nobody read it"


async def test_work_whose_commits_do_not_fit_goes_to_a_person(work: Work) -> None:
    work.workshop.checkouts.conflicts = {"ai/t-1.1-write-the-form"}
    await work.accepted()
    await work.settle()
    assert (await work.now()).of_kind(Kind.ESCALATION)


async def test_a_task_that_is_laid_over_to_a_person_ends_and_says_what_there_is(work: Work) -> None:
    await work.accepted()
    await work.settle()
    await work.stop()
    await work.press(Kind.STOPPED, "hand_over", by=ANA)
    await work.settle()
    task, facts = await work.now(), await work.facts()
    assert task.state is TaskState.CANCELLED and facts[-1] == "WorkKept"
    assert not task.open


async def test_a_task_that_is_resumed_while_a_stopped_run_still_commits_goes_on(work: Work) -> None:
    """Whoever resumes it finds that run still at work, so nobody would start it again but the run itself."""

    class Resumed(MemoryCheckouts):
        async def commit(self, checkout: Checkout, message: Message) -> str:
            if (await work.now()).at_rest:
                await work.press(Kind.STOPPED, "resume", by=ANA)
                work.runs += 1  # the job that is under way is not given up
                assert "resume_work" in await work.settle()
            return await super().commit(checkout, message)

    async def stopped(brief: Brief, watch: Watch) -> Outcome:
        await work.stop()
        return await never_ends(brief, watch)

    work.workshop.checkouts = Resumed()
    work.workshop.minions.scripts = {1: [stopped, finishes()]}
    await work.accepted()
    await work.settle()
    task = await work.now()
    assert [each.state for each in task.work.subtasks] == [SubtaskState.DONE] * 4 and task.of_kind(Kind.MERGE)
    assert task.work.on(1).attempt == 1


async def test_the_use_of_skills_is_known_by_subtask(work: Work) -> None:
    """A retry is the same subtask."""
    tests = finishes(skills=("python-tests",))
    both = finishes(skills=("python-tests", "changelog"))
    work.workshop.minions.scripts = {1: [tests, both], 2: [both]}
    work.workshop.gates.says = {"T-1.1-1": (failing(),)}
    await work.accepted()
    await work.settle()
    task = await work.now()
    assert [w.skills for w in task.work.subtasks][:3] == [("python-tests", "changelog")] * 2 + [()]
