"""What three runs of a check on an untouched tree say."""

from pathlib import Path

import pytest

from agents.domain.checks.evaluation import ExtraGate, GateCommands, GateRun, Score
from agents.domain.project.ground import Baseline
from agents.ports import Sandbox
from agents.workspace.files.artefacts import FileArtefacts
from agents.workspace.gates.baselines import Kept, judge_runs
from agents.workspace.gates.gate_runner import GateTools, Outcome
from agents.workspace.gates.judge import GateConfig, SandboxGates
from agents.workspace.gates.scoring import Report
from tests.conformance.sandbox_rig import RIGS
from tests.fakes.live import Audience
from tests.workspace.repositories import bare, git, somebodys


def ran(*failing: str, code: int | None = None) -> Outcome:
    score = Score.NEEDS_REVISION if failing or code else Score.PASS
    row = GateRun(
        name="tests", why="", score=score, exit_code=(1 if failing else 0) if code is None else code, seconds=1.0
    )
    report = Report(tests=5, failed=len(failing), skipped=0, names=failing) if code is None else None
    return Outcome(row=row, report=report)


@pytest.mark.parametrize(
    ("runs", "red", "unsteady"),
    [
        ([ran(), ran(), ran()], (), ()),
        ([ran("a"), ran("a"), ran("a")], ("a",), ()),
        ([ran("a"), ran(), ran("a")], (), ("a",)),
        ([ran("a", "b"), ran("a"), ran("a", "c")], ("a",), ("b", "c")),
    ],
)
def test_what_fails_always_is_red_and_what_fails_at_times_is_unsteady(
    runs: list[Outcome], red: tuple[str, ...], unsteady: tuple[str, ...]
) -> None:
    found = judge_runs("tests", "pytest -q", runs)
    assert (found.red, found.unsteady, found.problem) == (red, unsteady, "")


def test_tests_that_cannot_be_read_are_a_problem_and_not_red() -> None:
    assert judge_runs("tests", "pytest -q", [ran(code=2)] * 3).problem
    by_make = judge_runs("tests", "make test", [ran(code=2)] * 3, of_pytest=False)
    assert by_make.is_red


async def test_a_red_and_a_steady_check_are_measured_in_the_sandbox_once(tmp_path: Path) -> None:
    files = {
        "test_it.py": "def test_good():\n    pass\n\ndef test_bad():\n    assert False\n\ndef later():\n    return x\n",
        "setup.cfg": "",
    }
    user = somebodys(tmp_path / "shop", files)
    home = tmp_path / "home"
    (home / "repos").mkdir(parents=True)
    repository = bare(user, home / "repos" / "shop.git")
    commit = git(user, "rev-parse", "HEAD")
    sandbox = RIGS["bubblewrap"]()

    async def found() -> Sandbox:
        return sandbox

    own = GateCommands(extra=(ExtraGate(name="types", command="true"), ExtraGate(name="docs-build", command="exit 3")))
    gates = SandboxGates(
        {"shop": GateConfig(repository=repository, commands=own, checkout=user)},
        home,
        GateTools(sandbox=found, artefacts=FileArtefacts(home)),
    )
    baseline = await gates.baseline("shop", commit, "key")
    assert baseline is not None
    said = {check.name: (check.is_red, check.failed, check.runs) for check in baseline.checks}
    assert said == {"tests": (True, 3, 3), "lint": (True, 1, 1), "types": (False, 0, 3), "docs-build": (True, 3, 3)}
    tests = next(check for check in baseline.checks if check.name == "tests")
    assert (tests.red, tests.tests) == (("test_it.test_bad",), 2)
    (home / "gates").rename(tmp_path / "nowhere") if (home / "gates").exists() else None
    kept = Kept(home, "shop", baseline.tree, "key", own)
    assert kept.read() == baseline
    audience = Audience()
    assert await gates.baseline("shop", commit, "key", audience) == baseline
    assert audience.shown == [], "the second task on the same base runs nothing for it"
    assert not list((home / "gates").glob("*")) if (home / "gates").exists() else True, "nothing was laid out again"
    assert await gates.baseline("other", commit, "key") is None


def test_what_could_not_be_run_is_not_remembered(tmp_path: Path) -> None:
    problem = judge_runs("tests", "pytest -q", [ran(code=2)] * 3)
    kept = Kept(tmp_path, "shop", "tree", "key", GateCommands())
    kept.write(Baseline(tree="tree", key="key", checks=(problem,)))
    assert kept.read() is None
    kept.path.parent.mkdir(parents=True, exist_ok=True)
    kept.path.write_text("{")
    assert kept.read() is None
