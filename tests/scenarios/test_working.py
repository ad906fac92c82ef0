"""From an approved plan to a merge, the same on every platform; the work itself is played at its ports."""

import asyncio
from collections.abc import Sequence

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.checks.risk import Risk
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.table import rule_name
from agents.domain.task.task import TaskState
from agents.domain.work.work import Ending, SubtaskState
from agents.ports import Asked, Brief, Finished, GaveUp, Outcome, Progress, WantsScope, Watch
from tests.fakes.work import Play as Plays, ScriptedMinions, Workshop, failing, finishes, never_ends, says
from tests.scenarios.conftest import ALL, THREE, Given, Opened, on
from tests.scenarios.stage import until
from tests.scenarios.working import THREE_SUBTASKS, at_work, given as one, wished

STAGES = THREE


def given(work: Workshop) -> Given:
    return one(work, decompose=THREE_SUBTASKS)


async def test_three_subtasks_a_question_a_stop_and_a_merge(opened: Opened) -> None:
    """The walk of a day: two side by side, one asks, everything is stopped and goes on, the whole is merged."""
    asks = says(Asked(question="Which hash?", options=("bcrypt", "argon2"), default="argon2"))
    work = Workshop(minions=ScriptedMinions(scripts={1: [never_ends, finishes()], 2: [asks]}))
    play, thread = await at_work(opened, given(work))

    card = await play.sees("ana", thread, "T-1.2 asks: Which hash?")
    assert {"bcrypt", "argon2", "Answer…", "Pause timer"} <= set(card.buttons)
    await play.sees("ana", thread, "Running, and a minion waits for you", "reading the code", "waits for T-1.1, T-1.2")
    await play.stage.press("mallory", thread, "bcrypt")
    assert (await play.sees("mallory", thread, "This is not yours to decide")).private
    await play.stage.say("ana", "argon2", thread=thread)
    await play.sees("ana", thread, "argon2 (decided by", gone="Answer…")

    await play.stage.press("ana", thread, "Stop task")
    await play.sees("ana", thread, "T-1 is stopped")
    await play.sees("ana", thread, "Write the form: stopped after turn 1; its work is committed")
    assert (await play.task()).state is TaskState.PAUSED
    await play.stage.press("ana", thread, "Resume task")
    card = await play.sees("lead", thread, "T-1 is ready to merge", "Pull request", "Low risk")
    assert {"Merge it", "Request changes", "I'll finish it myself", "Cancel task"} == set(card.buttons)
    await play.sees(
        "ana", thread, "Checks of T-1: T-1.4 passed", "pytest -q", "exit 0", "approves", "app.py (+3 −1)", "T-1.3"
    )
    assert work.minions.briefs[-1].notes == ("T-1.1: left by 1", "T-1.2: left by 2")

    await play.stage.press("mallory", thread, "Merge it")
    assert (await play.sees("mallory", thread, "This is not yours to decide", "an approver")).private
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged", "on main")
    task = await play.task()
    assert task.state is TaskState.DONE and len(work.forge.merged) == 1 and not work.checkouts.opened


async def test_work_is_sent_back_twice_then_a_person_gives_a_hint(opened: Opened) -> None:
    work = Workshop()
    work.gates.says = {f"T-1.1-{n}": (failing(),) for n in (1, 2, 3)}
    play, thread = await at_work(opened, given(work))
    card = await play.sees("ana", thread, "T-1.1 (Write the form) needs you", "3 attempts failed", "test_login")
    assert {"Retry with a hint", "Check again", "Continue without this check", "Core only", "Drop subtask"} < set(
        card.buttons
    )
    await play.stage.press("ana", thread, "Retry with a hint", words="import the module first")
    await play.sees("lead", thread, "T-1 is ready to merge")
    told = [brief.work.feedback for brief in work.minions.briefs if brief.subtask.number == 1]
    assert len(told) == 4 and "test_login" in told[1][0] and "test_login" in told[3][0]
    assert wished(work.minions.briefs[-1]) == ["import the module first"]
    await play.sees("ana", thread, "passed at attempt 4")


async def test_a_minion_that_needs_more_scope_waits_for_an_approver(opened: Opened) -> None:
    wants = says(WantsScope(paths=("settings.py",), why="the form needs a switch"))
    play, thread = await at_work(opened, given(Workshop(minions=ScriptedMinions(scripts={1: [wants]}))))
    card = await play.sees("ana", thread, "may it write more?", "settings.py", "the form needs a switch")
    assert {"Allow these paths", "Keep the scope"} <= set(card.buttons)
    await play.stage.press("mallory", thread, "Allow these paths")
    await play.sees("mallory", thread, "This is not yours to decide")
    await play.stage.press("lead", thread, "Allow these paths")
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert "settings.py" in (await play.task()).work.on(1).scope.patterns


async def test_a_minion_that_gives_up_says_why_and_can_be_dropped(opened: Opened) -> None:
    gives_up = says(GaveUp(ending=Ending.BLOCKED, problem="The form is made by another team"))
    play, thread = await at_work(opened, given(Workshop(minions=ScriptedMinions(scripts={1: [gives_up]}))))
    await play.sees("ana", thread, "T-1.1 (Write the form) needs you", "The form is made by another team")
    await play.stage.press("ana", thread, "Drop subtask")
    await play.sees("lead", thread, "T-1 is ready to merge")
    states = [work.state for work in (await play.task()).work.subtasks]
    assert states == [SubtaskState.FAILED, SubtaskState.DONE, SubtaskState.BLOCKED, SubtaskState.DONE]


async def test_what_people_say_reaches_the_minion_and_a_mention_does_not_wait(opened: Opened) -> None:
    heard: list[Sequence[str]] = []

    async def listens(brief: Brief, watch: Watch) -> Outcome:
        heard.append(tuple(wished(brief)))
        if any("stop using tabs" in said for said in wished(brief)):
            return Finished(summary="without tabs")
        return await never_ends(brief, watch)

    work = Workshop(minions=ScriptedMinions(scripts={1: [listens, listens]}))
    play, thread = await at_work(opened, given(work))
    await play.sees("ana", thread, "reading the code")
    await play.stage.say("mallory", "delete everything", thread=thread, mention=True)
    await play.stage.say("ana", "stop using tabs", thread=thread, mention=True)
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert heard == [(), ("stop using tabs",)], "at once, and nothing of those who have no say"


async def test_an_untagged_reply_waits_for_the_next_turn(opened: Opened) -> None:
    told: list[str] = []
    play, thread = await at_work(opened, given(Workshop(minions=ScriptedMinions(scripts={1: [_hears(told, 1)] * 2}))))
    await play.sees("ana", thread, "turn")
    await play.stage.say("ana", "keep it small", thread=thread)
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert told == ["keep it small"]


@on(*ALL)
async def test_an_edit_after_the_approval_changes_nothing_until_a_person_asks_for_it(opened: Opened) -> None:
    told: list[str] = []
    play, thread = await at_work(opened, given(Workshop(minions=ScriptedMinions(scripts={1: [_hears(told, 1)] * 2}))))
    await play.sees("ana", thread, "turn")
    await play.stage.edit("ana", thread, "add a small login page")
    card = await play.sees("ana", thread, "the request was edited after the plan was approved", "small login page")
    assert {"Ask for this change", "Keep what was approved"} == set(card.buttons)
    task = await play.task()
    assert task.request.text == "add a login page" and not told
    await play.sees("ana", thread, "T-1 · add a login page")
    await play.stage.press("mallory", thread, "Ask for this change")
    assert (await play.sees("mallory", thread, "This is not yours to decide")).private
    await play.stage.press("ana", thread, "Ask for this change")
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert len(told) == 1 and "add a small login page" in told[0]
    assert (await play.task()).request.text == "add a login page", "what was approved is what the whole is judged by"


@on(*ALL)
async def test_an_edit_at_the_merge_can_send_the_whole_back(opened: Opened) -> None:
    work = Workshop()
    play, thread = await at_work(opened, given(work))
    await play.sees("lead", thread, "T-1 is ready to merge")
    await play.stage.edit("ana", thread, "add a login page with a logo")
    await play.sees("ana", thread, "the request was edited after the plan was approved")
    await play.stage.press("ana", thread, "Ask for this change")
    await play.happened("SubtaskReady")

    async def sent_back() -> bool:
        return any("with a logo" in line for brief in work.minions.briefs for line in wished(brief))

    await until(sent_back, "another round")
    await play.sees("lead", thread, "No longer needed: changes were asked for", gone="Merge it")
    await play.stage.edit("ana", thread, "add a login page with two logos")
    await play.sees("ana", thread, "two logos", "after the plan was approved")
    await play.stage.edit("ana", thread, "add a login page")
    await play.sees("ana", thread, "after the plan was approved", "No longer needed: the request was edited again")


async def test_an_edit_while_only_checks_are_left_begins_another_round(opened: Opened) -> None:
    checking, work = asyncio.Event(), Workshop()
    work.gates.holds = {"T-1.4-1": checking}
    play, thread = await at_work(opened, given(work))
    await play.sees("ana", thread, "All of it together: I run the checks")
    await play.stage.edit("ana", thread, "add a login page with a logo")
    await play.sees("ana", thread, "the request was edited after the plan was approved")
    await play.stage.press("ana", thread, "Ask for this change")
    await play.sees("ana", thread, "attempt 2")
    checking.set()
    await play.sees("lead", thread, "T-1 is ready to merge", "passed")
    assert any("with a logo" in line for brief in work.minions.briefs for line in wished(brief))
    assert (await play.task()).work.subtasks[-1].attempt == 2


async def test_an_edit_on_the_way_to_the_merge_is_told_to_wait(opened: Opened) -> None:
    merging, work = asyncio.Event(), Workshop()
    work.forge.holds = merging
    play, thread = await at_work(opened, given(work))
    await play.sees("lead", thread, "T-1 is ready to merge")
    await play.stage.edit("ana", thread, "add a login page with a logo")
    await play.sees("ana", thread, "the request was edited after the plan was approved")
    await play.stage.press("lead", thread, "Merge it")
    await play.happened("MergeApproved")
    await play.stage.press("ana", thread, "Ask for this change")
    await play.whispered("ana", thread, "T-1 is on its way to the merge just now", "Nothing was changed")
    merging.set()
    await play.sees("ana", thread, "T-1 is merged")


def _hears(told: list[str], most: int) -> Plays:
    """A minion that works until it was told so many things."""

    async def works_on(brief: Brief, watch: Watch) -> Outcome:
        told.extend(wished(brief))
        for turn in range(brief.work.turns + 1, 2000):
            told.extend(wish.words for wish in await watch(Progress(turns=turn, seconds=turn, doing="writing")))
            if len(told) >= most:
                return Finished(summary="heard")
            await asyncio.sleep(0.03)  # a turn takes its time, and words theirs to arrive
        raise AssertionError("nobody said anything")

    return works_on


async def test_a_risky_change_is_let_through_by_those_who_may(opened: Opened) -> None:
    work = Workshop(risk=Risk(level=RiskLevel.HIGH, why=("auth code: password.py",)))
    play, thread = await at_work(opened, given(work))
    await play.sees("lead", thread, "review step ", "auth code: password.py", "exit 0")
    task = await play.task()
    gate = task.of_kind(Kind.GATE)
    assert gate and rule_name(gate) == "gate_high"
    await play.stage.press("ana", thread, "Continue")
    assert (await play.sees("ana", thread, "This is not yours to decide", "a tech lead")).private


async def test_a_task_that_is_stopped_can_be_handed_over_with_its_branches(opened: Opened) -> None:
    work = Workshop(minions=ScriptedMinions(always=never_ends))
    play, thread = await at_work(opened, given(work))
    await play.sees("ana", thread, "reading the code")
    await play.stage.press("ana", thread, "Stop task")
    await play.sees("ana", thread, "T-1 is stopped")
    await play.stage.press("ana", thread, "I'll finish it myself")
    await play.sees("ana", thread, "T-1 is yours now", "ai/t-1.1-write-the-form", "T-1.patch")
    assert (await play.task()).state is TaskState.CANCELLED


async def test_a_cancelled_task_calls_its_minions_off(opened: Opened) -> None:
    work = Workshop(minions=ScriptedMinions(always=never_ends))
    play, thread = await at_work(opened, given(work))
    await play.sees("ana", thread, "reading the code")
    await play.stage.say("ana", "cancel because we need it no more", thread=thread, mention=True)
    await play.sees("ana", thread, "Cancel T-1?")
    await play.stage.press("ana", thread, "Cancel task")
    await play.sees("ana", thread, "Cancelled: we need it no more")
    await play.silence("ana", thread)
    assert not work.checkouts.opened
