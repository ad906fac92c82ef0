"""Whether each project's work can be judged: which commands the gates would run, and what they lack here."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.workspace.gates import detect, reading
from agents.workspace.gates.detect import Way
from agents.workspace.gates.environment import Environment, environment
from bot.config.settings import Project, Settings
from bot.doctor_check import Check, ok, warn

_PROGRAMS = {Way.NPM: "npm", Way.GO: "go", Way.CARGO: "cargo", Way.MAKE: "make", Way.ESLINT: "node"}


def gates(settings: Settings) -> Iterator[Check]:
    for project in settings.projects:
        if project.path is not None:
            yield _gates(project, project.path)


def _gates(project: Project, path: Path) -> Check:
    name = f"gates of {project.name}"
    try:
        look = asyncio.run(reading.look(path))
        room = environment(path, project.gates)
    except OverlordError as problem:
        return warn(name, problem.what, problem.next_step)
    tests = None if project.gates.tests else detect.tests(look)
    lint = None if project.gates.lint else detect.lint(look)
    for lacking in (_lacking(way, room) for way in (tests, lint) if way):
        if lacking:
            return warn(name, *lacking)
    extra = "".join(f", {gate.name}" for gate in project.gates.extra)
    return ok(name, f"{project.gates.tests or tests or 'no tests'}, {project.gates.lint or lint or 'no linter'}{extra}")


def _lacking(way: Way, room: Environment) -> tuple[str, str] | None:
    if way is Way.PYTEST and not room.has("pytest"):
        return f"pytest is not in {room.venv}", f"Install it there: {room.python} -m pip install pytest."
    program = _PROGRAMS.get(way)
    if program and not room.finds(program):
        where = "for the whole machine, or with its usual installer for the user who runs Overlord"
        return f"gates find no {program}", f"Install {program} {where}, or set other commands under `gates:`."
    return None
