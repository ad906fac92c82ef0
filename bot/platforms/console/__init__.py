"""The console: web pages of our own, on which people talk with the bot and decide. Here: its settings."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from agents.catalog.validation import Odd
from bot.config.platforms import COMMAS, IdForm, Network, PlatformSettings, PlatformSpec, Port

EVERYWHERE = frozenset({"0.0.0.0", "::"})  # all addresses of this machine
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleSettings(PlatformSettings):
    host: str = "127.0.0.1"
    port: Port = 8765
    channels: Annotated[tuple[str, ...], COMMAS] = ("general",)
    names: Annotated[tuple[str, ...], COMMAS] = ()  # other hosts it answers to, behind a proxy
    proxies: Annotated[tuple[Network, ...], COMMAS] = ()  # addresses and networks whose word on who asks is taken

    @property
    def joins(self) -> bool:
        return True

    @property
    def loopback(self) -> bool:
        """Whether only people of this machine reach it."""
        return self.host in LOOPBACK and not self.proxies

    @property
    def url(self) -> str:
        host = "127.0.0.1" if self.host in EVERYWHERE else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def answers_to(self) -> str:
        """Names that count besides its own address; empty on loopback, where nobody else comes."""
        return "" if self.loopback else ", ".join(self.names)

    def describe(self, http_port: int) -> str:
        return f"console (answers to {self.answers_to} too)" if self.answers_to else "console"

    def operator(self, user: str) -> str:
        return f"console:{user}" if self.loopback else ""

    def warnings(self) -> Iterator[Odd]:
        if not self.loopback:
            step = "Give each person a login token: overlord people token NAME."
            behind = f"proxies speak for others to {self.host}"
            what = behind if self.proxies else f"other machines can reach {self.host}"
            yield ("proxies" if self.proxies else "host",), what, step
        if self.host in EVERYWHERE and not self.names:
            what = f"{self.host} is no name: a browser elsewhere is refused, by whatever name it asks"
            yield ("names",), what, "Name what people type: OVERLORD_CONSOLE_NAMES=overlord.example (or its address)."


PLATFORM = PlatformSpec(
    name="console",
    title="Console",
    settings=ConsoleSettings,
    variables={
        "OVERLORD_CONSOLE_HOST": "host",
        "OVERLORD_CONSOLE_PORT": "port",
        "OVERLORD_CONSOLE_CHANNELS": "channels",
        "OVERLORD_CONSOLE_NAMES": "names",
        "OVERLORD_CONSOLE_PROXIES": "proxies",
    },
    flags={"--host": "host", "--port": "port"},
    account=IdForm(pattern=r"console:[A-Za-z0-9][A-Za-z0-9._-]{0,63}", example="console:ana (console login)"),
    possessive="the console's",
    connect="bot.platforms.console.platform:connect",
    serve="bot.platforms.console.platform:serve",
    checks="bot.platforms.console.platform:checks",
    checks_ask_nobody=True,
)
