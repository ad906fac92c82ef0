"""Attacks on the disk: space and names that are taken faster, deeper or more often than anybody looks."""

from tests.sandbox.yard import SMALL, Yard, python

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
