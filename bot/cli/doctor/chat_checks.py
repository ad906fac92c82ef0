"""`overlord doctor` on Slack and Discord: tokens, scopes, intents, channels and clocks, asked of the providers."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from bot.cli.doctor.checks import Check, fail, ok, warn
from bot.cli.manifest import PERMISSIONS

if TYPE_CHECKING:
    from agents.domain.text.secret import Secret
    from bot.config.settings import Settings

ANSWER = 10  # seconds for a provider to answer
SLIGHT, TOO_MUCH = 30, 300  # seconds of a clock's error: Slack's signatures are good for 300
# Without these there is no talk; without the others something smaller is missing.
ESSENTIAL = frozenset({"app_mentions:read", "chat:write", "channels:history", "im:history"})
CONTENT = (1 << 18) | (1 << 19)  # Discord's flags of an application that may read messages
ADMINISTRATOR = 1 << 3
AGENT = "DiscordBot (https://github.com/overlord, 1) doctor"
Now = Callable[[], float]


def chats(settings: "Settings", now: Now = time.time) -> Iterator[Check]:
    """What can be said of each platform that has a token."""
    if settings.slack.joins:
        yield from _Slack(settings, now).checks()
    if settings.discord.joins:
        yield from _Discord(settings, now).checks()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    status: int  # 0: nobody answered
    data: Any
    headers: Mapping[str, str]

    @property
    def error(self) -> str:
        return str(self.data.get("error", "")) if isinstance(self.data, dict) else ""


def _ask(request: urllib.request.Request) -> _Answer:
    try:
        with urllib.request.urlopen(request, timeout=ANSWER) as reply:
            return _read(int(reply.status), reply.read(), dict(reply.headers.items()))
    except urllib.error.HTTPError as refused:
        return _read(refused.code, refused.read(), dict(refused.headers.items()))
    except (OSError, ValueError) as problem:
        return _Answer(status=0, data=str(problem), headers={})


def _read(status: int, body: bytes, headers: Mapping[str, str]) -> _Answer:
    low = {name.lower(): value for name, value in headers.items()}
    try:
        return _Answer(status=status, data=json.loads(body or b"null"), headers=low)
    except ValueError:
        return _Answer(status=status, data=None, headers=low)


def _secret(token: "Secret | None") -> str:
    return token.reveal() if token else ""


def _clock(name: str, answer: _Answer, now: float) -> Check:
    """Ours beside the provider's, whose answers say what time it is there."""
    try:
        there = parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
    except ValueError:
        return warn(name, "the provider did not say what time it is", "Check by hand that the clock is right.")
    off = now - there
    seen = f"{abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} the provider's"
    step = "Set the clock, or start its NTP service (timedatectl set-ntp true)."
    if abs(off) > TOO_MUCH:
        return fail(name, f"{seen}: signed requests are refused", step)
    return warn(name, seen, step) if abs(off) > SLIGHT else ok(name, "agrees with the provider's")


def _unreached(name: str, answer: _Answer, variable: str) -> Check:
    seen = f"no answer ({answer.data})" if not answer.status else f"status {answer.status}, and no JSON"
    return fail(name, seen, f"Check the network and its proxy, and {variable} if it is set.")


def _named(settings: "Settings", surface: str) -> list[str]:
    """Channels of this platform that the settings name, by their last id."""
    named = [*settings.channels, *(project.channel for project in settings.projects)]
    return sorted({channel.rpartition(":")[2] for channel in named if channel.startswith(f"{surface}:")})


class _Slack:
    def __init__(self, settings: "Settings", now: Now) -> None:
        self._settings, self._now = settings, now
        self._slack = settings.slack

    def checks(self) -> Iterator[Check]:
        answer = self._call("auth.test", _secret(self._slack.bot_token))
        token = self._token(answer)
        yield token
        yield self._mode()
        if not answer.status or answer.data is None:
            return
        yield _clock("slack clock", answer, self._now())
        if answer.error:
            return
        yield self._scopes(answer)
        yield self._channels()
        yield from self._people(str(answer.data.get("team_id", "")))

    def _call(self, method: str, token: str, **given: str) -> _Answer:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-www-form-urlencoded"}
        base = self._slack.api_url.rstrip("/")
        return _ask(urllib.request.Request(f"{base}/{method}", data=urlencode(given).encode(), headers=headers))

    def _token(self, answer: _Answer) -> Check:
        if not answer.status or not isinstance(answer.data, dict):
            return _unreached("slack token", answer, "SLACK_API_URL")
        if answer.error:
            step = "Install the app again and copy its Bot User OAuth Token, which begins with xoxb-."
            return fail("slack token", f"Slack refuses SLACK_BOT_TOKEN: {answer.error}", step)
        return ok("slack token", f"{answer.data.get('user')} in {answer.data.get('team')}")

    def _mode(self) -> Check:
        """Socket Mode is tried for real; for HTTP there must be a secret that checks signatures."""
        app = _secret(self._slack.app_token)
        if not app:
            if _secret(self._slack.signing_secret):
                return ok("slack events", f"signed HTTP on port {self._settings.http_port}, path /slack/events")
            step = "Set SLACK_APP_TOKEN (Socket Mode), or SLACK_SIGNING_SECRET from Basic Information (HTTP)."
            return fail("slack events", "neither an app token nor a signing secret is set", step)
        opened = self._call("apps.connections.open", app)
        if opened.status and not opened.error and isinstance(opened.data, dict):
            return ok("slack events", "Socket Mode: Slack gives a socket")
        step = "Basic Information, App-Level Tokens: make one with connections:write, and switch on Socket Mode."
        return fail("slack events", f"Slack refuses SLACK_APP_TOKEN: {opened.error or 'no answer'}", step)

    def _scopes(self, answer: _Answer) -> Check:
        have = {scope.strip() for scope in answer.headers.get("x-oauth-scopes", "").split(",")}
        missing = [scope for scope in _wanted_scopes() if scope not in have]
        if not missing:
            return ok("slack scopes", f"all {len(_wanted_scopes())} of the manifest")
        step = "Paste `overlord manifest slack` at App Manifest, then install the app again."
        say = fail if ESSENTIAL & set(missing) else warn
        return say("slack scopes", f"missing: {', '.join(missing)}", step)

    def _channels(self) -> Check:
        kinds = "public_channel,private_channel"
        answer = self._call("users.conversations", _secret(self._slack.bot_token), types=kinds, limit="1000")
        if answer.error or not isinstance(answer.data, dict):
            step = "It needs channels:read and groups:read, to catch up after a pause."
            return warn("slack channels", f"cannot be listed: {answer.error or 'no answer'}", step)
        inside = {str(channel["id"]): str(channel.get("name", "")) for channel in answer.data.get("channels", ())}
        outside = [channel for channel in _named(self._settings, "slack") if channel not in inside]
        if outside:
            return fail("slack channels", f"not in {', '.join(outside)}, which the settings name", _INVITE)
        if not inside:
            return warn("slack channels", "in no channel yet", _INVITE)
        return ok("slack channels", _listed([f"#{name}" for name in inside.values()]))

    def _people(self, team: str) -> Iterator[Check]:
        """Somebody of another team is named: nothing they press would count."""
        named = {member for members in self._settings.groups.values() for member in members}
        slack = (member for member in named if member.startswith(("slack:", "slack-group:")))
        foreign = [member for member in slack if member.split(":")[1] != team]
        if foreign:
            step = f"Write them with your own team's id, as slack:{team}:U…; a foreign team has no rights here."
            yield warn("slack people", f"not of this team: {_listed(foreign)}", step)


_INVITE = "Say /invite @Overlord in each channel where it should listen."


def _wanted_scopes() -> tuple[str, ...]:
    return tuple(str(scope) for scope in _manifest("slack")["oauth_config"]["scopes"]["bot"])


def _manifest(name: str) -> Any:
    from agents.catalog.yaml import read_yaml
    from manifests import packaged

    return read_yaml(packaged(name, "app.yaml")).data


def _listed(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(sorted(names)[:most])}{more}"


class _Discord:
    def __init__(self, settings: "Settings", now: Now) -> None:
        self._settings, self._now = settings, now

    def checks(self) -> Iterator[Check]:
        me = self._get("/users/@me")
        yield self._token(me)
        if not me.status or me.data is None:
            return
        yield _clock("discord clock", me, self._now())
        if me.status != 200:
            return
        application = self._get("/applications/@me")
        yield self._intents(application)
        yield from self._guilds(str(me.data.get("id", "")))
        yield self._gateway()
        yield from self._channels()

    def _get(self, path: str) -> _Answer:
        token = _secret(self._settings.discord.token)
        headers = {"Authorization": f"Bot {token}", "User-Agent": AGENT}
        return _ask(urllib.request.Request(f"{self._settings.discord.api_url.rstrip('/')}{path}", headers=headers))

    def _token(self, me: _Answer) -> Check:
        if not me.status or not isinstance(me.data, dict):
            return _unreached("discord token", me, "DISCORD_API_URL")
        if me.status != 200:
            step = "Developer Portal, Bot, Reset Token: copy it to DISCORD_TOKEN."
            return fail("discord token", f"Discord refuses DISCORD_TOKEN: {me.data.get('message')}", step)
        return ok("discord token", str(me.data.get("username")))

    def _intents(self, application: _Answer) -> Check:
        flags = application.data.get("flags") if isinstance(application.data, dict) else None
        if not isinstance(flags, int):
            return warn(
                "discord intents", "cannot be read", "Look at Developer Portal, Bot, Privileged Gateway Intents."
            )
        if flags & CONTENT:
            return ok("discord intents", "message content is on")
        step = "Developer Portal, Bot, Privileged Gateway Intents: switch on Message Content."
        return warn("discord intents", "message content is off: replies that do not mention me arrive empty", step)

    def _guilds(self, me: str) -> Iterator[Check]:
        answer = self._get("/users/@me/guilds")
        guilds = answer.data if isinstance(answer.data, list) else []
        if not guilds:
            step = f"Open the invite link that `overlord manifest discord --client-id {me}` prints."
            yield warn("discord servers", "in no server yet", step)
            return
        yield ok("discord servers", _listed([str(guild.get("name")) for guild in guilds]))
        for guild in guilds:
            if missing := _missing(int(guild.get("permissions") or 0)):
                step = "Open the invite link of `overlord manifest discord` again, or grant them to its role."
                yield warn("discord permissions", f"in {guild.get('name')}: no {_listed(missing, 8)}", step)

    def _gateway(self) -> Check:
        answer = self._get("/gateway/bot")
        limit = answer.data.get("session_start_limit") if isinstance(answer.data, dict) else None
        if not isinstance(limit, dict):
            return warn("discord gateway", f"status {answer.status}", "Try again; Discord may have an outage.")
        if not limit.get("remaining"):
            at = datetime.fromtimestamp(self._now() + int(limit.get("reset_after", 0)) / 1000, UTC)
            step = "Something restarts too often: see the log, stop it, and start it again then."
            return fail("discord gateway", f"no start of a session is left before {at:%H:%M} UTC", step)
        return ok("discord gateway", f"{limit['remaining']} of {limit.get('total')} starts are left today")

    def _channels(self) -> Iterator[Check]:
        for channel in _named(self._settings, "discord"):
            answer = self._get(f"/channels/{channel}")
            if answer.status != 200:
                seen = f"{channel}, which the settings name, cannot be seen (status {answer.status})"
                yield fail("discord channels", seen, "Give the bot's role View Channel there, or mend the id.")


def _missing(have: int) -> list[str]:
    if have & ADMINISTRATOR:
        return []
    return [name for name, bit in PERMISSIONS.items() if not have & bit]
