"""Starts the program, and says in plain words what runs. Loads no command line: `overlord up` alone needs none."""

import asyncio
import gc
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from agents.domain.errors import OverlordError
from bot import app
from bot.app import Program
from bot.config.settings import Settings
from bot.config.settings_source import SettingsSource
from bot.config.state_folder import make_home, mark_as_running, os_user
from bot.logs import set_up_logs
from bot.network import HERE, LookUp
from bot.permissions import Permissions
from bot.running.health import TimedLoop


def start_plainly() -> int:
    """`overlord up` without any flag, which is how it is started again after a crash. Returns the exit code."""
    try:
        start({})
    except OverlordError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 1
    return 0


def start(flags: Mapping[str, str]) -> None:
    """Run until it is asked to stop."""
    gc.disable()  # until it is told what runs; see bot/__main__.py
    source = SettingsSource(environ=dict(os.environ), cwd=Path.cwd(), flags=flags)
    settings = source.load()
    set_up_logs(settings.log_level, settings.secrets)
    make_home(settings.home)
    mark, other = mark_as_running(settings.home)
    if other:
        print(f"Warning:   {other}", flush=True)
    outlive_others()

    def tell(program: app.Program) -> None:
        print("\n".join(opening_lines(settings, program)), flush=True)
        gc.freeze()
        gc.enable()

    with mark, asyncio.Runner(loop_factory=TimedLoop) as runner:
        runner.run(app.run(settings, tell, source))


def outlive_others() -> None:
    """Where memory runs out the kernel ends somebody: not us, where we may say so. Root may, and a service's unit."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("-500")


def opening_lines(settings: Settings, program: Program, look_up: LookUp | None = HERE) -> list[str]:
    """What runs now, for the person who started it."""
    said = {"Console": program.address, "Database": settings.database, "State": str(settings.home)}
    if look_up is None and settings.knows_operator:  # elsewhere a warning says so
        said["Sign in"] = f"with a token: overlord people token {os_user()}"
    said["Settings"] = str(settings.config) if settings.config else "none written; defaults and environment"
    said["Platforms"] = ", ".join(settings.joined_platforms)
    named = ", ".join(project.name for project in settings.projects)
    said["Projects"] = named or "the sample; name your own in overlord.yaml"
    said["Models"] = program.models
    permissions = Permissions(settings.groups, settings.operators, settings.channels)
    label, value = permissions.who_can_approve()[1]
    said["Approvers"] = f"the operator ({', '.join(sorted(settings.operators))}); {label}s: {value.partition(': ')[0]}"
    lines = [f"{name + ':':<11}{value}" for name, value in said.items()]
    return [*lines, *(f"Warning:   {warning}" for warning in settings.warnings), "Stop with Ctrl-C."]
