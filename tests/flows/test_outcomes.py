"""What came of each run, from the facts that real flows record."""

import asyncio
import re
from pathlib import Path

import pytest
from sqlalchemy import update

from agents.domain.decisions.authority import Kind
from agents.domain.work.outcome import MINION, OF_ENDING, PERSON, TELLING, Status, WorkerOutcome, outcomes
from agents.domain.work.work import Ending
from agents.ports import Asked, GaveUp
from bot.cards.reasons import put
from store import tables
from store.streams import audit
from store.transaction import Transaction
from tests.builders.shell import Shell
from tests.fakes.llm import ScriptedLlm, no_answer
from tests.fakes.work import Workshop, failing, finishes, says
from tests.flows.work import PLAN, Work, work
from tests.flows.world import ANA, planning
from tests.scenarios.plans import GO, OK

__all__ = ["work"]


async def runs(work: Work, number: int) -> list[WorkerOutcome]:
    """Of one subtask's runs, without their reviewers'."""
    facts = await work.office.database.read(lambda tx: tx.log.facts(work.task, kinds=TELLING))
    found = outcomes(fact.event for fact in facts)
    return [each for each in found if each.worker in (MINION, PERSON) and each.run.startswith(f"T-1.{number}-")]


async def test_two_revisions_then_a_person(work: Work) -> None:
    work.workshop.gates.says = {f"T-1.1-{n}": (failing(),) for n in (1, 2, 3)}
    await work.accepted()
    await work.settle()
    first, second, third = await runs(work, 1)
    assert (first.status, second.status, third.status) == (*(Status.NEEDS_REVISION,) * 2, Status.BLOCKED)
    assert "test_login" in put(third.blockers[0]) and put(third.next_step) == "A person decides"


async def test_a_question_blocks_and_its_answer_goes_on(work: Work) -> None:
    work.workshop.minions.scripts = {2: [says(Asked(question="Which hash?", options=("bcrypt", "argon2")))]}
    await work.accepted()
    await work.settle()
    (waits,) = await runs(work, 2)
    assert (waits.status, waits.blockers) == (Status.BLOCKED, ("Which hash?",))
    await work.say("argon2", ANA)
    await work.settle()
    (done,) = await runs(work, 2)
    assert (done.status, done.blockers, done.next_step) == (Status.SUCCESS, (), "")


@pytest.mark.parametrize("ending", list(Ending))
async def test_a_run_that_came_to_nothing(work: Work, ending: Ending) -> None:
    work.workshop.minions.scripts = {1: [says(GaveUp(ending=ending, problem="it would not do"))]}
    await work.accepted()
    await work.settle()
    (ended,) = await runs(work, 1)
    assert (ended.status, ended.blockers) == (OF_ENDING[ending], ("it would not do",))
    assert ended.files_modified == ("src/app.py",), "as git says, whatever the minion says"
    asked = (await work.now()).of_kind(Kind.ESCALATION)
    assert asked is not None
    offered = {option.value for option in asked.options}
    larger, less = {"expand"}, {"core", "stub"}
    if ending is Ending.TOO_LONG:
        assert less <= offered and not larger & offered, "more would not help, and less does at once"
    else:
        assert larger <= offered and not less & offered


async def test_a_branch_that_a_person_took_over(work: Work) -> None:
    work.workshop.minions.scripts = {1: [says(GaveUp(ending=Ending.TURNS, problem="no"))]}
    await work.accepted()
    await work.settle()
    await work.press(Kind.ESCALATION, "take")
    work.workshop.checkouts.branches["ai/t-1.1-write-the-form"] = "f" * 40
    await work.press(Kind.TAKEN, "hand_in")
    await work.settle()
    last = (await runs(work, 1))[-1]
    assert (last.worker, last.status) == (PERSON, Status.SUCCESS)


async def test_a_reviewer_who_says_nothing(tmp_path: Path) -> None:
    llm = ScriptedLlm(always={"decompose": PLAN, "critic": GO, "custodiet": OK, "code_review": no_answer()})
    async with planning(tmp_path, lambda office: lambda job: llm) as plan:
        work = Work(plan.office, plan.llm, plan.task, workshop=Workshop())
        await work.accepted()
        await work.settle()
        (silent,) = await runs(work, 1)
        assert (silent.status, silent.review_status) == (Status.BLOCKED, None)


async def test_commits_that_do_not_fit(work: Work) -> None:
    work.workshop.checkouts.conflicts = {"ai/t-1.1-write-the-form"}
    await work.accepted()
    await work.settle()
    (stuck,) = await runs(work, 1)
    assert stuck.status is Status.BLOCKED and "fit" in put(stuck.blockers[0])


async def test_tools_are_told_in_one_form(work: Work, tmp_path: Path) -> None:
    work.workshop.minions.scripts = {1: [finishes("I changed everything, and all tests pass")]}
    work.workshop.gates.says = {"T-1.2-1": (failing(),)}
    await work.accepted()
    await work.settle()
    shell = Shell(tmp_path)
    shell.home.mkdir()
    shell.environ["OVERLORD_DATABASE_URL"] = f"sqlite:///{tmp_path / 'overlord.db'}"
    told = (await asyncio.to_thread(shell.run, "tasks", "show", "T-1", "--json")).json["outcomes"]
    assert told[0] == {
        "run": "T-1.1-1",
        "worker": "minion",
        "status": "SUCCESS",
        "action_taken": "I changed everything, and all tests pass",
        "files_modified": ["src/app.py"],
        "review_status": "APPROVED",
        "blockers": [],
        "next_step": "",
        "implementation": {
            "status": "SUCCESS",
            "files_created": [],
            "files_modified": ["src/app.py"],
            "files_removed": [],
            "tests_written": [],
            "blockers": [],
        },
    }
    assert (told[1]["run"], told[1]["worker"], told[1]["review_status"]) == ("T-1.1-1", "critic", "APPROVED")
    ended = [(each["run"], each["status"]) for each in told if each["worker"] == "minion"]
    assert ended[1:3] == [("T-1.2-1", "NEEDS_REVISION"), ("T-1.2-2", "SUCCESS")]
    judged = [each["run"] for each in told if each["worker"] == "overlord"]
    assert judged == ["T-1.4-1"], "no minion worked on the whole"
    shown = (await asyncio.to_thread(shell.run, "tasks", "show", "T-1")).out
    assert "T-1.2, attempt 1  needs another try" in shown and "SUCCESS" not in shown


async def test_the_record_of_judgements_is_shown_and_doctor_compares_it_with_the_facts(
    work: Work, tmp_path: Path
) -> None:
    work.workshop.gates.says = {"T-1.1-1": (failing(),)}
    await work.accepted()
    await work.settle()
    shell = Shell(tmp_path)
    shell.home.mkdir()
    shell.environ["OVERLORD_DATABASE_URL"] = f"sqlite:///{tmp_path / 'overlord.db'}"
    shown = (await asyncio.to_thread(shell.run, "tasks", "show", "T-1")).out
    assert re.search(r"T-1\.1, attempt 1 +needs another try .*tests: needs another try, .*review: not run", shown), (
        shown
    )
    assert re.search(r"T-1\.1, attempt 2 +passed .*tests: passed, .*critic approves", shown), shown
    told = (await asyncio.to_thread(shell.run, "tasks", "show", "T-1", "--json")).json["evaluations"]
    assert [(each["subtask"], each["revision_number"]) for each in told if each["subtask"] == 1] == [(1, 0), (1, 1)]

    def tamper(tx: Transaction) -> None:
        tx.db.execute(update(tables.evaluations).where(tables.evaluations.c.subtask == 1).values(overall="pass"))

    assert await work.office.database.read(lambda tx: audit.examine(tx.db).apart) == ()
    await work.office.database.write(tamper)
    assert await work.office.database.read(lambda tx: audit.examine(tx.db).apart) == ("T-1: its evaluations",)
