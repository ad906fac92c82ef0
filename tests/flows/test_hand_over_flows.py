"""A person goes on with a branch or with all of it, and issues are told what became of their work, flow by flow."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain import events as e
from agents.domain.checks.evaluation import GateRun, Score
from agents.domain.decisions import pressing
from agents.domain.decisions.authority import Kind
from agents.domain.task.facts import Origin
from agents.domain.task.reports import TELLS, Act, on_issue
from agents.domain.work.work import Ending, SubtaskState
from agents.ports import GaveUp
from bot.cards.work.outside import issue_comment
from store.codec import Cause
from store.transaction import Transaction
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import Workshop, failing, says
from tests.flows.work import APPROVED, PLAN, Work
from tests.flows.world import ANA, planning
from tests.scenarios.plans import GO, OK

BRANCH = "ai/t-1.1-write-the-form"
GIVES_UP = says(GaveUp(ending=Ending.TURNS, problem="It got nowhere"))


@pytest.fixture
async def work(tmp_path: Path) -> AsyncIterator[Work]:
    llm = ScriptedLlm(always={"decompose": PLAN, "critic": GO, "custodiet": OK, "code_review": APPROVED})
    async with planning(tmp_path, lambda office: lambda job: llm) as plan:
        yield Work(plan.office, plan.llm, plan.task, workshop=Workshop())


async def taken(work: Work) -> None:
    work.workshop.minions.scripts = {1: [GIVES_UP]}
    await work.accepted()
    await work.settle()
    await work.press(Kind.ESCALATION, "take")
    assert "publish_branch" in await work.settle()


async def published(work: Work) -> e.BranchPublished:
    facts = await work.office.database.read(lambda tx: tx.log.facts(work.task))
    return next(each.event for each in facts if isinstance(each.event, e.BranchPublished))


async def test_a_branch_that_is_taken_over_is_where_the_person_works(work: Work) -> None:
    await taken(work)
    assert work.workshop.forge.branches == {BRANCH: work.workshop.checkouts.branches[BRANCH]}
    fact = await published(work)
    assert (fact.branch, fact.how, fact.problem) == (BRANCH, f"git switch {BRANCH}", "")


async def test_what_the_person_made_of_it_is_judged_and_goes_on(work: Work) -> None:
    await taken(work)
    work.workshop.forge.branches[BRANCH] = "f" * 40
    await work.press(Kind.TAKEN, "hand_in")
    await work.settle()
    done = (await work.now()).work.on(1)
    assert done.state is SubtaskState.DONE and done.commit == "f" * 40
    assert "f" * 40 in [candidate.commit for candidate in work.workshop.gates.judged]
    assert "f" * 40 in work.workshop.checkouts.contains["ai/t-1-logging-in-works"], "and brought in"


async def test_a_branch_that_cannot_be_brought_is_said_and_ours_is_judged(work: Work) -> None:
    work.workshop.forge.closed = {BRANCH}
    await taken(work)
    assert "is checked out" in (await published(work)).problem
    await work.press(Kind.TAKEN, "hand_in")
    await work.settle()
    assert (await work.now()).work.on(1).commit == work.workshop.checkouts.branches[BRANCH]


async def test_a_branch_with_a_secret_in_its_history_goes_nowhere(work: Work) -> None:
    secret = GateRun(name="secrets", score=Score.FAIL, why="what looks like a secret in form.py")
    work.workshop.gates.says = {"T-1.1-1": (secret,)}
    await work.accepted()
    await work.settle()
    await work.press(Kind.ESCALATION, "take")
    await work.settle()
    assert not work.workshop.forge.branches
    fact = await published(work)
    assert not fact.how and "what looks like a secret" in fact.problem and "patch" in fact.problem


async def test_the_whole_is_taken_over_on_the_tasks_own_branch(work: Work) -> None:
    """The closing subtask has no branch: a person who takes it over mends what was brought together."""
    broken = replace(failing(), score=Score.FAIL)
    work.workshop.gates.says = {"T-1.4-1": (broken,)}
    await work.accepted()
    await work.settle()
    await work.press(Kind.ESCALATION, "take")
    await work.settle()
    branch = "ai/t-1-logging-in-works"
    assert (await published(work)).how == f"git switch {branch}"
    work.workshop.forge.branches[branch], work.workshop.gates.says = "e" * 40, {}
    await work.press(Kind.TAKEN, "hand_in")
    await work.settle()
    assert work.workshop.gates.judged[-1].commit == "e" * 40 and (await work.now()).of_kind(Kind.MERGE)


async def hand_over(work: Work) -> e.WorkKept:
    def stop(tx: Transaction) -> None:
        task = tx.log.task(work.task)
        facts = pressing.stop(task, ANA, "", work.office.moment(task.request.channel, "stop"))
        tx.log.append(task.id, facts, Cause(actor="console:ana", delivery="stop"))

    await work.office.database.write(stop)
    await work.press(Kind.STOPPED, "hand_over", by=ANA)
    await work.settle()
    facts = await work.office.database.read(lambda tx: tx.log.facts(work.task))
    return next(each.event for each in facts if isinstance(each.event, e.WorkKept))


async def test_all_branches_are_handed_over_and_no_folder_stays(work: Work) -> None:
    await work.accepted()
    await work.run_next("begin_work", "work", "evaluate", "work")
    work.workshop.checkouts.opened.add(BRANCH)
    work.workshop.forge.closed = {"ai/t-1.2-check-the-password"}
    kept = await hand_over(work)
    assert kept.how == (f"git switch {BRANCH}",)
    assert len(kept.problems) == 1 and "ai/t-1.2-check-the-password" in kept.problems[0]
    assert set(work.workshop.forge.branches) == {BRANCH} and not work.workshop.checkouts.opened


# ── issues ──────────────────────────────────────────────────────────────────────────────────────────────────────────

ORIGIN = Origin(key="github:acme/shop#7@1", project="shop", number=7, url="https://github.com/7", by="mia", heard=True)


@pytest.mark.parametrize("ending", list(Ending))
async def test_what_a_run_came_to_is_told_under_a_key_of_its_own(work: Work, ending: Ending) -> None:
    await work.accepted()
    task = await work.now()
    task = replace(task, request=replace(task.request, origin=ORIGIN))
    fact = e.MinionFailed(task=task.id, at=task.changed_at, subtask=1, attempt=2, ending=ending, problem="It hurts")
    told = on_issue(task, fact)
    assert told and told.act is (Act.BLOCKED if ending is Ending.BLOCKED else Act.ATTENTION)
    assert told.key == "github:acme/shop#7@1:T-1:failed:1:2" and "It hurts" in issue_comment(task, fact)
    assert on_issue(replace(task, request=replace(task.request, origin=None)), fact) is None


async def test_a_task_from_chat_tells_no_issue(work: Work) -> None:
    work.workshop.minions.scripts = {1: [GIVES_UP]}
    await work.accepted()
    assert "tell_issue" not in await work.settle() and not work.workshop.issues.said
    assert e.PullOpened in TELLS and e.SubtaskEscalated in TELLS
