"""mocha, jest and vitest as the registry has them: planted tests tell who lies, and honest work is not refused.

Tried where sandboxes are named, as `make bench ARGS=--all` does; they are fetched then, and kept elsewhere.
"""

import asyncio
import json
import subprocess
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import Score
from agents.ports import Candidate
from tests.conformance.sandbox_rig import NAMED
from tests.corpus.fetching import cache
from tests.evaluator.pieces import ANYTHING, FAIL, PASS, REVISE, Files, Piece
from tests.evaluator.yard import Shelf, gates_for, repository_of

pytestmark = [pytest.mark.timeout(900), pytest.mark.skipif(not NAMED, reason="where sandboxes are named")]
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
def modules() -> Path:
    folder = cache().parent / "runners" / "-".join(VERSIONS).replace("@", "")
    if not (folder / "node_modules" / ".package-lock.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}")
        ran = subprocess.run(
            ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", *VERSIONS],
            cwd=folder, check=False, capture_output=True, text=True,
        )  # fmt: skip
        if ran.returncode:
            pytest.skip("not run: npm does not bring mocha, jest and vitest")
    return folder / "node_modules"


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


@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize("runner", SCRIPTS)
def test_a_runner_is_believed_as_far_as_it_tells_of_planted_tests(
    runner: str, name: str, modules: Path, tmp_path: Path
) -> None:
    tmp_path.chmod(0o755)
    text, verdict, why = WORKS[name]
    piece = Piece(
        name=name, base=files(runner), work={"cart.js": source(runner, text)}, verdict=verdict or FAIL, seconds=300
    )
    base, commit = repository_of(tmp_path / "repository", piece.base, piece.work)
    (tmp_path / "repository" / "node_modules").symlink_to(modules)
    gates = gates_for(tmp_path / "repository", tmp_path, piece, Shelf())
    candidate = Candidate(project="shop", base=base, commit=commit, scope=ANYTHING, check="tests")
    row = asyncio.run(gates.judge(candidate)).gates[0]
    assert row.score is verdict if verdict else row.score is not Score.PASS, row
    assert why in row.why and "alone" not in row.why and "test_" not in row.output, row
