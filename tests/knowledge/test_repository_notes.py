"""Notes are read from what is committed: nothing else in a folder, and nothing hostile in the commit, has a say."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.knowledge.document import INDEX, LARGEST, Status
from agents.domain.knowledge.note import Move
from agents.domain.knowledge.writing import NOTHING, Writing
from agents.domain.text.redact import Redactor
from agents.knowledge.repository_notes import RepositoryNotes
from agents.workspace.git.checkouts import GitCheckouts
from agents.workspace.projects import GitProjects
from tests.builders.supervision import AT, note
from tests.workspace.repositories import git

ERRORS = "# Errors\n_Status: established_\n## Rules\n- Raise ShopError\n"
PLACE = "docs/knowledge"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    yield tmp_path


def write(folder: Path, path: str, content: str | bytes) -> None:
    place = folder / PLACE / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content if isinstance(content, bytes) else content.encode())


def commit(folder: Path) -> str:
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "x")
    return git(folder, "rev-parse", "HEAD").strip()


def notes(folder: Path, home: Path | None = None) -> RepositoryNotes:
    projects = GitProjects({"shop": folder, "away": None}, home=home)
    return RepositoryNotes(projects.branch_tip, projects.knowledge_files, Redactor(), len)


async def test_a_persons_notes_are_there_from_the_first_task_on(folder: Path) -> None:
    write(folder, "conventions/errors.md", ERRORS)
    write(folder, "_index.md", "Ours.")
    write(folder, "lessons/cache.md", "# Cache\n## Rules\n- Keep it warm\n")
    commit(folder)
    shelf = await notes(folder).shelf("shop")
    assert {note.name: note.status for note in shelf.notes} == {
        "conventions/errors": Status.ESTABLISHED,
        "lessons/cache": Status.PROVISIONAL,
    }
    assert not shelf.problems
    chosen = await notes(folder).choose("shop", "", "warm the cache")
    assert chosen.names == ("conventions/errors", "lessons/cache")


async def test_what_is_not_committed_or_came_later_is_not_read(folder: Path) -> None:
    write(folder, "conventions/errors.md", ERRORS)
    base = commit(folder)
    write(folder, "conventions/errors.md", ERRORS.replace("Raise", "Approve"))
    assert (await notes(folder).shelf("shop")).notes[0].rules == ("Raise ShopError",)
    commit(folder)
    assert (await notes(folder).shelf("shop", base)).notes[0].rules == ("Raise ShopError",)
    assert (await notes(folder).shelf("shop")).notes[0].rules == ("Approve ShopError",)


async def test_a_note_is_written_beside_those_that_are_there_on_a_commit_that_only_our_copy_has(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Finished work is not in the people's own repository before its merge."""
    home = tmp_path_factory.mktemp("home")
    write(folder, "conventions/errors.md", ERRORS)
    base = commit(folder)
    checkouts = GitCheckouts({"shop": folder}, home)
    head = await checkouts.write("shop", "ai/t-1", base, {"app.py": b"x = 1\n"}, "work")
    change = replace(note("errors"), rules=("Raise ShopError with a next step",))
    writings = [Writing(change=each, at=AT) for each in (change, note("names"))]
    written = await notes(folder, home).write("shop", head, writings)
    assert [(each.change.name, each.move) for each in written.carried] == [
        ("conventions/errors", Move.CHANGED),
        ("conventions/names", Move.ADDED),
    ]
    assert "errors" in written.files[INDEX].decode() and "names" in written.files[INDEX].decode()
    again = await notes(folder, home).write("shop", "f" * 40, writings)
    assert again == NOTHING, "what cannot be read is not replaced"


async def test_what_is_hostile_is_named_and_left_out(folder: Path, tmp_path: Path) -> None:
    write(folder, "conventions/errors.md", ERRORS)
    (folder / PLACE / "design").mkdir()
    (folder / PLACE / "design/passwd.md").symlink_to("/etc/passwd")
    write(folder, "conventions/large.md", b"x" * 3_000_000)
    write(folder, "conventions/odd.md", b"# T\n## Rules\n- \xff\xfe\n")
    write(folder, "lessons/key.md", "# K\n## Rules\n- Use ghp_" + "a8Kd93jfLq02mZx71PvB" + "n45TyQwErT6u\n")
    write(folder, "lessons/deep/er.md", ERRORS)
    write(folder, "domain/tool.sh", "rm -rf /")
    commit(folder)
    shelf = await notes(folder).shelf("shop")
    assert [note.name for note in shelf.notes] == ["conventions/errors"]
    assert {problem.path.removeprefix(f"{PLACE}/"): problem.what for problem in shelf.problems} == {
        "design/passwd.md": "it is a link or no file",
        "conventions/large.md": f"it is longer than {LARGEST // 1024} KB",
        "conventions/odd.md": "it is not UTF-8 text",
        "lessons/key.md": "it holds what looks like a secret",
        "lessons/deep/er.md": "it is in none of the folders",
        "domain/tool.sh": "it is in none of the folders",
    }
    chosen = await notes(folder).choose("shop", "", "")
    assert ("docs/knowledge/conventions/odd.md, line 3", "it is not UTF-8 text") in chosen.left_out


async def test_where_notes_cannot_be_read_work_goes_on_with_one_warning(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    known = notes(folder)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert not (await known.shelf("shop", "f" * 40)).notes
    assert len(caplog.messages) == 1 and "prompts go without them" in caplog.messages[0]
    assert not (await known.shelf("shop")).notes, "a repository without a commit has none"
    assert not (await known.shelf("away")).notes
    assert not (await known.choose("", "", "x")).names


async def test_more_notes_than_anybody_needs_are_not_read(folder: Path) -> None:
    for number in range(303):
        write(folder, f"lessons/n{number:03}.md", "# T\n## Rules\n- x\n")
    commit(folder)
    shelf = await notes(folder).shelf("shop")
    assert len(shelf.notes) == 300
    assert {problem.what for problem in shelf.problems} == {"there are more than 300 notes"}
