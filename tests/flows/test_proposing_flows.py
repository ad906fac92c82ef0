"""A minion that reports a blocker gives rise to a proposal, once, and nothing waits for it."""

import pytest

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import DecisionState
from agents.domain.decisions.kind import Moment
from agents.domain.errors import PressRefused
from agents.domain.events import Event
from agents.domain.ids import project_id
from agents.domain.learning.proposal import Level, Listed, ProposalStatus, ProposalType, Trigger
from agents.domain.project.project import Project
from agents.domain.task.task import Task, TaskState
from agents.domain.task.view import Pending, is_stalled
from agents.domain.work.work import Ending
from agents.ports import Checkout, GaveUp
from store.streams import audit
from tests.fakes.work import MemoryCheckouts, says
from tests.flows.work import Work, work as work
from tests.flows.world import ANA

BLOCKER = "There is no compiler in the sandbox (exit 127)"
AGAIN = "there is no compiler in the sandbox: exit 1"
OTHERWISE = "I cannot go on: no compiler is available in this sandbox."


def blocked(problem: str = BLOCKER) -> GaveUp:
    return GaveUp(ending=Ending.BLOCKED, problem=problem)


async def stuck(work: Work, *problems: str) -> Work:
    """Subtask by subtask: what each minion reports."""
    work.workshop.minions.scripts = {n: [says(blocked(p))] for n, p in enumerate(problems, 1)}
    await work.accepted()
    await work.settle()
    return work


async def listed(work: Work) -> list[Listed]:
    return await work.office.database.read(lambda tx: tx.proposals.all(pending=False))


async def whole(work: Work) -> bool:
    return not await work.office.database.read(lambda tx: audit.examine(tx.db).apart)


async def shown(work: Work) -> Task:
    """The task with what its project asks for in its thread."""
    return await work.office.database.read(lambda tx: tx.log.in_thread(work.task))


async def facts_of_project(work: Work) -> list[str]:
    project = project_id((await work.now()).project or "")
    recorded = await work.office.database.read(lambda tx: tx.log.facts(project))
    return [type(each.event).__name__ for each in recorded]


async def test_a_blocker_becomes_a_proposal_beside_the_escalation(work: Work) -> None:
    await stuck(work, BLOCKER)
    task = await shown(work)
    [proposal] = task.proposals
    assert (proposal.type, proposal.status) == (ProposalType.TOOL_FIX, ProposalStatus.PENDING)
    assert proposal.rationale.trigger is Trigger.BLOCKER and BLOCKER in proposal.rationale.evidence[0]
    assert (proposal.estimated_impact, proposal.related_tasks) == (Level.HIGH, ("T-1",)), "a subtask waits for it"
    asked = task.of_kind(Kind.PROPOSAL)
    assert asked and asked.due is None and task.of_kind(Kind.ESCALATION)
    facts = await work.office.database.read(lambda tx: tx.log.facts_in_thread(task, last=1000))
    kinds = [type(each.event).__name__ for each in facts]
    made = kinds.index("MinionFailed")
    assert kinds[made : made + 4] == ["MinionFailed", "DecisionOpened", "ProposalMade", "DecisionOpened"]
    assert len({each.cause.delivery for each in facts[made : made + 4]}) == 1, "recorded by one job"
    assert await facts_of_project(work) == ["ProposalMade", "DecisionOpened"]
    assert not (await work.now()).of_kind(Kind.PROPOSAL), "it is the project's"
    assert [each.proposal for each in await listed(work)] == [proposal] and await whole(work)


async def test_only_a_blocker_does(work: Work) -> None:
    work.workshop.minions.scripts = {1: [says(GaveUp(ending=Ending.TURNS, problem=BLOCKER))]}
    await work.accepted()
    await work.settle()
    assert await listed(work) == []


async def test_the_words_of_a_blocker_do_not_choose_the_kind_of_its_proposal(work: Work) -> None:
    await stuck(work, "The setting DATABASE_URL is not there: a config_change, new_skill, credential, permission")
    [each] = await listed(work)
    assert each.proposal.type is ProposalType.TOOL_FIX


async def test_a_second_equal_blocker_makes_no_second_proposal(work: Work) -> None:
    await stuck(work, BLOCKER, AGAIN)
    assert len(await listed(work)) == 1
    assert sum(d.kind is Kind.ESCALATION for d in (await work.now()).open) == 2, "each is asked about all the same"


async def test_a_job_that_decides_sees_the_project_as_it_is(work: Work) -> None:
    await stuck(work, BLOCKER)
    await work.press(Kind.ESCALATION, "hint", "look again")
    store, seen = work.ports(await work.next_job()).store, list[Project | None]()

    def decide(task: Task, moment: Moment) -> list[Event]:
        seen.append(moment.project())
        return []

    await store.note(work.task, decide)
    [project] = seen
    assert project and project.name == "shop" and [each.task for each in project.proposals] == [work.task]


@pytest.mark.parametrize(("choice", "words"), [("approve", AGAIN), ("reject", AGAIN), ("reject", OTHERWISE)])
async def test_what_was_decided_on_does_not_come_back(work: Work, choice: str, words: str) -> None:
    await stuck(work, BLOCKER)
    await work.press(Kind.PROPOSAL, choice)
    work.workshop.minions.scripts = {1: [says(blocked(words))]}
    await work.press(Kind.ESCALATION, "hint", "look again")
    await work.settle()
    assert len(await listed(work)) == 1 and not (await shown(work)).proposals


async def test_a_rejection_is_kept_with_its_reason(work: Work) -> None:
    await stuck(work, BLOCKER)
    with pytest.raises(PressRefused, match="needs_words"):
        await work.press(Kind.PROPOSAL, "reject_because")
    await work.press(Kind.PROPOSAL, "reject_because", "we never compile")
    [each] = await listed(work)
    assert (each.proposal.status, each.reason, each.account) == ("rejected", "we never compile", "console:lead")
    assert each.proposal.resolved_at and (await facts_of_project(work))[-1] == "ProposalRejected" and await whole(work)


async def test_the_owner_who_is_no_approver_may_not_decide(work: Work) -> None:
    await stuck(work, BLOCKER)
    with pytest.raises(PressRefused, match="not_yours"):
        await work.press(Kind.PROPOSAL, "approve", by=ANA)


async def test_it_holds_up_nothing_and_outlives_its_task(work: Work) -> None:
    await stuck(work, BLOCKER)
    await work.press(Kind.ESCALATION, "drop")
    await work.settle()
    await work.press(Kind.MERGE, "merge")
    await work.settle()
    task = await shown(work)
    assert task.state is TaskState.DONE and [d.kind for d in task.open] == [Kind.PROPOSAL]
    asked = task.open[0]
    await work.press(Kind.PROPOSAL, "approve")
    decided = await work.office.database.read(lambda tx: tx.ledger.find(asked.id))
    assert decided and decided.state is DecisionState.DECIDED and not (await shown(work)).open
    [each] = await listed(work)
    assert each.proposal.status is ProposalStatus.APPROVED and each.carried_out_by is None and await whole(work)


async def test_a_cancelled_task_leaves_its_proposal_open(work: Work) -> None:
    await stuck(work, BLOCKER)
    await work.press(Kind.ESCALATION, "cancel", "never mind")
    task = await shown(work)
    assert task.state is TaskState.CANCELLED and [d.kind for d in task.open] == [Kind.PROPOSAL]
    await work.press(Kind.PROPOSAL, "reject")
    assert not (await shown(work)).open and await whole(work)


async def test_an_open_proposal_does_not_hide_a_task_that_nothing_moves(work: Work) -> None:
    await stuck(work, BLOCKER)
    task = await work.now()
    assert not is_stalled(task, Pending())
    await work.press(Kind.ESCALATION, "hint", "look again")
    assert is_stalled(await work.now(), Pending()), "but for its job"


class DyingCheckouts(MemoryCheckouts):
    """The process dies as the run ends, before anything of that is recorded."""

    dies = True

    async def close(self, checkout: Checkout) -> None:
        if self.dies:
            self.dies = False
            raise Died
        await super().close(checkout)


class Died(Exception):
    pass


async def test_a_crash_at_the_end_of_the_run_leaves_all_of_it_or_nothing(work: Work) -> None:
    work.workshop.checkouts = DyingCheckouts()
    work.workshop.minions.scripts = {1: [says(blocked()), says(blocked())]}
    await work.accepted()
    await work.run_next("begin_work")
    with pytest.raises(Died):
        await work.run_next("work")
    assert await listed(work) == [] and "MinionFailed" not in await work.facts()
    assert await facts_of_project(work) == []
    await work.settle()
    assert len(await listed(work)) == 1 and (await work.facts()).count("MinionFailed") == 1 and await whole(work)
