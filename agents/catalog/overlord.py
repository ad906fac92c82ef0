"""What overlord.yaml and the environment may say: every setting, its default, and what is wrong with a bad value."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from agents.catalog.documents import Where
from agents.catalog.models import BudgetsPart, Models, RolePart
from agents.catalog.policies import (
    ChannelName,
    ChannelPart,
    ExtraGatePart,
    GatesPart,
    GroupsPart,
    LimitsPart,
    Member,
    Odd,
    Part,
    ProjectPart,
    is_account,
)
from agents.catalog.risk import RiskPart, risk_shape_at
from agents.domain.models import ROLES

LOOPBACK = ("127.0.0.1", "::1", "localhost")
DATABASES = ("sqlite:///", "postgresql+psycopg://")


class Sandbox(StrEnum):
    AUTO = "auto"
    BUBBLEWRAP = "bubblewrap"
    DOCKER = "docker"
    PODMAN = "podman"


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def _port(value: object) -> object:
    if isinstance(value, bool) or not str(value).isdecimal() or int(str(value)) > 65_535:
        raise ValueError(f"`{value}` is not a port. Write a number from 1 to 65535, or 0 for any free one.")
    return value


def _database(written: str) -> str:
    url = re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", written)
    if not url.startswith(DATABASES):
        raise ValueError(
            "it is not a database I know. Write sqlite:////path/to/file.db or postgresql+psycopg://host/name."
        )
    if url.rstrip("/") == "sqlite:" or ":memory:" in url:
        raise ValueError("what is kept in memory is lost with the process. Write sqlite:////path/to/file.db.")
    return url


def _address(written: str) -> str:
    parts = urlsplit(written)
    if parts.scheme not in ("http", "https", "ws", "wss") or not parts.hostname:
        raise ValueError(f"`{written}` is not an address. Write one that begins with https:// (wss:// for a gateway).")
    return written


def _listed(value: object) -> object:
    """A variable holds a list as words between commas."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Port = Annotated[int, BeforeValidator(_port)]
Address = Annotated[str, AfterValidator(_address)]
Token = SecretStr | None


class Console(Part):
    host: str = "127.0.0.1"
    port: Port = 8765
    channels: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ("general",)
    names: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()  # other hosts it answers to, behind a proxy

    @property
    def loopback(self) -> bool:
        return self.host in LOOPBACK

    @property
    def url(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


class Slack(Part):
    bot_token: Token = None
    app_token: Token = None  # Socket Mode
    signing_secret: Token = None  # HTTP mode
    api_url: Address = "https://slack.com/api/"

    @property
    def joins(self) -> bool:
        return self.bot_token is not None and (self.app_token is not None or self.signing_secret is not None)


class Discord(Part):
    token: Token = None
    api_url: Address = "https://discord.com/api/v10"
    gateway_url: Address = "wss://gateway.discord.gg/"

    @property
    def joins(self) -> bool:
        return self.token is not None


class GitHub(Part):
    token: Token = None
    api_url: Address = "https://api.github.com"
    label: Annotated[str, Field(min_length=1, max_length=50, pattern=r"^[^,\s][^,]*$")] = "overlord"  # asks for work


class OverlordFile(Part):
    """What overlord.yaml may say, with the environment laid over it."""

    home: str = ""
    database_url: Annotated[str, AfterValidator(_database)] | None = None
    console: Console = Console()
    http_host: str = "127.0.0.1"
    http_port: Port = 8766
    sandbox: Sandbox = Sandbox.AUTO
    log_level: LogLevel = LogLevel.INFO
    models: Models = Models()
    budgets: BudgetsPart = BudgetsPart()
    slack: Slack = Slack()
    discord: Discord = Discord()
    github: GitHub = GitHub()
    approvers: Annotated[tuple[Member, ...], BeforeValidator(_listed)] = ()
    groups: GroupsPart
    limits: LimitsPart
    risk: RiskPart | None = None  # None: the one that comes with the program
    projects: tuple[ProjectPart, ...] = ()
    channels: dict[ChannelName, ChannelPart] = Field(default_factory=dict)


PARTS: dict[str, type[Part]] = {
    "console": Console,
    "models": Models,
    "budgets": BudgetsPart,
    "slack": Slack,
    "discord": Discord,
    "github": GitHub,
    "groups": GroupsPart,
    "limits": LimitsPart,
    "risk": RiskPart,
    "projects": ProjectPart,
    "channels": ChannelPart,
}
FLAGS: dict[str, tuple[str, ...]] = {
    "--home": ("home",),
    "--host": ("console", "host"),
    "--port": ("console", "port"),
}
VARIABLES: dict[str, tuple[str, ...]] = {
    "OVERLORD_HOME": ("home",),
    "OVERLORD_DATABASE_URL": ("database_url",),
    "OVERLORD_CONSOLE_HOST": ("console", "host"),
    "OVERLORD_CONSOLE_PORT": ("console", "port"),
    "OVERLORD_CONSOLE_CHANNELS": ("console", "channels"),
    "OVERLORD_CONSOLE_NAMES": ("console", "names"),
    "OVERLORD_HTTP_HOST": ("http_host",),
    "OVERLORD_HTTP_PORT": ("http_port",),
    "OVERLORD_SANDBOX": ("sandbox",),
    "OVERLORD_LOG_LEVEL": ("log_level",),
    "OVERLORD_APPROVERS": ("approvers",),
    "SLACK_BOT_TOKEN": ("slack", "bot_token"),
    "SLACK_APP_TOKEN": ("slack", "app_token"),
    "SLACK_SIGNING_SECRET": ("slack", "signing_secret"),
    "SLACK_API_URL": ("slack", "api_url"),
    "DISCORD_TOKEN": ("discord", "token"),
    "DISCORD_API_URL": ("discord", "api_url"),
    "DISCORD_GATEWAY_URL": ("discord", "gateway_url"),
    "GITHUB_TOKEN": ("github", "token"),
    "GITHUB_API_URL": ("github", "api_url"),
    "OVERLORD_GITHUB_LABEL": ("github", "label"),
    **{f"OVERLORD_MODELS__{name.upper()}": ("models", name) for name in ROLES},
    **{f"OVERLORD_BUDGETS__{name.upper()}": ("budgets", name) for name in BudgetsPart.model_fields},
    **{f"OVERLORD_LIMITS__{name.upper()}": ("limits", name) for name in LimitsPart.model_fields},
}

_PREFIXES = {"bot_token": "xoxb-", "app_token": "xapp-"}


def odd_slack(slack: Slack) -> Iterator[Odd]:
    """Half a set of tokens."""
    if slack.bot_token and not slack.joins:
        step = "Set SLACK_APP_TOKEN too, for Socket Mode, or SLACK_SIGNING_SECRET, for HTTP."
        yield ("slack", "bot_token"), "it is set, but nothing says how Slack reaches me", step
    if not slack.bot_token and (slack.app_token or slack.signing_secret):
        yield ("slack", "bot_token"), "it is missing, though other Slack settings are there", "Set SLACK_BOT_TOKEN."


def doubtful(file: OverlordFile) -> Iterator[Odd]:
    """What can be used and is probably not meant."""
    for key, prefix in _PREFIXES.items():
        token: Token = getattr(file.slack, key)
        if token and not token.get_secret_value().startswith(prefix):
            step = "Check that the bot token and the app token are not swapped."
            yield ("slack", key), f"it does not begin with `{prefix}`", step
    if not file.console.loopback:
        step = "Give each person a login token: overlord people token NAME."
        yield ("console", "host"), f"other machines can reach {file.console.host}", step
    for group, members in file.groups:
        for crowd in (member for member in members if not is_account(member)):
            yield ("groups", group), f"{crowd} is not looked up yet, so it lets nobody in", "Name accounts as well."


def secrets_in(file: OverlordFile) -> set[str]:
    slack = file.slack
    tokens = (slack.bot_token, slack.app_token, slack.signing_secret, file.discord.token, file.github.token)
    password = urlsplit(file.database_url or "").password
    return {token.get_secret_value() for token in tokens if token} | ({password} if password else set())


def shape_at(where: Where) -> type[Part]:
    """Which part of the file a place belongs to."""
    if len(where) > 1 and where[0] == "models":
        return RolePart
    if where and where[0] == "risk":
        return risk_shape_at(where)
    if len(where) > 2 and where[0] == "projects":
        return ExtraGatePart if "extra" in where else GatesPart
    return PARTS[str(where[0])] if where else OverlordFile
