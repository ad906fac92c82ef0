"""What every sandbox does alike, whatever holds its walls."""

import asyncio
import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from agents.ports import EndedBy, Sandbox, Workspace
from tests.conformance.sandbox_rig import NAMED, PATIENCE, RIGS, USUAL
from tests.sandbox.loopback import connect, echo, only
from tests.sandbox.yard import SMALL, left, python, said, uid_in, worktree


@pytest.fixture(params=NAMED or USUAL)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return RIGS[request.param]()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return worktree(tmp_path)


async def test_it_says_its_name(sandbox: Sandbox) -> None:
    assert sandbox.name in RIGS


async def test_a_command_ends_with_its_code_and_what_it_said(sandbox: Sandbox, workspace: Workspace) -> None:
    heard: list[str] = []
    command = ["sh", "-c", "echo out; echo err >&2; exit 7"]
    ran = await sandbox.once(workspace, SMALL, command, heard.append)
    assert (ran.ended_by, ran.exit_code, ran.output, ran.cut) == (EndedBy.EXIT, 7, "out\nerr\n", 0)
    assert "".join(heard) == "out\nerr\n" and 0 < ran.seconds < PATIENCE


async def test_a_room_takes_one_command_after_the_other(sandbox: Sandbox, workspace: Workspace) -> None:
    async with sandbox.open(workspace, SMALL) as room:
        assert await said(room, "sh", "-c", "pwd; id -u") == f"{workspace.path}\n{uid_in(sandbox)}\n"
        await said(room, "sh", "-c", "echo kept > /tmp/kept; echo written > new.txt")
        assert await said(room, "cat", "/tmp/kept", "new.txt") == "kept\nwritten\n"
        both = await asyncio.gather(room.run(["sh", "-c", "sleep 0.2; echo a"]), room.run(["echo", "b"]))
        assert [ran.output for ran in both] == ["a\n", "b\n"]
        assert (await room.run(["sh", "-c", "kill -9 $$"])).exit_code == 137
        assert (await room.run(["no-such-program"])).exit_code == 127
        assert (await room.run(["cat"])).exit_code == 0  # nobody will ever type anything
    assert (workspace.path / "new.txt").read_text() == "written\n"


async def test_a_program_whose_reader_left_ends_in_silence(sandbox: Sandbox, workspace: Workspace) -> None:
    """Ours inside is Python, which ignores that signal: what it starts must not."""
    async with sandbox.open(workspace, SMALL) as room:
        assert await said(room, "sh", "-c", "yes | head -n 1") == "y\n"


async def test_what_takes_too_long_is_ended_and_the_room_goes_on(sandbox: Sandbox, workspace: Workspace) -> None:
    mark = f"slow-{os.getpid()}"
    async with sandbox.open(workspace, SMALL) as room:
        began = time.monotonic()
        ran = await room.run(["sh", "-c", f"echo begun; (setsid sleep 600 &); sleep 600; : {mark}"], timeout=0.5)
        assert (ran.ended_by, ran.exit_code, ran.output) == (EndedBy.TIMEOUT, None, "begun\n")
        assert time.monotonic() - began < PATIENCE and left(mark) == []
        assert await said(room, "echo", "again") == "again\n"


async def test_what_a_command_leaves_running_ends_with_it(sandbox: Sandbox, workspace: Workspace) -> None:
    mark = f"left-{os.getpid()}"
    async with sandbox.open(workspace, SMALL) as room:
        await said(room, "sh", "-c", f"(setsid sh -c 'sleep 600; : {mark}' >/dev/null 2>&1 &)")
        assert left(mark) == []


async def test_a_closed_room_ends_what_runs_and_takes_no_more(sandbox: Sandbox, workspace: Workspace) -> None:
    mark = f"closed-{os.getpid()}"
    async with sandbox.open(workspace, SMALL) as room:
        running = asyncio.create_task(room.run(["sh", "-c", f"sleep 600; : {mark}"]))
        await asyncio.sleep(0.3)
    assert (await running).ended_by is EndedBy.KILLED
    assert (await room.run(["true"])).ended_by is EndedBy.KILLED
    assert left(mark) == []


async def test_a_cancelled_caller_leaves_nothing_running(sandbox: Sandbox, workspace: Workspace) -> None:
    mark = f"cancelled-{os.getpid()}"
    async with sandbox.open(workspace, SMALL) as room:
        running = asyncio.create_task(room.run(["sh", "-c", f"sleep 600; : {mark}"]))
        await asyncio.sleep(0.3)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert left(mark) == []
        assert await said(room, "echo", "again") == "again\n"


async def test_limits_are_told_apart(sandbox: Sandbox, workspace: Workspace) -> None:
    greedy = "import os, time\nfor _ in range(3): os.fork()\nx = os.urandom(1 << 20) * 60\ntime.sleep(600)"
    full = "import os, time\nfor n in range(9): open(str(n), 'wb').write(os.urandom(1 << 20) * 8)\ntime.sleep(600)"
    async with sandbox.open(workspace, SMALL) as room:
        assert (await room.run(python("while True: print('yes' * 9_999)"))).ended_by is EndedBy.OUTPUT
        assert (await room.run(python(full))).ended_by is EndedBy.DISK
        assert (await room.run(python(greedy))).ended_by is EndedBy.MEMORY
        forks = "import os, time\nn = 0\ntry:\n    while os.fork(): n += 1\n    time.sleep(9)\nexcept OSError: print(n)"
        assert 0 < int(await said(room, *python(forks))) <= SMALL.processes


async def test_git_is_read_but_not_written(sandbox: Sandbox, workspace: Workspace) -> None:
    assert workspace.git is not None
    async with sandbox.open(workspace, SMALL) as room:
        assert (await said(room, "cat", ".git")).startswith("gitdir: ")
        for attempt in (
            "echo x > .git",
            "rm .git",
            "mv .git moved",
            f"touch {workspace.git}/x",
            f"rm {workspace.git}/HEAD",
        ):
            assert (await room.run(["sh", "-c", attempt])).exit_code != 0, attempt


async def test_only_the_proxy_leads_out(sandbox: Sandbox, workspace: Workspace) -> None:
    talk = """
        import json, socket, sys
        def ask(head):
            with socket.create_connection(("127.0.0.1", 3128), 5) as s:
                s.sendall(head.encode()); return s.recv(12).decode()
        said = [ask(head) for head in json.loads(sys.argv[1])]
        try: socket.create_connection(("127.0.0.1", int(sys.argv[2])), 2); said.append("direct")
        except OSError: said.append("refused")
        print(json.dumps(said))
    """
    async with echo() as port, sandbox.open(workspace, only(f"127.0.0.1:{port}")) as room:
        heads = json.dumps([connect(f"127.0.0.1:{port}"), connect("example.com:443")])
        heard = json.loads(await said(room, *python(talk, heads, str(port))))
    assert heard == ["HTTP/1.1 200", "HTTP/1.1 403", "refused"]
    ran = await sandbox.once(
        workspace, replace(SMALL), python("import socket; socket.create_connection(('127.0.0.1', 3128))")
    )
    assert ran.exit_code == 1
