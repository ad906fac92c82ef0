"""How work is judged, as people see it in the thread: what is refused, what is sent back, who must have read it."""

import asyncio
from dataclasses import replace
from typing import Any

from agents.domain.checks.changed_tests import changed_test
from agents.domain.checks.evaluation import Change, GateRun, Rung, Score
from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.table import rule_name
from agents.domain.text.redact import Redactor
from agents.domain.work.work import SubtaskState
from agents.ports import Ask
from agents.workspace.gates import rules
from agents.workspace.gates.gate_runner import TAMPERED
from agents.workspace.gates.scoring import not_run
from agents.workspace.git.objects import Differing
from tests.fakes.work import ScriptedMinions, Workshop, failing, finishes, passed, waits
from tests.scenarios.conftest import BY_TURNS, THREE, Opened, Play, on
from tests.scenarios.plans import Says
from tests.scenarios.stage import until
from tests.scenarios.working import APPROVED, FORM, ONE, at_work, given, wished

STAGES = BY_TURNS

BRANCH = "ai/t-1.1-write-the-form"
NEXT = {"Retry with a hint", "Expand scope", "I'll finish it myself", "Drop subtask", "Cancel task"}
CHECKED = {"Check again", "Continue without this check"}
LESS = {"Core only", "Stub with TODOs"}
TOKEN = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"
ADDED = f'diff --git a/form.py b/form.py\n--- a/form.py\n+++ b/form.py\n@@ -0,0 +1 @@\n+TOKEN = "{TOKEN}"\n'


def outside(*paths: str) -> GateRun:
    """As the real rule words it."""
    differing = [Differing(change=Change(path=path, status="A"), before=None, after=None) for path in paths]
    return rules.within(differing, Scope(mode=ScopeMode.EXPLICIT, patterns=("form.py",)))


async def refused(play: Play, thread: str, *words: str, attempt: int = 1) -> None:
    """A hard fail: nothing is accepted, nobody tries again by themselves, and a person has all they need."""
    judged = await play.sees("ana", thread, "T-1.1 did not pass", *words)
    assert set(judged.buttons) <= {"Show the diff", "Comments"}, "it leads to what was found, and decides nothing"
    card = await play.sees("ana", thread, "T-1.1 (Write the form) needs you", *words, offers="Drop subtask")
    less = LESS if attempt > 1 else set()
    assert "Another attempt would not fix this" in card.text and set(card.buttons) == NEXT | less
    assert f"Kept: branch {BRANCH}" in card.text and f"Kept: patch T-1.1-{attempt}.patch" in card.text
    await play.sees("ana", thread, "a step needs you", "Write the form: waits for you")
    task = await play.task()
    assert (
        task.work.on(1).state is SubtaskState.NEEDS_HUMAN
        and task.work.on(1).attempt == attempt
        and not task.delivery.pull
    )


@on(*THREE)
async def test_work_outside_its_scope_is_refused_until_the_scope_is_widened(opened: Opened) -> None:
    work = Workshop()
    row = outside("settings.py", "deploy.py")
    work.gates.says = {"T-1.1-1": (row, not_run("tests", "scope failed"))}
    play, thread = await at_work(opened, given(work))
    await refused(play, thread, "settings.py: outside what this subtask may write", "deploy.py: outside", "not run")
    assert "T-1.1-1.patch" in work.artefacts.kept and len(work.minions.briefs) == 1

    work.gates.says = {}
    await play.stage.press("ana", thread, "Expand scope", words="settings.py")
    await play.sees("lead", thread, "may it write more?", "settings.py")
    await play.stage.press("lead", thread, "Allow these paths")
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert work.minions.briefs[-1].work.scope.refuse("settings.py") is None


async def test_work_with_a_secret_is_refused_and_its_branch_goes_nowhere(opened: Opened) -> None:
    work = Workshop()
    work.gates.says = {"T-1.1-1": (rules.secrets(ADDED, Redactor()), not_run("tests", "secrets failed"))}
    play, thread = await at_work(opened, given(work))
    await refused(play, thread, "what looks like a secret in form.py, near line 1")

    await play.stage.press("ana", thread, "I'll finish it myself")
    await play.sees("ana", thread, "the branch could not be brought to you", "what looks like a secret", "kept patch")
    assert not work.forge.branches and not any(TOKEN in m.text for m in await play.stage.shown("ana", thread))


async def test_after_a_secret_another_attempt_begins_on_another_branch(opened: Opened) -> None:
    work = Workshop()
    work.gates.says = {"T-1.1-1": (rules.secrets(ADDED, Redactor()),)}
    play, thread = await at_work(opened, given(work))
    await refused(play, thread, "what looks like a secret")
    await play.stage.press("ana", thread, "Retry with a hint", words="read it from the environment")
    await play.sees("lead", thread, "T-1 is ready to merge")
    brief = work.minions.briefs[-1]
    assert brief.checkout.branch == f"{BRANCH}-2" and "from the environment" in wished(brief)[-1]


async def test_the_same_work_handed_in_again_is_a_loop_and_not_sent_back(opened: Opened) -> None:
    work = Workshop()
    again = rules.loop("tree", "base", ["tree"], Scope(mode=ScopeMode.EXPLICIT, patterns=("form.py",)))
    work.gates.says = {"T-1.1-1": (failing(),), "T-1.1-2": (again, not_run("tests", "loop failed"))}
    play, thread = await at_work(opened, given(work))
    await refused(play, thread, "the same files as attempt 1", "it goes round in circles", attempt=2)
    first, second = work.gates.judged
    assert not first.earlier and second.earlier == (f"tree of {first.commit}",), "each is told what was seen before"
    assert len(work.minions.briefs) == 2, "a third attempt is a person's to ask for"


EDITED = replace(
    failing("original tests"),
    why="1 of the tests as they were fail on the new code: test_login; "
    "1 assertion fewer in the tests that were changed",
)


async def test_tests_that_were_edited_to_pass_are_flagged_and_sent_back(opened: Opened) -> None:
    work = Workshop()
    work.gates.says = {"T-1.1-1": (passed(), EDITED)}
    seen = asyncio.Event()
    work.minions.scripts = {1: [finishes(), waits(seen)]}
    play, thread = await at_work(opened, given(work))
    card = await play.sees("ana", thread, "T-1.1 was sent back after attempt 1", "12 passed", EDITED.why)
    assert "Original tests" in card.text and "Read by" not in card.text, "nobody need read what cannot pass"
    seen.set()
    await play.sees("lead", thread, "T-1 is ready to merge", "passed at attempt 2")
    told = work.minions.briefs[1].work.feedback
    assert len(told) == 1 and told[0].startswith(f"original tests (`pytest -q`): {EDITED.why}")


async def test_tests_that_stay_edited_go_to_a_person_with_a_row_of_their_own(opened: Opened) -> None:
    work = Workshop()
    work.gates.says = {f"T-1.1-{attempt}": (passed(), EDITED) for attempt in (1, 2, 3)}
    play, thread = await at_work(opened, given(work))
    card = await play.sees("ana", thread, "T-1.1 (Write the form) needs you", "3 attempts failed", "12 passed")
    assert "Original tests" in card.text and EDITED.why in card.text and set(card.buttons) == NEXT | CHECKED | LESS
    assert not (await play.task()).delivery.pull and len(work.minions.briefs) == 3


DISSENT: Says = {"status": "changes_requested", "issues": ["The password is logged"]}
TWO_READ = "workflow: {{steps: {{review: {{parallel: 2}}}}}}\n"


def but(role: str, *says: Says) -> Any:
    """This reviewer says these things, attempt by attempt, and then approves; the other approves."""
    left = list(says)

    async def answer(asked: Ask) -> Says:
        return left.pop(0) if asked.role == role and left else APPROVED

    return answer


async def test_of_two_reviewers_one_who_dissents_sends_it_back(opened: Opened) -> None:
    seen = asyncio.Event()
    work = Workshop(minions=ScriptedMinions(scripts={1: [finishes(), waits(seen)]}))
    play, thread = await at_work(opened, given(work, TWO_READ, code_review=but("custodiet", DISSENT)))
    card = await play.sees("ana", thread, "T-1.1 was sent back after attempt 1", "Critic", "Scope guard")
    assert "asks for changes: The password is logged" in card.text and "approves" in card.text
    seen.set()
    card = await play.sees("lead", thread, "T-1 is ready to merge", "passed at attempt 2")
    assert "Critic" in card.text and "Scope guard" in card.text
    assert work.minions.briefs[1].work.feedback == ("scope guard: The password is logged",)


async def test_two_reviewers_who_cannot_agree_bring_a_person_both_views(opened: Opened) -> None:
    work = Workshop()
    scene = given(work, TWO_READ, code_review=but("custodiet", DISSENT, DISSENT, DISSENT))
    play, thread = await at_work(opened, scene)
    card = await play.sees("ana", thread, "T-1.1 (Write the form) needs you", "3 attempts failed")
    assert "approves" in card.text and "asks for changes: The password is logged" in card.text
    await play.stage.press("ana", thread, "Retry with a hint", words="log nothing")
    await play.sees("lead", thread, "T-1 is ready to merge")


async def test_a_reviewer_who_rejects_for_a_danger_is_not_outvoted(opened: Opened) -> None:
    danger = {"status": "rejected", "security_concerns": ["It sends the password in the clear"]}
    play, thread = await at_work(opened, given(Workshop(), TWO_READ, code_review=but("custodiet", danger)))
    await refused(play, thread, "rejects it: It sends the password in the clear")


SILENT: Says = {"status": "no_verdict"}


async def test_work_that_no_reviewer_judged_waits_for_a_person(opened: Opened) -> None:
    work = Workshop()
    play, thread = await at_work(opened, given(work, code_review=SILENT))
    await play.sees("ana", thread, "T-1.1 passed, but nobody read it", "gave no verdict")
    card = await play.sees("lead", thread, "review step ", "no reviewer gave a verdict")
    assert {"Continue", "Ask for a fix"} == set(card.buttons)
    await play.silence("lead", thread)
    task = await play.task()
    gate = task.of_kind(Kind.GATE)
    assert gate and rule_name(gate) == "gate_high"
    assert task.work.on(1).state is SubtaskState.EVALUATING, "never taken for a yes"

    await play.stage.press("lead", thread, "Ask for a fix", words="say what it stores")

    async def again() -> bool:
        return len(work.minions.briefs) == 2

    await until(again, "another attempt")
    assert wished(work.minions.briefs[1]) == ["say what it stores"]


async def test_of_two_reviewers_one_who_says_nothing_is_no_approval(opened: Opened) -> None:
    play, thread = await at_work(opened, given(Workshop(), TWO_READ, code_review=but("custodiet", SILENT)))
    await play.sees("lead", thread, "review step ", "approves", "gave no verdict", offers="Continue")
    await play.stage.press("lead", thread, "Continue")
    await play.sees("lead", thread, "T-1 is ready to merge")


@on(*THREE)
async def test_a_check_that_cannot_run_is_gone_on_without_by_who_may(opened: Opened) -> None:
    work = Workshop()
    missing = replace(failing(), score=Score.FAIL, why="it cannot be run here (exit code 127): mocha was not found")
    work.gates.says = {"T-1.1-1": (missing,)}
    play, thread = await at_work(opened, given(work))
    card = await play.sees("ana", thread, "T-1.1 (Write the form) needs you", "mocha", offers="Drop subtask")
    assert set(card.buttons) == NEXT | CHECKED, "one failure is no reason to settle for less"
    await play.stage.press("ana", thread, "Check again")
    await play.sees("ana", thread, "T-1.1 (Write the form) needs you", "Checked again by")

    await play.stage.press("ana", thread, "Continue without this check", words="it is broken")
    assert (await play.sees("ana", thread, "This is not yours to decide")).private
    await play.stage.press("lead", thread, "Continue without this check", words="npm is down today")
    await play.sees("lead", thread, "T-1 is ready to merge", "Went on without", "tests of T-1.1", "npm is down today")
    assert len(work.minions.briefs) == 1 and (await play.task()).work.on(1).attempt == 1


@on(*THREE)
async def test_changed_tests_are_shown_one_by_one_and_accepted_by_who_may(opened: Opened) -> None:
    """Only where the approved plan says that tests change; of the whole nobody is asked again about the same ones."""
    work = Workshop()
    test = changed_test("tests/test_form.py::test_not_found", "assert status == 404", "assert status == 410")
    why = "1 of the tests as they were fail on the new code: test_not_found"
    row = GateRun(name="original tests", score=Score.NEEDS_REVISION, why=why, changed_tests=(test,))
    work.gates.says = {"T-1.1-1": (passed(), row), "T-1.2-1": (passed(), row)}
    plan = {**ONE, "subtasks": [{**FORM, "changes_tests": True}]}
    play, thread = await at_work(opened, given(work, decompose=plan))
    wanted = ("existing tests were changed", "test_not_found", "status == 404", "status == 410")
    await play.sees("lead", thread, *wanted, offers="Accept the changed tests")
    await play.stage.press("ana", thread, "Accept the changed tests")
    await play.whispered("ana", thread, "not yours to decide")
    await play.stage.press("lead", thread, "Accept the changed tests")
    await play.sees("lead", thread, "T-1 is ready to merge", "Changed tests", "test_not_found of T-1.1, accepted by")
    assert work.gates.judged[-1].accepted == {test.key} and work.gates.judged[0].changes_tests
    assert len(work.minions.briefs) == 1, "no attempt was spent on it"


@on(*THREE)
async def test_an_unsteady_test_is_named_and_is_never_the_only_reason(opened: Opened) -> None:
    """As the comparison with the base words it; by which means tests were judged is on the same card."""
    work = Workshop()
    unsteady = "unsteady: tests.test_net.test_slow"
    newly = replace(failing(), why=f"1 newly failing: test_login; {unsteady}")
    steady = replace(passed(), why=f"11 passed; {unsteady}", rungs=(Rung.BY_TEST, Rung.PLANTED, Rung.NOT_COVERED))
    work.gates.says = {"T-1.1-1": (newly,), "T-1.1-2": (steady,), "T-1.2-1": (steady,)}
    seen = asyncio.Event()
    work.minions.scripts = {1: [finishes(), waits(seen)]}
    play, thread = await at_work(opened, given(work))
    await play.sees("ana", thread, "T-1.1 was sent back after attempt 1", "1 newly failing: test_login", unsteady)
    seen.set()
    means = ("Tests judged by", "results test by test", "planted tests", "changed lines not measured")
    await play.sees("lead", thread, "T-1 is ready to merge", "passed at attempt 2", f"11 passed; {unsteady}", *means)
    assert "test_login" in work.minions.briefs[1].work.feedback[0]


@on(*THREE)
async def test_tampering_is_told_in_plain_words_and_only_who_may_goes_on(opened: Opened) -> None:
    work = Workshop()
    lie = f"{TAMPERED}: a test that we planted to fail was reported as passed"
    work.gates.says = {"T-1.1-1": (replace(failing(), score=Score.FAIL, why=lie), not_run("lint", "tests failed"))}
    play, thread = await at_work(opened, given(work))
    await play.sees("ana", thread, "T-1.1 did not pass", lie)
    card = await play.sees("ana", thread, "T-1.1 (Write the form) needs you", lie, offers="Drop subtask")
    assert "Another attempt would not fix this" in card.text and len(work.minions.briefs) == 1
    await play.stage.press("ana", thread, "Continue without this check", words="it is fine")
    await play.whispered("ana", thread, "not yours to decide")
    assert (await play.task()).work.on(1).state is SubtaskState.NEEDS_HUMAN and not (await play.task()).delivery.pull
    await play.stage.press("lead", thread, "Drop subtask")
    await play.sees("lead", thread, "T-1")
