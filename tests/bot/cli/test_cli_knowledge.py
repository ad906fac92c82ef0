"""`overlord knowledge`, on real repositories."""

import subprocess
from pathlib import Path

import pytest

from tests.builders.shell import Shell

ERRORS = "# Errors\n_Status: established_\n## Rules\n- Raise ShopError\n"
CACHE = "# Cache\n## Rules\n- Keep links warm\n"
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=m")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def repository(shell: Shell) -> Path:
    place = shell.folder / "shop"
    for path, text in {"conventions/errors.md": ERRORS, "lessons/cache.md": CACHE}.items():
        file = place / "docs/knowledge" / path
        file.parent.mkdir(parents=True)
        file.write_text(text)
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "x")):
        subprocess.run([*GIT, *command], cwd=place, check=True)
    (shell.folder / "overlord.yaml").write_text(f"projects:\n  - name: shop\n    path: {place}\n")
    return place


def test_notes_are_listed_shown_searched_and_checked(shell: Shell) -> None:
    place = repository(shell)
    config = ("--config", str(shell.folder / "overlord.yaml"), "knowledge")
    told = shell.run(*config, "list", "--json").json
    assert [(each["note"]["slug"], each["note"]["status"]) for each in told["notes"]] == [
        ("errors", "established"),
        ("cache", "provisional"),
    ]
    listed = shell.run(*config).out
    assert "conventions/errors" in listed and "a person" in listed
    assert "## Rules\n\n1. Raise ShopError\n" in shell.run(*config, "show", "docs/knowledge/conventions/errors.md").out
    assert shell.run(*config, "search", "link", "--json").json["notes"][0]["note"]["slug"] == "cache"
    assert "2 notes can be read." in shell.run(*config, "check").out
    assert not shell.home.exists(), "looking needs no store"
    (place / "docs/knowledge/conventions/errors.md").write_text("# Errors\n\n## Rules\n")
    assert "2 notes can be read." in shell.run(*config, "check").out, "only what is committed counts"
    before = shell.run(*config, "check", str(place), code=1)
    assert "docs/knowledge/conventions/errors.md, line 3: its rules are empty." in before.out
    assert "- Write one rule a line" in before.out


def test_what_is_not_there_is_said(shell: Shell) -> None:
    config = ("--config", str(repository(shell).parent / "overlord.yaml"), "knowledge")
    assert "There is no note design/x" in shell.run(*config, "show", "design/x", code=1).err
    assert "There is no project api" in shell.run(*config, "list", "--project", "api", code=1).err
    assert "There is no folder" in shell.run(*config, "check", str(shell.folder), code=1).err
