"""What choosing the next step and finding a task's workflow add to a durable step (see `durable_step`).

A durable step of work asks twice: which workflow holds for the task, and what follows from its outcome. Both are asked
here for every step of each workflow that comes with the program, with every outcome; resolving workflows from YAML is
done once a start, and is told for information.
"""

import asyncio
import time
from itertools import product
from pathlib import Path

from agents.catalog.library import Catalog, load_catalog, role_kinds
from agents.catalog.workflow_choice import compose_one
from agents.domain.checks.evaluation import Score
from agents.domain.workflow.workflow import Done, Part, follow
from bot.live import ChangeNotifier
from tests.bench.durable_step import take_steps
from tests.bench.floor import folder
from tests.bench.office import open_office, open_tasks
from tests.bench.rows import Row, Say, compared

FLOWS, ROUNDS, TIMES = 50, 5, 200


def run(say: Say) -> list[Row]:
    catalog = load_catalog()
    with folder() as place:
        steps, asked = asyncio.run(_measure(place, catalog, say))
    roles = role_kinds(catalog.roles)
    began = time.perf_counter()
    for name in catalog.workflows:
        compose_one(name, None, {}, roles)
    resolved = (time.perf_counter() - began) / len(catalog.workflows)
    return [
        compared("next_step", asked, steps, beside="a durable step", most=0.05),
        Row(name="resolve_workflow", ours=resolved * 1e3),
    ]


async def _measure(place: Path, catalog: Catalog, say: Say) -> tuple[list[float], list[float]]:
    steps, asked, bell = list[float](), list[float](), ChangeNotifier()
    async with open_office(place, bell) as office:
        tasks = await open_tasks(office, FLOWS)
        for number in range(-1, ROUNDS):
            step, ask = await take_steps(office, bell, tasks, number), _ask(catalog)
            say(f"round {number + 1}: step {step * 1e3:.3f}, asking {ask * 1e3:.4f} ms")
            if number >= 0:  # the first warms up
                steps.append(step)
                asked.append(ask)
    return steps, asked


def _ask(catalog: Catalog) -> float:
    """Seconds for one step of work."""
    wanted = [
        (workflow.name, part, step.name, score)
        for workflow in catalog.workflows.values()
        for part, score in product((Part.ORDINARY, Part.CLOSING), Score)
        for step in workflow.part(part)
    ]
    began = time.perf_counter()
    for _ in range(TIMES):
        for name, part, step, score in wanted:
            follow(catalog.choose("", name), part, step, score, Done(attempts=1, visits={step: 1}))
    return (time.perf_counter() - began) / (TIMES * len(wanted))
