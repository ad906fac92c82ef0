"""Attacks 51 to 53: what a taken-over minion looks for, cannot do to its walls, and cannot reach."""

import asyncio
import os
import socket
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agents.ports import Workspace
from tests.sandbox.yard import Yard, bubblewrap, weakened, worktree

CANARY = "xoxb-canary-7f3a9d"

SEARCH = """
    import json, os, pathlib, sys
    canary = sys.argv[1][::-1]
    def texts():
        yield repr(os.environ)
        for path in pathlib.Path("/proc").glob("[0-9]*/*"):
            if path.name in ("environ", "cmdline", "maps", "mountinfo"):
                try: yield path.read_bytes().decode(errors="replace")
                except OSError: pass
        for top in ("/etc", "/home", "/tmp", "/var", "/run", "/root", "/opt", "/srv", "/mnt", os.getcwd(), "/dev/shm"):
            for folder, _, names in os.walk(top):
                for name in names:
                    try: yield pathlib.Path(folder, name).read_bytes()[:100_000].decode(errors="replace")
                    except OSError: pass
    print(json.dumps(sum(canary in text for text in texts())))
"""


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In the bot's environment, beside the workspace, and in a file that everybody may read."""
    monkeypatch.setenv("SLACK_BOT_TOKEN", CANARY)
    (tmp_path / "overlord.db").write_text(CANARY)


@pytest.mark.usefixtures("secrets")
async def test_51_no_secret_of_the_bot_is_found(yard: Yard) -> None:
    assert await yard.seen(SEARCH, CANARY[::-1]) == 0
    async with yard.sandbox.open(yard.workspace, yard.profile) as room:
        ran = await room.run(["sh", "-c", "env; cat /proc/*/environ /proc/*/cmdline"])
    assert CANARY not in ran.output


@pytest.mark.usefixtures("secrets")
async def test_51_the_search_would_find_one(tmp_path: Path) -> None:
    """The same search where the environment is emptied only by --clearenv: else it proves nothing."""
    build = weakened(lambda line: [word for word in line if word != "--as-pid-1"])
    leaking = Yard(bubblewrap(environ=dict(os.environ), build=build), worktree(tmp_path / "again"))
    assert await leaking.seen(SEARCH, CANARY[::-1]) > 0


async def test_51_no_core_is_dumped(yard: Yard) -> None:
    ran = await yard.python("import os; os.abort()")
    assert ran.exit_code == 128 + 6
    assert not list(yard.workspace.path.glob("core*"))


async def test_52_walls_cannot_be_taken_down(yard: Yard) -> None:
    tries = """
        import ctypes, json, os, subprocess, sys
        libc = ctypes.CDLL(None, use_errno=True)
        git = sys.argv[1].encode()
        worked = []
        def attempt(name, did):
            if did: worked.append(name)
        attempt("umount .git", libc.umount2(git, 2) == 0)
        attempt("umount /proc", libc.umount2(b"/proc", 2) == 0)
        attempt("mount tmpfs", libc.mount(b"x", b"/tmp", b"tmpfs", 0, None) == 0)
        attempt("remount rw", libc.mount(None, b"/", None, 32 | 4096, None) == 0)
        attempt("bind over .git", libc.mount(b"/tmp", git, None, 4096, None) == 0)
        attempt("ptrace pid 1", libc.ptrace(16, 1, 0, 0) == 0)
        attempt("pivot_root", libc.syscall(155, b".", b".") == 0)
        attempt("chroot", libc.chroot(b"/tmp") == 0)
        for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000):
            attempt(f"unshare {flag:x}", libc.unshare(flag) == 0)
        attempt("unshare -Ur", subprocess.run(["unshare", "-Ur", "true"], capture_output=True).returncode == 0)
        attempt("setuid", libc.setuid(0) == 0)
        attempt("sethostname", libc.sethostname(b"x", 1) == 0)
        for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/usr/bin/x", "/etc/passwd", "/x",
                     "/dev/sda", "/dev/kmsg", "/proc/sys/user/max_user_namespaces"):
            try: os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)); worked.append(path)
            except OSError: pass
        try: os.mknod("/tmp/disk", 0o60600, os.makedev(8, 0)); worked.append("mknod")
        except OSError: pass
        print(json.dumps(worked))
    """
    assert await yard.seen(tries, str(yard.workspace.path / ".git")) == []


async def test_52_git_cannot_be_changed(yard: Yard) -> None:
    tries = """
        import json, os, pathlib, shutil, subprocess, sys
        dot, repository = map(pathlib.Path, sys.argv[1:])
        worked = []
        def attempt(name, act):
            try: act(); worked.append(name)
            except OSError: pass
        attempt("write .git", lambda: dot.write_text("gitdir: /tmp/mine"))
        attempt("remove .git", dot.unlink)
        attempt("move .git", lambda: dot.rename("moved"))
        attempt("replace .git", lambda: os.replace(pathlib.Path("main.py"), dot))
        attempt("hook", lambda: (repository / "hooks/post-checkout").write_text("x"))
        attempt("config", lambda: (repository / "config").open("a"))
        attempt("chmod", lambda: (repository / "config").chmod(0o777))
        attempt("link", lambda: os.link(repository / "config", "config"))
        if subprocess.run(["git", "add", "."], capture_output=True).returncode == 0: worked.append("git add")
        print(json.dumps(worked))
    """
    dot, repository = yard.workspace.path / ".git", yard.workspace.git
    assert repository is not None
    before = dot.read_text(), (repository / "config").read_text()
    assert await yard.seen(tries, str(dot), str(repository)) == []
    assert before == (dot.read_text(), (repository / "config").read_text())
    ran = await yard.sandbox.once(yard.workspace, yard.profile, ["git", "log", "--oneline"])
    assert ran.exit_code == 0 and "first" in ran.output  # reading it is what minions may do


REACH = """
    import json, os, socket, subprocess, sys
    port, path, name = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    reached = []
    def attempt(what, family, kind, address):
        try:
            with socket.socket(family, kind) as s:
                s.settimeout(1); s.connect(address)
                if kind == socket.SOCK_DGRAM: s.send(b"x")
                reached.append(what)
        except OSError: pass
    I, S, D = socket.AF_INET, socket.SOCK_STREAM, socket.SOCK_DGRAM
    attempt("loopback", I, S, ("127.0.0.1", port))
    attempt("loopback 6", socket.AF_INET6, S, ("::1", port))
    attempt("metadata", I, S, ("169.254.169.254", 80))
    attempt("the world", I, S, ("1.1.1.1", 443))
    attempt("dns", I, D, ("8.8.8.8", 53))
    attempt("gateway", I, S, ("10.0.0.1", 22))
    attempt("socket file", socket.AF_UNIX, S, path)
    attempt("abstract socket", socket.AF_UNIX, S, "\\0" + name)
    for what in ("/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket"):
        attempt(what, socket.AF_UNIX, S, what)
    for family in (17, 38, 40):
        try: socket.socket(family, socket.SOCK_RAW).close(); reached.append(f"family {family}")
        except OSError: pass
    try: socket.getaddrinfo("example.com", 443); reached.append("name")
    except OSError: pass
    try:
        done = subprocess.run(["git", "ls-remote", "https://github.com/git/git"], capture_output=True, timeout=10)
        if done.returncode == 0: reached.append("git")
    except subprocess.TimeoutExpired: pass
    print(json.dumps(reached))
"""


@pytest.mark.parametrize("listed", ["", "api.example.com:443"])
async def test_53_nothing_of_the_host_and_the_world_is_reached(yard: Yard, tmp_path: Path, listed: str) -> None:
    path, name = tmp_path / "host.sock", f"overlord-test-{os.getpid()}"
    limits = replace(yard.profile, egress=frozenset({listed} - {""}))
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as door,
        closing(socket.socket(socket.AF_UNIX)) as file,
        closing(socket.socket(socket.AF_UNIX)) as abstract,
    ):
        file.bind(str(path))
        file.listen()
        abstract.bind(f"\0{name}")
        abstract.listen()
        there = Yard(yard.sandbox, yard.workspace, limits)
        assert await there.seen(REACH, str(door.getsockname()[1]), str(path), name) == []


async def test_processes_of_others_are_neither_seen_nor_signalled(yard: Yard) -> None:
    outside = await asyncio.create_subprocess_exec("sleep", "60")
    try:
        code = """
            import json, os, pathlib, sys
            seen = [p.name for p in pathlib.Path("/proc").glob("[0-9]*")]
            try: os.kill(int(sys.argv[1]), 9); seen.append("killed")
            except OSError: pass
            print(json.dumps(len(seen)))
        """
        assert await yard.seen(code, str(outside.pid)) <= 4
        assert outside.returncode is None
    finally:
        outside.kill()
        await outside.wait()


async def test_a_link_out_of_the_workspace_leads_nowhere(yard: Yard, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(CANARY)
    (yard.workspace.path / "link").symlink_to(tmp_path / "secret")
    ran = await yard.sandbox.once(yard.workspace, yard.profile, ["cat", "link"])
    assert ran.exit_code != 0 and CANARY not in ran.output


async def test_only_what_is_named_can_be_read(yard: Yard, tmp_path: Path) -> None:
    for name in ("shown", "hidden"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    named = Workspace(path=yard.workspace.path, readable=(tmp_path / "shown",))
    shown = await yard.sandbox.once(named, yard.profile, ["cat", str(tmp_path / "shown/file")])
    hidden = await yard.sandbox.once(named, yard.profile, ["cat", str(tmp_path / "hidden/file")])
    written = await yard.sandbox.once(named, yard.profile, ["touch", str(tmp_path / "shown/file")])
    assert shown.output == "shown"
    assert hidden.exit_code != 0 and written.exit_code != 0
