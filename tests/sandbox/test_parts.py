"""The small parts: who owns a workspace, what is mounted, and control groups."""

import asyncio
import os
import shutil
import time
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from agents.ports import Workspace
from agents.workspace.files.untrusted import hand_over
from agents.workspace.sandbox import walls
from agents.workspace.sandbox.bubblewrap import Bubblewrap, launching
from agents.workspace.sandbox.container import options
from agents.workspace.sandbox.processes import resource_limits, running, tree
from agents.workspace.sandbox.walls import GATE, MINION, Start, command_line, reachable
from tests.sandbox.yard import SMALL, Yard, bubblewrap, git, worktree

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@as_root
def test_a_workspace_is_handed_over_but_not_what_is_shared(tmp_path: Path) -> None:
    workspace = worktree(tmp_path)
    (tmp_path / "store").write_text("somebody's")
    (workspace.path / "folder").mkdir()
    os.link(tmp_path / "store", workspace.path / "folder" / "shared")
    (workspace.path / "link").symlink_to(tmp_path / "store")
    hand_over(workspace.path, walls.NOBODY)
    assert (workspace.path / "main.py").stat().st_uid == walls.NOBODY
    assert (workspace.path / "folder").stat().st_uid == walls.NOBODY
    assert (workspace.path / "link").lstat().st_uid == walls.NOBODY
    assert (workspace.path / ".git").stat().st_uid == 0
    assert (tmp_path / "store").stat().st_uid == 0


@as_root
def test_a_hand_over_that_was_cut_short_is_done_again(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    for name in "ab":
        (tmp_path / "tree" / name).touch()
    os.chown(tmp_path / "tree" / "a", walls.NOBODY, walls.NOBODY)
    hand_over(tmp_path / "tree", walls.NOBODY)
    assert {path.stat().st_uid for path in (tmp_path / "tree").iterdir()} == {walls.NOBODY}


@as_root
async def test_a_workspace_that_everybody_can_walk_to_needs_no_stage(tmp_path: Path) -> None:
    """Both ways to start, and both hold: one bwrap, or a second one around it that shows it the workspace."""
    open_way = Path("/var/tmp") / f"overlord-test-{os.getpid()}"
    open_way.mkdir(mode=0o755)
    try:
        for folder, bwraps in ((open_way, 1), (tmp_path, 2)):
            workspace = worktree(folder / "base")
            start = Start(workspace=workspace, profile=SMALL, tools=walls.find_tools(), command=["true"])
            line = command_line(start)
            assert sum(word.endswith("/bwrap") for word in line) == bwraps
            yard = Yard(bubblewrap(), workspace)
            ran = await yard.sandbox.once(workspace, SMALL, ["sh", "-c", "pwd; echo x > new; git status --short"])
            assert ran.output == f"{workspace.path}\n?? new\n"
            git(workspace.path, "-c", "safe.directory=*", "status")
    finally:
        shutil.rmtree(open_way)


def test_reach_is_a_matter_of_every_folder_above(tmp_path: Path) -> None:
    (tmp_path / "shut" / "open").mkdir(parents=True)
    (tmp_path / "shut").chmod(0o700)
    assert not reachable(tmp_path / "shut" / "open", 12_345)
    assert reachable(tmp_path / "shut" / "open", os.getuid())
    assert reachable(Path("/usr/bin"), 12_345)


async def test_what_was_started_is_found_with_all_its_children(tmp_path: Path) -> None:
    workspace = Workspace(path=tmp_path)
    async with launching(Bubblewrap(tools=walls.find_tools()), workspace, SMALL) as launch:
        process = launch.process(["sh", "-c", "sleep 60 & sleep 60"], os.open(os.devnull, os.O_WRONLY))
        for _ in range(200):
            found = tree.members(process.pid)
            if sum("sleep" in _comm(member.pid) for member in found) == 2:
                break
            await asyncio.sleep(0.02)
        else:
            raise AssertionError("never started")
        assert tree.memory(found, 1 << 40) > 0
        tree.kill(found)
        await running.exit_code(process)


def _comm(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return ""


def test_a_control_group_is_made_beside_our_own(tmp_path: Path) -> None:
    """The files of the kernel's interface, in a folder: this machine has the interface only in parts."""
    (tmp_path / "own.slice" / "bot").mkdir(parents=True)
    (tmp_path / "own.slice" / "cgroup.subtree_control").write_text("cpu memory pids\n")
    own = tmp_path / "self"
    own.write_text("4:freezer:/other\n0::/own.slice/bot\n")
    group = resource_limits.make_group(GATE, tmp_path, own)
    assert group is not None and group.limits_cpus
    folder = group.folder
    assert folder.parent == tmp_path / "own.slice"
    assert (folder / "memory.max").read_text() == str(GATE.memory)
    assert (folder / "pids.max").read_text() == str(GATE.processes + 8)
    assert (folder / "cpu.max").read_text() == "100000 100000"
    (folder / "memory.events").write_text("low 0\noom 0\noom_kill 0\n")
    assert group.memory_used() == 0 and not group.ran_out()
    (folder / "memory.events").write_text("low 0\noom 1\noom_kill 1\n")
    assert group.memory_used() == inf and group.ran_out()
    assert group.joining() == f"echo 0 > {folder}/cgroup.procs"


def test_in_a_group_that_was_given_to_us_we_go_one_below(tmp_path: Path) -> None:
    """As systemd does it with Delegate=yes. It must be ours alone: nobody else is moved."""
    service = tmp_path / "system.slice" / "overlord.service"
    service.mkdir(parents=True)
    (service / "cgroup.controllers").write_text("cpu io memory pids\n")
    (service / "cgroup.subtree_control").write_text("")
    (tmp_path / "self").write_text("0::/system.slice/overlord.service\n")
    (service / "cgroup.procs").write_text(f"{os.getpid()}\n{os.getppid()}\n")
    assert resource_limits.make_group(GATE, tmp_path, tmp_path / "self") is None
    assert not (service / "overlord-bot").exists()
    (service / "cgroup.procs").write_text(f"{os.getpid()}\n")
    group = resource_limits.make_group(GATE, tmp_path, tmp_path / "self")
    assert (service / "overlord-bot" / "cgroup.procs").read_text() == str(os.getpid())
    assert (service / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"
    assert group is None  # a plain folder does not deal them out: the kernel lists them without the plus
    (service / "cgroup.subtree_control").write_text("memory pids\n")
    (tmp_path / "self").write_text("0::/system.slice/overlord.service/overlord-bot\n")
    again = resource_limits.make_group(GATE, tmp_path, tmp_path / "self")
    assert again is not None and again.folder.parent == service and not again.limits_cpus


@as_root
def test_a_control_group_of_version_1_is_made_below_our_own(tmp_path: Path) -> None:
    (tmp_path / "memory" / "bot").mkdir(parents=True)
    (tmp_path / "self").write_text("4:memory:/bot\n3:cpu,cpuacct:/bot\n0::/\n")
    group = resource_limits.make_group(SMALL, tmp_path, tmp_path / "self")
    assert group is not None and group.folder.parent == tmp_path / "memory" / "bot"
    assert (group.folder / "memory.limit_in_bytes").read_text() == str(SMALL.memory)
    (group.folder / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n")
    assert group.ran_out()


@pytest.mark.parametrize("lines", ["4:memory:/other\n", "0::/\n", "0::/nowhere/bot\n", ""])
def test_where_there_are_no_groups_to_make_none_is_made(tmp_path: Path, lines: str) -> None:
    (tmp_path / "self").write_text(lines)
    assert resource_limits.make_group(GATE, tmp_path, tmp_path / "self") is None


def test_groups_of_the_dead_are_removed_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "self").write_text("4:memory:/bot\n")
    names = [f"overlord-{2**22 + 1}-1", f"overlord-{os.getpid()}-1", "overlord-bot", "somebody-1"]
    for name in names:
        (tmp_path / "memory" / "bot" / name).mkdir(parents=True)
    resource_limits.sweep_groups(tmp_path, tmp_path / "self")
    assert sorted(path.name for path in (tmp_path / "memory" / "bot").iterdir()) == sorted(names[1:])


async def test_a_sandbox_leaves_no_control_group(tmp_path: Path) -> None:
    group = resource_limits.make_group(SMALL)
    if group is None:
        pytest.skip("not run: no control group can be made here")
    group.remove()
    await bubblewrap().once(worktree(tmp_path), SMALL, ["true"])
    until = time.monotonic() + 10
    while left := list(group.folder.parent.glob(f"overlord-{os.getpid()}-*")):
        assert time.monotonic() < until, left
        await asyncio.sleep(0.01)


def test_a_container_has_the_same_profile(tmp_path: Path) -> None:
    workspace = Workspace(path=tmp_path / "tree", git=tmp_path / ".git", readable=(tmp_path / "venv",))
    line = " ".join(
        options("docker", workspace, replace(MINION, cpus=2, egress=frozenset({"a.example:443"})), tmp_path / "door")
    )
    for part in (
        "--network none --read-only --cap-drop ALL --security-opt no-new-privileges",
        f"--memory {4 << 30} --memory-swap {4 << 30} --pids-limit 256 --cpus 2",
        f"--volume {tmp_path}/.git:{tmp_path}/.git:ro",
        f"--volume {tmp_path}/tree:{tmp_path}/tree:rw",
        f"--volume {tmp_path}/venv:{tmp_path}/venv:ro",
        "--env HTTPS_PROXY=http://127.0.0.1:3128",
    ):
        assert part in line
    assert "--user 0" not in line


def test_a_venv_is_shown_with_the_interpreter_it_stands_on(tmp_path: Path) -> None:
    (tmp_path / "python" / "bin").mkdir(parents=True)
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / "pyvenv.cfg").write_text(f"home = {tmp_path}/python/bin\nversion = 3.11\n")
    assert walls.toolchain(tmp_path / "venv") == (tmp_path / "venv", tmp_path / "python")
