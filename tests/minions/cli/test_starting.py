"""What a program finds when it starts: which paths it can only read, and a home that nobody else reads."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agents.domain.checks.scope import Scope, ScopeMode
from agents.minions.engines.cli.starting import MOST_FIXED, OURS, fixed_paths, lay_out, remove_leftovers


def tree(root: Path, *paths: str) -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")
    return root


PATHS = ("README.md", "src/a/one.py", "src/a/two.py", "src/b/three.py", "docs/x.md", ".git/config", "tests/t.py")


@pytest.mark.parametrize(
    ("patterns", "fixed"),
    [
        (("src/**",), {"README.md", "docs", "tests"}),
        (("src/a/**", "tests/**"), {"README.md", "docs", "src/b"}),
        (("src/a/one.py",), {"README.md", "docs", "tests", "src/b", "src/a/two.py"}),
        (("src/a/new.py",), {"README.md", "docs", "tests", "src/b", "src/a/one.py", "src/a/two.py"}),
        (("**/*.py",), {"README.md"}),
        ((), {"README.md", "docs", "tests", "src"}),
    ],
)
def test_what_no_write_may_touch_is_fixed(tmp_path: Path, patterns: tuple[str, ...], fixed: set[str]) -> None:
    root = tree(tmp_path, *PATHS)
    found = set(fixed_paths(root, Scope(mode=ScopeMode.DIRECTORY, patterns=patterns)))
    assert found >= fixed and ".git" not in found
    assert not any(Scope(mode=ScopeMode.DIRECTORY, patterns=patterns).refuse(path) is None for path in found)


def test_nothing_is_fixed_where_a_person_lets_it_write_everywhere(tmp_path: Path) -> None:
    assert fixed_paths(tree(tmp_path, *PATHS), Scope(mode=ScopeMode.UNRESTRICTED)) == ()


def test_a_huge_tree_has_a_bound_and_links_are_left_alone(tmp_path: Path) -> None:
    root = tree(tmp_path, *(f"f{number}.txt" for number in range(MOST_FIXED + 50)))
    (root / "a-link").symlink_to("/etc")
    found = fixed_paths(root, Scope(mode=ScopeMode.DIRECTORY, patterns=("src/**",)))
    assert len(found) == MOST_FIXED and "a-link" not in found


def test_its_home_is_laid_out_for_its_owner_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    lay_out(tmp_path, "Do it.", {".gemini/settings.json": "{}"}, tmp_path.stat())
    assert (tmp_path / "prompt.md").read_text() == "Do it."
    assert (tmp_path / "home" / ".gemini" / "settings.json").read_text() == "{}"
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


def test_what_a_kill_left_behind_is_removed_and_nothing_that_is_in_use(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    for name in (f"{gone.pid}-x", f"{os.getpid()}-y", "mine", "1-z"):
        (tmp_path / f"{OURS}{name}").mkdir()
        (tmp_path / f"{OURS}{name}" / "prompt.md").write_text("Do it.")
    assert remove_leftovers(tmp_path) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        f"{OURS}{name}" for name in (f"{os.getpid()}-y", "mine", "1-z")
    )
