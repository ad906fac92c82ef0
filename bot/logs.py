"""Logs for machines: JSON lines on stderr, readable lines on a terminal; no secret and, above debug, nobody's words."""

import json
import logging
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor

MASK = "[secret]"
SHORTEST = 6  # a shorter value is no secret, and masking it would eat innocent text

# Shapes of well-known tokens, for those that no setting told us of.
_SHAPES = re.compile(
    r"""(?x)
    \b(?: xox[a-z]-[\w-]{8,} | xapp-[\w-]{8,}
        | gh[pousr]_\w{20,} | github_pat_\w{20,}
        | sk-[\w-]{16,} | AKIA[0-9A-Z]{16} | AIza[\w-]{30,}
        | [\w-]{23,28}\.[\w-]{6}\.[\w-]{27,} )
    | (?<=[Bb]earer\ )[\w.~+/=-]{8,}
    | (?<=://)[^\s/@:"']{0,100}:[^\s/@"']{1,200}(?=@)
    """
)
# Libraries that tell every step they take; at debug they may.
_CHATTY = ("apscheduler", "uvicorn", "slack_bolt", "slack_sdk", "discord", "aiohttp", "httpx", "httpcore", "asyncio")
# Names under which people's words and the bot's cards travel.
_BODIES = frozenset({"text", "words", "body", "card", "request", "question", "prompt", "answer", "message_text"})


def set_up_logs(level: str, secrets: Iterable[str] = (), stream: TextIO | None = None) -> None:
    """Everything that logs, ours and the libraries', goes through here from now on."""
    out = stream or sys.stderr
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        without_bodies,
        structlog.processors.format_exc_info,
    ]
    last: list[Processor] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        _renderer(out),
        masking(secrets),
    ]
    handler = logging.StreamHandler(out)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=last))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.NOTSET if level == "debug" else logging.WARNING)
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def _renderer(out: TextIO) -> Processor:
    if out.isatty():
        return structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    return structlog.processors.JSONRenderer(serializer=json.dumps, ensure_ascii=False)


def without_bodies(logger: object, method: str, event: EventDict) -> EventDict:
    """What people said is theirs: above debug only its length is logged."""
    if event.get("level") == "debug":
        return event
    return {key: _length(value) if key in _BODIES else value for key, value in event.items()}


def _length(value: object) -> str:
    return f"({len(str(value))} characters)"


def masking(secrets: Iterable[str]) -> Processor:
    """The last step, on the finished line: whatever way a secret came in, it does not go out."""
    known = {secret for secret in secrets if len(secret) >= SHORTEST}
    spelled = known | {json.dumps(secret, ensure_ascii=False)[1:-1] for secret in known}
    exact = re.compile("|".join(re.escape(secret) for secret in sorted(spelled, key=len, reverse=True)) or r"(?!)")

    def mask(logger: object, method: str, line: Any) -> str:
        return _SHAPES.sub(MASK, exact.sub(MASK, str(line)))

    return mask
