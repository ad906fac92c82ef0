"""Which sandbox is used: the one that is asked for, or the first that holds. Without one nothing is run."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable

from agents.workspace.sandbox import selftest
from agents.workspace.sandbox.bubblewrap import Bubblewrap
from agents.workspace.sandbox.container import Container, Engine
from agents.workspace.sandbox.launch import Launcher
from agents.workspace.sandbox.limits import cgroup
from agents.workspace.sandbox.walls import tools
from agents.workspace.sandbox.walls.errors import SandboxUnusable

KINDS = ("bubblewrap", "docker", "podman")
AUTO = "auto"


class ChosenSandbox:
    """Calling it gives the sandbox, chosen and tried when it is first needed."""

    def __init__(self, wanted: str) -> None:
        self._wanted = wanted
        self._trial: asyncio.Task[Bubblewrap | Container] | None = None

    async def __call__(self) -> Bubblewrap | Container:
        """Raises SandboxUnusable. What did not hold is tried again the next time: it may be there by then."""
        if self._trial is None or (self._trial.done() and self._trial.exception()):
            self._trial = asyncio.create_task(choose_sandbox(self._wanted))
        return await asyncio.shield(self._trial)


async def choose_sandbox(wanted: str = AUTO) -> Bubblewrap | Container:
    """A sandbox whose walls were all tried just now. Raises SandboxUnusable, with what to install first."""
    problems: list[tuple[str, SandboxUnusable]] = []
    for kind in KINDS if wanted == AUTO else (wanted,):
        try:
            return await _MAKERS[kind](kind)
        except SandboxUnusable as problem:
            problems.append((kind, problem))
    seen = "; ".join(f"{kind}: {problem.what}" for kind, problem in problems)
    raise SandboxUnusable(seen, next_step=problems[0][1].next_step)


async def _bubblewrap(kind: str) -> Bubblewrap:
    sandbox = Bubblewrap(Launcher(tools=tools.find()))
    await asyncio.to_thread(cgroup.sweep)
    await selftest.require(sandbox)
    return sandbox


async def _container(kind: str) -> Container:
    path = shutil.which(kind)
    if path is None:
        raise SandboxUnusable("not installed", next_step=f"Install {kind}, or bubblewrap.")
    engine = Engine(name=kind, path=path)
    code, _ = await engine("info")
    if code != 0:
        raise SandboxUnusable("its engine does not answer", next_step=f"Start {kind}.")
    sandbox = Container(engine)
    await sandbox.sweep()
    await selftest.require(sandbox)
    return sandbox


_MAKERS: dict[str, Callable[[str], Awaitable[Bubblewrap | Container]]] = {
    "bubblewrap": _bubblewrap,
    "docker": _container,
    "podman": _container,
}
