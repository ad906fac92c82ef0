"""Engines to try the suite on. A rig turns a script of acts into what its engine takes for a model's or program's own.

Run as a program, it plays a script that never ends, so that it can be killed.
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from agents.domain.errors import BudgetReached
from agents.domain.workflow.roles import Base, EngineName, bare
from agents.minions.by_role import EngineMinions
from agents.minions.engines import EngineServices
from tests.conformance.cli_rig import WIRE, CliRig
from tests.fakes.llm import ScriptedTalker
from tests.minions.field import Field, laid_out


@dataclass(frozen=True)
class Write:
    path: str
    content: str


@dataclass(frozen=True)
class Run:
    command: str


@dataclass(frozen=True)
class Ask:
    question: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class WantScope:
    paths: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Finish:
    summary: str


@dataclass(frozen=True)
class Block:
    reason: str


@dataclass(frozen=True)
class OutOfMoney:
    """The next call to a model would go over a budget."""


Act = Write | Run | Ask | WantScope | Finish | Block | OutOfMoney


class MinionsRig(Protocol):
    """Plays one act a turn. What it was given is played once, also where the run is resumed by another rig."""

    def services(self, ground: Field) -> EngineServices: ...

    def told(self) -> str:
        """Everything that the minion was told in its last turn."""
        ...

    def turns(self) -> int:
        """How many turns were begun."""
        ...

    def close(self) -> None: ...


@dataclass
class BuiltInRig:
    """A scripted model calls the built-in tools."""

    acts: Sequence[Act]
    talker: ScriptedTalker = field(init=False)

    def __post_init__(self) -> None:
        self.talker = ScriptedTalker(*(self.turn_of(act) for act in self.acts))

    def services(self, ground: Field) -> EngineServices:
        return ground.services(self.talker)

    def told(self) -> str:
        return str(self.talker.heard[-1])

    def turns(self) -> int:
        return len(self.talker.asked)

    def close(self) -> None:
        """Nothing of it runs."""

    def turn_of(self, act: Act) -> Any:
        match act:
            case Write(path, content):
                return [("write_file", {"path": path, "content": content})]
            case Run(command):
                return [("run_command", {"command": command})]
            case Ask(question, options):
                return [("ask_human", {"question": question, "options": list(options)})]
            case WantScope(paths, why):
                return [("request_scope", {"paths": list(paths), "why": why})]
            case Finish(summary):
                return [("task_complete", {"summary": summary})]
            case Block(reason):
                return [("task_blocked", {"reason": reason})]
            case OutOfMoney():
                return BudgetReached("this task", limit=1.0, spent=1.0, wanted=0.1)


RIGS: dict[EngineName, Callable[[Sequence[Act]], MinionsRig]] = {
    EngineName.BUILTIN: BuiltInRig,
    **{engine: partial(CliRig, engine) for engine in WIRE},
}


def minions(engine: EngineName, rig: MinionsRig, ground: Field) -> EngineMinions:
    role = replace(bare(Base.IMPLEMENTER), engine=engine)
    return EngineMinions(services=replace(rig.services(ground), role_of=lambda name: role))


BEATS = Run("while :; do date >> shortlinks/beats.txt; sleep 0.05; done")
BEGUN = (Write("shortlinks/first.py", "first = 1\n"), BEATS)


async def _be_killed(engine: EngineName, place: Path) -> None:
    async with laid_out(place, found=True) as ground:
        await minions(engine, RIGS[engine](BEGUN), ground).run(ground.brief(), ground.watch)


if __name__ == "__main__":
    asyncio.run(_be_killed(EngineName(sys.argv[1]), Path(sys.argv[2])))
