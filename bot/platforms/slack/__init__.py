"""The adapter of Slack: its settings, its gateway, and its events and cards in both directions."""

from collections.abc import Iterator
from dataclasses import dataclass

from agents.catalog.validation import Odd
from agents.domain.text.redact import Secret
from bot.config.platforms import Address, IdForm, Membership, PlatformSettings, PlatformSpec, Token

_PREFIXES = {"bot_token": "xoxb-", "app_token": "xapp-"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackSettings(PlatformSettings):
    """The `slack:` section of overlord.yaml."""

    bot_token: Token | None = None
    app_token: Token | None = None  # Socket Mode
    signing_secret: Token | None = None  # HTTP mode
    api_url: Address = "https://slack.com/api/"

    @property
    def joins(self) -> bool:
        return self.bot_token is not None and (self.app_token is not None or self.signing_secret is not None)

    @property
    def api(self) -> str:
        return self.api_url

    def describe(self, http_port: int) -> str:
        how = "Socket Mode" if self.app_token else f"HTTP on port {http_port}, /slack/events"
        return f"Slack ({how})"

    def problems(self) -> Iterator[Odd]:
        if self.bot_token and not self.joins:
            step = "Set SLACK_APP_TOKEN too, for Socket Mode, or SLACK_SIGNING_SECRET, for HTTP."
            yield ("bot_token",), "it is set, but nothing says how Slack reaches me", step
        if not self.bot_token and (self.app_token or self.signing_secret):
            yield ("bot_token",), "it is missing, though other Slack settings are there", "Set SLACK_BOT_TOKEN."

    def warnings(self) -> Iterator[Odd]:
        for key, prefix in _PREFIXES.items():
            token: Secret | None = getattr(self, key)
            if token and not token.reveal().startswith(prefix):
                step = "Check that the bot token and the app token are not swapped."
                yield (key,), f"it does not begin with `{prefix}`", step


PLATFORM = PlatformSpec(
    name="slack",
    title="Slack",
    settings=SlackSettings,
    variables={
        "SLACK_BOT_TOKEN": "bot_token",
        "SLACK_APP_TOKEN": "app_token",
        "SLACK_SIGNING_SECRET": "signing_secret",
        "SLACK_API_URL": "api_url",
    },
    account=IdForm(pattern=r"slack:[TE][A-Z0-9]*:[UW][A-Z0-9]*", example="slack:T0123:U0456 (team id, member id)"),
    membership=Membership(
        kind="slack-group",
        form=IdForm(
            pattern=r"slack-group:[TE][A-Z0-9]*:S[A-Z0-9]*",
            example="slack-group:T0123:S0456 (team id, user group id)",
        ),
        words="everybody in the Slack user group",
    ),
    possessive="Slack's",
    loggers=("slack_bolt", "slack_sdk"),
    rank="bot.platforms.slack.notation:rank",
    connect="bot.platforms.slack.gateway:connect",
    checks="bot.platforms.slack.setup:SlackChecks",
    manifest="bot.platforms.slack.setup:manifest",
)
