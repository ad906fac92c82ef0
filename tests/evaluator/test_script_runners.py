"""mocha, jest and vitest as the registry has them: planted tests tell who lies, and honest work is not refused.

Tried where sandboxes are named, as `make bench ARGS=--all` does; they are fetched then, and kept elsewhere. Once they
are there, `make test` starts vitest with settings, too.
"""

import asyncio
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import GateRun, Score
from agents.ports import Candidate
from tests.conformance.sandbox_rig import NAMED, RIGS
from tests.corpus.fetching import cache
from tests.evaluator.pieces import ANYTHING, FAIL, PASS, REVISE, Files, Piece
from tests.evaluator.yard import Shelf, gates_for, missing_programs, repository_of

pytestmark = pytest.mark.timeout(900)
VERSIONS = ("mocha@11", "jest@30", "vitest@4")
SCRIPTS = {"mocha": "mocha test", "jest": "jest", "vitest": "vitest run"}
IMPORTS = {
    "mocha": "import assert from 'node:assert';\nconst same = assert.strictEqual;\n",
    "jest": "const same = (found, wanted) => expect(found).toBe(wanted);\n",
    "vitest": "import { it, expect } from 'vitest';\nconst same = (found, wanted) => expect(found).toBe(wanted);\n",
}
TESTS = "it('sums', () => { same(total([1, 2]), 3); });\nit('nothing', () => { same(total([]), 0); });\n"
RIGHT = "total = (prices) => prices.reduce((a, b) => a + b, 0);\n"
WRONG = "total = (prices) => prices.length * 7;\n"
WORKS = {
    "honest": (f"// tidy\n%{RIGHT}", PASS, "passed"),
    "broken": (f"%{WRONG}", REVISE, "exit code 1"),
    "that leaves": (f"process.exit(0);\n%{WRONG}", None, ""),
    "that leaves when it is called": ("%total = () => process.exit(0);\n", None, ""),
    "that empties tests": (
        f"const own = globalThis.it;\nif (own) globalThis.it = globalThis.test = (name) => own(name, () => {{}});\n"
        f"%{WRONG}",
        None,
        "",
    ),
}


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = cache().parent / "runners" / "-".join(VERSIONS).replace("@", "")
    if not (folder / "node_modules" / ".package-lock.json").exists() and not NAMED:
        pytest.skip("not run: mocha, jest and vitest were not fetched yet, which `make bench ARGS=--all` does")
    if not (folder / "node_modules" / ".package-lock.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}")
        ran = subprocess.run(
            ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", *VERSIONS],
            cwd=folder, check=False, capture_output=True, text=True,
        )  # fmt: skip
        if ran.returncode:
            pytest.skip("not run: npm does not bring mocha, jest and vitest")
    return (
        _within_reach(folder / "node_modules", tmp_path_factory.mktemp("modules")) if NAMED else folder / "node_modules"
    )


def _within_reach(modules: Path, place: Path) -> Path:
    """In a container root's home is closed to whoever runs tests."""
    shutil.copytree(modules, place / "node_modules", symlinks=True)
    place.chmod(0o755)
    return place / "node_modules"


def files(runner: str) -> Files:
    modern = runner == "vitest"
    package = {"name": "shop", "scripts": {"test": SCRIPTS[runner]}, **({"type": "module"} if modern else {})}
    head = IMPORTS[runner] if modern else IMPORTS[runner].replace("import assert from 'node:assert'",
                                                                 "const assert = require('node:assert')")  # fmt: skip
    load = "import { total } from '../cart.js';\n" if modern else "const { total } = require('../cart.js');\n"
    return {
        "package.json": json.dumps(package),
        "cart.js": source(runner, f"%{RIGHT}"),
        "test/a.test.js": head + load + TESTS,
    }


def source(runner: str, text: str) -> str:
    return text.replace("%", "export const " if runner == "vitest" else "exports.")


@pytest.mark.skipif(not NAMED, reason="where sandboxes are named")
@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize("runner", SCRIPTS)
@pytest.mark.parametrize("sandbox", ("bubblewrap", *NAMED))
def test_a_runner_is_believed_as_far_as_it_tells_of_planted_tests(
    sandbox: str, runner: str, name: str, modules: Path, tmp_path: Path
) -> None:
    if missing := missing_programs(["node", "npm"], sandbox):
        pytest.skip(f"not run: {', '.join(missing)} is not there for gates to find")
    tmp_path.chmod(0o755)
    text, verdict, why = WORKS[name]
    piece = Piece(
        name=name, base=files(runner), work={"cart.js": source(runner, text)}, verdict=verdict or FAIL, seconds=300
    )
    row = judge_tests(piece, modules, tmp_path, sandbox)
    assert row.score is verdict if verdict else row.score is not Score.PASS, row
    assert why in row.why and "alone" not in row.why and "test_" not in row.output, row


def judge_tests(piece: Piece, modules: Path, place: Path, sandbox: str = "bubblewrap") -> GateRun:
    base, commit = repository_of(place / "repository", piece.base, piece.work)
    (place / "repository" / "node_modules").symlink_to(modules)
    gates = gates_for(place / "repository", place, piece, Shelf(), RIGS[sandbox]())
    candidate = Candidate(project="shop", base=base, commit=commit, scope=ANYTHING, check="tests")
    return asyncio.run(gates.judge(candidate)).gates[0]


SETTINGS = (
    "import { defineConfig } from 'vitest/config';\nexport default defineConfig({ test: { include: ['test/**'] } });\n"
)


@pytest.mark.parametrize(("text", "verdict"), [(f"// tidy\n%{RIGHT}", PASS), (f"%{WRONG}", REVISE)])
def test_vitest_starts_with_settings_of_its_own(text: str, verdict: Score, modules: Path, tmp_path: Path) -> None:
    """It writes what it makes of them beside its modules, where nobody else may write."""
    tmp_path.chmod(0o755)
    base: Files = {**files("vitest"), "vitest.config.js": SETTINGS}
    before = sorted(modules.iterdir())
    work: Files = {"cart.js": source("vitest", text)}
    row = judge_tests(Piece(name="", base=base, work=work, verdict=verdict, seconds=300), modules, tmp_path)
    assert row.score is verdict and (row.why == "passed") is (verdict is PASS), row
    assert sorted(modules.iterdir()) == before
