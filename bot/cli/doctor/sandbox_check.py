"""Whether minions can be locked in: really tries every wall of the sandbox, because being installed says little."""

import asyncio

from agents.workspace.sandbox import choice
from agents.workspace.sandbox.walls.errors import SandboxUnusable
from bot.config.overlord import Sandbox
from bot.doctor_check import Check, fail, ok


def sandbox(wanted: Sandbox) -> Check:
    """The one that is asked for, or with `auto` the first that works."""
    try:
        found = asyncio.run(choice.choose_sandbox(wanted))
    except SandboxUnusable as problem:
        return fail("sandbox", f"{problem.what}. Minions and gates will not run", problem.next_step)
    return ok("sandbox", f"{found.name} works, every wall holds")
