"""Attacks on the disk: space and names that are taken faster, deeper or more often than anybody looks."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents.ports import EndedBy
from agents.workspace.sandbox.processes.resource_limits import LARGE
from agents.workspace.sandbox.walls import MB
from tests.sandbox import bombs
from tests.sandbox.yard import SMALL, Yard, python

ROOMY = replace(SMALL, memory=512 * MB)  # the folder of a test may be in memory, where it counts
TAKE = """
    import ctypes, errno, fcntl, json, os, struct
    libc, size, said = ctypes.CDLL(None, use_errno=True), 16 << 20, {}
    with open("taken", "wb") as file:
        for mode in (0, 1, 16):
            done = libc.fallocate64(file.fileno(), mode, ctypes.c_int64(0), ctypes.c_int64(size))
            said[f"fallocate {mode}"] = 0 if done == 0 else ctypes.get_errno()
        for call in (0x40305828, 0x4030582A, 0x40305839):
            try: fcntl.ioctl(file, call, struct.pack("hhxxxxqqiI16x", 0, 0, 0, size, 0, 0)); said[hex(call)] = 0
            except OSError as error: said[hex(call)] = error.errno
        said["blocks"] = os.fstat(file.fileno()).st_blocks
        said["unsupported"] = errno.EOPNOTSUPP
    print(json.dumps(said))
"""


async def test_space_is_not_taken_without_writing(yard: Yard) -> None:
    said = await yard.seen(TAKE)
    assert said.pop("blocks") == 0
    assert set(said.values()) == {said["unsupported"]}, said


async def test_programs_that_ask_for_space_write_instead(yard: Yard) -> None:
    """What glibc does where a filesystem cannot do it."""
    code = "import os; f = open('plain', 'wb'); os.posix_fallocate(f.fileno(), 0, 1 << 20); print(f.seek(0, 2))"
    async with yard.sandbox.open(yard.workspace, SMALL) as room:
        assert (await room.run(python(code))).output == f"{1 << 20}\n"


async def test_what_fills_the_disk_is_ended_and_removed(yard: Yard) -> None:
    await _ended(yard, "files")


@pytest.mark.long_in_containers  # the same counting of the same folder, from outside
@pytest.mark.parametrize("bomb", [name for name in bombs.DISK if name != "files"])
async def test_what_fills_the_disk_with_names_is_ended_and_removed(yard: Yard, bomb: str) -> None:
    await _ended(yard, bomb)


async def _ended(yard: Yard, bomb: str) -> None:
    """Nothing is left but for a small file that it was just about to write."""
    before = tree_of(yard.workspace.path)
    async with yard.sandbox.open(yard.workspace, ROOMY) as room:
        ran = await room.run(bombs.python(bombs.DISK[bomb]))
        assert ran.ended_by is EndedBy.DISK, ran
        assert (await room.run(["echo", "again"])).output == "again\n"
    left = set(tree_of(yard.workspace.path)) ^ set(before)
    assert len(left) <= 1 and sum(size for _, size in left) < LARGE, left


async def test_a_run_is_counted_and_not_each_command(yard: Yard) -> None:
    """What earlier commands left stays; the one that goes too far is ended, and only what it wrote is removed."""
    some = ROOMY.disk * 3 // 10 >> 20
    async with yard.sandbox.open(yard.workspace, ROOMY) as room:
        for number in range(3):
            ran = await room.run(["dd", "if=/dev/urandom", f"of=part{number}", "bs=1M", f"count={some}"])
            assert ran.exit_code == 0
        ran = await room.run(["sh", "-c", f"dd if=/dev/urandom of=part3 bs=1M count={some}; sleep 600"])
        assert ran.ended_by is EndedBy.DISK
        assert (await room.run(["sh", "-c", "ls part*"])).output == "part0\npart1\npart2\n"


async def test_a_command_that_is_over_before_anybody_looks_is_counted(yard: Yard) -> None:
    quick = "head -c 30M /dev/zero > a; head -c 30M /dev/zero > b"
    async with yard.sandbox.open(yard.workspace, ROOMY) as room:
        assert (await room.run(["sh", "-c", quick])).ended_by is EndedBy.DISK
        assert (await room.run(["sh", "-c", "ls"])).output == "main.py\n"


async def test_a_room_that_died_does_not_begin_to_count_anew(yard: Yard) -> None:
    async with yard.sandbox.open(yard.workspace, ROOMY) as room:
        for number in range(2):
            fill = f"dd if=/dev/urandom of=part{number} bs=1M count=20; sleep 600"
            assert (await room.run(["sh", "-c", fill], timeout=0.6)).ended_by is EndedBy.TIMEOUT
        fill = "dd if=/dev/urandom of=part2 bs=1M count=20; sleep 600"
        assert (await room.run(["sh", "-c", fill])).ended_by is EndedBy.DISK


async def test_small_files_that_a_command_changed_stay_if_large_ones_were_the_matter(yard: Yard) -> None:
    big = "dd if=/dev/urandom of=a bs=1M count=30; dd if=/dev/urandom of=b bs=1M count=30; sleep 600"
    async with yard.sandbox.open(yard.workspace, ROOMY) as room:
        ran = await room.run(["sh", "-c", f"echo mended >> main.py; mkdir new; echo x > new/small; {big}"])
        assert ran.ended_by is EndedBy.DISK
    assert (yard.workspace.path / "main.py").read_text().endswith("mended\n")
    assert sorted(path.name for path in yard.workspace.path.iterdir()) == [".git", "main.py", "new"]


def tree_of(folder: Path) -> list[tuple[str, int]]:
    return sorted((path.name, path.stat().st_size) for path in folder.iterdir())
