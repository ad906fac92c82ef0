"""Slack's Web API in the outbox's terms: a call succeeds, or raises Later, Refused or Unsure; and the pace of posts."""

import asyncio
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import aiohttp
from pydantic import ValidationError
from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from agents.domain.text.sanitize import seconds_to_wait
from bot.messages import Deleted, Gone, Later, Refused, Shut, Unsure
from bot.platforms.slack.options import SlackOptions

log = logging.getLogger("overlord.slack")

UNREACHED = 5.0  # seconds until a Slack that could not be reached is tried again
UNTRUSTED = 60.0  # the same for a token it does not take: the operator has to act
TURN_WITHIN = 2.0  # the longest wait for a channel's next turn; beyond that the outbox waits
LIMITED = 30.0  # where a 429 does not say for how long

DELETED = frozenset({"message_not_found"})
GONE = frozenset(
    {
        "thread_not_found",
        "user_not_in_channel",
        "user_not_found",
        "cannot_reply_to_message",
        "no_item_specified",
    }
)
# What an operator or a channel's owner can undo: archived, not invited, not allowed.
SHUT = frozenset(
    {
        "channel_not_found",
        "is_archived",
        "is_inactive",
        "not_in_channel",
        "restricted_action",
        "restricted_action_read_only_channel",
        "restricted_action_thread_only_channel",
        "restricted_action_thread_locked",
        "missing_scope",
        "no_permission",
    }
)
TOKENS = frozenset(
    {
        "invalid_auth",
        "not_authed",
        "account_inactive",
        "token_revoked",
        "token_expired",
        "org_login_required",
        "team_access_not_granted",
        "ekm_access_denied",
    }
)
LIMITS = frozenset({"ratelimited", "rate_limited", "message_limit_exceeded"})
# Slack answered, and even so does not know what became of it
TROUBLES = frozenset(["fatal_error", "internal_error", "service_unavailable", "request_timeout", "team_added_to_org"])


class SlackClient(AsyncWebClient):
    """Respects Retry-After for each method and channel, and does nothing else.

    Retries belong to the outbox: the SDK's own would post twice after a reset connection.
    """

    def __init__(self, options: SlackOptions, session: aiohttp.ClientSession) -> None:
        super().__init__(
            token=options.bot_token,
            base_url=options.api_url,
            timeout=int(options.timeout),
            session=session,
            retry_handlers=[],
        )
        self._waits = options.waits

    async def api_call(self, api_method: str, **given: Any) -> AsyncSlackResponse:
        scope = f"{api_method}:{_channel(given)}"
        self._waits.check(scope)
        try:
            return await super().api_call(api_method, **given)
        except SlackApiError as problem:
            if seconds := _retry_after(problem):
                await self._waits.keep(scope, seconds)
            raise


def _channel(given: Mapping[str, Any]) -> str:
    """Where a call would do something; empty where it is about no channel."""
    parts = [given.get(name) for name in ("json", "params", "data")]
    named = (part.get(key) for part in parts if isinstance(part, dict) for key in ("channel", "channel_id"))
    return next((str(channel) for channel in named if channel), "")


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turn whatever a call raises into one of the Platform's four errors."""
    try:
        yield
    except SlackApiError as problem:
        raise _translate(problem) from problem
    except SlackRequestError as problem:
        raise Refused(str(problem)) from problem
    except aiohttp.ClientConnectorError as problem:
        log.info("Slack cannot be reached", extra={"problem": str(problem)})
        raise Later(UNREACHED) from problem
    except (aiohttp.ClientError, TimeoutError, OSError) as problem:
        raise Unsure(f"{type(problem).__name__}: {problem}") from problem
    except (AttributeError, ValidationError) as problem:  # the first is what the SDK makes of an answer without JSON
        raise Unsure("Slack's answer cannot be read") from problem


def error_of(problem: SlackApiError) -> str:
    """Slack's word for what is wrong; empty where it said none."""
    return str(_answer(problem)[2].get("error", ""))


def _translate(problem: SlackApiError) -> Exception:
    status, _, data = _answer(problem)
    error = str(data.get("error", ""))
    if seconds := _retry_after(problem):
        return Later(seconds)
    if status >= 500 or not error or error in TROUBLES:
        return Unsure(error or f"Slack answered with status {status} and no JSON")
    if error in TOKENS:
        log.error("Slack does not take our token", extra={"problem": error})
        return Later(UNTRUSTED)
    needed = f" (the app needs {data['needed']})" if data.get("needed") else ""
    kind = next((kind for errors, kind in _MEANT if error in errors), Refused)
    return kind(f"{error}{needed}")


_MEANT: tuple[tuple[frozenset[str], type[Refused]], ...] = ((DELETED, Deleted), (GONE, Gone), (SHUT, Shut))


def _retry_after(problem: SlackApiError) -> float | None:
    """Seconds, if Slack said that it was too much."""
    status, headers, data = _answer(problem)
    limited = status == 429 or data.get("error") in LIMITS
    return seconds_to_wait(headers.get("Retry-After"), LIMITED) if limited else None


def _answer(problem: SlackApiError) -> tuple[int, Mapping[str, str], Mapping[str, Any]]:
    response: Any = problem.response
    if isinstance(response, AsyncSlackResponse):
        return response.status_code, response.headers, response.data if isinstance(response.data, dict) else {}
    if isinstance(response, aiohttp.ClientResponse):
        return response.status, response.headers, {}
    return 0, {}, {}


class Pace:
    """Spaces the messages of a channel. Not stored: a restart costs at most one message that is too early."""

    def __init__(self, apart: float) -> None:
        self._apart = apart
        self._next: dict[str, float] = {}

    async def turn(self, channel: str) -> None:
        """Waits for this channel's next turn, or raises Later if that takes too long."""
        now = time.monotonic()
        due = max(now, self._next.get(channel, 0.0))
        if due - now > TURN_WITHIN:
            raise Later(due - now)
        self._next[channel] = due + self._apart
        await asyncio.sleep(due - now)
