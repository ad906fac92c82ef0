"""Small things that somebody trips over who meets the command line for the first time."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.builders.shell import OVERLORD, Shell
from tests.builders.started import said, up

LONG = "add a page that lists every link, who made it, when it was last opened and by whom, for all of our teams"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.parametrize("words", [("decisions", "show"), ("decisions", "decide"), ("proposals", "approve")])
def test_h_is_help_where_an_id_may_begin_with_a_dash(shell: Shell, words: tuple[str, str]) -> None:
    assert f"Usage: overlord {' '.join(words)}" in shell.run(*words, "-h").out
    more = ["a"] if "decide" in words else []
    assert "begins with `-hx`" in shell.run(*words, "-hx", *more, code=1).err


@pytest.mark.parametrize("written", ["1", "t-1", "T-1"])
def test_a_task_may_be_called_by_its_number(shell: Shell, written: str) -> None:
    shell.ask("add login")
    assert "Asked for: add login" in shell.run("tasks", "show", written).out
    assert shell.run("tasks", "stop", written).out == "T-1 is paused.\n"


def test_a_number_that_no_task_has_is_told(shell: Shell) -> None:
    assert "There is no task 9" in shell.run("tasks", "show", "9", code=1).err


def test_tables_are_cut_on_a_terminal_and_whole_in_a_pipe(shell: Shell) -> None:
    shell.ask(LONG)
    assert LONG in shell.run("tasks").out
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        done = subprocess.run([OVERLORD, "tasks"], env=shell.environ, stdout=theirs, timeout=60, check=True)
        os.close(theirs)
        shown = terminal.read(10_000).decode()
    assert done.returncode == 0 and "T-1" in shown and LONG[:40] in shown and LONG not in shown


@pytest.mark.parametrize(
    ("command", "home"), [("tasks", "/proc/x"), ("tasks", "/dev/null"), ("up", "/proc/x/y"), ("doctor", "/proc/x")]
)
def test_a_state_folder_that_cannot_be_made_is_a_sentence(shell: Shell, command: str, home: str) -> None:
    told = shell.spawn("--home", home, command, code=1)  # it says so, and shows no traceback
    assert home in told.out + told.err and "OVERLORD_HOME" in told.out + told.err


def test_a_second_program_on_the_same_state_says_so(shell: Shell) -> None:
    with up(shell) as (first, lines):
        assert not [line for line in lines if "already runs" in line]
        with up(shell) as (_, others):
            warning = said(others, "Warning")
            assert f"already runs on {shell.home} (process {first.pid})" in warning and "--home" in warning
    with up(shell) as (_, lines):
        assert not [line for line in lines if "already runs" in line], "the mark goes with its holder"


def test_a_second_program_on_the_same_port_says_so_too(shell: Shell) -> None:
    with up(shell) as (first, lines):
        port = said(lines, "Console").rpartition(":")[2]
        told = shell.spawn("up", "--port", port, code=1)
        assert f"process {first.pid}" in told.out and "cannot listen" in told.err


def test_the_shell_completes_commands(shell: Shell) -> None:
    # typer guesses the shell from its parent processes, and a test may have none
    told = shell.spawn("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert "_overlord_completion" in told.out
    told = shell.spawn(_OVERLORD_COMPLETE="complete_bash", COMP_WORDS="overlord dec", COMP_CWORD="1")
    assert told.out.split() == ["decisions"]
