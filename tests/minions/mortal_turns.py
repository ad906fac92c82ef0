"""Helpers that the tests of resuming share with others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.minions.engines.builtin.transcript import Turn
from agents.ports import Turns


class Killed(Exception):
    pass


@dataclass
class MortalTurns:
    """Dies at one of its rows: before it is written, or after."""

    inner: Turns
    dies_at: int
    after: bool

    async def of(self, run: str) -> Sequence[Mapping[str, object]]:
        return await self.inner.of(run)

    async def add(self, run: str, number: int, turn: Mapping[str, object]) -> None:
        if number == self.dies_at and not self.after:
            raise Killed
        await self.inner.add(run, number, turn)
        if number == self.dies_at:
            raise Killed


def turn(number: int, size: int) -> Mapping[str, Any]:
    call = {"id": f"c{number}", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
    made = Turn(message={"role": "assistant", "content": None, "tool_calls": [call]}, errors=0)
    made.results = [{"role": "tool", "tool_call_id": f"c{number}", "content": f"{number} " + "x" * size}]
    return made.row()
