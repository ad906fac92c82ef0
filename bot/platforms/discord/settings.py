"""The `discord:` section of overlord.yaml."""

from dataclasses import dataclass

from bot.config.fields import Address, Token
from bot.config.platforms import PlatformSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordSettings(PlatformSettings):
    token: Token | None = None
    api_url: Address = "https://discord.com/api/v10"
    gateway_url: Address = "wss://gateway.discord.gg/"

    @property
    def api(self) -> str:
        return self.api_url

    def describe(self, http_port: int) -> str:
        return "Discord"
