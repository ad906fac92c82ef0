"""A folder that somebody hostile filled is walked over and removed whole, at any depth, and nothing outside of it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agents.workspace.files.untrusted import hand_over, prune, remove, walk
from agents.workspace.sandbox.processes.resource_limits import Disk, Reserve
from agents.workspace.sandbox.walls import GATE, MB
from tests.sandbox.yard import SMALL
from tests.workspace.deep_folders import make_nested, removed_afterwards
from tests.workspace.other_user import NOBODY
from tests.workspace.yard import Yard, write


@pytest.mark.parametrize(("depth", "name"), [(3_000, "d"), (60, "d" * 250)])
def test_no_depth_is_in_the_way(tmp_path: Path, depth: int, name: str) -> None:
    with removed_afterwards(tmp_path / "deep") as deep:
        make_nested(deep, depth, name)
        before = len([*Path("/proc/self/fd").iterdir()])
        names = [entry.name for entry in walk(deep)]
        assert len(names) == depth + 1 and names[-1] == "last"
        assert len([*Path("/proc/self/fd").iterdir()]) == before
        if os.geteuid() == 0:
            hand_over(deep, NOBODY)
            assert {entry.status.st_uid for entry in walk(deep)} == {NOBODY}


def test_links_are_seen_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"folder/a/file": "x", "outside/secret": "x"})
    (tmp_path / "folder/a/link").symlink_to(tmp_path / "outside")
    assert sorted(entry.name for entry in walk(tmp_path / "folder")) == ["a", "file", "link"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_folder_that_may_not_be_looked_into_is_no_place_to_hide(tmp_path: Path) -> None:
    write(tmp_path, {"folder/shut/file": "x"})
    for path in (tmp_path, tmp_path / "folder", tmp_path / "folder/shut"):
        os.chown(path, NOBODY, NOBODY)
    (tmp_path / "folder/shut").chmod(0o300)
    code = "import os, sys; from pathlib import Path; os.chdir(sys.argv[1]); "
    code += "from agents.workspace.files.untrusted import walk; "
    become = f"os.setgid({NOBODY}); os.setuid({NOBODY}); print(sorted(entry.name for entry in walk(Path('folder'))))"
    done = subprocess.run(
        [sys.executable, "-c", code + become, str(tmp_path)], capture_output=True, check=True, timeout=30
    )
    assert done.stdout == b"['file', 'shut']\n"


def test_what_is_doomed_is_removed_and_folders_only_if_they_are_empty(tmp_path: Path) -> None:
    write(tmp_path, {"new/only": "new", "both/new": "new", "both/old": "older", "old/old": "older"})
    prune(tmp_path, lambda status: status.st_size != len("older"))
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert left == ["both", "both/old", "old", "old/old"]


def test_where_little_is_left_for_the_bot_whoever_wrote_much_is_ended(tmp_path: Path) -> None:
    """Far below the limit of a run; a neighbour who wrote little goes on."""
    scarce = Reserve(left=1 << 60, much=MB)
    disks = {}
    for name, size in (("greedy", 2 * MB), ("calm", 1_000)):
        (tmp_path / name).mkdir()
        disks[name] = Disk(tmp_path / name, scarce)
        (tmp_path / name / "file").write_bytes(os.urandom(size))
    time.sleep(0.6)  # between two counts
    assert disks["greedy"].over(GATE) and not disks["calm"].over(GATE)


def test_a_file_with_many_names_is_counted_once(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    (tmp_path / "first").write_bytes(os.urandom(4 * MB))
    for number in range(30):
        os.link(tmp_path / "first", tmp_path / f"name{number}")
    assert disk._count(SMALL.inodes)[0] < 8 * MB


def filled(folder: Path, outside: Path) -> None:
    write(folder, {"a/b/c.txt": "x", "plain": "x", ".gone-1/x": "x", "a/.gone-2/x": "x"})
    write(outside, {"kept/file": "kept"})
    (folder / "a/out").symlink_to(outside)
    (folder / "to-file").symlink_to(outside / "kept/file")
    (folder / "dangling").symlink_to("nowhere")
    os.link(outside / "kept/file", folder / "second-name")
    os.mkfifo(folder / "pipe")
    (folder / "a/b/c.txt").chmod(0o000)
    for name in ("a/b", "a", ".gone-1"):
        (folder / name).chmod(0o000)


def test_links_rights_and_strange_files_are_no_obstacle_and_nothing_outside_is_touched(tmp_path: Path) -> None:
    filled(tmp_path / "folder", tmp_path / "outside")
    remove(tmp_path / "folder")
    assert not (tmp_path / "folder").exists()
    assert (tmp_path / "outside/kept/file").read_text() == "kept"
    remove(tmp_path / "folder")
    remove(tmp_path / "never" / "there")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_somebody_who_is_not_root_can_remove_what_rights_were_taken_from(tmp_path: Path) -> None:
    place = tmp_path / "place"
    filled(place / "folder", place / "outside")
    for folder, folders, files in os.walk(place):
        for name in (*folders, *files, "."):
            os.chown(Path(folder, name), NOBODY, NOBODY, follow_symlinks=False)
    code = "import os, sys; from pathlib import Path; from agents.workspace.files.untrusted import remove; "
    become = f"os.chdir(sys.argv[1]); os.setgid({NOBODY}); os.setuid({NOBODY}); remove(Path('folder'))"
    subprocess.run([sys.executable, "-c", code + become, str(place)], check=True, timeout=30)
    assert [path.name for path in place.iterdir()] == ["outside"]
    assert (place / "outside/kept/file").read_text() == "kept"


def test_a_link_in_its_place_is_removed_and_not_what_it_points_to(tmp_path: Path) -> None:
    write(tmp_path, {"outside/file": "kept"})
    (tmp_path / "folder").symlink_to(tmp_path / "outside")
    remove(tmp_path / "folder")
    assert not (tmp_path / "folder").is_symlink() and (tmp_path / "outside/file").exists()


@pytest.mark.parametrize(("depth", "name"), [(3_000, "in-a-folder"), (60, "d" * 250)])
def test_folders_in_folders_thousands_deep_are_removed(tmp_path: Path, depth: int, name: str) -> None:
    with removed_afterwards(tmp_path / "deep") as deep:
        make_nested(deep, depth, name)
        remove(deep)
        assert not deep.exists()


async def test_closing_follows_no_link_out(yard: Yard, tmp_path: Path) -> None:
    checkouts, checkout = await yard.opened()
    filled(checkout.workspace.path, tmp_path / "outside")
    await checkouts.close(checkout)
    assert not checkout.workspace.path.exists() and yard.folders() == []
    assert (tmp_path / "outside/kept/file").read_text() == "kept"
