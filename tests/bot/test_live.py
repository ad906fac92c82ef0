"""What runs at this moment: kept while it runs, shown without secrets, and never more of it than one can read."""

import asyncio
import base64
from datetime import UTC, datetime

import pytest

from agents.domain.ids import TaskId
from agents.domain.text.redact import MASK, Redactor
from bot.live import CHARACTERS, COMMAND, LINES, Live, last_lines

TASK, OTHER = TaskId("T-1"), TaskId("T-2")
NOW = datetime(2026, 3, 2, tzinfo=UTC)
KEY = "hush-Q7wXz-bot-token"
REDACT = Redactor([KEY])
PEM = "\n".join(base64.b64encode(bytes(range(256)) * 9).decode()[at : at + 64] for at in range(0, 3_072, 64))


async def test_a_command_is_there_while_it_runs() -> None:
    live = Live()
    show = live.of(TASK, 2, lambda: NOW)
    with show("pytest -q") as heard:
        heard("one\n")
        heard("one\ntwo\n")
        with live.of(TASK, 1, lambda: NOW)("ruff check", "lint"):
            first, second = await live.running(TASK, REDACT)
            assert (first.subtask, first.gate, first.command, first.said) == (1, "lint", "ruff check", "")
            assert (second.subtask, second.gate, second.command, second.said) == (2, "", "pytest -q", "one\ntwo")
            assert await live.running(OTHER, REDACT) == ()
        assert live.runs(TASK)
    assert not live.runs(TASK) and await live.running(TASK, REDACT) == ()
    heard("too late")
    assert not live.runs(TASK)


async def test_what_was_called_off_does_not_stay() -> None:
    live, began = Live(), asyncio.Event()

    async def work() -> None:
        with live.of(TASK, 1, lambda: NOW)("sleep 600"):
            began.set()
            await asyncio.sleep(600)

    going = asyncio.create_task(work())
    await began.wait()
    assert live.runs(TASK)
    going.cancel()
    await asyncio.gather(going, return_exceptions=True)
    assert not live.runs(TASK)


async def test_whoever_looks_is_woken_once_for_much_that_is_said() -> None:
    live, woken = Live(), 0
    with live.looking(TASK) as moved, live.looking(OTHER) as other, live.of(TASK, 1, lambda: NOW)("make") as heard:
        for number in range(1_000):
            heard(f"line {number}\n")
            woken += moved.is_set()
        await asyncio.wait_for(moved.wait(), 60)
        assert woken == 0 and not other.is_set()
    with live.of(TASK, 1, lambda: NOW)("nobody looks") as heard:
        heard("x")  # and nothing is woken


async def test_its_end_is_told_too() -> None:
    live = Live()
    with live.looking(TASK) as moved:
        with live.of(TASK, 1, lambda: NOW)("make"):
            await asyncio.wait_for(moved.wait(), 60)
            moved.clear()
        await asyncio.wait_for(moved.wait(), 60)
        assert await live.running(TASK, REDACT) == ()


def test_only_the_last_lines_are_shown() -> None:
    many = "".join(f"line {number}\n" for number in range(500))
    assert last_lines(REDACT, many).split("\n") == [f"line {number}" for number in range(500 - LINES, 500)]
    assert len(last_lines(REDACT, "word " * 10_000)) <= CHARACTERS
    assert last_lines(REDACT, "\n\n") == ""


@pytest.mark.parametrize(
    "said",
    [
        f"token {KEY}\n",
        "\n".join(KEY) + "\n",
        "GITHUB_TOKEN=ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gI3kM5\n",
        f"-----BEGIN RSA PRIVATE KEY-----\n{PEM}\n",  # its end has not come yet
    ],
)
def test_no_secret_is_shown(said: str) -> None:
    shown = last_lines(REDACT, said + "\nand on it goes\n")
    assert MASK in shown and shown.endswith("on it goes")
    assert not any(part in shown for part in (KEY, "aB3dE5gH7j", PEM[-30:]))


@pytest.mark.parametrize("at", range(1, len(KEY)))
def test_half_of_a_secret_waits_for_the_other_half(at: int) -> None:
    assert last_lines(REDACT, f"begin\ntoken {KEY[:at]}") == "begin\ntoken"


def test_marks_of_progress_are_shown_at_once() -> None:
    assert last_lines(REDACT, "tests/test_a.py ..F.s") == "tests/test_a.py ..F.s"
    assert last_lines(REDACT, "......") == "......"


async def test_a_command_is_shown_on_one_line_and_without_secrets() -> None:
    live = Live()
    with live.of(TASK, 1, lambda: NOW)(f"echo \x1b[31m{KEY}\n" + "echo more\n" * 500):
        (run,) = await live.running(TASK, REDACT)
    assert run.command.startswith(f"echo {MASK} echo more") and len(run.command) <= COMMAND
