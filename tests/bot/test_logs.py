"""Logs: one JSON object a line, no secret in any of them, and nobody's words above debug."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from bot.logs import MASK, Calm, set_up_logs
from tests.domain.secret_corpus import BARE


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(out: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_ours_and_the_libraries_are_told_alike() -> None:
    out = io.StringIO()
    set_up_logs("info", stream=out)
    logging.getLogger("bot.running.jobs").info("job finished", extra={"job": "j1"})
    logging.getLogger("somebody").warning("said %s", "so", extra={"task": "T-1"})
    ours, theirs = lines(out)
    assert (ours["event"], ours["job"], ours["level"], ours["logger"]) == (
        "job finished",
        "j1",
        "info",
        "bot.running.jobs",
    )
    assert (theirs["event"], theirs["task"], theirs["level"]) == ("said so", "T-1", "warning")
    assert ours["timestamp"].endswith("Z")


def test_what_is_below_the_level_is_not_told() -> None:
    out = io.StringIO()
    set_up_logs("warning", stream=out)
    logging.getLogger("bot").info("quiet")
    logging.getLogger("apscheduler.scheduler").info("quiet")
    assert out.getvalue() == ""


@pytest.mark.parametrize("secret", ["hunter2-hunter2", 'with "quotes" and \\ in it', "über-geheim-123"])
def test_a_known_secret_is_masked_wherever_it_stands(secret: str) -> None:
    out = io.StringIO()
    set_up_logs("debug", [secret, "abc"], stream=out)
    log = logging.getLogger("bot")
    log.info(f"in the event {secret}", extra={"value": secret, "deep": {"list": [f"a{secret}b"]}})
    logging.getLogger("lib").error("as an argument %s", secret)
    try:
        raise ValueError(f"in an error {secret}")
    except ValueError:
        log.exception("failed")
    told = "".join(json.dumps(line, ensure_ascii=False) for line in lines(out))
    assert secret not in told and json.dumps(secret, ensure_ascii=False)[1:-1] not in told
    assert told.count(MASK) >= 5
    assert "ValueError" in told


@pytest.mark.parametrize("token", BARE.values(), ids=BARE.keys())
def test_a_token_nobody_told_us_of_is_masked_by_its_shape(token: str) -> None:
    out = io.StringIO()
    set_up_logs("info", stream=out)
    extra = {"header": f"Bearer {token}", "url": f"https://u:{token}@h/x", "bare": token}
    logging.getLogger("bot").info("sent", extra=extra)
    assert token not in out.getvalue()
    assert "https://" in out.getvalue()


def test_what_people_said_is_told_at_debug_only() -> None:
    out = io.StringIO()
    set_up_logs("debug", stream=out)
    logging.getLogger("bot").info("heard", extra={"text": "private words", "task": "T-1"})
    logging.getLogger("bot").info("heard", extra={"body": "private words"})
    logging.getLogger("bot").debug("heard", extra={"text": "private words"})
    first, second, third = lines(out)
    assert first["text"] == "(13 characters)" and first["task"] == "T-1"
    assert second["body"] == "(13 characters)"
    assert third["text"] == "private words"


def test_on_a_terminal_lines_are_for_people() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    set_up_logs("info", ["hunter2-hunter2"], stream=out)
    logging.getLogger("bot").info("ready", extra={"password": "hunter2-hunter2"})
    assert "ready" in out.getvalue() and not out.getvalue().startswith("{")
    assert "hunter2-hunter2" not in out.getvalue()


def test_what_a_server_says_a_thousand_times_is_one_line_a_minute() -> None:
    out, calm = io.StringIO(), Calm()
    set_up_logs("warning", stream=out)
    for number in range(1000):
        logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
        logging.getLogger("aiohttp.server").error("Error handling request from %s", f"10.0.0.{number % 250}")
        logging.getLogger("asyncio").error("socket.accept() out of system resource\nsocket: <%s>", number)
        logging.getLogger("overlord.jobs").error("ours is told each time")
    told = [line["logger"] for line in lines(out)]
    assert {name: told.count(name) for name in told} == {
        "uvicorn.error": 1,
        "aiohttp.server": 1,
        "asyncio": 1,
        "overlord.jobs": 1000,
    }
    record = logging.makeLogRecord({"name": "asyncio", "msg": "again", "levelno": logging.ERROR, "created": 1000.0})
    assert [calm.filter(record) for _ in range(3)] == [True, False, False]
    record.created += 61
    assert calm.filter(record)
    assert vars(record)["left_out"] == 2
