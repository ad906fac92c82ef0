"""A phase begins anew, or what it brought is taken back: also while later phases have begun."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.decisions import pressing
from agents.domain.decisions.authority import Group, Kind, NotYours, Presser
from agents.domain.decisions.decision import Refused
from agents.domain.decisions.kinds.phases.phase_change import PhaseOption
from agents.domain.decisions.kinds.phases.unreverted import UnrevertedOption
from agents.domain.decisions.subject import PhaseAct
from agents.domain.ids import PersonId
from agents.domain.task.task import TaskState
from agents.domain.work.work import SubtaskState as S
from agents.flows import FLOWS
from agents.ports import Asked
from bot.cards.decisions import decision_card
from store.codec import Cause
from store.streams import audit
from store.transaction import Transaction
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import Play, Workshop, failing, never_ends, says
from tests.flows.test_kill_each_step import Killed, MortalStore
from tests.flows.work import APPROVED, LEAD, Work, note_delivery
from tests.flows.world import ANA, planning
from tests.scenarios.plans import GO, OK, Says, subtask

BO = Presser(person=PersonId("bo"))
APPROVER = Presser(person=PersonId("cy"), groups=frozenset({Group.APPROVER}))
PLAN: Says = {
    "status": "COMPLETE",
    "goal": "Logging in works",
    "phases": [{"number": 1, "title": "Interfaces"}, {"number": 2, "title": "Parts"}],
    "subtasks": [
        subtask("Write the form", files=["form.py"], phase=1),
        subtask("Check the password", files=["password.py"], phase=1),
        subtask("Put both together", 1, files=["app.py"], phase=2),
        subtask("Tell people", files=["README.md"], phase=2),
    ],
}


def asks(question: str) -> Play:
    return says(Asked(question=question, options=(), default="", why="", risky=True))


class Phases(Work):
    async def run_until(self, flow: str) -> None:
        """Up to, and without, the next job of this flow."""
        while (job := await self.any_job()) and job.flow != flow:
            await self.run(job)
        assert job

    async def ask(self, act: PhaseAct, phase: int, by: Presser = ANA) -> None:
        def transaction(tx: Transaction) -> None:
            task = tx.log.in_thread(self.task)
            key = note_delivery(tx, f"{act}:{phase}:{self.office.clock.now()}:{len(task.open)}", self.office)
            moment = self.office.moment(task.request.channel, key)
            facts = pressing.change_phase(act)(task, by, str(phase), moment)
            tx.log.append(task.id, facts, Cause(actor="console:ana", delivery=key))

        await self.office.database.write(transaction)

    async def change(self, act: PhaseAct, phase: int) -> None:
        await self.ask(act, phase)
        await self.press(Kind.PHASE, PhaseOption.GO)

    async def rows(self, kind: Kind) -> dict[str, str]:
        task = await self.now()
        asked = task.of_kind(kind)
        assert asked
        return {row.label: row.value for row in decision_card(task, asked, str).rows}

    async def minions(self) -> list[tuple[int, int]]:
        return [(brief.subtask.number, brief.work.attempt) for brief in self.workshop.minions.briefs]


@pytest.fixture
async def work(tmp_path: Path) -> AsyncIterator[Phases]:
    llm = ScriptedLlm(always={"decompose": PLAN, "critic": GO, "custodiet": OK, "code_review": APPROVED})
    async with planning(tmp_path, lambda office: lambda job: llm) as plan:
        yield Phases(plan.office, plan.llm, plan.task, workshop=Workshop())


async def test_a_phase_begins_anew_on_the_branch_as_it_is_and_later_phases_keep_what_is_done(work: Phases) -> None:
    await work.accepted()
    await work.settle()
    assert (await work.now()).of_kind(Kind.MERGE) and await work.states() == [S.DONE] * 5
    tip = (await work.now()).delivery.head
    await work.ask(PhaseAct.RESTART, 1)
    rows = await work.rows(Kind.PHASE)
    assert rows["Begins anew"] == "T-1.1 Write the form (done); T-1.2 Check the password (done)"
    assert rows["Stays, though it needs what changes"] == "T-1.3 Put both together (done)"
    assert rows["Of later phases, stays"] == "T-1.4 Tell people (done)"
    assert (await work.now()).of_kind(Kind.MERGE), "asking changes nothing"
    await work.press(Kind.PHASE, PhaseOption.GO)
    task = await work.now()
    assert task.of_kind(Kind.MERGE) is None and not task.of_kind(Kind.PHASE)
    assert await work.states() == [S.PENDING, S.PENDING, S.DONE, S.DONE, S.PENDING]
    await work.settle()
    assert (await work.minions())[-2:] == [(1, 2), (2, 2)], "the phase alone, and each in a run of its own"
    again = work.told(1).work
    assert (again.tries, again.branch) == (1, "ai/t-1.1-write-the-form-2") and work.told(1).work.base == tip
    task = await work.now()
    assert await work.states() == [S.DONE] * 5 and task.of_kind(Kind.MERGE)
    assert task.delivery.rounds == 2 and len(task.work.on(1).contribution) == 2
    await work.press(Kind.MERGE, "merge")
    await work.settle()
    assert (await work.now()).state is TaskState.DONE


async def test_a_minion_at_work_is_called_off_when_its_phase_begins_anew(work: Phases) -> None:
    work.workshop.minions.scripts[1] = [asks("Which form?")]
    work.workshop.gates.says["T-1.2-1"] = work.workshop.gates.says["T-1.2-2"] = (failing(),)
    await work.accepted()
    await work.run_until("run_step")
    asked = (await work.now()).of_kind(Kind.QUESTION)
    assert asked
    await work.change(PhaseAct.RESTART, 1)
    assert (await work.now()).of_kind(Kind.QUESTION) is None, "nobody waits for the answer any more"
    await work.settle()
    task = await work.now()
    assert await work.states() == [S.DONE] * 5 and task.of_kind(Kind.MERGE)


async def test_what_a_phase_brought_is_taken_back_and_what_needs_it_goes_or_is_named(work: Phases) -> None:
    work.workshop.minions.scripts[3] = [asks("How?")]
    await work.accepted()
    await work.settle()
    assert await work.states() == [S.DONE, S.DONE, S.NEEDS_HUMAN, S.DONE, S.PENDING]
    await work.ask(PhaseAct.REVERT, 1)
    rows = await work.rows(Kind.PHASE)
    task = await work.now()
    first, second = (task.work.on(n).commit[:10] for n in (1, 2))
    assert rows["Taken back"] == f"T-1.1 Write the form ({first}); T-1.2 Check the password ({second})"
    assert rows["Stays, though it needs what changes"] == "T-1.3 Put both together (waits for a person)"
    await work.press(Kind.PHASE, PhaseOption.GO)
    assert await work.settle() == ["revert_phase", "clear_phase", "clear_phase"]
    assert [text.partition("\n")[0] for text in work.workshop.checkouts.undone] == [
        "T-1.1: Revert Write the form",
        "T-1.2: Revert Check the password",
    ]
    assert await work.states() == [S.CANCELLED, S.CANCELLED, S.NEEDS_HUMAN, S.DONE, S.PENDING]
    await work.change(PhaseAct.RESTART, 1)
    await work.settle()
    assert (await work.states())[:2] == [S.DONE, S.DONE], "what was taken back may be done again"


async def test_what_waits_for_a_phase_goes_with_it_and_comes_back_with_it(work: Phases) -> None:
    work.workshop.minions.scripts[2] = [asks("Which hash?")]
    await work.accepted()
    await work.settle()
    assert await work.states() == [S.DONE, S.NEEDS_HUMAN, S.PENDING, S.PENDING, S.PENDING]
    await work.ask(PhaseAct.REVERT, 1)
    rows = await work.rows(Kind.PHASE)
    assert rows["Goes with it, for it needs it"] == "T-1.3 Put both together (not begun)"
    assert rows["Ends, with nothing to take back"] == "T-1.2 Check the password (waits for a person)"
    await work.press(Kind.PHASE, PhaseOption.GO)
    await work.settle()
    assert await work.states() == [S.CANCELLED, S.CANCELLED, S.BLOCKED, S.DONE, S.DONE]
    assert (await work.now()).of_kind(Kind.QUESTION) is None and (await work.now()).of_kind(Kind.MERGE)
    await work.ask(PhaseAct.RESTART, 1)
    assert (await work.rows(Kind.PHASE))[
        "Comes back, for it was dropped with it"
    ] == "T-1.3 Put both together (dropped)"
    await work.press(Kind.PHASE, PhaseOption.GO)
    await work.settle()
    assert await work.states() == [S.DONE] * 5


async def test_a_revert_that_does_not_fit_goes_to_a_person_and_nothing_starts_meanwhile(work: Phases) -> None:
    await work.accepted()
    await work.run_until("open_pull")
    task = await work.now()
    work.workshop.checkouts.unfit.add(task.work.on(2).commit)
    await work.settle()
    await work.change(PhaseAct.REVERT, 1)
    await work.settle()
    task = await work.now()
    assert task.work.reverting and task.of_kind(Kind.UNREVERTED) and task.of_kind(Kind.MERGE) is None
    assert await work.states() == [S.DONE] * 4 + [S.PENDING]
    assert (await work.rows(Kind.UNREVERTED))["Changed again since"] == "src/app.py"
    with pytest.raises(Refused):
        await work.ask(PhaseAct.REVERT, 2)
    await work.press(Kind.UNREVERTED, UnrevertedOption.AGAIN)
    await work.settle()
    assert (await work.now()).of_kind(Kind.UNREVERTED), "asked again, for it still does not fit"
    await work.press(Kind.UNREVERTED, UnrevertedOption.KEEP)
    await work.settle()
    task = await work.now()
    assert await work.states() == [S.DONE] * 5 and task.of_kind(Kind.MERGE) and not task.work.reverting


async def test_where_nothing_is_left_a_person_is_asked(work: Phases) -> None:
    await work.accepted()
    await work.settle()
    await work.change(PhaseAct.REVERT, 2)
    await work.settle()
    await work.change(PhaseAct.REVERT, 1)
    await work.settle()
    asked = (await work.now()).of_kind(Kind.PHASE)
    assert asked and [option.value for option in asked.options] == [PhaseOption.GO, PhaseOption.CANCEL]
    await work.press(Kind.PHASE, PhaseOption.GO)
    await work.settle()
    assert await work.states() == [S.DONE, S.DONE, S.CANCELLED, S.CANCELLED, S.DONE]


async def test_only_entitled_people_ask_and_only_approvers_decide(work: Phases) -> None:
    await work.accepted()
    await work.settle()
    with pytest.raises(NotYours):
        await work.ask(PhaseAct.REVERT, 1, by=BO)
    await work.ask(PhaseAct.REVERT, 1)
    for nobody in (ANA, BO):
        with pytest.raises(NotYours):
            await work.press(Kind.PHASE, PhaseOption.GO, by=nobody)
    await work.press(Kind.PHASE, PhaseOption.KEEP)
    assert await work.states() == [S.DONE] * 5 and (await work.now()).of_kind(Kind.MERGE)


@pytest.mark.parametrize("phase", [0, 3, 99])
async def test_what_is_not_there_or_not_at_work_is_refused(work: Phases, phase: int) -> None:
    with pytest.raises(Refused):
        await work.ask(PhaseAct.RESTART, 1)
    await work.accepted()
    await work.settle()
    with pytest.raises(Refused):
        await work.ask(PhaseAct.RESTART, phase)
    await work.press(Kind.MERGE, "merge")
    with pytest.raises(Refused):
        await work.ask(PhaseAct.RESTART, 1, by=LEAD)


async def test_a_card_that_shows_other_work_does_not_count(work: Phases) -> None:
    work.workshop.minions.scripts[1] = [asks("Which form?")]
    await work.accepted()
    await work.run_until("run_step")
    await work.ask(PhaseAct.REVERT, 1)
    await work.settle()
    with pytest.raises(Refused):
        await work.press(Kind.PHASE, PhaseOption.GO)
    await work.change(PhaseAct.REVERT, 1)
    assert (await work.now()).work.reverting


async def test_a_stopped_task_goes_on_with_its_phase_anew_once_it_is_resumed(work: Phases) -> None:
    work.workshop.minions.scripts[1] = [asks("Which form?")]
    await work.accepted()
    await work.settle()
    await work.stop()
    await work.change(PhaseAct.RESTART, 1)
    assert "work" not in await work.settle()
    await work.press(Kind.STOPPED, "resume")
    await work.settle()
    assert await work.states() == [S.DONE] * 5


async def test_a_minion_that_runs_is_called_off_and_its_folder_goes(work: Phases) -> None:
    work.workshop.minions.scripts[1] = [never_ends]
    await work.accepted()
    await work.run_next("begin_work")
    job = await work.next_job()
    running = asyncio.ensure_future(work.run(job))
    await work.ports(job).store.until(work.task, lambda now: now.work.on(1).state is S.RUNNING)
    await work.change(PhaseAct.RESTART, 1)
    await asyncio.wait_for(running, 30)
    assert "ai/t-1.1-write-the-form" not in work.workshop.checkouts.opened
    await work.settle()
    assert await work.states() == [S.DONE] * 5 and (1, 2) in await work.minions()


@pytest.mark.parametrize("kill", ["before it records", "after notes"])
async def test_a_job_that_dies_while_phases_change_is_done_once(work: Phases, kill: str) -> None:
    async def settle() -> None:
        """Each job dies once, and is run again."""
        while job := await work.any_job():
            mortal = MortalStore(work.ports(job).store, after_notes=kill == "after notes")
            with suppress(Killed):
                await FLOWS[job.flow](job.event, replace(work.ports(job), store=mortal))
                continue
            await work.run(job)

    await work.accepted()
    await settle()
    await work.change(PhaseAct.REVERT, 2)
    await settle()
    await work.change(PhaseAct.RESTART, 2)
    await settle()
    await work.press(Kind.MERGE, "merge")
    await settle()
    task, facts = await work.now(), await work.facts()
    assert task.state is TaskState.DONE and await work.states() == [S.DONE] * 5
    assert facts.count("PhaseReverted") == 1 and len(work.workshop.checkouts.undone) == 2
    assert len(work.workshop.forge.merged) == 1
    apart = await work.office.database.read(lambda tx: audit.examine(tx.db).apart)
    assert apart == (), "what is stored follows from the facts"
