"""The self-test passes on the real command line, and catches every weakening that was planted in it."""

import os
import socket
from collections.abc import Callable, Sequence

import pytest

from agents.workspace.sandbox import sandbox_choice, walls
from agents.workspace.sandbox.bubblewrap import Bubblewrap
from agents.workspace.sandbox.walls import UID, SandboxUnusable
from tests.sandbox.yard import bubblewrap, weakened

Change = Callable[[list[str]], list[str]]


def without(*words: str) -> Change:
    """The words in a row are taken out, wherever they are."""

    def change(line: list[str]) -> list[str]:
        for at in reversed(range(len(line))):
            if line[at : at + len(words)] == list(words):
                del line[at : at + len(words)]
        return line

    return change


def instead(old: Sequence[str], new: Sequence[str]) -> Change:
    def change(line: list[str]) -> list[str]:
        at = next(at for at in range(len(line)) if line[at : at + len(old)] == list(old))
        return [*line[:at], *new, *line[at + len(old) :]]

    return change


def as_root(line: list[str]) -> list[str]:
    """bwrap as root starts it: setpriv and its options are gone."""
    at = next(at for at, word in enumerate(line) if word.endswith("setpriv"))
    return [*line[:at], *line[line.index("--", at) + 1 :]]


def git_writable(line: list[str]) -> list[str]:
    """Only the last bind of .git, which covers the one in the workspace."""
    return [
        "--bind" if word == "--ro-bind" and line[at + 2].endswith("/.git") else word for at, word in enumerate(line)
    ]


def all_of(*changes: Change) -> Change:
    def change(line: list[str]) -> list[str]:
        for one in changes:
            line = one(line)
        return line

    return change


def everything_shown(line: list[str]) -> list[str]:
    first, last = line.index("/usr") - 1, line.index("--proc")
    rest = ["/home" if word == "/home/minion" else word for word in line[last:]]  # what cannot be made there
    return [*line[:first], "--ro-bind", "/", "/", *rest]


WEAKENED: dict[str, tuple[Change, str]] = {
    "real uid 0": (as_root, "core pattern"),
    "without cap-drop": (all_of(as_root, without("--cap-drop", "ALL")), "capabilities"),
    "root inside": (instead(("--uid", str(UID)), ("--uid", "0")), "user"),
    "the processes of the machine": (
        all_of(instead(("--unshare-all",), ("--unshare-ipc", "--unshare-net", "--unshare-uts")), without("--as-pid-1")),
        "processes",
    ),
    "without remount-ro": (without("--remount-ro", "/"), "writing outside"),
    "writable /dev": (without("--remount-ro", "/dev"), "writing outside"),
    "the whole machine shown": (everything_shown, "files"),
    "without disable-userns": (without("--disable-userns"), "user namespaces"),
    "with the network": (instead(("--unshare-all",), ("--unshare-all", "--share-net")), "network"),
    "writable .git": (git_writable, "git"),
    "bwrap as first process": (without("--as-pid-1"), "limits"),
    "a first process that can be read": (instead(("--perms", "0111"), ("--perms", "0555")), "first process"),
}


async def test_every_wall_holds() -> None:
    findings = await sandbox_choice.examine(bubblewrap())
    assert [finding for finding in findings if finding.seen] == []
    assert {finding.probe for finding in findings} >= {"environment of others", "user namespaces", "tracing", "git"}
    await sandbox_choice.require(bubblewrap())


async def test_they_hold_without_the_filter_too() -> None:
    findings = await sandbox_choice.examine(bubblewrap(filter=None))
    assert [finding for finding in findings if finding.seen] == []
    assert not {"tracing", "taking space"} & {finding.probe for finding in findings}


async def test_a_filter_that_lets_space_be_taken_is_caught() -> None:
    class Filterless(Bubblewrap):
        @property
        def has_filter(self) -> bool:
            """As it claims."""
            return True

    findings = await sandbox_choice.examine(Filterless(tools=walls.find_tools(), filter=None))
    assert {"filter", "tracing", "taking space"} <= {finding.probe for finding in findings if finding.seen}


async def test_without_a_filter_nothing_is_run_and_what_to_install_is_told() -> None:
    with pytest.raises(SandboxUnusable) as refused:
        await sandbox_choice.require(bubblewrap(filter=None))
    assert "libseccomp is not installed" in refused.value.what
    assert "apt install libseccomp2" in refused.value.next_step


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start bwrap as root")
@pytest.mark.parametrize("fault", WEAKENED)
async def test_a_weakened_command_line_is_caught(fault: str) -> None:
    change, probe = WEAKENED[fault]
    seen = {finding.probe: finding.seen for finding in await sandbox_choice.examine(bubblewrap(build=weakened(change)))}
    assert seen.get(probe), seen


@pytest.mark.parametrize(
    ("change", "probe"),
    [
        (without("--clearenv"), "environment"),
        (without("--as-pid-1"), "environment of others"),  # --clearenv alone: bwrap's own environ is still there
    ],
)
async def test_an_environment_that_is_not_emptied_is_caught(change: Change, probe: str) -> None:
    leaking = bubblewrap(environ={"SLACK_BOT_TOKEN": "xoxb-canary"}, build=weakened(change))
    seen = {finding.probe: finding.seen for finding in await sandbox_choice.examine(leaking)}
    assert "SLACK_BOT_TOKEN" in seen[probe]
    assert "canary" not in str(seen)


async def test_a_weak_sandbox_is_refused_in_words() -> None:
    with pytest.raises(SandboxUnusable) as refused:
        await sandbox_choice.require(bubblewrap(build=weakened(without("--remount-ro", "/"))))
    assert "do not hold (writing outside: / can be written)" in refused.value.what
    assert "OVERLORD_SANDBOX" in refused.value.next_step


async def test_a_workspace_that_cannot_be_written_is_told() -> None:
    line = weakened(lambda line: ["--ro-bind" if word == "--bind" else word for word in line])
    seen = {finding.probe: finding.seen for finding in await sandbox_choice.examine(bubblewrap(build=line))}
    assert "cannot be written" in seen["workspace"]


def test_the_trial_leaves_no_door_open() -> None:
    with sandbox_choice._host() as host:
        port = host["port"]
        assert isinstance(port, int)
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), 1)
