"""A folder is removed whole, and nothing outside of it, whatever somebody made of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agents.workspace.files.untrusted import remove
from tests.workspace.deep_folders import make_nested, removed_afterwards
from tests.workspace.other_user import NOBODY
from tests.workspace.yard import Yard, write


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
