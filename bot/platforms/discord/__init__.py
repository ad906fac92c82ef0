"""The adapter of Discord: its settings, its gateway, and its events and cards in both directions."""

from dataclasses import dataclass

from bot.config.platforms import Address, IdForm, Membership, PlatformSettings, PlatformSpec, Token


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordSettings(PlatformSettings):
    """The `discord:` section of overlord.yaml."""

    token: Token | None = None
    api_url: Address = "https://discord.com/api/v10"
    gateway_url: Address = "wss://gateway.discord.gg/"

    @property
    def api(self) -> str:
        return self.api_url

    def describe(self, http_port: int) -> str:
        return "Discord"


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
    rank="bot.platforms.discord.notation:rank",
    connect="bot.platforms.discord.gateway:connect",
    checks="bot.platforms.discord.setup:DiscordChecks",
    manifest="bot.platforms.discord.setup:manifest",
)
