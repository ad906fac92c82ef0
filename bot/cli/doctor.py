"""`overlord doctor`: looks at everything that must be right, and says what to do about what is not."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from agents.catalog.validation import Problem
from agents.domain.errors import OverlordError
from agents.domain.models.ability import Ability, lacks_for
from agents.domain.models.routing import Chosen, Model, describe_models, with_named
from agents.llm.choice import choose_models, try_all
from agents.llm.gateway import Gateway
from agents.ports import ForgeFailed
from agents.workspace.forge.github_api import GitHubApi, expect_status
from agents.workspace.forge.github_shapes import Repo, User, read
from agents.workspace.forge.remotes import Remote
from agents.workspace.sandbox import sandbox_choice
from agents.workspace.sandbox.walls import SandboxUnusable
from bot.__main__ import foreign_packages
from bot.app import check_store
from bot.cards.reasons import lacks_in_words
from bot.cli import session
from bot.cli.engines.engine_check import check_engines, check_program_models
from bot.cli.gates_check import check_gates
from bot.cli.ground_check import check_grounds
from bot.cli.learning import calibration
from bot.config.overlord import Sandbox
from bot.config.platforms import load, platforms
from bot.config.settings import Settings
from bot.config.settings_source import BadSettings
from bot.doctor_check import Check, State, fail, ok, warn
from bot.running.workshop import on_github
from bot.services import catalog_of
from store.streams.audit import Progress

OLDEST_PYTHON = (3, 11)
OLDEST_GIT = (2, 38)
ENOUGH_DISK = 1 << 30
LEAST_DISK = 100 << 20
PATIENCE = 10  # seconds for a command to end
DAY = 86_400
NEEDS = "contents, issues and pull requests: read and write"
_ENOUGH = ("repo", "public_repo")  # scopes of a classic token
APART = 2.0  # seconds between two words on how far it is


def doctor(
    context: typer.Context,
    json: session.Json = False,
    offline: Annotated[bool, typer.Option("--offline", help="Ask no model and no provider anything.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Do not go through all facts, nor run checks.")] = False,
    set_up: Annotated[bool, typer.Option("--set-up", help="Set projects up that need it; asks first.")] = False,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Only ask the planning model twice, to see whether it heeds a note.")
    ] = False,
) -> None:
    """Check machine, settings, projects, chats, GitHub, models and store."""
    if calibrate:
        checks = [calibration.calibrate(session.settings_of(context))]
    else:
        checks = list(_run_checks(context, offline=offline, quick=quick, set_up=set_up))
    if json:
        session.show_json(checks)
    else:
        rows = [(check.state.value, check.name, check.seen) for check in checks]
        typer.echo(session.table(("", "check", "seen"), rows))
        for check in checks:
            if check.state is not State.OK:
                typer.echo(f"\n{check.name}: {check.seen}\n  {check.next_step}")
    if any(check.state is State.FAIL for check in checks):
        raise typer.Exit(1)


def _run_checks(context: typer.Context, *, offline: bool, quick: bool, set_up: bool) -> Iterator[Check]:
    yield check_python()
    yield check_packages()
    yield check_clock()
    yield check_git()
    try:
        settings = session.settings_of(context)
    except BadSettings as error:
        yield from check_settings(error.problems, error.warnings)
        yield check_sandbox(Sandbox.AUTO)
        return
    yield from check_settings((), settings.warnings)
    yield check_sandbox(settings.sandbox)
    yield from check_gates(settings)
    if not quick:
        yield from check_grounds(settings, set_up=set_up)
    yield check_home(settings.home)
    yield check_disk(settings.home)
    yield from _of_platforms(settings, ask_nobody=True)
    yield check_platforms(settings)
    yield check_groups(settings)
    if not offline:
        yield from _of_platforms(settings, ask_nobody=False)
        yield from check_github(settings)
    yield from check_models(settings, offline=offline)
    yield from check_engines(settings, offline=offline)
    yield from _check_store(settings, quick=quick)


def _of_platforms(settings: Settings, *, ask_nobody: bool) -> Iterator[Check]:
    for spec in platforms():
        if spec.checks_ask_nobody == ask_nobody and settings.platforms[spec.name].joins:
            yield from load(spec.checks)(settings, time.time)


def _check_store(settings: Settings, *, quick: bool) -> Iterator[Check]:
    try:
        found = asyncio.run(check_store(settings, _progress(), quick=quick))
    except OverlordError as error:
        yield fail("database", error.what, error.next_step)
        return
    yield ok("database reached", settings.database)
    yield from found
    if quick:
        yield ok("facts", "not gone through: --quick")


def _progress() -> Progress:
    """Says how far it is, now and then, beside the output."""
    told = time.monotonic()

    def tell(done: int, all: int) -> None:
        nonlocal told
        if time.monotonic() - told >= APART:
            told = time.monotonic()
            typer.echo(f"The facts of {done:,} of {all:,} tasks are checked.", err=True)

    return tell


def check_python() -> Check:
    seen = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info[:2] < OLDEST_PYTHON:
        return fail("python", seen, "Install Python 3.11 or newer and run make again.")
    return ok("python", seen)


def check_packages() -> Check:
    strangers = foreign_packages()
    if strangers:
        return fail("packages", "; ".join(strangers), "Install Overlord in a virtual environment of its own.")
    return ok("packages", f"ours, in {Path(__file__).resolve().parents[2]}")


def check_clock() -> Check:
    """A clock before the day this program was installed is wrong for certain."""
    now, installed = time.time(), Path(__file__).stat().st_mtime
    seen = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(now))
    if now < installed - DAY:
        return fail(
            "clock", f"{seen}, which is before the program was installed", "Set the clock, or start its NTP service."
        )
    return ok("clock", seen)


def check_git() -> Check:
    path = shutil.which("git")
    if path is None:
        return fail("git", "not found", "Install it: apt install git, or brew install git.")
    said = subprocess.run(
        [path, "--version"], capture_output=True, text=True, timeout=PATIENCE, check=False
    ).stdout.strip()
    numbers = re.search(r"(\d+)\.(\d+)", said)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST_GIT:
        return warn("git", said or "no version", "Install git 2.38 or newer: older ones cannot join work.")
    return ok("git", said)


def check_settings(problems: Sequence[Problem], warnings: Sequence[Problem]) -> Iterator[Check]:
    for problem in problems:
        yield fail("settings", f"{problem.name}: {problem.what}", problem.instead)
    for problem in warnings:
        yield warn("settings", f"{problem.name}: {problem.what}", problem.instead)
    if not problems and not warnings:
        yield ok("settings", "all can be used")


def check_home(path: Path) -> Check:
    if not path.exists():
        return ok("home", f"{path} will be made, for you alone")
    if not os.access(path, os.W_OK | os.X_OK):
        return fail("home", f"{path} cannot be written", "Name another folder in OVERLORD_HOME, or take it over.")
    if path.stat().st_mode & 0o077:
        return warn("home", f"others may look into {path}", f"Run chmod 700 {path}; the next start does it too.")
    return ok("home", f"{path}, yours alone")


def check_disk(path: Path) -> Check:
    nearest = next(folder for folder in (path, *path.parents) if folder.exists())
    free = shutil.disk_usage(nearest).free
    seen = f"{free / (1 << 30):.1f} GB free at {nearest}"
    if free < LEAST_DISK:
        return fail("disk", seen, "Make room: nothing can be stored, so nothing is acknowledged.")
    if free < ENOUGH_DISK:
        return warn("disk", seen, "Make room, or move OVERLORD_HOME to a larger disk.")
    return ok("disk", seen)


def check_platforms(settings: Settings) -> Check:
    others = [spec.title for spec in platforms() if not settings.platforms[spec.name].joins]
    only = f" only; tokens for {' or '.join(others)} add those" if len(settings.joined_platforms) == 1 else ""
    return ok("platforms", f"{', '.join(settings.joined_platforms)}{only}")


def check_groups(settings: Settings) -> Check:
    empty = [group.value for group, members in settings.groups.items() if not members]
    if not empty:
        return ok("groups", "somebody is named in each")
    step = "Name accounts under `groups:` in overlord.yaml; until then only the operator decides there."
    return warn("groups", f"nobody is named in {', '.join(empty)}", step)


def check_github(settings: Settings) -> Iterator[Check]:
    """Nothing where no project is on GitHub. One without a token is told with the other settings."""
    remotes = on_github(settings)
    if settings.github.token is None or not remotes:
        return
    yield from asyncio.run(_check_remotes(GitHubApi(settings.github.api_url, settings.github.token), remotes))


async def _check_remotes(api: GitHubApi, remotes: Mapping[str, Remote]) -> list[Check]:
    try:
        token = await _token(api)
        return [token, *[await _repository(api, f"github of {name}", remote) for name, remote in remotes.items()]]
    except OverlordError as problem:
        return [fail("github token", problem.what, problem.next_step)]
    finally:
        await api.close()


async def _token(api: GitHubApi) -> Check:
    try:
        reply = await api.get("/user")
    except ForgeFailed as problem:
        if "forbids" not in problem.what:
            raise
        return ok("github token", "of an app: it is known by what it may do")
    login = read(User, expect_status(reply, "the token's user").data, "the token's user").login
    scopes = [scope.strip() for scope in reply.headers.get("x-oauth-scopes", "").split(",") if scope.strip()]
    if scopes and not set(scopes) & set(_ENOUGH):
        seen = f"it is {login}'s and may only do: {', '.join(scopes)}"
        return fail("github token", seen, f"Give it the scope `repo`, or make a fine-grained one with {NEEDS}.")
    return ok("github token", f"{login}'s, at {api.url}")


async def _repository(api: GitHubApi, name: str, remote: Remote) -> Check:
    try:
        shown = read(Repo, expect_status(await api.get(f"/repos/{remote.full}"), remote.full).data, remote.full)
    except OverlordError as problem:
        return fail(name, problem.what, problem.next_step)
    if shown.permissions.get("push") is False:
        return fail(name, f"the token may only read {remote.full}", f"Give it rights on this repository: {NEEDS}.")
    if not shown.has_issues:
        step = "Switch issues on in its settings on GitHub, or ask for work in chat only."
        return warn(name, f"{remote.full} has no issues, so no label can ask for work", step)
    return ok(name, f"{remote.full}, branch {shown.default_branch}")


def check_models(settings: Settings, *, offline: bool) -> Iterator[Check]:
    chosen = asyncio.run(choose_models(settings.models.to_written(), settings.keys))
    seen = describe_models(chosen)
    if chosen["primary"].models[0].rehearsal:
        step = "Set a key, such as ANTHROPIC_API_KEY, start Ollama, or name a model in OVERLORD_MODELS__PRIMARY."
        yield warn("models", f"{seen}: only the sample requests are rehearsed", step)
    else:
        yield ok("models", seen)
    yield from check_program_models(settings, with_named(chosen, catalog_of(settings.declared)().models))
    if not offline:
        yield from _tried(chosen)


def _tried(chosen: Chosen) -> Iterator[Check]:
    found = asyncio.run(try_all(Gateway(), chosen))
    yield from (judge_model(model, able, chosen) for model, able in found.items())


def judge_model(model: Model, able: Ability, chosen: Chosen) -> Check:
    """What it showed, and by role whether that is enough."""
    name, roles = f"model {model.name}", [role for role, served in chosen.items() if model in served.models]
    lacks = {role: lacks_for(role, able) for role in roles}
    if able.problem:
        return fail(name, able.problem, able.next_step)
    if not any(lacks.values()):
        return ok(name, f"{_able(able)}; enough for {', '.join(roles)}")
    why = {role: lacks_in_words(role, found, able.window) for role, found in lacks.items() if found}
    said = (f"not enough for {role}: {words}" for role, words in why.items())
    return warn(name, f"{_able(able)}; {'; '.join(said)}", "Name a stronger model for these roles.")


def _able(able: Ability) -> str:
    """What it showed, such as "answered in 1.4 s, 33 tokens a second, takes 8,192 tokens"."""
    speed = f", {able.speed:.0f} tokens a second" if able.speed else ""
    window = f", takes {able.window:,} tokens" if able.window else ", how much it takes is not known"
    return f"answered in {able.seconds:.1f} s{speed}{window}"


def check_sandbox(wanted: Sandbox) -> Check:
    """The one that is asked for, or with `auto` the first that works."""
    try:
        found = asyncio.run(sandbox_choice.choose_sandbox(wanted))
    except SandboxUnusable as problem:
        return fail("sandbox", f"{problem.what}. Minions and gates will not run", problem.next_step)
    return ok("sandbox", f"{found.name} works, every wall holds")
