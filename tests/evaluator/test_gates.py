"""What the gates do beside judging: they say how it goes, keep logs, measure coverage, and refuse without a sandbox."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from agents.domain.checks.evaluation import ExtraGate, GateCommands, OnFail, Score, overall, sum_up
from agents.domain.checks.scope import Scope, ScopeMode
from agents.ports import Candidate, Sandbox
from agents.workspace.gates.gate_runner import GateTools
from agents.workspace.gates.judge import GateConfig, SandboxGates
from agents.workspace.sandbox.walls import SandboxUnusable
from tests.evaluator.pieces import MORE, MORE_TESTS, PASS, SHOP, TESTS, Piece
from tests.evaluator.yard import Shelf, gates_for, git, judge, judge_steps, repository_of
from tests.fakes.live import Audience
from tests.sandbox.yard import bubblewrap

WORK = Piece(name="work", base=SHOP, work={"shop/cart.py": MORE, "tests/test_cart.py": MORE_TESTS}, verdict=PASS)
ANYTHING = Scope(mode=ScopeMode.UNRESTRICTED)


@pytest.fixture
def place() -> Iterator[Path]:
    with TemporaryDirectory(prefix="overlord-gates-", dir="/var/tmp") as made:
        Path(made).chmod(0o755)
        yield Path(made)


async def test_a_run_says_how_it_goes_keeps_its_logs_and_names_its_sandbox(place: Path) -> None:
    verdict = await judge(WORK, place)
    assert verdict.judged.sandbox == "bubblewrap"
    assert verdict.audience.shown[0] == "tests: pytest -q" and verdict.audience.running == 0
    assert "4 passed" in "".join(verdict.audience.heard) and str(place) not in "".join(verdict.audience.heard)
    tests = next(gate for gate in verdict.judged.gates if gate.name == "tests")
    assert (tests.command, tests.exit_code, tests.log) == ("pytest -q", 0, "T-1-tests")
    assert verdict.kept["T-1-tests"].startswith("$ pytest -q\n") and "4 passed" in verdict.kept["T-1-tests"]
    assert set(verdict.kept) == {"T-1-tests", "T-1-lint", "T-1-original-tests"}


async def test_a_role_brings_gates_of_its_own(place: Path) -> None:
    """Where a project has one of the same name, that is the one."""
    repository, shelf = place / "repository", Shelf()
    base, commit = repository_of(repository, SHOP, WORK.work)
    own = replace(WORK, commands=GateCommands(extra=(ExtraGate(name="types", command="true"),)))
    risk = ExtraGate(name="risk", command="grep -q dearest shop/cart.py && exit 3; exit 0", on_fail=OnFail.BLOCK)
    of_role = {"trader": (ExtraGate(name="types", command="false"), risk)}
    gates = gates_for(repository, place, own, shelf, of_role=of_role.__getitem__)
    candidate = Candidate(project="shop", base=base, commit=commit, scope=ANYTHING, role="trader")
    found = {gate.name: gate for gate in (await judge_steps(gates, candidate)).gates}
    assert found["types"].score is Score.PASS
    assert (found["risk"].score, found["risk"].exit_code) == (Score.FAIL, 3)
    assert not found["original tests"].ran


@pytest.mark.parametrize(
    ("base", "said", "shown"),
    [
        (SHOP, "", "pytest -q"),
        (SHOP, "make check", "make check"),
        ({"Makefile": "test:\n\ttrue\n"}, "", "make test"),
        ({"README.md": "# Shop\n"}, "", None),
        ({"package.json": '{"scripts": {"test": "jest"}}'}, "", "npm test"),
    ],
)
async def test_a_minion_may_try_what_the_tests_gate_will_run(
    place: Path, base: dict[str, str], said: str, shown: str | None
) -> None:
    repository = place / "repository"
    first, _ = repository_of(repository, base, WORK.work)
    gates = gates_for(repository, place, replace(WORK, commands=GateCommands(tests=said)), Shelf())
    (place / "folder" / "src").mkdir(parents=True)
    trial = await gates.trial("shop", first, place / "folder")
    assert (trial and trial.shown) == shown and await gates.trial("other", first, place) is None
    if trial:
        assert trial.argv[0] == "env" and f"PYTHONPATH={place / 'folder' / 'src'}" in trial.argv, "as the gate has it"


async def test_what_cannot_be_tried_is_left_to_the_gate(place: Path) -> None:
    repository, modules = place / "repository", place / "modules"
    first, _ = repository_of(repository, {"package.json": '{"scripts": {"test": "jest"}}'}, WORK.work)
    (modules / "node_modules").mkdir(parents=True)
    tools = GateTools(sandbox=bubblewrapped, artefacts=Shelf())
    gates = SandboxGates({"shop": GateConfig(repository=repository, checkout=modules)}, place, tools)
    assert await gates.trial("shop", first, place) is None, "node's modules are not in a minion's folder"
    own = GateConfig(repository=repository, checkout=modules, commands=GateCommands(tests="npm run check"))
    assert await SandboxGates({"shop": own}, place, tools).trial("shop", first, place) is None
    wrong = GateCommands(environment=str(place / "nowhere"))
    gates = SandboxGates({"shop": GateConfig(repository=repository, commands=wrong)}, place, tools)
    assert await gates.trial("shop", first, place) is None, "the gate says that there is no such environment"


async def bubblewrapped() -> Sandbox:
    return bubblewrap()


@pytest.mark.parametrize(
    ("tests", "least", "most"),
    [(MORE_TESTS, 100, 100), (TESTS, 50, 99), ("def test_nothing():\n    assert True\n", 0, 0)],
)
async def test_coverage_of_the_changed_files_is_measured(place: Path, tests: str, least: float, most: float) -> None:
    verdict = await judge(replace(WORK, work={"shop/cart.py": MORE, "tests/test_cart.py": tests}), place)
    assert verdict.judged.coverage is not None
    assert least <= verdict.judged.coverage <= most


async def test_coverage_is_not_told_where_no_code_was_changed(place: Path) -> None:
    verdict = await judge(replace(WORK, work={"README.md": "# Other\n"}), place)
    assert verdict.judged.coverage is None


async def test_without_a_sandbox_nothing_is_run_and_the_reason_says_what_to_install(place: Path) -> None:
    async def none() -> Sandbox:
        raise SandboxUnusable("not installed", next_step="Install it: apt install bubblewrap.")

    repository = place / "repository"
    base, commit = repository_of(repository, SHOP, WORK.work)
    gates = SandboxGates({"shop": GateConfig(repository=repository)}, place, GateTools(sandbox=none, artefacts=Shelf()))
    found = await judge_steps(gates, Candidate(project="shop", base=base, commit=commit, scope=ANYTHING))
    score, feedback = sum_up(found.gates)
    assert score is Score.FAIL
    assert feedback == ("tests: not installed. Install it: apt install bubblewrap.",)
    assert [gate.ran for gate in found.gates[4:]] == [True, False, False, False]


async def test_a_commit_or_project_that_is_not_there_is_a_no(place: Path) -> None:
    repository = place / "repository"
    base, _ = repository_of(repository, SHOP, WORK.work)
    gates = gates_for(repository, place, WORK, Shelf())
    for project, commit in (("shop", "1" * 40), ("shop", "--output=/tmp/x"), ("other", base)):
        found = await judge_steps(gates, Candidate(project=project, base=base, commit=commit, scope=ANYTHING))
        assert sum_up(found.gates)[0] is Score.FAIL


async def test_judging_is_seen_while_it_goes_on_and_called_off_leaves_nothing_behind(place: Path) -> None:
    sleeps = "import time\n\n\ndef test_a():\n    pass\n\n\ndef test_b():\n    time.sleep(600)\n"
    repository = place / "repository"
    base, commit = repository_of(repository, SHOP, {"tests/test_sleep.py": sleeps})
    audience = Audience()
    gates = gates_for(repository, place, WORK, Shelf())
    candidate = Candidate(project="shop", base=base, commit=commit, scope=ANYTHING)
    going = asyncio.create_task(judge_steps(gates, candidate, audience))
    await audience.hears(".")
    assert (audience.shown, audience.running) == (["tests: pytest -q"], 1)
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    assert audience.running == 0
    assert list((place / "gates").iterdir()) == []


async def test_the_same_work_is_judged_alike_again_and_beside_itself(place: Path) -> None:
    verdicts = await asyncio.gather(*(judge(WORK, place / str(number)) for number in range(2)))
    first, second = ([(gate.name, gate.score, gate.why) for gate in each.judged.gates] for each in verdicts)
    assert first == second


async def test_the_same_files_are_not_tested_again_as_the_whole(place: Path) -> None:
    """Two subtasks, then all of it together: the last two have the same files, so the suite runs once less."""
    repository, audience, shelf = place / "repository", Audience(), Shelf()
    first = {"shop/cart.py": MORE, "tests/test_cart.py": MORE_TESTS}
    base, tip = repository_of(repository, SHOP, {"README.md": "# Shop\n", "shop/price.py": "PRICE = 1\n"}, first)
    middle = git(repository, "rev-parse", "first")
    gates = gates_for(repository, place, WORK, shelf)
    candidate = Candidate(project="shop", base=base, commit=middle, scope=ANYTHING, since=base)
    steps = (candidate, replace(candidate, base=middle, commit=tip), replace(candidate, commit=tip))
    judged = [await gates.judge(each, audience) for each in steps]
    assert all(overall(gate.score for gate in each.gates) is Score.PASS for each in judged)
    suite = [shown for shown in audience.shown if shown == "tests: pytest -q"]
    assert len(suite) == 2, audience.shown
    tests = next(gate for gate in judged[2].gates if gate.name == "tests")
    assert tests.why == "4 passed, as before on the same files" and tests.command == "pytest -q"
    assert judged[2].coverage is not None, "measured when the files were tested"
    assert "Not run again" in (await shelf.read(tests.log) or "")


async def test_what_failed_is_run_again(place: Path) -> None:
    repository, audience = place / "repository", Audience()
    base, commit = repository_of(repository, SHOP, {"shop/cart.py": "broken = \n"})
    gates = gates_for(repository, place, WORK, Shelf())
    candidate = Candidate(project="shop", base=base, commit=commit, scope=ANYTHING, check="tests")
    for _ in range(2):
        assert overall(gate.score for gate in (await gates.judge(candidate, audience)).gates) is not Score.PASS
    assert audience.shown.count("tests: pytest -q") == 2


async def test_a_check_that_people_went_on_without_is_not_run(place: Path) -> None:
    repository, audience = place / "repository", Audience()
    base, commit = repository_of(repository, SHOP, WORK.work)
    gates = gates_for(repository, place, WORK, Shelf())
    candidate = Candidate(project="shop", base=base, commit=commit, scope=ANYTHING, without=frozenset({"tests"}))
    judged = await gates.judge(candidate, audience)
    assert [gate.name for gate in judged.gates] == ["lint"] and not any("pytest" in shown for shown in audience.shown)
