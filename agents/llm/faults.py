"""What can go wrong with a provider's answer: errors classified by HTTP status, and a limit to its size."""

import importlib
import json
import re
from collections.abc import AsyncIterator, Iterator
from email.utils import parsedate_to_datetime
from typing import Any

from agents.domain.models.failure import QUOTA, ErrorClass, Failure, error_of_status
from agents.domain.text.sanitize import clean, cut

LARGEST = 8 << 20  # bytes of one answer, unpacked; the longest that models write are a tenth of that
_TRANSPORT = ("litellm.llms.custom_httpx.aiohttp_transport", "LiteLLMAiohttpTransport", "handle_async_request")
LONGEST_MESSAGE = 300
_TRIPS = (TypeError, AttributeError, LookupError, AssertionError, NotImplementedError)
_SECRETS = re.compile(r"(?i)\b(sk|pk|gsk|xai|key)-[\w*.-]{6,}|Bearer\s+\S+|(api[_-]?key\W+)[\w*.-]{6,}")

_REFUSALS = (400, 413, 422)
_TOO_LONG = re.compile(
    r"context_length_exceeded|maximum context length|prompt is too long|exceeds the maximum number of tokens"
    r"|exceed_context_size|exceeds the available context size|context window|input is too long|too many tokens",
    re.IGNORECASE,
)
_WINDOW = re.compile(
    r"maximum context length is (\d{3,8})|context size \((\d{3,8})|> (\d{3,8}) maximum"
    r"|tokens allowed \((\d{3,8})\)|[\"']n_ctx[\"']: ?(\d{3,8})"
)
_UNBOUND = re.compile(r"response_format|json[_ ]schema|grammar|guided[_ ]|structured[_ ]output", re.IGNORECASE)
_NO_FORM = ("Invalid response object", "LiteLLM: provider returned")  # litellm's own words, for whoever uses it
_LATER = re.compile(r"[\"']retryDelay[\"']: ?[\"'](\d+(?:\.\d+)?)s[\"']")


class TooLarge(Exception):
    """A provider's answer that was not read to its end."""


def bound_answers() -> None:
    """For every provider: litellm has no setting for it, but one class through which all of them are read."""
    module, name, method = _TRANSPORT
    transport = getattr(importlib.import_module(module), name)
    inner = getattr(transport, method)
    if getattr(inner, "bounded", False):
        return

    async def handle(self: Any, request: Any) -> Any:
        response = await inner(self, request)
        response.stream = _limit_size(response.stream)
        return response

    handle.bounded = True  # type: ignore[attr-defined]
    setattr(transport, method, handle)


def _limit_size(stream: Any) -> Any:
    """httpx wants a stream of its own kind."""

    class Bounded(importlib.import_module("httpx").AsyncByteStream):  # type: ignore[misc]
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for part in stream:
                size += len(part)
                if size > LARGEST:
                    await stream.aclose()
                    raise TooLarge(f"the answer has more than {LARGEST >> 20} MB")
                yield part

        async def aclose(self) -> None:
            await stream.aclose()

    return Bounded()


def failure_of(error: BaseException) -> Failure:
    """Of whatever litellm, its HTTP client or our own deadline raised. What is fatal comes before what passes."""
    message = _message(error)
    if isinstance(error, TimeoutError) or type(error).__name__ == "Timeout":  # litellm's own
        return Failure(error=ErrorClass.NETWORK, message="it did not answer in time", late=True)
    if large := next((each for each in _chain(error) if isinstance(each, TooLarge)), None):
        return Failure(error=ErrorClass.RESOURCE, message=f"{large}, so it was not read to its end")
    status, wait = _status(error), _retry_after(error)
    said = " ".join(map(str, _chain(error)))
    if status in _REFUSALS and (overflow := _overflow(said)):
        return overflow
    if status in _REFUSALS and _UNBOUND.search(said):
        return Failure(error=ErrorClass.RESOURCE, message=message, unbound=True)
    if status == 429 and wait is None and (told := _LATER.search(said)):  # a quota of a minute, not of a purse
        return Failure(error=ErrorClass.NETWORK, message=message, retry_after=float(told[1]))
    if status in (402, 429) and QUOTA.search(str(error)):
        return Failure(error=ErrorClass.RESOURCE, message=f"the provider's quota is used up ({message})")
    if status in (None, 500) and _is_our_side(error):
        return Failure(error=ErrorClass.CLI_ERROR, message=f"the client library failed ({message})")
    kind = ErrorClass.NETWORK if status is None else error_of_status(status)
    return Failure(error=kind, message=message, retry_after=wait)


def _overflow(said: str) -> Failure | None:
    """Each provider says in its own words that a question is too long, and how long it may be."""
    if not _TOO_LONG.search(said):
        return None
    found = _WINDOW.search(said)
    window = int(next(filter(None, found.groups()))) if found else 0
    most = f" at once ({window:,} tokens)" if window else ""
    message = f"the question is longer than the model takes{most}"
    return Failure(error=ErrorClass.RESOURCE, message=message, overflow=True, window=window)


def _is_our_side(error: BaseException) -> bool:
    """Whether litellm itself tripped: nothing in the chain came from a server or a socket. Nobody knows what it is."""
    chain = list(_chain(error))
    ours = (isinstance(each, _TRIPS) or type(each).__module__.startswith("litellm.exceptions") for each in chain)
    return all(ours) and any(isinstance(each, _TRIPS) for each in chain)


def _status(error: BaseException) -> int | None:
    """The HTTP status that was really answered. litellm may wrap a 401 as a 400; the inner error knows better.

    A 200 with a body that nobody can read says nothing.
    """
    statuses = (getattr(each, "status_code", None) for each in _chain(error))
    found = [status for status in statuses if isinstance(status, int) and 400 <= status <= 599]
    known = [status for status in found if status not in (400, 500)]
    return known[-1] if known else (found[0] if found else None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _retry_after(error: BaseException) -> float | None:
    """Seconds, from the header in any of its forms."""
    for each in _chain(error):
        headers = getattr(getattr(each, "response", None), "headers", None) or getattr(each, "headers", None) or {}
        for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
            if (written := headers.get(name)) is not None:
                return _seconds(str(written), scale, str(headers.get("date", "")))
    return None


def _seconds(written: str, scale: float, date: str) -> float | None:
    try:
        return max(0.0, float(written) * scale)
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(written) - parsedate_to_datetime(date)).total_seconds())
    except (ValueError, TypeError):
        return None


def _message(error: BaseException) -> str:
    """What the provider said, without litellm's own prefixes and without anything that looks like a key."""
    said = _of_body(re.sub(r"^(litellm\.\w+: |\w+Error: |\w+Exception - )+", "", str(error)))
    said = _SECRETS.sub("…", clean(said)).partition("Traceback (most recent call last)")[0]
    if said.startswith(_NO_FORM):
        return "its server sent an answer of no known form"
    return cut(" ".join(said.split()), LONGEST_MESSAGE) or type(error).__name__


def _of_body(said: str) -> str:
    """Where the whole body of an answer stands for a message, what it says is wrong."""
    start = said.find("{")
    try:
        body, _ = json.JSONDecoder().raw_decode(said, start) if start >= 0 else (None, 0)
    except (ValueError, RecursionError):
        return said
    wrong = body.get("error", body) if isinstance(body, dict) else None
    told = wrong.get("message") if isinstance(wrong, dict) else wrong
    return f"{said[:start]}{told}" if isinstance(told, str) and told.strip() else said
