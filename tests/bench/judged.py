"""A judged piece of work beside the bare suite, in the same sandbox: with its tests untouched, and with them touched.

Judged is everything a step of the workflow does: lay out, tests with planted ones among them, lint, the old tests where
tests were touched, reports. What is known of the base lies ready, as it does before any work begins. Bare is pytest
alone in the same sandbox, in a folder that lies ready. Measuring coverage is left out of both, and shown beside them:
what it costs depends on what the tests do, not on us.
"""

import asyncio
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from agents.domain.checks.evaluation import GateCommands, Score, overall
from agents.domain.text.redact import Redactor
from agents.ports import Candidate
from agents.workspace.environments.tree_environment import environment
from agents.workspace.gates.gate_commands import NICE
from agents.workspace.gates.gate_runner import GateTools
from agents.workspace.gates.judge import GateConfig, SandboxGates
from agents.workspace.git import objects
from agents.workspace.git.clean_checkout import CleanCheckout
from agents.workspace.sandbox import sandbox_choice
from agents.workspace.sandbox.bubblewrap import Bubblewrap
from agents.workspace.sandbox.container import Container
from agents.workspace.sandbox.walls import GATE
from tests.bench.gates import timed
from tests.bench.rows import Row, Say, compared, in_turn, table
from tests.evaluator.pieces import ANYTHING, MORE, MORE_TESTS, SETTINGS, SHOP, TESTS, Files
from tests.evaluator.yard import Shelf, repository_of

ROUNDS = 5
FILES = 300
BUSY = """\
import pytest


@pytest.mark.parametrize("number", range(60))
def test_busy(number):
    assert sum(each * each % 7 for each in range(400_000)) > number
"""
OWN_COVERAGE = SETTINGS + "# --cov: as far as gates can see, the project measures coverage itself\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    name: str
    work: Files
    most: float | None = None
    settings: str = OWN_COVERAGE


WORKS = (
    Judged(name="judged_untouched", work={"shop/cart.py": MORE}, most=2.0),
    Judged(name="judged_touched", work={"shop/cart.py": MORE, "tests/test_cart.py": MORE_TESTS}, most=3.0),
    Judged(name="judged_with_coverage", work={"shop/cart.py": MORE}, settings=SETTINGS),
)


def run(say: Say) -> list[Row]:
    if shutil.which("bwrap") is None:
        return [Row(name="judged", ours=0, failed="bubblewrap is not installed")]
    memory = Path("/dev/shm")
    with TemporaryDirectory(prefix="overlord-bench-", dir=memory if memory.is_dir() else "/var/tmp") as made:
        Path(made).chmod(0o755)
        return [asyncio.run(_measure(Path(made) / each.name, each, say)) for each in WORKS]


async def _measure(place: Path, judged: Judged, say: Say) -> Row:
    more: Files = {f"shop/part_{number}.py": f'"""Part {number}."""\n' * 40 for number in range(FILES)}
    whole = {**SHOP, **more, "tests/test_busy.py": BUSY, "tests/test_cart.py": TESTS, "pyproject.toml": judged.settings}
    base, commit = await asyncio.to_thread(repository_of, place / "repository", whole, judged.work)
    sandbox = await sandbox_choice.choose_sandbox()
    first = _gates(place, sandbox, "known")
    known = await first.baseline("shop", base, "bench")
    candidate = Candidate(project="shop", base=base, commit=commit, scope=ANYTHING, known=known)
    ours, theirs, home = list[float](), list[float](), 0
    there = await objects.entries(place / "repository", commit)
    async with CleanCheckout(place / "bare").write_tree(place / "repository", tuple(there.values())) as folder:
        for number in range(-1, ROUNDS):
            home += 1
            gates = _gates(place, sandbox, f"state-{home}")  # or nothing is run again
            for which in in_turn(number, "ours", "theirs"):
                with timed(ours if which == "ours" else theirs, counted=number >= 0):
                    await (_judge(gates, candidate) if which == "ours" else _bare(sandbox, folder))
    say(f"{judged.name}: judged {sum(ours) / ROUNDS:.2f} s, bare {sum(theirs) / ROUNDS:.2f} s, {ROUNDS} rounds")
    return compared(judged.name, ours, theirs, beside="pytest alone in the same sandbox", most=judged.most)


def _gates(place: Path, sandbox: Bubblewrap | Container, name: str) -> SandboxGates:
    async def found() -> Bubblewrap | Container:
        return sandbox

    tools = GateTools(sandbox=found, artefacts=Shelf(), redact=Redactor(), profile=GATE)
    return SandboxGates({"shop": GateConfig(repository=place / "repository")}, place / name, tools)


async def _judge(gates: SandboxGates, candidate: Candidate) -> None:
    judged = await gates.judge(candidate)
    assert overall(row.score for row in judged.gates) is Score.PASS, judged


async def _bare(sandbox: Bubblewrap | Container, folder: Path) -> None:
    around = environment(folder, GateCommands())
    argv = (*NICE, around.python, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    ran = await sandbox.once(around.workspace_for(folder), GATE, argv)
    assert ran.exit_code == 0, ran


if __name__ == "__main__":
    print(table(run(lambda text: print(text, file=sys.stderr))))
