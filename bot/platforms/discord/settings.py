"""The `discord:` section of overlord.yaml."""

from dataclasses import dataclass

from agents.catalog.reading import Shape
from agents.domain.text.secret import Secret
from bot.config import fields
from bot.config.platforms import PlatformSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordSettings(PlatformSettings):
    token: Secret | None = None
    api_url: str = "https://discord.com/api/v10"
    gateway_url: str = "wss://gateway.discord.gg/"

    @property
    def joins(self) -> bool:
        return self.token is not None

    @property
    def api(self) -> str:
        return self.api_url

    def describe(self, http_port: int) -> str:
        return "Discord"


SETTINGS = Shape[PlatformSettings](
    DiscordSettings, token=fields.token, api_url=fields.address, gateway_url=fields.address
)
