"""The real tiny model serves every role: it may plan nonsense, but nothing crashes or hangs, nothing is approved that
said nothing, people read honest words, and its answers are bound by their schemas."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import select

from agents.domain.decisions.authority import Kind
from agents.domain.models.ability import Ability
from agents.domain.models.routing import Model
from agents.domain.task.task import Task, TaskState
from agents.llm.choice import try_model
from agents.llm.gateway import Gateway
from bot.app import Program, running
from bot.config.settings_source import load_settings
from store import tables
from tests.bench.floor import folder
from tests.bench.rows import Row, Say
from tests.bench.tiny_model import NotHere, serve, unpack
from tests.scenarios.console_stage import ConsoleStage
from tests.scenarios.stage import Shown

WHO = "operator"
REQUEST = "Let links expire after a chosen number of days"
IT_IS = "Change something"
PATIENCE = 1_800.0  # seconds until a person must have been asked or told
SERVED = """
models:
  primary: {{model: openai/tiny, base_url: "{url}", output_tokens: 700}}
  supervisor: {{model: openai/tiny, base_url: "{url}", output_tokens: 300}}
"""


class Behind:
    program: Program | None = None


class Errors(logging.Handler):
    """What went wrong in the program itself."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(record.getMessage())


def run(say: Say) -> list[Row]:
    with folder() as place:
        try:
            unpack(place / "tiny")
        except NotHere as why:
            return [Row(name="tiny_model", ours=0, beside=f"not measured: it is not to be had here: {why}")]
        with serve(place / "tiny") as url:
            able = asyncio.run(try_model(Gateway(), Model(name="openai/tiny", base_url=url), 120.0))
            say(f"{able.speed:.0f} tokens a second, takes {able.window:,}, tools {able.tools}, tagged {able.tagged}")
            return [_tried(able), *asyncio.run(_play(place, url, say))]


def _tried(able: Ability) -> Row:
    known = able.tagged is True and able.tools is False and able.window > 0
    told = f"tagged {able.tagged}, tools {able.tools}, window {able.window:,}"
    return Row(
        name="tiny_model_asked", ours=able.seconds, unit="s", beside=told, holds=known, failed="" if known else told
    )


async def _play(place: Path, url: str, say: Say) -> list[Row]:
    config = place / "overlord.yaml"
    config.write_text(SERVED.format(url=url))
    given = {"OVERLORD_HOME": str(place / "home"), "OVERLORD_CONSOLE_PORT": "0", "OVERLORD_CONFIG": str(config)}
    errors, behind, began = Errors(), Behind(), time.perf_counter()
    logging.getLogger("overlord").addHandler(errors)
    stage = ConsoleStage(behind)
    async with running(load_settings(given, cwd=place, user=WHO)) as program:
        behind.program = program
        thread = await stage.say(WHO, REQUEST, mention=True)
        task = await _until_asked(stage, program, thread)
        took = time.perf_counter() - began
        shown = await stage.shown(WHO, thread)
        calls = await program.services.database.read(lambda tx: list(tx.db.execute(_CALLS)))
    for message in shown:
        say(message.text.replace("\n", " / ")[:400])
    return _rows(task, took, shown, [(row.error, row.problem) for row in calls], errors.told)


_CALLS = select(tables.calls.c.error, tables.calls.c.problem)


async def _until_asked(stage: ConsoleStage, program: Program, thread: str) -> Task | None:
    """A person is asked, or the task has ended; None: neither, so it hangs. Asked what it is, they say so."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        tasks = await program.queries.tasks(stage.account(WHO), ended=True, limit=1)
        needs = await program.queries.needs(stage.account(WHO))
        if needs and needs[0].decision.kind is Kind.ROUTE:
            shown = await stage.shown(WHO, thread)
            if any(IT_IS in message.buttons for message in shown):
                await stage.press(WHO, thread, IT_IS)
        elif tasks and (tasks[0].has_ended or needs):
            return tasks[0]
        await asyncio.sleep(1.0)
    return None


def _rows(
    task: Task | None, took: float, shown: Sequence[Shown], calls: Sequence[tuple[str, str]], errors: Sequence[str]
) -> list[Row]:
    said = [message.text for message in shown if message.by_bot]
    faults = list(errors)
    if task is None:
        faults.append(f"nobody was asked within {PATIENCE:g} s")
    elif task.state in (TaskState.RUNNING, TaskState.DONE) or task.plan.accepted:
        faults.append(f"it is {task.state.value}, and nobody approved it")
    if not any(len(text.split()) > 10 for text in said):
        faults.append("nobody was told anything")
    loose = [problem for error, problem in calls if error == "parsing" and "cut off" not in problem]
    kinds = Counter(error or "read" for error, _ in calls)
    told = f"{len(calls)} questions: {', '.join(f'{kind} {count}' for kind, count in kinds.items())}"
    return [
        Row(name="tiny_model", ours=took, unit="s", beside=told, holds=not faults, failed="; ".join(faults)[:500]),
        Row(name="tiny_model_form", ours=len(loose), unit="", beside="answers of no shape", most_ours=0),
    ]
