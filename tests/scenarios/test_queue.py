"""The queue is paused and resumed by approvers: in words, at the command line, and by the console's button."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.ids import Account
from agents.domain.work.work import SubtaskState
from agents.ports import Brief, Finished, Outcome, Watch
from bot.app import open_queries
from bot.cli import session
from bot.config.settings_source import load_settings
from tests.fakes.work import ScriptedMinions, Workshop
from tests.scenarios.conftest import Opened, Play, on
from tests.scenarios.stage import OPERATOR, until
from tests.scenarios.working import THREE_SUBTASKS, at_work, given

ONE_AT_ONCE = "limits: {{minions: 1}}\n"


async def test_nothing_new_starts_while_the_queue_is_paused_and_what_runs_goes_on(opened: Opened) -> None:
    goes_on = asyncio.Event()

    async def works(brief: Brief, watch: Watch) -> Outcome:
        await goes_on.wait()
        return Finished(summary="done")

    work = Workshop(minions=ScriptedMinions(scripts={1: [works]}))
    play, thread = await at_work(opened, given(work, ONE_AT_ONCE, decompose=THREE_SUBTASKS))
    await play.sees("ana", thread, "T-1.1", "a minion has started")
    await play.happened("MinionStarted")

    elsewhere = await play.stage.say("mallory", "pause the queue", mention=True)
    await play.sees("mallory", elsewhere, "This is not yours to decide", "You can ask")
    command = await play.stage.say("lead", "pause the queue", mention=True)
    await play.sees("lead", command, "The queue is paused", "1 task has work that waits for its turn")
    await play.sees("ana", thread, "T-1 waits:", "paused the queue")
    await play.sees("ana", thread, "T-1 · add a login page", "Queue: paused by")

    goes_on.set()
    await play.happened("WorkHandedIn")
    await play.host.restart()
    await play.silence("ana", thread)
    states = [each.state for each in (await play.task()).work.subtasks]
    assert states[:2] == [SubtaskState.EVALUATING, SubtaskState.PENDING], (
        "it was handed in; no gate and no minion began"
    )
    assert (await play.program.queries.queue()).waiting == ("T-1",)

    await play.stage.say("lead", "resume the queue", thread=command, mention=True)
    await play.sees("lead", command, "The queue is not paused")
    await play.sees("ana", thread, "T-1 goes on:", "resumed the queue")
    await play.sees("lead", thread, "T-1 is ready to merge")
    await no_pause_is_shown(play, thread)


async def test_a_task_whose_plan_is_approved_meanwhile_says_why_it_waits(opened: Opened) -> None:
    play = await opened(given(Workshop()))
    command = await play.stage.say("lead", "Pause the queue.", mention=True)
    await play.sees("lead", command, "The queue is paused", "0 tasks have work")
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("ana", thread, "T-1 · add a login page", "Queue: paused by")
    assert "MinionStarted" not in await play.facts()
    await play.stage.say("lead", "unpause the queue", thread=thread, mention=True)
    await play.sees("lead", thread, "T-1 is ready to merge")
    await no_pause_is_shown(play, thread)


@on("console")
async def test_the_command_line_pauses_and_resumes_what_another_process_runs(opened: Opened, tmp_path: Path) -> None:
    play = await opened(given(Workshop()))
    environ = {"OVERLORD_HOME": str(tmp_path / "home"), "OVERLORD_CONFIG": str(tmp_path / "home" / "overlord.yaml")}
    settings = load_settings(environ, cwd=tmp_path, user="operator")
    async with open_queries(settings) as queries:
        with pytest.raises(session.NotCounted, match="It needs an approver"):
            await session.send(queries, replace(session.words_alone("pause the queue"), by=Account("cli:somebody")))
        await session.send(queries, replace(session.words_alone("pause the queue"), by=OPERATOR))
        thread = await play.stage.say("ana", "add a login page", mention=True)
        await play.sees("ana", thread, "please look at the plan")
        await play.stage.press("lead", thread, "Approve plan")
        await play.sees("ana", thread, "T-1 · add a login page", "Queue: paused by")
        await session.send(queries, replace(session.words_alone("resume the queue"), by=OPERATOR))
    await play.sees("lead", thread, "T-1 is ready to merge")


async def no_pause_is_shown(play: Play, thread: str) -> None:
    """Edits of one message are seconds apart."""

    async def look() -> bool:
        return not any("Queue:" in each.text for each in await play.stage.shown("ana", thread) if "T-1 ·" in each.text)

    await until(look, "a status card without the queue")
