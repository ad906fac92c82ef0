"""The adapter of Slack: its gateway, and its events and cards in both directions."""

from bot.config.platforms import IdForm, Membership, PlatformSpec
from bot.platforms.slack.settings import SlackSettings

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
    connect="bot.platforms.slack.connection:connect",
    checks="bot.platforms.slack.checks:checks",
    manifest="bot.platforms.slack.manifest:slack",
)
