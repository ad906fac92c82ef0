"""What `overlord doctor` says of each project's gates: what runs, what is lacking, and what could run besides."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.workspace.environments.tree_environment import Environment, environment
from agents.workspace.gates import detect
from agents.workspace.gates.detect import Way
from agents.workspace.gates.offers import LINT, read_offers
from agents.workspace.gates.package_folders import find_packages
from agents.workspace.git.repository_states import find_states
from bot.config.overlord import Project
from bot.config.settings import Settings
from bot.doctor_check import Check, State, fail, ok, warn

_PROGRAMS = {Way.NPM: "npm", Way.GO: "go", Way.CARGO: "cargo", Way.MAKE: "make", Way.ESLINT: "node"}


def check_gates(settings: Settings) -> Iterator[Check]:
    for project in settings.projects:
        if project.path is None:
            continue
        yield from (states := tuple(_states(project, project.path, settings.home)))
        if all(check.state is not State.FAIL for check in states):
            yield _gates(project, project.path)
            yield from _offered(project, project.path)


def _states(project: Project, path: Path, home: Path) -> Iterator[Check]:
    """The state that its repository is in, where there is something to say."""
    for found in asyncio.run(find_states(path, home)):
        yield (fail if found.blocks else warn)(f"repository of {project.name}", found.what, found.step)


def _gates(project: Project, path: Path) -> Check:
    name = f"gates of {project.name}"
    try:
        look = asyncio.run(detect.look(path))
        room = environment(path, project.gates)
    except OverlordError as problem:
        return warn(name, problem.what, problem.next_step)
    written = project.gates
    every = [] if written.tests else find_packages(look, written.packages)
    by_command = [(each.folder, own) for each in every if (own := written.package(each.folder).tests)]
    packages = [each for each in every if each.tests and not written.package(each.folder).tests]
    found = [*((each.folder, each.tests) for each in packages), *by_command]
    tests = ", ".join(f"{how} in {folder}" if folder else f"{how}" for folder, how in found)
    lint = None if project.gates.lint else detect.lint(look)
    for lacking in (_lacking(way, room) for way in (*(each.tests for each in packages), lint) if way):
        if lacking:
            return warn(name, *lacking)
    extra = "".join(f", {gate.name}" for gate in project.gates.extra)
    return ok(name, f"{project.gates.tests or tests or 'no tests'}, {project.gates.lint or lint or 'no linter'}{extra}")


def _offered(project: Project, path: Path) -> Iterator[Check]:
    """What a project seems to want to pass, and no gate runs: only its operator can say so."""
    try:
        found = asyncio.run(read_offers(path))
        linted = project.gates.lint or detect.lint(asyncio.run(detect.look(path)))
    except OverlordError:
        return  # the check of its gates says so
    written = " ".join((project.gates.type_check, project.gates.docs, *(g.command for g in project.gates.extra)))
    wanted = [o for o in found if o.command not in written and not (o.check == LINT and linted)]
    if not wanted:
        return
    told = ", ".join(f"`{offer.command}` ({offer.found_in})" for offer in wanted)
    form = f"{{name: {wanted[0].check.replace('_', '-')}, command: {wanted[0].command}}}"
    step = f"If they must pass, add them to `gates: extra:` of the project: `- {form}`."
    yield warn(f"more checks of {project.name}", f"no gate runs {told}", step)


def _lacking(way: Way, room: Environment) -> tuple[str, str] | None:
    if way is Way.PYTEST and not room.has("pytest"):
        return f"pytest is not in {room.venv}", f"Install it there: {room.python} -m pip install pytest."
    program = _PROGRAMS.get(way)
    if program and not room.finds(program):
        where = "for the whole machine, or with its usual installer for the user who runs Overlord"
        return f"gates find no {program}", f"Install {program} {where}, or set other commands under `gates:`."
    return None
