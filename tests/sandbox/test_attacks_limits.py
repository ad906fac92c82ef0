"""Attack 54: programs that take too much, or stay too long."""

import json
import os
import time
from dataclasses import replace

import pytest

from agents.ports import EndedBy
from agents.workspace.sandbox.processes.running import NICE
from tests.sandbox.yard import SMALL, Yard, left, python

PATIENCE = 60.0  # the promise is five seconds after the deadline; a machine that is shared may take longer


@pytest.mark.long_in_containers
async def test_54_a_fork_bomb_stays_small(yard: Yard) -> None:
    bomb = """
        import os, sys, time
        mark, most = sys.argv[1], 0
        while True:
            try:
                if os.fork() == 0: time.sleep(600)
                most += 1
            except OSError:
                print(most, flush=True)
                time.sleep(600)
    """
    mark = f"bomb-{os.getpid()}"
    short = Yard(yard.sandbox, yard.workspace, replace(SMALL, seconds=2.5))
    began = time.monotonic()
    ran = await short.python(bomb, mark)
    assert ran.ended_by is EndedBy.TIMEOUT
    assert 0 < int(ran.output.split()[0]) <= SMALL.processes
    assert time.monotonic() - began < 2.5 + PATIENCE and left(mark) == []


@pytest.mark.long_in_containers
async def test_54_a_fork_bomb_in_a_shell_ends_with_its_room(yard: Yard) -> None:
    mark = f"shell-{os.getpid()}"
    async with yard.sandbox.open(yard.workspace, yard.profile) as room:
        ran = await room.run(["bash", "-c", f"f() {{ f | f & }}; f; sleep 600 # {mark}"], timeout=2)
        assert ran.ended_by in (EndedBy.TIMEOUT, EndedBy.EXIT)
        assert left(mark) == []
        assert (await room.run(["echo", "again"])).output == "again\n"


async def test_54_one_process_cannot_take_more_memory_than_there_is(yard: Yard) -> None:
    ran = await yard.python("x = bytearray(2 << 30); print(len(x))")
    assert ran.exit_code != 0 and "MemoryError" in ran.output


async def test_54_many_processes_together_are_counted(yard: Yard) -> None:
    greedy = """
        import os, sys, time
        for _ in range(6):
            if os.fork() == 0: break
        block = os.urandom(1 << 20) * 60
        time.sleep(600)
    """
    ran = await yard.python(greedy)
    assert ran.ended_by is EndedBy.MEMORY and ran.exit_code is None
    assert ran.seconds < PATIENCE


async def test_54_memory_that_no_process_seems_to_hold(yard: Yard) -> None:
    """Files in memory are nobody's; each kind is limited where it is made, or the whole is counted."""
    hidden = """
        import ctypes, json, os
        taken, libc, step = [], ctypes.CDLL(None), 16 << 20
        libc.shmat.restype = ctypes.c_void_p
        try:
            file = os.memfd_create("x"); taken.append("memfd")
            for _ in range(20): os.write(file, bytes(step))
        except OSError: pass
        for _ in range(20):
            number = libc.shmget(0, step, 0o1600)
            if number < 0: break
            taken.append("shm")
            ctypes.memset(libc.shmat(number, None, 0), 1, step)
        for folder in ("/dev/shm", "/tmp", "/home/minion", "/dev", "/"):
            written = 0
            for number in range(40):
                try:
                    with open(f"{folder}/x{number}", "wb") as file:
                        while file.tell() < 16 << 20: written += file.write(bytes(1 << 20))
                except OSError: break
            if written > 64 << 20: taken.append(folder)
        print(json.dumps(taken))
    """
    ran = await yard.python(hidden)
    assert ran.ended_by is EndedBy.MEMORY or (ran.exit_code, json.loads(ran.output)) == (0, [])


async def test_54_a_large_file_is_refused(yard: Yard) -> None:
    ran = await yard.sandbox.once(yard.workspace, SMALL, ["dd", "if=/dev/zero", "of=big", "bs=1M", "count=200"])
    assert ran.exit_code != 0
    assert (yard.workspace.path / "big").stat().st_size <= SMALL.file


async def test_54_many_files_together_are_counted(yard: Yard) -> None:
    writer = """
        import os, time
        for number in range(99):
            with open(f"f{number}", "wb") as file: file.write(os.urandom(1 << 20) * 8)
            time.sleep(0.1)  # where the folder is in memory, that limit would be met before anybody looked
        time.sleep(600)
    """
    ran = await yard.python(writer)
    assert ran.ended_by is EndedBy.DISK


async def test_54_files_without_a_name_are_counted(yard: Yard) -> None:
    writer = """
        import os, time
        kept = []
        for number in range(20):
            file = open("x", "wb", buffering=0); os.unlink("x"); kept.append(file)
            for _ in range(8): file.write(os.urandom(1 << 20))
        time.sleep(600)
    """
    ran = await yard.python(writer)
    assert ran.ended_by is EndedBy.DISK


@pytest.mark.long_in_containers
async def test_54_what_never_ends_is_ended_with_all_its_daemons(yard: Yard) -> None:
    mark = f"daemon-{os.getpid()}"
    daemon = """
        import os, signal, sys, time
        for number in (1, 2, 3, 13, 15, 17): signal.signal(number, signal.SIG_IGN)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True: time.sleep(1)
            os._exit(0)
        if os.fork() == 0: os.setpgid(0, 0)
        print("ready", flush=True)
        while True: time.sleep(1)
    """
    short = replace(SMALL, seconds=1.5)
    for command in (python(daemon, mark), ["sh", "-c", f"sleep inf; : {mark}"]):
        began = time.monotonic()
        ran = await yard.sandbox.once(yard.workspace, short, command)
        assert ran.ended_by is EndedBy.TIMEOUT and time.monotonic() - began < 1.5 + PATIENCE
        assert left(mark) == []
    async with yard.sandbox.open(yard.workspace, SMALL) as room:
        ran = await room.run(python(daemon, mark), timeout=1)
        assert ran.ended_by is EndedBy.TIMEOUT and "ready" in ran.output
        assert left(mark) == []


async def test_54_a_daemon_does_not_outlive_a_command_that_ends(yard: Yard) -> None:
    mark = f"leftover-{os.getpid()}"
    leave = ["sh", "-c", f"(setsid sh -c 'sleep 600; : {mark}' &) ; echo gone"]
    assert (await yard.sandbox.once(yard.workspace, SMALL, leave)).output == "gone\n"
    assert left(mark) == []
    async with yard.sandbox.open(yard.workspace, SMALL) as room:
        assert (await room.run(leave)).output == "gone\n"
        assert left(mark) == []


async def test_54_our_program_inside_cannot_be_stopped_for_good(yard: Yard) -> None:
    async with yard.sandbox.open(yard.workspace, SMALL) as room:
        for attack in ("kill -9 -1", "kill -STOP 1; kill -9 1", "python3 -c 'import os; os.kill(1, 9)'"):
            await room.run(["sh", "-c", attack], timeout=2)
            assert (await room.run(["echo", "alive"])).output == "alive\n", attack


async def test_54_our_program_inside_cannot_be_tampered_with(yard: Yard) -> None:
    """Neither its memory nor its descriptors: in a room, and as a gate is run."""
    tamper = """
        import json, os
        found = []
        for path in ("/proc/1/mem", "/proc/1/environ", "/proc/1/fd", "/proc/1/exe", "/proc/1/map_files", "/proc/1/cwd"):
            try: os.listdir(path) if os.path.isdir(path) else os.open(path, os.O_RDWR); found.append(path)
            except OSError: pass
        print(json.dumps(found))
    """
    assert await yard.seen(tamper) == []
    async with yard.sandbox.open(yard.workspace, SMALL) as room:
        assert (await room.run(python(tamper))).output == "[]\n"
        assert (await room.run(["echo", "alive"])).output == "alive\n"


async def test_54_whoever_works_gives_way_to_the_bot(yard: Yard) -> None:
    assert int((await yard.sandbox.once(yard.workspace, SMALL, ["nice"])).output) >= NICE
    async with yard.sandbox.open(yard.workspace, yard.profile) as room:
        assert int((await room.run(["bash", "-c", "nice & wait"])).output) >= NICE
