"""Attacks 33–36, 42: nothing outside the workspace is read or written, whatever stands in it."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.workspace.files.safe_open import NotThere, Tree, _step_by_step

SECRET = b"the host's secret"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_bytes(SECRET)
    workspace = tmp_path / "workspace"
    (workspace / "src").mkdir(parents=True)
    (workspace / "src" / "a.py").write_text("a = 1\n")
    (workspace / "other").mkdir()
    return workspace


@pytest.fixture
def tree(place: Path) -> Iterator[Tree]:
    made = Tree(place)
    yield made
    made.close()


def test_a_plain_file_is_read_and_written_whole(tree: Tree, place: Path) -> None:
    assert tree.read("src/a.py") == b"a = 1\n"
    (place / "src/a.py").chmod(0o755)
    tree.write("src/a.py", b"a = 2\n")
    tree.write("src/new/deep/b.py", b"b = 1\n")
    assert (place / "src/a.py").read_bytes() == b"a = 2\n"
    assert (place / "src/a.py").stat().st_mode & 0o777 == 0o755
    assert (place / "src/new/deep/b.py").read_bytes() == b"b = 1\n"
    assert tree.names("src") == [("a.py", "file"), ("new", "folder")]
    assert sorted(p.name for p in (place / "src").iterdir()) == ["a.py", "new"], "nothing is left lying about"


@pytest.mark.parametrize("target", ["../secret", "/etc/passwd", "other", "../../secret"])
def test_no_link_is_followed_to_read_write_or_list(tree: Tree, place: Path, target: str) -> None:
    (place / "src" / "link").symlink_to(target)
    (place / "folder").symlink_to("..")
    for act in (
        lambda: tree.read("src/link"),
        lambda: tree.read("folder/secret"),
        lambda: tree.write("src/link", b"x"),
        lambda: tree.write("src/link/x", b"x"),
        lambda: tree.write("folder/secret", b"x"),
        lambda: tree.names("folder"),
    ):
        with pytest.raises(NotThere):
            act()
    assert (place.parent / "secret").read_bytes() == SECRET


def test_a_hard_link_to_something_outside_is_refused(tree: Tree, place: Path) -> None:
    os.link(place.parent / "secret", place / "src" / "hard")
    with pytest.raises(NotThere, match="hard link"):
        tree.read("src/hard")
    with pytest.raises(NotThere, match="hard link"):
        tree.write("src/hard", b"x")
    assert (place.parent / "secret").read_bytes() == SECRET


def test_a_pipe_a_socket_and_a_device_are_refused_at_once(tree: Tree, place: Path) -> None:
    os.mkfifo(place / "src" / "pipe")
    for path in ("src/pipe", "src"):
        with pytest.raises(NotThere):
            tree.read(path)
    for path in ("/proc/self/root/etc/passwd", "/dev/stdin", "../secret", "src/../../secret"):
        with pytest.raises(NotThere):
            tree.read(path)


def test_a_file_that_is_too_large_is_refused_unread(tree: Tree, place: Path) -> None:
    with (place / "big").open("wb") as big:
        big.truncate(5 * 1024**3)
    with pytest.raises(NotThere, match="more than"):
        tree.read("big")


def test_a_missing_file_is_missing(tree: Tree) -> None:
    with pytest.raises(FileNotFoundError):
        tree.read("src/none.py")


def test_a_link_swapped_in_between_never_leads_out(tree: Tree, place: Path) -> None:
    """Attack 35: somebody swaps a folder for a link as fast as they can."""
    stop = threading.Event()
    (place / "swap").mkdir()
    (place / "swap" / "secret").write_bytes(b"mine")
    (place / "aside").symlink_to(place.parent)

    def swap() -> None:
        while not stop.is_set():
            (place / "swap").rename(place / "hidden")
            (place / "aside").rename(place / "swap")
            (place / "swap").rename(place / "aside")
            (place / "hidden").rename(place / "swap")

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen = set()
    try:
        for _ in range(20_000):
            try:
                seen.add(tree.read("swap/secret"))
            except (NotThere, FileNotFoundError):
                seen.add(b"")
    finally:
        stop.set()
        swapper.join()
    assert seen <= {b"mine", b""}


def test_the_way_without_openat2_refuses_links_too(place: Path) -> None:
    (place / "folder").symlink_to("..")
    root = os.open(place, os.O_RDONLY)
    try:
        os.close(_step_by_step(root, "src/a.py", os.O_RDONLY | os.O_NOFOLLOW))
        with pytest.raises(OSError, match="folder"):
            _step_by_step(root, "folder/secret", os.O_RDONLY | os.O_NOFOLLOW)
    finally:
        os.close(root)
