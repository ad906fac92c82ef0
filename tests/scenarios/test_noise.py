"""How much the bot says: one message for what is edited, one for each real decision, one for the end."""

import asyncio

from tests.fakes.work import ScriptedMinions, Workshop, failing, finishes, waits
from tests.scenarios.conftest import ALL, Opened, Play
from tests.scenarios.stage import Shown
from tests.scenarios.working import THREE_SUBTASKS, at_work, given

STAGES = ALL


async def said(play: Play, thread: str) -> list[Shown]:
    return [message for message in await play.silence("ana", thread) if message.by_bot]


async def test_a_walk_that_needs_people_twice_is_five_messages(opened: Opened) -> None:
    play, thread = await at_work(opened, given(Workshop(), decompose=THREE_SUBTASKS))
    await play.sees("lead", thread, "T-1 is ready to merge")
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")
    status, plan, checks, merge, end = await said(play, thread)
    assert "T-1.3" in status.text and "T-1: plan approved" in plan.text
    assert "ready to merge" in merge.text and "T-1 is merged" in end.text
    for part in ("Checks of T-1: T-1.4 passed", "✓ T-1.1", "Write the form: passed · tests: 12 passed", "✓ T-1.3"):
        assert part in checks.text


async def test_work_that_is_sent_back_twice_is_a_message_of_its_own(opened: Opened) -> None:
    seen = asyncio.Event()
    work = Workshop(minions=ScriptedMinions(scripts={1: [finishes(), finishes(), waits(seen)]}))
    work.gates.says = {"T-1.1-1": (failing(),), "T-1.1-2": (failing(),)}
    play, thread = await at_work(opened, given(work))
    card = await play.sees("ana", thread, "T-1.1 was sent back twice", "Attempt 3 begins by itself", "1 failed")
    assert not card.buttons
    checks = await play.sees("ana", thread, "Checks of T-1: T-1.1 was sent back after attempt 2")
    assert "FAILED tests/test_app.py::test_login" in checks.text
    seen.set()
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert len(await said(play, thread)) == 5, "status, plan, checks, sent back twice, merge"


async def test_what_a_step_asks_of_people_is_named_on_the_checks(opened: Opened) -> None:
    silent = {"status": "no_verdict"}
    play, thread = await at_work(opened, given(Workshop(), code_review=silent))
    await play.sees("lead", thread, "review step ")
    await play.sees("ana", thread, "Checks of T-1", "T-1.1 needs a person: see “T-1: review step 1 of 2")


async def test_cost_time_and_sandbox_are_on_the_cards_of_a_task_at_work(opened: Opened) -> None:
    seen = asyncio.Event()
    work = Workshop(minions=ScriptedMinions(scripts={1: [waits(seen)]}))
    play, thread = await at_work(opened, given(work, "budgets: {{task: 2.5}}\n"))
    running = await play.sees("ana", thread, "a minion has started", "Sandbox")
    for part in ("of a budget of $2.50", "since it was asked for", "a script in no sandbox"):
        assert part in running.text
    seen.set()
    merge = await play.sees("lead", thread, "T-1 is ready to merge")
    await play.stage.press("lead", thread, "Merge it")
    end = await play.sees("ana", thread, "T-1 is merged")
    for card in (merge, end):
        assert "Cost" in card.text and "of a budget of $2.50" in card.text and "since it was asked for" in card.text
