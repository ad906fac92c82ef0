"""A tree with the project's warm environment, beside the same tree without any: what every run of a check pays first.

Both lay out the commit and start a sandbox in it that does nothing. Ours also finds the layer, puts generated and
carried files into the tree, and shows the venv and 2,000 files of node_modules. `second_task` is the baseline of a
commit that a task before had measured: how often the suite is run for it.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from agents.domain.checks.evaluation import GateCommands
from agents.domain.project.environment import WrittenEnvironment
from agents.ports import Listener, Profile, Ran, Room, Sandbox, Workspace
from agents.workspace.environments.tree_environment import BARE, Attached, environment
from agents.workspace.gates.gate_runner import GateTools
from agents.workspace.gates.judge import GateConfig, SandboxGates
from agents.workspace.git import objects
from agents.workspace.git.clean_checkout import CleanCheckout
from agents.workspace.sandbox.walls import GATE
from tests.bench.floor import folder
from tests.bench.rows import Row, Say, compared, in_turn
from tests.workspace.environments.rig import Rig, Wish, make

FILES, MODULES, ROUNDS = 500, 2_000, 15
MOST = 1.3
SETUP = (
    '"$PYTHON" -m venv --without-pip "$LAYER/venv"',
    f'mkdir -p node_modules/.bin; for n in $(seq {MODULES}); do echo "$n" > node_modules/$n.js; done',
)


def run(say: Say) -> list[Row]:
    with folder() as place:
        return asyncio.run(_measure(place, say))


async def _measure(place: Path, say: Say) -> list[Row]:
    files = {f"package_{n % 20}/module_{n}.py": f"VALUE = {n}\n" * 60 for n in range(FILES)}
    files |= {"test_it.py": "def test_it():\n    pass\n", ".gitignore": "local.env\nnode_modules/\n"}
    written = WrittenEnvironment(setup=SETUP, carry=("local.env",), variables={"APP_MODE": "test"})
    rig = make(place, Wish(files=files, written=written, ignored={"local.env": "A=1\n"}))
    if problem := await rig.set_up():
        return [Row(name="attach", ours=0, failed=problem)]
    ours, theirs = list[float](), list[float]()
    for number in range(-1, ROUNDS):
        for warm in in_turn(number, True, False):
            took = await _once(rig, warm=warm)
            if number >= 0:  # the first warms up
                (ours if warm else theirs).append(took)
    say(f"{min(ours) * 1e3:.1f} beside {min(theirs) * 1e3:.1f} ms at best")
    beside = f"a bare checkout of {FILES} files, and a sandbox in it"
    return [compared("attach", ours, theirs, beside=beside, most=MOST), await _second_task(rig)]


async def _once(rig: Rig, *, warm: bool) -> float:
    repository = rig.home / "repos" / f"{rig.name}.git"
    began = time.perf_counter()
    attached: Attached = await rig.grounds.attach(rig.name, rig.commit) if warm else BARE
    around = environment(rig.user, GateCommands(), attached=attached)
    wanted = list((await objects.entries(repository, rig.commit)).values())
    async with CleanCheckout(rig.home / "gates").write_tree(repository, wanted) as tree:
        await asyncio.to_thread(around.furnish, tree)
        ran = await rig.sandbox.once(around.workspace_for(tree), GATE, ("/bin/true",))
        took = time.perf_counter() - began
    assert ran.exit_code == 0, ran.output
    return took


class CountingSandbox:
    """The real one, and how often something was run in it."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.name = inner.name
        self.runs = 0

    async def once(
        self, workspace: Workspace, profile: Profile, command: Sequence[str], on_output: Listener | None = None
    ) -> Ran:
        self.runs += 1
        return await self._inner.once(workspace, profile, command, on_output)

    def open(self, workspace: Workspace, profile: Profile) -> AbstractAsyncContextManager[Room]:
        return self._inner.open(workspace, profile)


async def _second_task(rig: Rig) -> Row:
    sandbox = CountingSandbox(rig.sandbox)

    async def found() -> Sandbox:
        return sandbox

    repository = rig.home / "repos" / f"{rig.name}.git"
    config = {rig.name: GateConfig(repository=repository, commands=GateCommands(tests="true"), checkout=rig.user)}
    runs = []
    for _ in range(2):  # as after a restart: nothing is remembered but what lies in the state folder
        gates = SandboxGates(
            config, rig.home, GateTools(sandbox=found, artefacts=rig.artefacts), attach=rig.grounds.attach
        )
        before = sandbox.runs
        await gates.baseline(rig.name, rig.commit, "key")
        runs.append(sandbox.runs - before)
    beside = f"runs of the suite for the baseline of a second task; the first took {runs[0]}"
    return Row(name="second_task", ours=runs[1], unit="runs", most_ours=0, beside=beside)
