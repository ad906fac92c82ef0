"""What is pushed before it is finished, and on whose word; and a wait that no job sits through."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agents.catalog.library import Declared
from agents.catalog.workflows import CHOSEN
from agents.catalog.yaml import parse_yaml
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.checks.remote import CheckState
from agents.domain.checks.risk import Risk
from agents.domain.decisions.authority import Kind
from agents.domain.work.work import SubtaskState
from bot.services import catalog_of
from store.running.jobs import Job
from store.running.leases import Lease
from tests.fakes.work import remote
from tests.flows.work import Work, work as work

MEDIUM = Risk(level=RiskLevel.MEDIUM, why=("auth code: password.py",))


def shows_early(work: Work, draft: str = "early") -> None:
    written = parse_yaml(f"template: open_source\noverrides: {{create_pr: {{config: {{draft: {draft}}}}}}}\n", name="x")
    declared = Declared(contexts=None, roles={}, workflow=CHOSEN.read(written.data), workflows={})
    work.office = replace(work.office, catalog=catalog_of(declared))


def acts(work: Work) -> list[str]:
    return [act.split()[0] for act in work.workshop.forge.acts]


async def test_the_plans_approval_covers_the_early_push_and_nothing_after_it(work: Work) -> None:
    shows_early(work)
    work.leaves = True
    await work.accepted()
    await work.settle()
    task = await work.now()
    assert acts(work) == ["draft", "update", "ready"] and task.of_kind(Kind.OUTSIDE_REVIEW)
    first, branch = work.workshop.forge.asked[0], work.workshop.checkouts.branches[task.work.branch]
    assert first.head == branch, "all of it, and nothing less"


@pytest.mark.parametrize("draft", ["early", "end"])
async def test_a_forge_without_drafts_gets_what_is_finished(work: Work, draft: str) -> None:
    shows_early(work, draft)
    work.workshop.forge.drafts = False
    await work.accepted()
    await work.settle()
    await work.press(Kind.OUTSIDE_REVIEW, "over")
    await work.settle()
    assert acts(work) == ["open"] and (await work.now()).of_kind(Kind.MERGE)


@pytest.mark.parametrize("leaves", [False, True])
async def test_what_only_time_let_pass_is_shown_to_nobody_outside_until_a_person_lets_it(
    work: Work, leaves: bool
) -> None:
    shows_early(work)
    work.workshop.risk, work.leaves = MEDIUM, leaves
    await work.accepted()
    for _ in range(2):
        await work.settle()
        assert set(await work.time_passes()) == {Kind.GATE}
    await work.settle()
    assert acts(work) == ([] if leaves else ["draft"])
    gate = (await work.now()).of_kind(Kind.GATE)
    assert gate and bool(gate.due) is not leaves, "and the whole has no clock where it leaves the machine"
    await work.press(Kind.GATE, "pass")
    await work.settle()
    assert len(work.workshop.forge.pulls) == 1 and (await work.now()).of_kind(Kind.OUTSIDE_REVIEW)


async def test_an_early_draft_does_not_let_the_whole_pass_by_time(work: Work) -> None:
    """Somebody looked at each step, so it was shown early; what comes after that is a person's again."""
    shows_early(work)
    work.workshop.risk, work.leaves = MEDIUM, True
    await work.accepted()
    for _ in range(3):
        await work.settle()
        await work.press(Kind.GATE, "pass")
    await work.settle()
    task = await work.now()
    gate = task.of_kind(Kind.GATE)
    assert task.delivery.early and acts(work) == ["draft"]
    assert gate and gate.due is None and not await work.time_passes()


async def test_a_later_round_does_not_leave_by_time_either(work: Work) -> None:
    work.workshop.risk, work.leaves = MEDIUM, True
    await work.accepted()
    await work.settle()
    while (await work.now()).of_kind(Kind.GATE):
        await work.press(Kind.GATE, "pass")
        await work.settle()
    assert (await work.now()).delivery.rounds == 1
    await work.press(Kind.MERGE, "changes", words="shorter names")
    await work.settle()
    gate = (await work.now()).of_kind(Kind.GATE)
    assert gate and gate.due is None and not await work.time_passes()
    assert len(work.workshop.forge.asked) == 1, "nothing more was pushed"


async def later(work: Work, seconds: float) -> Job | None:
    """What may be claimed by then."""
    at = work.office.clock.now() + timedelta(seconds=seconds)
    lease = Lease(owner="later", at=at, until=at + timedelta(seconds=60))
    jobs = await work.office.database.write(lambda tx: tx.jobs.claim(lease, work.office.limits, 1))
    return jobs[0] if jobs else None


async def test_nobody_sits_through_the_wait_and_looking_again_is_no_failure(work: Work) -> None:
    shows_early(work)
    work.workshop.forge.runs = lambda commit, look: (remote("build", CheckState.WAITING),)
    await work.accepted()
    await work.settle()
    last = (await work.now()).work.subtasks[-1]
    assert last.state is SubtaskState.EVALUATING and last.awaits and last.awaits.waiting == ("build",)
    assert await later(work, 1) is None, "no job holds a place meanwhile"
    for _ in range(5):
        job = await later(work, work.office.limits.checks_apart + 1)
        assert job and (job.flow, job.attempts, job.problem) == ("await_checks", 0, "")
        await work.run(job)
    work.workshop.forge.runs = lambda commit, look: (remote("build", CheckState.PASSED),)
    job = await later(work, work.office.limits.checks_apart + 1)
    assert job
    work.office = replace(work.office, limits=replace(work.office.limits, checks_grace=0))
    await work.run(job)
    assert (await work.now()).work.subtasks[-1].state is SubtaskState.DONE
