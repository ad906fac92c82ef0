"""One run of tests with planted ones among them: what the runner is given, and what is heard of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from agents.ports import Workspace
from agents.workspace.files.untrusted import remove
from agents.workspace.gates.planted.belief import Heard
from agents.workspace.gates.planted.plant import Plant, Planted, write_plant
from agents.workspace.gates.planted.witness import Listening, listening

_SOCKET = "told"


@dataclass(frozen=True, slots=True)
class Planting:
    plant: Plant
    listener: Listening

    @property
    def options(self) -> tuple[str, ...]:
        return self.plant.options

    def shown_in(self, workspace: Workspace) -> Workspace:
        environ = self.plant.environ(workspace.environ)
        return replace(workspace, readable=(*workspace.readable, self.plant.folder), environ=environ)

    def words(self) -> Heard:
        return self.listener.words()


@asynccontextmanager
async def planting(folder: Path, out: str, runner: Planted, package: str = "") -> AsyncIterator[Planting]:
    """For tests in this folder, or in one of its packages. It lies beside it, and its name says whose it is."""
    beside = folder.with_name(f"{folder.name}-planted")
    beside.mkdir(mode=0o755)
    try:
        up = "../" * (package.count("/") + 1) if package else ""
        plant = await asyncio.to_thread(write_plant, beside, f"{up}{out}/{_SOCKET}", runner)
        async with listening(folder / out, _SOCKET) as listener:
            yield Planting(plant, listener)
    finally:
        await asyncio.shield(asyncio.to_thread(remove, beside))
