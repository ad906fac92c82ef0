"""Setting Slack up: `overlord manifest slack`, and what `overlord doctor` asks of Slack itself."""

from collections.abc import Iterator
from typing import Annotated
from urllib.parse import urlencode

import typer

from agents.domain.errors import OverlordError
from bot.config.settings import Settings
from bot.doctor_check import Check, Now, fail, ok, warn
from bot.platforms.provider_setup import (
    Answer,
    Command,
    Json,
    Name,
    ProviderChecks,
    join_names,
    packaged_manifest,
    reveal,
    show,
)
from bot.platforms.slack import SlackSettings

_INVITE = "Say /invite @Overlord in each channel where it should listen."
# Without these there is no talk; without the others something smaller is missing.
ESSENTIAL = frozenset({"app_mentions:read", "chat:write", "channels:history", "im:history"})
Url = Annotated[str, typer.Option(help="Without Socket Mode: https://host that forwards /slack/events.")]


def manifest(name: Name = "Overlord", command: Command = "/overlord", url: Url = "", json: Json = False) -> None:
    """Print the app manifest to paste into Slack's portal."""
    data = packaged_manifest("slack")
    features, settings = data["features"], data["settings"]
    slash = features["slash_commands"][0]
    data["display_information"]["name"] = features["bot_user"]["display_name"] = name
    slash["command"] = f"/{command.lstrip('/')}"
    if url and not url.startswith("https://"):
        raise OverlordError(f"Slack will not call {url}", next_step="Give an address that begins with https://.")
    if url:
        settings["socket_mode_enabled"] = False
        events = f"{url.rstrip('/')}/slack/events"
        settings["event_subscriptions"]["request_url"] = settings["interactivity"]["request_url"] = events
        slash["url"] = events
    show(data, json)


class SlackChecks(ProviderChecks):
    name = "slack"

    def __init__(self, settings: Settings, now: Now) -> None:
        super().__init__(settings, now)
        self._slack = settings.section(SlackSettings)

    def __iter__(self) -> Iterator[Check]:
        answer = self._call("auth.test", reveal(self._slack.bot_token))
        yield self._token(answer)
        yield self._mode()
        if not answer.status or answer.data is None:
            return
        yield self.check_clock(answer)
        if answer.error:
            return
        yield self._scopes(answer)
        yield self._channels()
        yield from self._people(str(answer.data.get("team_id", "")))

    def _call(self, method: str, token: str, **given: str) -> Answer:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-www-form-urlencoded"}
        return self.ask(f"{self._slack.api_url.rstrip('/')}/{method}", headers, urlencode(given).encode())

    def _token(self, answer: Answer) -> Check:
        if not answer.status or not isinstance(answer.data, dict):
            return self.no_answer(answer)
        if answer.error:
            step = "Install the app again and copy its Bot User OAuth Token, which begins with xoxb-."
            return fail("slack token", f"Slack refuses SLACK_BOT_TOKEN: {answer.error}", step)
        return ok("slack token", f"{answer.data.get('user')} in {answer.data.get('team')}")

    def _mode(self) -> Check:
        """Socket Mode is tried for real; for HTTP there must be a secret that checks signatures."""
        app = reveal(self._slack.app_token)
        if not app:
            if reveal(self._slack.signing_secret):
                return ok("slack events", f"signed HTTP on port {self._settings.http_port}, path /slack/events")
            step = "Set SLACK_APP_TOKEN (Socket Mode), or SLACK_SIGNING_SECRET from Basic Information (HTTP)."
            return fail("slack events", "neither an app token nor a signing secret is set", step)
        opened = self._call("apps.connections.open", app)
        if opened.status and not opened.error and isinstance(opened.data, dict):
            return ok("slack events", "Socket Mode: Slack gives a socket")
        step = "Basic Information, App-Level Tokens: make one with connections:write, and switch on Socket Mode."
        return fail("slack events", f"Slack refuses SLACK_APP_TOKEN: {opened.error or 'no answer'}", step)

    def _scopes(self, answer: Answer) -> Check:
        have = {scope.strip() for scope in answer.headers.get("x-oauth-scopes", "").split(",")}
        wanted = packaged_manifest("slack")["oauth_config"]["scopes"]["bot"]
        missing = [scope for scope in wanted if scope not in have]
        if not missing:
            return ok("slack scopes", f"all {len(wanted)} of the manifest")
        step = "Paste `overlord manifest slack` at App Manifest, then install the app again."
        say = fail if ESSENTIAL & set(missing) else warn
        return say("slack scopes", f"missing: {', '.join(missing)}", step)

    def _channels(self) -> Check:
        kinds = "public_channel,private_channel"
        answer = self._call("users.conversations", reveal(self._slack.bot_token), types=kinds, limit="1000")
        if answer.error or not isinstance(answer.data, dict):
            step = "It needs channels:read and groups:read, to catch up after a pause."
            return warn("slack channels", f"cannot be listed: {answer.error or 'no answer'}", step)
        inside = {str(channel["id"]): str(channel.get("name", "")) for channel in answer.data.get("channels", ())}
        outside = [channel for channel in self.channels_named() if channel not in inside]
        if outside:
            return fail("slack channels", f"not in {', '.join(outside)}, which the settings name", _INVITE)
        if not inside:
            return warn("slack channels", "in no channel yet", _INVITE)
        return ok("slack channels", join_names([f"#{name}" for name in inside.values()]))

    def _people(self, team: str) -> Iterator[Check]:
        """Somebody of another team is named: nothing they press would count."""
        named = {member for members in self._settings.groups.values() for member in members}
        slack = (member for member in named if member.startswith(("slack:", "slack-group:")))
        foreign = [member for member in slack if member.split(":")[1] != team]
        if foreign:
            step = f"Write them with your own team's id, as slack:{team}:U…; a foreign team has no rights here."
            yield warn("slack people", f"not of this team: {join_names(foreign)}", step)
