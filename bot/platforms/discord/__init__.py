"""The adapter of Discord: its gateway, and its events and cards in both directions."""

from bot.config.platforms import IdForm, Membership, PlatformSpec
from bot.platforms.discord.settings import DiscordSettings

PLATFORM = PlatformSpec(
    name="discord",
    title="Discord",
    settings=DiscordSettings,
    variables={"DISCORD_TOKEN": "token", "DISCORD_API_URL": "api_url", "DISCORD_GATEWAY_URL": "gateway_url"},
    account=IdForm(pattern=r"discord:[0-9]{1,20}", example="discord:123456789012345678 (user id)"),
    membership=Membership(
        kind="discord-role",
        form=IdForm(
            pattern=r"discord-role:[0-9]{1,20}:[0-9]{1,20}", example="discord-role:123:456 (server id, role id)"
        ),
        words="everybody with the Discord role",
    ),
    possessive="Discord's",
    loggers=("discord",),
    connect="bot.platforms.discord.connection:connect",
    checks="bot.platforms.discord.checks:checks",
    manifest="bot.platforms.discord.manifest:discord",
)
