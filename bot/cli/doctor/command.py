"""`overlord doctor`: look at everything that must be right, and say what to do about what is not."""

import asyncio
import time
from collections.abc import Iterator
from typing import Annotated

import typer

from agents.domain.errors import OverlordError
from bot.app import check_store
from bot.cli import session
from bot.cli.doctor import checks
from bot.config.overlord import Sandbox
from bot.config.platforms import load, platforms
from bot.config.settings import BadSettings, Settings
from bot.doctor_check import Check, State
from store.streams.audit import Progress

APART = 2.0  # seconds between two words on how far it is


def doctor(
    context: typer.Context,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Ask no model and no provider anything.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Do not go through all facts.")] = False,
) -> None:
    """Check machine, settings, chats, GitHub, models and store."""
    checks = list(_all(context, offline=offline, quick=quick))
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


def _all(context: typer.Context, *, offline: bool, quick: bool) -> Iterator[Check]:
    yield checks.python()
    yield checks.packages()
    yield checks.clock()
    yield checks.git()
    try:
        settings = session.settings_of(context)
    except BadSettings as error:
        yield from checks.settings_files(error.problems, error.warnings)
        yield checks.sandbox(Sandbox.AUTO)
        return
    yield from checks.settings_files((), settings.warnings)
    yield checks.sandbox(settings.sandbox)
    yield from checks.gates(settings)
    yield checks.home(settings.home)
    yield checks.disk(settings.home)
    yield from _of_platforms(settings, ask_nobody=True)
    yield checks.platforms(settings)
    yield checks.groups(settings)
    if not offline:
        yield from _of_platforms(settings, ask_nobody=False)
        yield from checks.github(settings)
    yield from checks.models(settings, offline=offline)
    yield from _store(settings, quick=quick)


def _of_platforms(settings: Settings, *, ask_nobody: bool) -> Iterator[Check]:
    for spec in platforms():
        if spec.checks_ask_nobody == ask_nobody and settings.platforms[spec.name].joins:
            yield from load(spec.checks)(settings, time.time)


def _store(settings: Settings, *, quick: bool) -> Iterator[Check]:
    try:
        findings = asyncio.run(check_store(settings, _progress(), quick=quick))
    except OverlordError as error:
        yield Check(name="database", state=State.FAIL, seen=error.what, next_step=error.next_step)
        return
    yield Check(name="database reached", state=State.OK, seen=settings.database)
    for finding in findings:
        state = State.OK if finding.ok else State.FAIL
        yield Check(
            name=finding.name, state=state, seen=finding.detail, next_step="" if finding.ok else finding.next_step
        )
    if quick:
        seen = "not gone through: --quick"
        yield Check(name="facts", state=State.OK, seen=seen, next_step="")


def _progress() -> Progress:
    """Says how far it is, now and then, beside the output."""
    told = time.monotonic()

    def tell(done: int, all: int) -> None:
        nonlocal told
        if time.monotonic() - told >= APART:
            told = time.monotonic()
            typer.echo(f"The facts of {done:,} of {all:,} tasks are checked.", err=True)

    return tell
