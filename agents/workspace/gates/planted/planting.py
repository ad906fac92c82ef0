"""One run of tests with planted ones among them: what the runner is given, and what is heard of it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from agents.ports import Ran, Workspace
from agents.workspace.files.untrusted import remove
from agents.workspace.gates.planted import seeding, spoken
from agents.workspace.gates.planted.belief import Belief, Claimed, Heard, weigh
from agents.workspace.gates.planted.plant import Plant, Planted, write_plant
from agents.workspace.gates.planted.seeding import Sown
from agents.workspace.gates.planted.witness import Listening, listening

_SOCKET = "told"
_BROKE_DOWN = 3  # pytest's exit code
_SOW: dict[Planted, Callable[[Path, str, str], Sown]] = {
    Planted.MOCHA: seeding.sow_mocha,
    Planted.JEST: seeding.sow_jest,
    Planted.VITEST: seeding.sow_vitest,
    Planted.GO: lambda folder, fails, passes: seeding.sow_go(folder),
    Planted.CARGO: lambda folder, fails, passes: seeding.sow_cargo(folder),
}


@dataclass(frozen=True, slots=True)
class Planting:
    runner: Planted
    plant: Plant
    sown: Sown
    listener: Listening | None = None

    @property
    def options(self) -> tuple[str, ...]:
        return self.plant.options

    def shown_in(self, workspace: Workspace) -> Workspace:
        environ = self.plant.environ(workspace.environ)
        return replace(workspace, readable=(*workspace.readable, self.plant.folder), environ=environ)

    @property
    def began(self) -> int | None:
        """When it was first heard; None: it is not listened to while it runs."""
        return self.listener.began if self.listener else None

    def hear(self, ran: Ran) -> tuple[Heard, Ran]:
        """What it said of tests; and its output without the planted ones."""
        if self.listener is None:
            by = spoken.hear_go if self.runner is Planted.GO else spoken.hear_cargo
            heard, said = by(ran.output, self.sown.seeds)
            ran = replace(ran, output=said)
        else:
            heard = self.listener.words()
            if self.runner in _SOW:
                heard = replace(heard, planned=tuple(seed.about for seed in self.sown.seeds))
        return replace(heard, whole=self.sown.whole), ran

    def weigh_run(self, heard: Heard, ran: Ran, tests: int | None, failed: int) -> tuple[Belief, str]:
        """Whether it is believed, and why not; `tests` and `failed` are of its report, where it leaves one."""
        if not self.runner.counts_planted:
            if ran.exit_code == _BROKE_DOWN:
                return Belief.MUTE, ""
            belief, doubt = weigh(heard, Claimed(exit_code=ran.exit_code, tests=tests, failed=failed))
            unheard = self.runner is Planted.BENEATH and ran.exit_code == 0 and not heard.ended
            return (Belief.MUTE, "") if unheard and belief is Belief.UNKNOWN else (belief, doubt)
        belief, doubt = weigh(heard, Claimed(exit_code=ran.exit_code, counts_planted=True))
        if doubt or belief is Belief.UNHEARD:
            return belief, doubt
        if not heard.spoke or (not heard.ended and ran.exit_code == 0):
            return Belief.MUTE, ""
        left = self.runner is Planted.CARGO and heard.silent and not heard.failures
        return (Belief.PARTLY, "") if left else (belief, "")

    def end_without(self, heard: Heard, ran: Ran) -> Ran:
        """How it would have ended if nothing had been planted."""
        if self.runner is Planted.MOCHA and ran.exit_code and heard.ended:  # it ends with how many failed
            return replace(
                ran, exit_code=max(ran.exit_code - len(heard.of("fails")), int(not heard.only_planted_failed))
            )
        hides = self.runner.counts_planted and heard.only_planted_failed
        code = 101 if self.runner is Planted.CARGO else 1
        return replace(ran, exit_code=0) if hides and ran.exit_code == code else ran


@asynccontextmanager
async def planting(folder: Path, out: str, runner: Planted, package: str = "") -> AsyncIterator[Planting]:
    """For tests in this folder, or in one of its packages. It lies beside it, and its name says whose it is."""
    beside = folder.with_name(f"{folder.name}-planted")
    beside.mkdir(mode=0o755)
    try:
        up = "../" * (package.count("/") + 1) if package else ""
        plant = await asyncio.to_thread(write_plant, beside, f"{up}{out}/{_SOCKET}", runner)
        sow = _SOW.get(runner)
        sown = await asyncio.to_thread(sow, folder / package, plant.fails, plant.passes) if sow else Sown()
        if runner.is_read:
            yield Planting(runner, plant, sown)
            return
        async with listening(folder / out, _SOCKET) as listener:
            yield Planting(runner, plant, sown, listener)
    finally:
        await asyncio.shield(asyncio.to_thread(remove, beside))
