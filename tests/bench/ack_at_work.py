"""How long Slack waits for its acks while 50 tasks are open and 8 minions are at work (P10 at the same ten-fold rate).

The program is a process of its own with the real sandbox; its minions run one Python program after the other in it, so
that eight of them want more than the machine has. Its models are played. The fake Slack and its people are here.
"""

import asyncio
import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from agents.llm.gateway import Gateway
from agents.ports import Converse, Keep, Ports, Said, ToolCall
from bot.app import Program, running
from bot.config.settings_source import load_settings
from tests.bench import ack
from tests.bench.floor import folder
from tests.bench.rows import Row, Say
from tests.fakes.llm import ScriptedLlm, free, written
from tests.fakes.ports import free_port
from tests.fakes.slack import fake_slack
from tests.fakes.slack.delivery import SIGNING_SECRET
from tests.fakes.slack.server import BOT_TOKEN
from tests.fakes.work import with_services
from tests.scenarios.console_stage import ConsoleStage
from tests.scenarios.plans import GO, OK, Says, subtask
from tests.scenarios.stage import OPERATOR, until

TASKS, MINIONS, SECONDS = 50, 8, 15
PATIENCE = 180.0  # seconds until all of them are at work
CONFIG = "limits: {minions: 8, minions_per_project: 8, quota_per_person: 10000, quota_per_channel: 10000}\n"
TOIL = 'python3 -c "print(sum(n * n for n in range(2_000_000)))"'
PLAN: Says = {"status": "COMPLETE", "goal": "It works", "subtasks": [subtask("Do it", files=["shortlinks/new.py"])]}


class Toiling:
    """Runs the same program for ever."""

    def __init__(self) -> None:
        self.at_work: set[str] = set()

    async def converse(self, turn: Converse) -> tuple[Said, Keep]:
        await written(turn)
        self.at_work.add(turn.step.rpartition(":")[0])
        again = ToolCall(id=turn.step.rpartition(":")[2], name="run_command", arguments=f'{{"command": {_json(TOIL)}}}')
        return Said(text="", calls=(again,)), free


def _json(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'


class Behind:
    program: Program | None = None


def run(say: Say) -> list[Row]:
    with folder() as place:
        took = asyncio.run(_talk(place, say))
    when = f"{TASKS} tasks open, {MINIONS} minions at work, {ack.PER_SECOND}/s for {SECONDS} s"
    return ack.told("ack_at_work", took, when, say)


async def _talk(place: Path, say: Say) -> list[float]:
    port = free_port()
    async with fake_slack() as fake:
        fake.deliveries.url = f"http://127.0.0.1:{port}/slack/events"
        environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("OVERLORD_")},
            "SLACK_BOT_TOKEN": BOT_TOKEN,
            "SLACK_API_URL": fake.api_url,
            "SLACK_SIGNING_SECRET": SIGNING_SECRET,
            "OVERLORD_HTTP_PORT": str(port),
        }
        program = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", __name__, str(place)), env=environ,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert program.stdin and program.stdout
        try:
            line = (await program.stdout.readline()).decode()
            assert line.startswith("at work"), line or "the program ended"
            say(line.strip())
            took = await ack.talked(fake, SECONDS)
            program.stdin.close()
            say((await program.stdout.readline()).decode().strip())
            return took
        finally:
            with suppress(ProcessLookupError):
                program.terminate()
            await program.wait()


async def _play(place: Path) -> None:
    toiling = Toiling()
    llm = ScriptedLlm(always={"decompose": PLAN, "critic": GO, "custodiet": OK})
    await Gateway().warm()

    def swap(ports: Ports) -> Ports:
        return replace(with_services(ports, talker=toiling), llm=llm)

    (place / "overlord.yaml").write_text(CONFIG)
    named = {"OVERLORD_HOME": str(place / "home"), "OVERLORD_CONFIG": "overlord.yaml", "OVERLORD_CONSOLE_PORT": "0"}
    given = {**os.environ, **named}
    behind = Behind()
    stage = ConsoleStage(behind)
    async with running(load_settings(given, cwd=place, user="operator"), swap=swap) as program:
        behind.program = program
        threads = [await stage.say("operator", f"do it {number}", mention=True) for number in range(TASKS)]
        for thread in threads:
            await until(lambda at=thread: _approvable(stage, at), "a plan", PATIENCE)  # type: ignore[misc]
        for thread in threads[:MINIONS]:
            await stage.press("operator", thread, "Approve plan")

        async def all_at_work() -> bool:
            return len(toiling.at_work) == MINIONS

        await until(all_at_work, "eight minions", PATIENCE)
        count = len(await program.queries.tasks(OPERATOR, ended=False))
        print(f"at work: {len(toiling.at_work)} minions, {count} tasks open", flush=True)
        await asyncio.to_thread(sys.stdin.read)  # until nobody talks any more
        tasks = await program.queries.tasks(OPERATOR, ended=False)
        left = [task for task in tasks if any(work.turns for work in task.work.subtasks)]
        turns = [work.turns for task in left for work in task.work.subtasks if work.turns]
        print(f"still at work: {len(turns)} minions, {min(turns)} to {max(turns)} turns each", flush=True)


async def _approvable(stage: ConsoleStage, thread: str) -> bool:
    return any("Approve plan" in shown.buttons for shown in await stage.shown("operator", thread))


if __name__ == "__main__":
    asyncio.run(_play(Path(sys.argv[1])))
