"""What a program finds when it starts: which paths it can only read, and a home that nobody else reads."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.errors import NoAnswer
from agents.minions.by_role import PROGRAMS
from agents.minions.engines.cli.program import Cli
from agents.minions.engines.cli.starting import (
    MOST_FIXED,
    OURS,
    fixed_paths,
    lay_out,
    orders_in,
    remove_leftovers,
    settings_in,
)


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


@pytest.mark.parametrize("cli", PROGRAMS)
def test_settings_of_a_project_are_hidden_wherever_a_link_puts_them(tmp_path: Path, cli: Cli) -> None:
    root = tree(tmp_path / "tree", "a/b/settings.json", "README.md")
    assert settings_in(root, cli) == []
    folder = cli.hidden[0]
    (root / folder).symlink_to("nowhere-yet")
    assert settings_in(root, cli) == []
    (root / folder).unlink()
    (root / "link").symlink_to("a")
    (root / folder).symlink_to("link/b")
    assert settings_in(root, cli) == ["a/b"]
    for outside in (".", "..", "/proc/self/cwd/a", "/usr/share/doc", str(tmp_path)):
        (root / folder).unlink()
        (root / folder).symlink_to(outside)
        with pytest.raises(NoAnswer, match="link that leads out of it"):
            settings_in(root, cli)


def test_files_that_give_orders_are_found_behind_links_and_wherever_they_are(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", "AGENTS.md", "docs/how.md", "a/node_modules/x/Gemini.md", ".git/AGENTS.md", "b/c.md")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    (root / "b" / "GEMINI.md").symlink_to("../docs/how.md")
    assert sorted(orders_in(root)) == ["AGENTS.md", "a/node_modules/x/Gemini.md", "docs/how.md"]
    (root / "b" / "AGENTS.md").symlink_to("/proc/self/cwd/b/c.md")
    with pytest.raises(NoAnswer, match="is a link that leads out of it"):
        orders_in(root)


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
