"""Planted tests are put where a runner finds them, and nowhere else."""

import json
from pathlib import Path

import pytest

from agents.workspace.gates.planted.seeding import sow_cargo, sow_go, sow_jest, sow_mocha, sow_vitest


def tree(folder: Path, **files: str) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


GO = {
    "go.mod": "module example.org/shop\n\ngo 1.20\n",
    "cart.go": "package shop\n",
    "cart_test.go": "package shop_test\n",
    "inner_test.go": "package shop\n",
    "price/price_test.go": "package price\n",
    "empty/empty.go": "package empty\n",
    "vendor/x/x_test.go": "package x\n",
    "testdata/y_test.go": "package y\n",
    "apart/go.mod": "module apart\n",
    "apart/z_test.go": "package z\n",
}


def test_each_folder_of_go_with_tests_gets_a_file(tmp_path: Path) -> None:
    sown = sow_go(tree(tmp_path, **GO))
    assert sown.whole and [seed.about for seed in sown.seeds] == ["example.org/shop", "example.org/shop/price"]
    made = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("zz_*_test.go"))
    assert len(made) == 2 and made[0].startswith("price/") and "/" not in made[1]
    text = (tmp_path / made[1]).read_text()
    assert text.startswith("package shop\n") and all(
        name in text for name in (sown.seeds[0].fails, sown.seeds[0].passes)
    )


def test_a_main_of_tests_in_go_is_left_alone(tmp_path: Path) -> None:
    main = "package price\n\nfunc TestMain(m *testing.M) {}\n"
    sown = sow_go(tree(tmp_path, **GO, **{"price/main_test.go": main}))
    assert not sown.whole and [seed.about for seed in sown.seeds] == ["example.org/shop"]


def test_each_target_of_cargo_gets_some_at_its_end(tmp_path: Path) -> None:
    files = {"Cargo.toml": "", "src/lib.rs": "pub fn a() {}", "tests/cart.rs": "// x", "tests/common/mod.rs": "x"}
    sown = sow_cargo(tree(tmp_path, **files, **{"crates/b/Cargo.toml": "", "crates/b/src/main.rs": "fn main() {}"}))
    assert {seed.about for seed in sown.seeds} == {"src/lib.rs", "tests/cart.rs", "crates/b/src/main.rs"}
    text = (tmp_path / "src/lib.rs").read_text()
    assert text.startswith("pub fn a() {}\n") and f"mod {sown.seeds[0].fails.partition('::')[0]} {{" in text
    assert (tmp_path / "tests/common/mod.rs").read_text() == "x"


def test_a_crate_with_a_runner_of_its_own_is_left_alone(tmp_path: Path) -> None:
    sown = sow_cargo(tree(tmp_path, **{"Cargo.toml": "[[test]]\nname = 'a'\nharness = false\n", "src/lib.rs": "x"}))
    assert not sown.whole and not sown.seeds and (tmp_path / "src/lib.rs").read_text() == "x"


@pytest.mark.parametrize("sow", [sow_mocha, sow_jest, sow_vitest])
def test_files_of_tests_get_some_at_their_end(sow: object, tmp_path: Path) -> None:
    assert callable(sow)
    files = {"a.js": "a", "src/b.test.ts": "b", "test/c.js": "c", "node_modules/d/d.test.js": "d", "e.spec.mjs": "e"}
    (tmp_path / "away").write_text("away")
    tree(tmp_path, **files)
    (tmp_path / "f.test.js").symlink_to(tmp_path / "away")
    sown = sow(tmp_path, "NAME1", "NAME2")
    assert sown.whole and [seed.about for seed in sown.seeds] == ["e.spec.mjs", "src/b.test.ts", "test/c.js"]
    for path, text in files.items():
        now = (tmp_path / path).read_text()
        assert now.startswith(text) and (("NAME1" in now and "NAME2" in now) is (path in [s.about for s in sown.seeds]))
    assert (tmp_path / "away").read_text() == "away", "no link is followed"


def test_what_runs_only_some_tests_is_left_alone(tmp_path: Path) -> None:
    sown = sow_jest(tree(tmp_path, **{"a.test.js": "test.only('x', () => {})", "b.test.js": ""}), "F", "P")
    assert not sown.whole and [seed.about for seed in sown.seeds] == ["b.test.js"]


@pytest.mark.parametrize(
    "settings",
    [
        {"package.json": json.dumps({"jest": {"coverageThreshold": {}}})},
        {"vitest.config.ts": "export default { test: { coverage: { thresholds: {} } } }"},
    ],
)
def test_what_must_reach_a_coverage_is_left_alone(settings: dict[str, str], tmp_path: Path) -> None:
    assert sow_vitest(tree(tmp_path, **settings, **{"a.test.js": ""}), "F", "P").seeds == ()
