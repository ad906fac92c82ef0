"""Any state of a repository has its answer, and the table in docs/projects.md says the same."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agents.workspace.forge.repository import missing_branch, rewritten_branch
from agents.workspace.git.repository_states import ANSWERS, RepositoryState, find_obstacle, find_states
from store.database import Database, StoreUnusable
from tests.workspace import repositories as repos

S = RepositoryState
PAGE = Path(__file__).resolve().parents[3] / "docs" / "projects.md"
Made = Callable[[Path], Path]


def plain(folder: Path) -> Path:
    return repos.somebodys(folder / "shop", {"a.py": "x = 1\n", "b.py": "y = 1\n"})


def empty(folder: Path) -> Path:
    (folder / "shop").mkdir()
    repos.git(folder / "shop", "init", "-q", "-b", "main")
    return folder / "shop"


def folder_alone(folder: Path) -> Path:
    (folder / "shop").mkdir()
    return folder / "shop"


def damaged(folder: Path) -> Path:
    made = plain(folder)
    shutil.rmtree(made / ".git" / "objects")
    (made / ".git" / "objects").mkdir()
    return made


def detached(folder: Path, branch: str = "main") -> Path:
    made = plain(folder)
    repos.git(made, "branch", "-m", branch)
    repos.git(made, "checkout", "-q", "--detach")
    return made


def unborn(folder: Path) -> Path:
    made = plain(folder)
    repos.git(made, "symbolic-ref", "HEAD", "refs/heads/new")
    return made


def on_develop(folder: Path) -> Path:
    made = plain(folder)
    repos.git(made, "branch", "-m", "develop")
    return made


def shallow(folder: Path) -> Path:
    made = plain(folder)
    repos.git(made, "commit", "-q", "--allow-empty", "-m", "second")
    repos.git(folder, "clone", "-q", "--depth", "1", f"file://{made}", str(folder / "clone"))
    return folder / "clone"


def with_submodule(folder: Path) -> Path:
    made, head = plain(folder), ""
    head = repos.git(made, "rev-parse", "HEAD").strip()
    repos.git(made, "update-index", "--add", "--cacheinfo", f"160000,{head},vendor/lib")
    repos.git(made, "commit", "-q", "-m", "a submodule")
    return made


def committed(files: dict[str, str]) -> Made:
    def make(folder: Path) -> Path:
        made = plain(folder)
        for path, text in files.items():
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            (made / path).write_bytes(text.encode())
        repos.git(made, "-c", "core.autocrlf=false", "add", ".")
        repos.git(made, "commit", "-q", "-m", "more")
        return made

    return make


def dirty(folder: Path) -> Path:
    made = plain(folder)
    repos.write(made, {"a.py": "x = 2\n"})
    return made


STATES: dict[RepositoryState, tuple[Made, str]] = {
    S.NO_FOLDER: (lambda folder: folder / "nowhere", "There is no folder"),
    S.NO_REPOSITORY: (folder_alone, "is no git repository"),
    S.DAMAGED: (damaged, "git cannot read the repository"),
    S.NO_COMMIT: (empty, "has no commit yet"),
    S.NO_BRANCH: (lambda folder: detached(folder, "work"), "is on no branch"),
    S.UNBORN: (unborn, "so work is for main"),
    S.DETACHED: (detached, "merged into main"),
    S.OTHER_BRANCH: (on_develop, "merged into develop"),
    S.SHALLOW: (shallow, "its last 1 commit "),
    S.SUBMODULES: (with_submodule, "vendor/lib"),
    S.LFS: (committed({".gitattributes": "*.bin filter=lfs diff=lfs\n"}), "*.bin"),
    S.CRLF: (committed({"w.txt": "a\r\nb\r\n"}), "w.txt"),
    S.CASE_COLLISION: (committed({"Readme.md": "1\n", "README.md": "2\n"}), "README.md, Readme.md"),
    S.DIRTY: (dirty, "a.py is not committed"),
}


def test_every_state_has_an_answer_and_a_test() -> None:
    assert set(ANSWERS) == set(S) and set(STATES) == set(S) - {S.DISK_FULL}


@pytest.mark.parametrize("state", STATES)
async def test_a_state_is_found_and_said(state: RepositoryState, tmp_path: Path) -> None:
    make, words = STATES[state]
    folder = make(tmp_path)
    found = await find_states(folder)
    said = {each.state: each for each in found}
    assert state in said and words in said[state].what
    obstacle = await find_obstacle(folder)
    assert (obstacle is not None) is ANSWERS[state].blocks, "only what keeps work from beginning stops a request"
    assert not any(character in said[state].what for character in "{}\n")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    home = tmp_path / "home"
    home.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", str(home)]
    if os.geteuid() != 0 or not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small disk can only be mounted by root")
    yield home
    subprocess.run(["umount", "--lazy", str(home)], check=True)


async def test_a_full_disk_is_found_where_work_would_be_done(tmp_path: Path, small_disk: Path) -> None:
    folder = plain(tmp_path)
    found = await find_obstacle(folder, small_disk)
    assert found is not None and found.state is S.DISK_FULL
    assert found.what == "Only 4 MB are free where work is done" and found.blocks
    assert S.DISK_FULL in {each.state for each in await find_states(folder, small_disk)}
    assert await find_obstacle(folder, tmp_path) is None, "where there is room, work begins"


async def test_an_ordinary_repository_has_nothing_to_say(tmp_path: Path) -> None:
    assert await find_states(plain(tmp_path)) == [] and await find_obstacle(plain(tmp_path / "x"), tmp_path) is None


def test_the_page_has_a_row_for_each_state_and_says_what_the_program_says() -> None:
    rows = dict(re.findall(r"(?m)^\| ([^|]+?) \| ([^|]+?) \|$", PAGE.read_text(encoding="utf-8")))
    for state, answer in ANSWERS.items():
        assert rows[state] == f"{answer.what.replace('{}', '…')}. {answer.step}", state
    while_it_runs = {"force-pushed": rewritten_branch, "deleted": missing_branch}
    for what, error in while_it_runs.items():
        assert rows[f"{what} while a task runs"] == str(error("main")), what


def test_a_corrupt_database_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "overlord.db").write_bytes(b"this is no database, whatever it is called" * 100)
    with pytest.raises(StoreUnusable) as caught:
        Database(f"sqlite:///{tmp_path / 'overlord.db'}")
    rows = dict(re.findall(r"(?m)^\| ([^|]+?) \| ([^|]+?) \|$", PAGE.read_text(encoding="utf-8")))
    assert rows["corrupt database"] == str(caught.value).replace("file is not a database", "…")
