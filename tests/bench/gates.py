"""The tests gate beside the same command run bare, in the same sandbox, in a folder that lies ready.

Ours reads the commit, lays out its files, runs, reads pytest's report, redacts and keeps the log, and removes the
folder. Bare is the sandbox and the command alone. Both lie in memory where the machine has room for it there: ext4
without a journal, as small virtual machines have it, takes a millisecond for each new file for minutes after many were
removed, which would be measured instead.
"""

import asyncio
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from agents.domain.checks.evaluation import Score
from agents.domain.checks.scope import Scope, ScopeMode
from agents.ports import Candidate, show_nothing
from agents.workspace.environments.tree_environment import environment
from agents.workspace.gates import gate_commands, rules
from agents.workspace.gates.detect import Way
from agents.workspace.gates.gate_runner import GateRunner, GateTools
from agents.workspace.gates.judge import GateConfig
from agents.workspace.gates.passed_runs import PassedRuns
from agents.workspace.git.clean_checkout import CleanCheckout
from agents.workspace.sandbox import sandbox_choice
from agents.workspace.sandbox.bubblewrap import Bubblewrap
from agents.workspace.sandbox.container import Container
from tests.bench.rows import Row, Say, compared, in_turn, table
from tests.evaluator.pieces import MORE, MORE_TESTS, SHOP, Files
from tests.evaluator.yard import Shelf, repository_of

ROUNDS = 8
FILES = 300
BUSY = "def test_busy():\n    assert sum(number * number % 7 for number in range(1_500_000)) > 0\n"


def run(say: Say) -> list[Row]:
    if shutil.which("bwrap") is None:
        return [Row(name="gate", ours=0, failed="bubblewrap is not installed")]
    memory = Path("/dev/shm")
    with TemporaryDirectory(prefix="overlord-bench-", dir=memory if memory.is_dir() else "/var/tmp") as made:
        Path(made).chmod(0o755)
        return asyncio.run(_measure(Path(made), say))


async def _measure(place: Path, say: Say) -> list[Row]:
    more: Files = {f"shop/part_{number}.py": f'"""Part {number}."""\n' * 40 for number in range(FILES)}
    base, commit = repository_of(place / "repository", {**SHOP, **more, "tests/test_busy.py": BUSY},
                                 {"shop/cart.py": MORE, "tests/test_cart.py": MORE_TESTS})  # fmt: skip
    sandbox = await sandbox_choice.choose_sandbox()
    bench = await _bench(place, sandbox, base, commit)
    gates, bares = list[float](), list[float]()
    async with bench.checkout.write_tree(place / "repository", tuple(bench.case.has.values())) as folder:
        (folder / bench.out).mkdir()
        for number in range(-2, ROUNDS):
            for name in in_turn(number, "gate", "bare"):
                with timed(gates if name == "gate" else bares, counted=number >= 0):
                    fresh = replace(bench, passed=PassedRuns(place / f"passed-{number}"))  # or it is not run again
                    await (_gate(fresh) if name == "gate" else _bare(bench, folder))
    say(f"{ROUNDS} rounds, {FILES} files: gate {sum(gates) / ROUNDS:.2f} s, bare {sum(bares) / ROUNDS:.2f} s")
    return [compared("gate", gates, bares, beside="the same command in the same sandbox, bare", most=1.1)]


async def _bench(place: Path, sandbox: Bubblewrap | Container, base: str, commit: str) -> GateRunner:
    async def found() -> Bubblewrap | Container:
        return sandbox

    yardstick = GateConfig(repository=place / "repository")
    scope = Scope(mode=ScopeMode.UNRESTRICTED)
    candidate = Candidate(project="shop", base=base, commit=commit, scope=scope)
    return GateRunner(
        case=await rules.read(candidate, yardstick.repository),
        commands=yardstick.commands,
        environment=environment(yardstick.repository, yardstick.commands),
        checkout=CleanCheckout(place / "gates"),
        passed=PassedRuns(place / "passed"),
        sandbox=sandbox,
        tools=GateTools(sandbox=found, artefacts=Shelf()),
        show=show_nothing,
    )


async def _gate(bench: GateRunner) -> None:
    outcome = await bench.run("tests", _command(bench))
    assert outcome.row.score is Score.PASS, outcome.row


async def _bare(bench: GateRunner, folder: Path) -> None:
    command = _command(bench)
    for argv in (command.argv, command.after):
        workspace = bench.environment.workspace_for(folder)
        ran = await bench.sandbox.once(workspace, bench.tools.profile, (*gate_commands.NICE, *argv))
        assert ran.exit_code == 0, ran


def _command(bench: GateRunner) -> gate_commands.Command:
    return gate_commands.tests(Way.PYTEST, bench.environment, bench.out, ["shop/cart.py"])


@contextmanager
def timed(into: list[float], *, counted: bool) -> Iterator[None]:
    began = time.perf_counter()
    yield
    if counted:
        into.append(time.perf_counter() - began)


if __name__ == "__main__":
    print(table(run(lambda text: print(text, file=sys.stderr))))
