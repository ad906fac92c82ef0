"""Logs for machines: JSON lines on stderr, readable lines on a terminal; no secret and, above debug, nobody's words."""

import json
import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import TextIO

from agents.domain.text.redact import MASK as MASK, SHORTEST, Redactor
from bot.config.platforms import platforms

# Libraries that tell every step they take; at debug they may.
_CHATTY = ("apscheduler", "uvicorn", "aiohttp", "httpx", "httpcore", "asyncio")
# Servers, which tell of every odd request: of lines alike, one a minute, or whoever sends them fills the disk.
_SERVERS = ("uvicorn", "aiohttp", "asyncio")
APART = 60.0  # seconds
# Names under which people's words and the bot's cards travel.
_BODIES = frozenset({"text", "words", "body", "card", "request", "question", "prompt", "answer", "message_text"})
# What every record has; whatever else it carries was given with `extra`.
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


def set_up_logs(level: str, secrets: Iterable[str] = (), stream: TextIO | None = None) -> None:
    """Everything that logs, ours and the libraries', goes through here from now on."""
    out = stream or sys.stderr
    handler = logging.StreamHandler(out)
    handler.setFormatter(_Lines(secrets, readable=out.isatty()))
    handler.addFilter(Calm())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in (*_CHATTY, *(name for spec in platforms() for name in spec.loggers)):
        logging.getLogger(name).setLevel(logging.NOTSET if level == "debug" else logging.WARNING)


class Calm(logging.Filter):
    """Of what a server says again and again, one line a minute; it says how many it stands for."""

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.partition(".")[0] not in _SERVERS or record.levelno <= logging.DEBUG:
            return True
        alike = (record.name, str(record.msg).partition("\n")[0])
        last, more = self._said.get(alike, (-APART, 0))
        if record.created - last < APART:
            self._said[alike] = (last, more + 1)
            return False
        self._said[alike] = (record.created, 0)
        if more:
            record.left_out = more
        return True


class _Lines(logging.Formatter):
    """The standard library's own: a logging library would be a sixth of the program's start."""

    def __init__(self, secrets: Iterable[str], *, readable: bool) -> None:
        super().__init__()
        self._mask = masking(secrets)
        self._render = _for_people if readable else _for_machines

    def format(self, record: logging.LogRecord) -> str:
        """Masking is the last step, on the finished line: whatever way a secret came in, it does not go out."""
        return self._mask(self._render(self._told(record)))

    def _told(self, record: logging.LogRecord) -> dict[str, object]:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        told = {
            "timestamp": at.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **{name: value for name, value in vars(record).items() if name not in _OWN},
        }
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return told if record.levelno <= logging.DEBUG else _without_bodies(told)


def _for_machines(told: Mapping[str, object]) -> str:
    return json.dumps(told, ensure_ascii=False, default=repr)


def _for_people(told: Mapping[str, object]) -> str:
    head = f"{told['timestamp']} [{told['level']:<7}] {told['event']}"
    apart = ("timestamp", "level", "event", "exception")
    rest = " ".join(f"{name}={value}" for name, value in told.items() if name not in apart)
    trace = f"\n{told['exception']}" if "exception" in told else ""
    return f"{head}  {rest}{trace}"


def _without_bodies(told: Mapping[str, object]) -> dict[str, object]:
    """What people said is theirs: above debug only its length is logged."""
    return {name: f"({len(str(value))} characters)" if name in _BODIES else value for name, value in told.items()}


def masking(secrets: Iterable[str]) -> Callable[[str], str]:
    """As everything that leaves the house; in a log a secret may also be spelled as JSON spells it."""
    known = {secret for secret in secrets if len(secret) >= SHORTEST}
    return Redactor(known | {json.dumps(secret, ensure_ascii=False)[1:-1] for secret in known})
