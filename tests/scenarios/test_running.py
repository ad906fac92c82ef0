"""The whole program, with the real sandbox: what a minion runs is on the task's page until somebody stops it."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agents.ports import Ports
from bot.app import Program, running
from bot.config.settings_source import load_settings
from tests.fakes.console import text_of, visitor
from tests.fakes.llm import ScriptedLlm, ScriptedTalker
from tests.fakes.work import with_services
from tests.scenarios.console_stage import ConsoleStage
from tests.scenarios.plans import GO, OK, Says, subtask
from tests.scenarios.stage import until

pytestmark = pytest.mark.timeout(240)  # a real sandbox is tried and used
PLAN: Says = {"status": "COMPLETE", "goal": "It works", "subtasks": [subtask("Do it", files=["shortlinks/new.py"])]}
SLOW = "echo step 1 of 2; sleep 600"


class Behind:
    program: Program | None = None


async def test_what_a_minion_runs_is_on_the_tasks_page_until_it_is_stopped(tmp_path: Path, loaded: None) -> None:
    talker = ScriptedTalker([("run_command", {"command": SLOW})])
    llm = ScriptedLlm(always={"decompose": PLAN, "critic": GO, "custodiet": OK})

    def swap(ports: Ports) -> Ports:
        return replace(with_services(ports, talker=talker), llm=llm)

    given = {"OVERLORD_HOME": str(tmp_path / "home"), "OVERLORD_CONSOLE_PORT": "0"}
    behind = Behind()
    stage = ConsoleStage(behind)
    async with running(load_settings(given, cwd=tmp_path, user="operator"), swap=swap) as behind.program:
        thread = await stage.say("operator", "do it", mention=True)
        await until(_offers(stage, thread, "Approve plan"), "a plan")
        await stage.press("operator", thread, "Approve plan")
        async with visitor(behind.program.address) as client:

            async def page() -> str:
                return text_of((await client.get("/task/T-1")).text)

            async def said() -> bool:
                now = await page()
                return f"Running now T-1.1 runs {SLOW} for" in now and now.count("step 1 of 2") >= 2

            async def gone() -> bool:
                return "Running now" not in await page()

            await until(said, "what it says")
            await stage.press("operator", thread, "Stop task")
            await until(gone, "its end")


def _offers(stage: ConsoleStage, thread: str, label: str) -> Callable[[], Awaitable[bool]]:
    async def look() -> bool:
        return any(label in shown.buttons for shown in await stage.shown("operator", thread))

    return look
