"""The table of tools that a minion has."""

from collections.abc import Collection

from agents.minions.engines.builtin.executor import Spec
from agents.minions.engines.builtin.tools import commands, files, people, skills
from agents.ports import Tool

TOOLS: dict[str, Spec] = {**files.TOOLS, **commands.TOOLS, **skills.TOOLS, **people.TOOLS}
OFFERED = tuple(Tool(name=name, does=spec.does, takes=spec.takes) for name, spec in TOOLS.items())


def tools_for(names: Collection[str]) -> tuple[dict[str, Spec], tuple[Tool, ...]]:
    """Those that a role may use, always in the same order; and how they are offered."""
    specs = {name: spec for name, spec in TOOLS.items() if name in names}
    return specs, tuple(tool for tool in OFFERED if tool.name in specs)
