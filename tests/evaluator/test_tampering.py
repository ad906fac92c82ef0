"""Work that tampers with whoever runs its tests is refused as that, in every sandbox; honest work is not."""

import asyncio
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from agents.domain.checks.evaluation import GateCommands, GateRun, Score
from agents.ports import Candidate
from tests.conformance.sandbox_rig import NAMED, RIGS, USUAL
from tests.evaluator.pieces import ANYTHING, MORE, SHOP, Files, Piece
from tests.evaluator.tampering import NODE_TAMPERING, OTHER_TAMPERING, TAMPERING
from tests.evaluator.variants import REPLACING
from tests.evaluator.yard import AT_ONCE, Shelf, gates_for, missing_programs, repository_of

PACKAGES = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments")
PIECES = {piece.name: piece for piece in (*TAMPERING, *REPLACING)}
SOME = (
    "source that makes every report good",
    "source that empties assertions of classes",
    "a daemon that rewrites reports",
    "source that writes the report and leaves",
)
# Tried by `make bench ARGS=--all`, where sandboxes are named: what others like them show too.
RARE = {
    "source that runs no class of tests",
    "source that has no test of a folder run",
    "source that has one case of each table run",
    "source that writes over the code of tests",
    "source that has no test called",
    "source that makes each call good",
    "source that makes reports good once it is called",
    "source that writes the report at the end and leaves",
    "a conftest that mends reports on their way",
    "a conftest that says 0",
    "a conftest that brings a plugin",
    "a coverage of its own",
}
USUALLY = {"bubblewrap": tuple(name for name in PIECES if name not in RARE), "podman": SOME}
CASES = [(sandbox, name) for sandbox in NAMED or USUAL for name in (PIECES if NAMED else USUALLY[sandbox])]
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def rows(request: pytest.FixtureRequest) -> Iterator[Mapping[tuple[str, str], GateRun]]:
    """How the tests gate judges what was asked for, side by side; what passed on the base is not run again."""
    wanted = [item.callspec.params.get("case") for item in request.session.items if hasattr(item, "callspec")]
    with TemporaryDirectory(prefix="overlord-tampering-", dir="/var/tmp") as made:
        Path(made).chmod(0o755)
        yield asyncio.run(_judge_all([case for case in CASES if case in wanted], Path(made)))


async def _judge_all(cases: list[tuple[str, str]], place: Path) -> dict[tuple[str, str], GateRun]:
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(at: int, case: tuple[str, str]) -> GateRun:
        async with turn:
            own = await asyncio.to_thread(_own_venv, case[0], place)
            return await _tests_row(replace(PIECES[case[1]], commands=own), case[0], place, str(at))

    first = {sandbox: case for case in cases[::-1] for sandbox in case[:1]}
    known = {case: await one(len(cases), case) for case in first.values()}  # its base is what the others read
    others = [case for case in cases if case not in known]
    return {**known, **dict(zip(others, await asyncio.gather(*map(one, range(len(others)), others)), strict=True))}


def _own_venv(sandbox: str, place: Path) -> GateCommands:
    """As projects have one: with pytest, and with whatever plugins announce themselves. An image has its own Python."""
    home = Path(sys.base_prefix, "bin") if sandbox == "bubblewrap" else Path("/usr/bin")
    venv, site = place / f"{sandbox}-venv", Path(pytest.__file__).parents[1]
    if not venv.exists():
        packages = venv / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"
        (venv / "bin").mkdir(parents=True)
        (venv / "bin" / "python").symlink_to(home / "python3")
        (venv / "pyvenv.cfg").write_text(f"home = {home}\n")
        for name in PACKAGES:
            shutil.copytree(site / name, packages / name)
        shutil.copy2(site / "py.py", packages)
    return GateCommands(environment=str(venv))


async def _tests_row(piece: Piece, sandbox: str, place: Path, name: str) -> GateRun:
    repository = place / f"{sandbox}-{name}"
    base, commit = await asyncio.to_thread(repository_of, repository, piece.base, piece.work)
    gates = gates_for(repository, place / "state", piece, Shelf(), RIGS[sandbox]())
    judged = await gates.judge(Candidate(project="shop", base=base, commit=commit, scope=ANYTHING, check="tests"))
    return judged.gates[0]


def test_what_is_tried_rarely_is_there() -> None:
    assert set(PIECES) >= RARE


@pytest.mark.parametrize("case", CASES, ids=":".join)
def test_tampering_is_refused(case: tuple[str, str], rows: Mapping[tuple[str, str], GateRun]) -> None:
    piece, row = PIECES[case[1]], rows[case]
    assert row.name == "tests" and row.score is piece.verdict, row
    assert piece.why in row.why, row


# Those of go and cargo take long: what is read of them has tests of its own. `make bench` brings a node to containers.
@pytest.mark.parametrize("piece", (*NODE_TAMPERING, *(OTHER_TAMPERING if NAMED else ())), ids=lambda piece: piece.name)
@pytest.mark.parametrize("sandbox", ("bubblewrap", *NAMED))
def test_other_runners_are_not_believed_blindly(sandbox: str, piece: Piece, tmp_path: Path) -> None:
    if missing := missing_programs(piece.needs, sandbox):
        pytest.skip(f"not run: {', '.join(missing)} is not there for gates to find")
    tmp_path.chmod(0o755)
    row = asyncio.run(_tests_row(piece, sandbox, tmp_path, "node"))
    assert row.score is piece.verdict and piece.why in row.why, row
    assert "planted" not in row.output and str(tmp_path) not in row.why


# What real projects do to pytest, none of it a lie.
HONEST: dict[str, Files] = {
    "hooks that only look": {"tests/conftest.py": """\
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    item.function.seen = outcome.get_result().outcome, item.funcargs


@pytest.fixture(autouse=True)
def only_for_tests_of_the_shop(request):
    assert request.node.name.startswith("test_a") or request.node.name.startswith("test_the")
"""},
    "stopping at the first failure, in a random order": {"pytest.ini": "[pytest]\npythonpath = .\naddopts = -x -ra\n"},
    "tests of many kinds": {"tests/test_kinds.py": """\
import unittest

import pytest


class TestInside(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ready = True

    def test_a_method(self):
        self.assertTrue(self.ready)


@pytest.mark.parametrize("number", [1, 2])
def test_a_number(number):
    assert number


@pytest.mark.xfail
def test_a_wish():
    assert False


@pytest.mark.skip
def test_a_gap():
    assert False


class TestSkipped:
    pytestmark = pytest.mark.skip

    def test_a_thing(self):
        assert False
"""},
    "nothing but documentation that is tested": {
        "pytest.ini": "[pytest]\npythonpath = .\naddopts = --doctest-modules shop\n",
        "shop/price.py": '"""Prices.\n\n>>> 1 + 1\n2\n"""\n'},
    "all tests skipped": {
        "tests/test_cart.py": "import pytest\n\npytestmark = pytest.mark.skip\n\n\ndef test_a():\n    pass\n"},
    "a runner started by a test": {"tests/test_runs.py": """\
import subprocess
import sys


def test_a_run(tmp_path):
    (tmp_path / "test_x.py").write_text("def test_x():\\n    assert False\\n")
    assert subprocess.run([sys.executable, "-m", "pytest", "-q", "test_x.py"], cwd=tmp_path).returncode == 1
"""},
    "hooks that break down over what they do not know": {"tests/conftest.py": """\
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    yield
    if "test_cart" not in item.function.__module__:
        raise KeyError(item.name)
"""},
    "reports that were mended before": {"tests/conftest.py": """\
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"
"""},
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_what_projects_do_to_their_runner_is_no_tampering(name: str, tmp_path: Path) -> None:
    piece = replace(TAMPERING[0], base={**SHOP, **HONEST[name]}, work={"shop/cart.py": MORE})
    tmp_path.chmod(0o755)
    row = asyncio.run(_tests_row(piece, "bubblewrap", tmp_path, "honest"))
    assert row.score is Score.PASS, row
    if name == "reports that were mended before":  # nor where the base was run earlier, and is known
        again = replace(piece, work={"shop/cart.py": f"{MORE}\n# tidy\n"})
        assert asyncio.run(_tests_row(again, "bubblewrap", tmp_path, "again")).score is Score.PASS
    assert "planted" not in row.output and row.exit_code == 0
