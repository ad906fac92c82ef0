"""The table of tools that a minion has."""

from agents.minions.executor import Spec
from agents.minions.tools import commands, files, people, skills
from agents.ports import Tool

TOOLS: dict[str, Spec] = {**files.TOOLS, **commands.TOOLS, **skills.TOOLS, **people.TOOLS}
OFFERED = tuple(Tool(name=name, does=spec.does, takes=spec.takes) for name, spec in TOOLS.items())
