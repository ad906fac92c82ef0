"""The rehearsed walk from the request to the merge, in the whole program; and judging beside the gates alone.

`judging` is the time from a minion's end to the card that says how its work was judged, beside the seconds that the
gates' own commands took.
"""

import asyncio
import time
from pathlib import Path

from agents.domain.events import WorkEvaluated, WorkHandedIn
from agents.domain.task.task import Task
from bot.app import Program, running
from bot.config.settings_source import load_settings
from tests.bench.floor import folder
from tests.bench.rows import Row, Say, compared
from tests.scenarios.console_stage import ConsoleStage

REQUEST = "Let links expire after a chosen number of days"
MOST, MOST_WALK = 1.2, 120.0
PATIENCE = 300.0


class Behind:
    program: Program | None = None


def run(say: Say) -> list[Row]:
    with folder() as place:
        took, judging, gates = asyncio.run(play(place))
    say(f"merged after {took:.1f} s; {len(judging)} judgements")
    return [
        compared("judging", judging, gates, beside="the gates' own commands", most=MOST),
        Row(
            name="walk",
            ours=took,
            unit="s",
            most_ours=MOST_WALK,
            beside="request to merge, a person who presses at once",
        ),
    ]


async def play(place: Path) -> tuple[float, list[float], list[float]]:
    given = {"OVERLORD_HOME": str(place / "home"), "OVERLORD_CONSOLE_PORT": "0"}
    settings = load_settings({**given, "OVERLORD_MODELS__PRIMARY": "rehearsal/sample"}, cwd=place, user="operator")
    behind = Behind()
    stage = ConsoleStage(behind)
    async with running(settings) as program:
        behind.program = program
        began = time.perf_counter()
        thread = await stage.say("operator", REQUEST, mention=True)
        async with asyncio.timeout(PATIENCE):
            task = await _merged(stage, program, thread)
        took = time.perf_counter() - began
        facts = [each.event for each in await program.services.database.read(lambda tx: tx.log.facts(task.id))]
    handed = {(f.subtask, f.attempt): f.at for f in facts if isinstance(f, WorkHandedIn)}
    judged = [f for f in facts if isinstance(f, WorkEvaluated)]
    judging = [(f.at - handed[f.subtask, f.attempt]).total_seconds() for f in judged]
    return took, judging, [f.evaluation.seconds for f in judged]


async def _merged(stage: ConsoleStage, program: Program, thread: str) -> Task:
    """A person who presses the first button of whatever is asked."""
    pressed = set[str]()
    while True:
        shown = {label for message in await stage.shown("operator", thread) for label in message.buttons}
        for need in await program.queries.needs(stage.account("operator")):
            label = need.card.buttons[0].label
            if need.decision.id not in pressed and label in shown:
                pressed.add(need.decision.id)
                await stage.press("operator", thread, label)
        tasks = await program.queries.tasks(stage.account("operator"), ended=True, limit=1)
        if tasks and tasks[0].delivery.merged_into:
            return tasks[0]
        await asyncio.sleep(0.05)
