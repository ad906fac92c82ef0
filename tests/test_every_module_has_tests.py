"""Every module has a test file of its own, or a row in seen_by.toml that names the tests which see it.

`python -m tests.test_every_module_has_tests` writes the table anew from what tests import.
"""

import ast
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests" / "seen_by.toml"
MOST = 3  # test files that a row names


def modules() -> dict[str, Path]:
    """By dotted name; `__init__` modules are seen with their rooms."""
    files = (file for top in ("bot", "agents", "store") for file in (ROOT / top).rglob("*.py"))
    return {_dotted(file): file for file in files if file.stem != "__init__"}


def own_test(name: str) -> bool:
    stem = name.rpartition(".")[2]
    return any((ROOT / "tests").rglob(f"test_{stem}.py"))


def test_every_module_has_a_test_file_or_a_row() -> None:
    rows = tomllib.loads(TABLE.read_text())["seen_by"]
    missing = [name for name in modules() if not own_test(name) and not rows.get(name)]
    assert not missing, f"write a test file, or a row (python -m tests.test_every_module_has_tests): {missing}"


def test_rows_name_modules_and_tests_that_exist() -> None:
    rows = tomllib.loads(TABLE.read_text())["seen_by"]
    gone = [name for name in rows if name not in modules()]
    lost = [path for paths in rows.values() for path in paths if not (ROOT / path).exists()]
    assert not gone and not lost, f"rows of modules that are gone: {gone}; tests that are gone: {sorted(set(lost))}"


def _dotted(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _imports(file: Path, known: set[str]) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):  # what is loaded, or started, by its name
            found |= {node.value.partition(":")[0], f"{_dotted(file.parent)}.{node.value.removesuffix('.py')}"}
    return found & known


def _write() -> None:
    """The tests nearest to a module: those that import it, or what imports it; the most particular first."""
    sources = modules()
    folders = ("bot", "agents", "store", "tests")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py") if "bench" not in file.parts]
    every = {_dotted(file): file for file in files}
    needs = {name: _imports(file, set(every)) for name, file in every.items()}
    users = defaultdict[str, set[str]](set)
    for name, needed in needs.items():
        for each in needed:
            users[each].add(name)
    lines = ["# Written by `python -m tests.test_every_module_has_tests`.", "[seen_by]"]
    before = tomllib.loads(TABLE.read_text())["seen_by"]
    for name in sorted(sources):
        if not own_test(name):
            kept = [
                path for path in before.get(name, []) if (ROOT / path).exists()
            ]  # so that two branches seldom differ
            rows = ", ".join(f'"{path}"' for path in kept or _nearest(name, users, needs))
            lines.append(f'"{name}" = [{rows}]')
    TABLE.write_text("\n".join(lines) + "\n")


def _nearest(name: str, users: dict[str, set[str]], needs: dict[str, set[str]]) -> list[str]:
    layer, seen = {name}, {name}
    while layer:
        tests = [user for user in layer if user.rpartition(".")[2].startswith("test_")]
        if tests:
            chosen = sorted(tests, key=lambda test: (len(needs[test]), test))[:MOST]
            return [f"{test.replace('.', '/')}.py" for test in chosen]
        layer = {user for each in layer for user in users[each]} - seen
        seen |= layer
    return []


if __name__ == "__main__":
    _write()
    sys.exit(0)
