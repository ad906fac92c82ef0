"""Several packages in one repository: found by their files, and judged where a change touches them."""

import json
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import GateCommands, PackageCommands, Score
from agents.ports import Candidate, Judged
from agents.workspace.environments.tree_environment import environment
from agents.workspace.gates.detect import Look, Way
from agents.workspace.gates.package_folders import find_packages, touched_packages
from agents.workspace.gates.ways import ways_of
from tests.evaluator.pieces import ANYTHING, PASS, Files, Piece
from tests.evaluator.yard import Shelf, gates_for, repository_of

NONE = GateCommands()
TESTED = "from shop import price\n\n\ndef test_price():\n    assert price() == 3\n"
NODE_TEST = (
    "const { test } = require('node:test');\nconst assert = require('node:assert');\n"
    "const { total } = require('../cart.js');\n"
    "test('a total is the sum', () => { assert.strictEqual(total([1, 2]), 3); });\n"
)
BOTH: dict[str, str] = {
    "README.md": "# Shop\n",
    "shared/prices.json": "[1, 2]\n",
    "services/api/pyproject.toml": '[project]\nname = "shop-api"\nversion = "1"\n',
    "services/api/src/shop.py": "def price():\n    return 3\n",
    "services/api/tests/test_shop.py": TESTED,
    "web/package.json": json.dumps({"name": "web", "scripts": {"test": "node --test test/"}}),
    "web/cart.js": "exports.total = (prices) => prices.reduce((a, b) => a + b, 0);\n",
    "web/test/cart.test.js": NODE_TEST,
}


def look_at(files: dict[str, str]) -> Look:
    return Look(paths=frozenset(files), texts=files)


def package(name: str, *needs: str, test: str = "node --test") -> str:
    return json.dumps({"name": name, "scripts": {"test": test}, "dependencies": dict.fromkeys(needs, "*")})


def ways(files: dict[str, str]) -> dict[str, Way | None]:
    return {each.folder: each.tests for each in find_packages(look_at(files))}


NPM = {
    "package.json": json.dumps({"workspaces": ["packages/*"], "scripts": {"test": "npm test --workspaces"}}),
    "packages/core/package.json": package("@shop/core"),
    "packages/web/package.json": package("@shop/web", "@shop/core"),
    "packages/cli/package.json": package("@shop/cli"),
}
PNPM = {
    **NPM,
    "package.json": json.dumps({"scripts": {"test": "pnpm -r test"}}),
    "pnpm-workspace.yaml": "packages: ['packages/*']\n",
}
YARN = {
    **NPM,
    "package.json": json.dumps({"workspaces": ["packages/*"], "scripts": {"test": "yarn workspaces foreach -A run t"}}),
    "yarn.lock": "",
}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"shop.py": "", "tests/test_shop.py": "", "pyproject.toml": ""}, {"": Way.PYTEST}),
        (BOTH, {"": None, "web": Way.NPM, "services/api": Way.PYTEST}),
        *(
            (space, {"": None, "packages/core": Way.NPM, "packages/web": Way.NPM, "packages/cli": Way.NPM})
            for space in (NPM, PNPM, YARN)
        ),
        # crates of a workspace are tested by the cargo of its root, modules of Go each by itself
        (
            {"Cargo.toml": "[workspace]\nmembers = ['a']\n", "a/Cargo.toml": "[package]\nname = 'a'\n"},
            {"": Way.CARGO},
        ),
        (
            {"a/go.mod": "module x/a\n", "a/a.go": "", "b/go.mod": "module x/b\n", "b/b.go": ""},
            {"": None, "a": Way.GO, "b": Way.GO},
        ),
        # a folder without tests of its own belongs to what lies around it, and so do examples
        (
            {"pyproject.toml": "", "tests/test_a.py": "", "lib/pyproject.toml": "", "lib/lib.py": ""},
            {"": Way.PYTEST},
        ),
        ({"tests/test_a.py": "", "examples/x/package.json": package("x")}, {"": Way.PYTEST}),
        ({"tests/test_a.py": "", "{{name}}/setup.py": "", "{{name}}/test_b.py": ""}, {"": Way.PYTEST}),
        (
            {"tests/test_a.py": "", "front/package.json": package("front")},
            {"": Way.PYTEST, "front": Way.NPM},
        ),
        ({"package.json": "[]", "a/package.json": "not JSON", "b/pyproject.toml": "= ="}, {"": None}),
    ],
)  # fmt: skip
def test_packages_are_folders_with_a_manifest_and_tests(files: dict[str, str], found: dict[str, Way | None]) -> None:
    assert ways(files) == found


@pytest.mark.parametrize(
    ("files", "changed", "run"),
    [
        (BOTH, ["web/cart.js"], {"web"}),
        (BOTH, ["services/api/src/shop.py"], {"services/api"}),
        (BOTH, ["services/api/src/shop.py", "web/cart.js"], {"web", "services/api"}),
        (BOTH, ["shared/prices.json"], {"", "web", "services/api"}),
        (BOTH, ["web/cart.js", "README.md"], {"web"}),  # a text for people is nobody's shared file
        (BOTH, ["README.md"], {"", "web", "services/api"}),
        (BOTH, [], {"", "web", "services/api"}),
        (NPM, ["packages/web/index.js"], {"packages/web"}),
        (NPM, ["packages/core/index.js"], {"packages/core", "packages/web"}),  # web needs core
        (PNPM, ["package.json"], {"", "packages/core", "packages/web", "packages/cli"}),
        (YARN, ["packages/cli/a.js"], {"packages/cli"}),
        # tests of the root may import what lies beneath it, if it is the same language
        (
            {"tests/test_a.py": "", "lib/setup.py": "", "lib/test_b.py": "", "web/package.json": package("w")},
            ["lib/b.py"],
            {"", "lib"},
        ),
        (
            {"tests/test_a.py": "", "lib/setup.py": "", "lib/test_b.py": "", "web/package.json": package("w")},
            ["web/b.js"],
            {"web"},
        ),
    ],
)  # fmt: skip
def test_changed_paths_say_which_packages_are_run(files: dict[str, str], changed: list[str], run: set[str]) -> None:
    assert {each.folder for each in touched_packages(find_packages(look_at(files)), changed)} == run


def test_python_go_and_rust_packages_need_each_other_by_name() -> None:
    files = {
        "core/pyproject.toml": '[project]\nname = "Shop.Core"\n', "core/test_a.py": "",
        "api/pyproject.toml": '[project]\nname = "api"\ndependencies = ["shop-core>=1"]\n', "api/test_b.py": "",
        "a/go.mod": "module example.org/a\n", "a/a.go": "",
        "b/go.mod": "module example.org/b\n\nrequire (\n\texample.org/a v0.0.0\n)\n", "b/b.go": "",
        "x/Cargo.toml": '[package]\nname = "x"\n', "y/Cargo.toml": '[package]\nname = "y"\n[dependencies]\nx = "1"\n',
    }  # fmt: skip
    packages = find_packages(look_at(files))
    for changed, run in (("core/a.py", {"core", "api"}), ("a/a.go", {"a", "b"}), ("x/src/lib.rs", {"x", "y"})):
        assert {each.folder for each in touched_packages(packages, [changed])} == run


def test_a_minion_is_told_how_each_package_is_tested(tmp_path: Path) -> None:
    told = dict(ways_of(look_at(BOTH), GateCommands(), environment(tmp_path, GateCommands())))
    assert told["Tests of web"] == "cd web && npm test"
    assert told["Tests of services/api"].startswith("cd services/api && ") and "Tests" not in told


def test_a_folder_that_settings_name_is_a_package_with_their_commands(tmp_path: Path) -> None:
    files = {**BOTH, "legacy/run.pl": "", "docs/index.md": ""}
    own = GateCommands(packages={"legacy": PackageCommands(tests="prove"), "gone": PackageCommands(tests="x")})
    assert {each.folder for each in find_packages(look_at(files), own.packages)} == {
        "",
        "services/api",
        "web",
        "legacy",
    }
    told = dict(ways_of(look_at(files), own, environment(tmp_path, own)))
    assert told["Tests of legacy"] == "cd legacy && prove" and told["Tests of web"] == "cd web && npm test"


async def test_commands_of_a_package_are_run_in_it_when_a_change_touches_it(tmp_path: Path) -> None:
    own = GateCommands(
        packages={
            "web": PackageCommands(tests="grep -q reduce cart.js", lint="! grep -n var {files}"),
            "shared": PackageCommands(tests="test -f prices.json"),
        }
    )
    cart = {"web/cart.js": "exports.total = (prices) => prices.length;\nvar x = 1;\n"}
    web = await judge(tmp_path / "web", BOTH, cart, commands=own)
    assert scores(web) == {"tests (web)": Score.NEEDS_REVISION, "lint (web)": Score.NEEDS_REVISION}
    rows = {row.name: row.command for row in web.gates}
    assert rows["tests (web)"] == "cd web && grep -q reduce cart.js"
    assert rows["lint (web)"] == "cd web && ! grep -n var ./cart.js"
    shared = await judge(tmp_path / "shared", BOTH, {"shared/prices.json": "[3]\n"}, commands=own)
    assert scores(shared) == {"tests (shared)": PASS}, "what was shared is a package of its own now"


async def judge(
    place: Path, base: Files, work: Files, without: frozenset[str] = frozenset(), commands: GateCommands = NONE
) -> Judged:
    repository = place / "repository"
    first, last = repository_of(repository, base, work)
    piece = Piece(name="", base=base, work=work, verdict=PASS, commands=commands)
    gates = gates_for(repository, place, piece, Shelf())
    return await gates.judge(
        Candidate(project="shop", base=first, commit=last, scope=ANYTHING, log="T-1", without=without)
    )


def scores(judged: Judged) -> dict[str, Score]:
    return {row.name: row.score for row in judged.gates if not row.skipped and row.command}


async def test_a_change_is_judged_by_the_packages_that_it_touches(tmp_path: Path) -> None:
    better = "def price():\n    return 1 + 2\n"
    one = await judge(tmp_path / "one", BOTH, {"services/api/src/shop.py": better})
    assert scores(one) == {"tests (services/api)": PASS, "lint": PASS} and one.coverage == 100.0
    tests = next(row for row in one.gates if row.name == "tests (services/api)")
    assert (tests.command, tests.why) == ("cd services/api && pytest -q", "1 passed")
    broken = {"services/api/src/shop.py": better, "web/cart.js": "exports.total = (prices) => prices.length;\n"}
    two = await judge(tmp_path / "two", BOTH, broken)
    assert scores(two) == {"tests (web)": Score.NEEDS_REVISION, "tests (services/api)": PASS, "lint": PASS}
    waived = await judge(tmp_path / "waived", BOTH, broken, frozenset({"tests (web)"}))
    assert scores(waived) == {"tests (services/api)": PASS, "lint": PASS}
    all_of_it = await judge(tmp_path / "all", BOTH, {"shared/prices.json": "[3]\n"})
    assert set(scores(all_of_it)) == {"tests (web)", "tests (services/api)"}


async def test_a_planted_manifest_or_root_setting_takes_nothing_away_from_the_checks(tmp_path: Path) -> None:
    wrong = "def price():\n    return 4\n"
    planted = {
        "services/api/src/shop.py": wrong,
        "services/api/src/package.json": json.dumps({"scripts": {"test": "true"}}),
    }
    judged = scores(await judge(tmp_path / "planted", BOTH, planted))
    assert judged["tests (services/api)"] is Score.NEEDS_REVISION
    quiet = {
        "services/api/src/shop.py": wrong,
        "conftest.py": "def pytest_collection_modifyitems(items):\n    items[:] = []\n",
    }
    rows = scores(await judge(tmp_path / "quiet", BOTH, quiet))
    assert Score.NEEDS_REVISION in {rows["tests (services/api)"], rows.get("original tests (services/api)")}
    scripted = {"web/cart.js": "exports.total = () => 0;\n", "web/package.json": package("web", test="true")}
    assert scores(await judge(tmp_path / "scripted", BOTH, scripted))["original tests (web)"] is not PASS
    changed = {"services/api/src/shop.py": wrong, "services/api/tests/test_shop.py": TESTED.replace("3", "4")}
    assert scores(await judge(tmp_path / "changed", BOTH, changed))["original tests (services/api)"] is not PASS


async def test_each_check_is_gone_on_without_by_itself(tmp_path: Path) -> None:
    two_prices = "def test_all():\n    assert len(open('shared/prices.json').read()) == len('[1, 2] ')\n"
    base, work = {**BOTH, "tests/test_all.py": two_prices}, {"shared/prices.json": "[3]\n"}
    rows = scores(await judge(tmp_path / "red", base, work))
    assert rows["tests (top folder)"] is Score.NEEDS_REVISION and rows["tests (web)"] is PASS
    waived = scores(await judge(tmp_path / "waived", base, work, frozenset({"tests (top folder)"})))
    assert "tests (top folder)" not in waived and {"tests (web)", "tests (services/api)"} <= set(waived)


async def test_a_package_that_is_removed_misses_its_tests(tmp_path: Path) -> None:
    gone = await judge(tmp_path, BOTH, {path: None for path in BOTH if path.startswith("web/")})
    rows = {row.name: row for row in gone.gates}
    assert rows["tests (web)"].skipped and rows["tests (web)"].why == "its folder is there no more"
    assert rows["original tests (web)"].score is Score.NEEDS_REVISION
