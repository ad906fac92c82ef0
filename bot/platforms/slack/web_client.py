"""Slack's Web API in the outbox's terms: a call succeeds, or raises Later, Refused or Unsure. Also who people are."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import aiohttp
from pydantic import ValidationError
from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from agents.domain.text.sanitize import seconds_to_wait
from bot.messages import Deleted, Gone, Later, Refused, Shut, Unsure
from bot.platforms.slack.notation import Place
from bot.platforms.slack.options import SlackOptions
from bot.platforms.slack.payloads import Me, Members, Message, Page, UserInfo

log = logging.getLogger("overlord.slack")

UNREACHED = 5.0  # seconds until a Slack that could not be reached is tried again
UNTRUSTED = 60.0  # the same for a token it does not take: the operator has to act
TURN_WITHIN = 2.0  # the longest wait for a channel's next turn; beyond that the outbox waits
LIMITED = 30.0  # where a 429 does not say for how long

MEANT: dict[str, type[Refused]] = {
    "message_not_found": Deleted,
    **dict.fromkeys(("thread_not_found", "user_not_in_channel", "user_not_found"), Gone),
    **dict.fromkeys(("cannot_reply_to_message", "no_item_specified"), Gone),
    # What an operator or a channel's owner can undo: archived, not invited, not allowed.
    **dict.fromkeys(("channel_not_found", "is_archived", "is_inactive", "not_in_channel"), Shut),
    **dict.fromkeys(("restricted_action", "restricted_action_read_only_channel", "missing_scope"), Shut),
    **dict.fromkeys(("restricted_action_thread_only_channel", "restricted_action_thread_locked"), Shut),
    "no_permission": Shut,
}
TOKENS = frozenset(
    (
        *("invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"),
        *("org_login_required", "team_access_not_granted", "ekm_access_denied"),
    )
)
LIMITS = frozenset({"ratelimited", "rate_limited", "message_limit_exceeded"})
# Slack answered, and even so does not know what became of it
TROUBLES = frozenset(["fatal_error", "internal_error", "service_unavailable", "request_timeout", "team_added_to_org"])
PAGE = 200  # messages

KEPT = 3600.0  # seconds for which what Slack said of a person is used
KEPT_UNKNOWN = 30.0
FRESH = 5.0  # seconds for which an answer counts as of this moment
PATIENCE, GROUPS_WITHIN = 1.0, 1.5  # seconds: Slack wants its answer within three
UNKNOWN = UserInfo.model_validate({"user": {"id": ""}})


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
    return MEANT.get(error, Refused)(f"{error}{needed}")


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


async def direct_channel(client: AsyncWebClient, user: str) -> str:
    with translate_errors():
        answer = await client.conversations_open(users=user)
        return str(answer["channel"]["id"])


async def read_messages(
    client: AsyncWebClient, place: Place, *, oldest: str = "0", pages: int = 1, tries: int = 1
) -> AsyncIterator[Message]:
    """Messages of a thread, or of a channel where `place` has no ts."""
    cursor = ""
    for _ in range(pages):
        page = await _read_page(client, place, oldest, cursor, tries)
        for message in page.messages:
            yield message
        if not (cursor := page.next_cursor):
            return


async def _read_page(client: AsyncWebClient, place: Place, oldest: str, cursor: str, tries: int) -> Page:
    wanted = {"channel": place.channel, "oldest": oldest, "limit": PAGE, "cursor": cursor, "include_all_metadata": True}
    method, more = ("conversations.replies", {"ts": place.ts}) if place.ts else ("conversations.history", {})
    while True:
        tries -= 1
        try:
            with translate_errors():
                answer = await client.api_call(method, http_verb="GET", params=wanted | more)
                return Page.model_validate(answer.data)
        except (Later, Unsure) as problem:
            if not tries:
                raise
            await asyncio.sleep(problem.seconds if isinstance(problem, Later) else 1.0)


# ── people ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Directory:
    """People's names and teams, as Slack said lately."""

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client
        self._known: dict[str, tuple[UserInfo, float]] = {}

    async def person(self, user: str, *, now: bool = False) -> UserInfo:
        """`now`: as they are at this moment, for what rights hang on."""
        known, until = self._known.get(user, (UNKNOWN, 0.0))
        if time.monotonic() < (until - KEPT + FRESH if now else until):
            return known
        try:
            async with asyncio.timeout(PATIENCE):
                with translate_errors():
                    answer = await self._client.users_info(user=user)
                    known, kept = UserInfo.model_validate(answer.data), KEPT
        except (Later, Unsure, Refused, TimeoutError):
            kept = KEPT_UNKNOWN
        self._known[user] = (known, time.monotonic() + kept)
        return known

    def cached_person(self, user: str) -> UserInfo:
        """Without asking."""
        return self._known.get(user, (UNKNOWN, 0.0))[0]

    def name(self, user: str) -> str:
        """Without asking: their name, or their id."""
        return self.cached_person(user).name or user


class UserGroups:
    """Members of the user groups that carry rights, of our own team only."""

    def __init__(self, client: AsyncWebClient, me: Me, groups: frozenset[str]) -> None:
        self._client = client
        self._groups = sorted(group for group in groups if group.split(":")[1] == me.team_id)
        self._known: dict[str, tuple[frozenset[str], float]] = {}

    async def of(self, user: str, *, now: bool = False) -> tuple[str, ...]:
        """The groups this user is in; a group that cannot be read has no members. `now`: do not use the cache."""
        if not self._groups:
            return ()
        members = await asyncio.gather(*(self._members(group, now) for group in self._groups))
        return tuple(group for group, inside in zip(self._groups, members, strict=True) if user in inside)

    async def _members(self, group: str, now: bool) -> frozenset[str]:
        known, until = self._known.get(group, (frozenset(), 0.0))
        fresh = time.monotonic() < until
        if fresh and not now:
            return known
        try:
            async with asyncio.timeout(GROUPS_WITHIN):
                with translate_errors():
                    answer = await self._client.usergroups_users_list(usergroup=group.rpartition(":")[2])
                    known = frozenset(Members.model_validate(answer.data).users)
        except (Later, Unsure, Refused, TimeoutError) as problem:
            if fresh and isinstance(problem, Later):
                return known
            log.warning("a user group lets nobody in", extra={"group": group, "problem": str(problem)})
            known = frozenset()
        self._known[group] = (known, time.monotonic() + FRESH)
        return known
