"""What overlord.yaml and the environment may say: every setting, its default, and what is wrong with a bad value."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from ipaddress import ip_network
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from agents.catalog.documents import Value, Where
from agents.catalog.models import BUDGETS, MODELS, Models
from agents.catalog.policies import CHANNELS, GROUPS, LIMITS, PROJECT, ProjectPart, is_account, member
from agents.catalog.reading import (
    Odd,
    Schema,
    Shape,
    Wrong,
    after,
    checked,
    hidden,
    items,
    one_of,
    optional,
    schema_of,
    secret,
    text,
    told,
    whole,
)
from agents.domain.decisions.authority import ChannelPolicy, Group
from agents.domain.limits import Limits
from agents.domain.models.budget import Budgets
from agents.domain.models.routing import ROLES
from agents.domain.project.retention import Retention
from agents.domain.text.numbers import small_number
from agents.domain.text.sanitize import cut
from agents.domain.text.secret import Secret

if TYPE_CHECKING:
    from agents.domain.checks.risk import RiskPolicy
    from agents.domain.context.strategy import Strategy
    from agents.domain.workflow.roles import RolePart
    from agents.domain.workflow.workflow import Workflow

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


@told(lambda: {"type": "integer", "minimum": 0, "maximum": 65_535})
def _port(where: Where, value: Value) -> int:
    port = None if isinstance(value, bool) else small_number(str(value))
    if port is None or port > 65_535:
        step = "Write a number from 1 to 65535, or 0 for any free one."
        raise Wrong((where, f"`{cut(str(value), 60)}` is not a port", step))
    return port


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


def _network(written: str) -> str:
    try:
        return str(ip_network(written))
    except ValueError as odd:
        step = "Write an address such as 10.0.0.7, or a network such as 10.0.0.0/24."
        raise ValueError(f"`{written}` is not the address of a proxy. {step}") from odd


def _label(written: str) -> str:
    if not re.fullmatch(r"[^,\s][^,]{0,49}", written):
        raise ValueError(f"`{written}` is not a label. Write one of at most 50 characters, with no comma in it.")
    return written


def _listed(value: Value) -> Value:
    """A variable holds a list as words between commas."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


_address_of = checked(text, _address)
_words = after(_listed, items(text))
_networks = after(_listed, items(checked(text, _network)))
_token = optional(secret)


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    host: str = "127.0.0.1"
    port: int = 8765
    channels: tuple[str, ...] = ("general",)
    names: tuple[str, ...] = ()  # other hosts it answers to, behind a proxy
    proxies: tuple[str, ...] = ()  # addresses and networks whose word on who asks is taken

    @property
    def loopback(self) -> bool:
        """Whether only people of this machine reach it."""
        return self.host in LOOPBACK and not self.proxies

    @property
    def url(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slack:
    bot_token: Secret | None = None
    app_token: Secret | None = None  # Socket Mode
    signing_secret: Secret | None = None  # HTTP mode
    api_url: str = "https://slack.com/api/"

    @property
    def joins(self) -> bool:
        return self.bot_token is not None and (self.app_token is not None or self.signing_secret is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Discord:
    token: Secret | None = None
    api_url: str = "https://discord.com/api/v10"
    gateway_url: str = "wss://gateway.discord.gg/"

    @property
    def joins(self) -> bool:
        return self.token is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHub:
    token: Secret | None = None
    api_url: str = "https://api.github.com"
    label: str = "overlord"  # asks for work


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlordFile:
    """What overlord.yaml may say, with the environment laid over it."""

    home: str = ""
    database_url: str | None = field(default=None, repr=False)
    console: Console = field(default_factory=Console)
    public_url: str = ""  # where people reach the console, for links in chats
    http_host: str = "127.0.0.1"
    http_port: int = 8766
    sandbox: Sandbox = Sandbox.AUTO
    log_level: LogLevel = LogLevel.INFO
    models: Models = field(default_factory=Models)
    budgets: Budgets = field(default_factory=Budgets)
    slack: Slack = field(default_factory=Slack)
    discord: Discord = field(default_factory=Discord)
    github: GitHub = field(default_factory=GitHub)
    approvers: tuple[str, ...] = ()
    groups: Mapping[Group, frozenset[str]]
    limits: Limits
    retention: Retention = field(default_factory=Retention)
    risk: "RiskPolicy | None" = None  # None: the one that comes with the program
    projects: tuple[ProjectPart, ...] = ()
    channels: Mapping[str, ChannelPolicy] = field(default_factory=dict)
    contexts: "Mapping[str, Strategy] | None" = None  # None: as they come with the program
    roles: "Mapping[str, RolePart]" = field(default_factory=dict)  # laid over those that come with it
    workflow: "Workflow | None" = None


def _later(module: str, name: str) -> Schema:
    return schema_of(getattr(import_module(module), name))


@told(lambda: _later("agents.catalog.risk", "RISK"))
def _risk(where: Where, value: Value) -> "RiskPolicy":
    from agents.catalog.risk import RISK  # where nobody writes of risk, a start needs none of it

    return RISK(where, value)


@told(lambda: _later("agents.catalog.contexts", "CONTEXTS"))
def _contexts(where: Where, value: Value) -> "Mapping[str, Strategy]":
    from agents.catalog.contexts import CONTEXTS

    return CONTEXTS(where, value)


@told(lambda: _later("agents.catalog.roles", "ROLES"))
def _roles(where: Where, value: Value) -> "Mapping[str, RolePart]":
    from agents.catalog.roles import ROLES

    return ROLES(where, value)


@told(lambda: _later("agents.catalog.workflows", "WORKFLOW"))
def _workflow(where: Where, value: Value) -> "Workflow":
    from agents.catalog.workflows import WORKFLOW

    return WORKFLOW(where, value)


@told(lambda: {"not": {}})
def _not_yet(where: Where, value: Value) -> None:
    raise Wrong((where, "it is not there yet: ended tasks stay in the list", "Remove this line."))


_DAYS = optional(whole(1, 36_500))
RETENTION = Shape(Retention, messages=_DAYS, deliveries=_DAYS, turns=_DAYS, branches=_DAYS, archived=_not_yet)

OVERLORD = Shape(
    OverlordFile,
    ("groups", "limits"),
    home=text,
    database_url=optional(checked(hidden, _database)),
    console=Shape(Console, host=text, port=_port, channels=_words, names=_words, proxies=_networks),
    public_url=_address_of,
    http_host=text,
    http_port=_port,
    sandbox=one_of(*Sandbox),
    log_level=one_of(*LogLevel),
    models=MODELS,
    budgets=BUDGETS,
    slack=Shape(Slack, bot_token=_token, app_token=_token, signing_secret=_token, api_url=_address_of),
    discord=Shape(Discord, token=_token, api_url=_address_of, gateway_url=_address_of),
    github=Shape(GitHub, token=_token, api_url=_address_of, label=checked(text, _label)),
    approvers=after(_listed, items(checked(text, member))),
    groups=GROUPS,
    limits=LIMITS,
    retention=RETENTION,
    risk=optional(_risk),
    projects=items(PROJECT),
    channels=CHANNELS,
    contexts=optional(_contexts),
    roles=_roles,
    workflow=optional(_workflow),
)
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
    "OVERLORD_CONSOLE_PROXIES": ("console", "proxies"),
    "OVERLORD_PUBLIC_URL": ("public_url",),
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
    **{f"OVERLORD_BUDGETS__{name.upper()}": ("budgets", name) for name in BUDGETS.fields},
    **{f"OVERLORD_RETENTION__{name.upper()}": ("retention", name) for name in RETENTION.fields if name != "archived"},
    **{f"OVERLORD_LIMITS__{name.upper()}": ("limits", name) for name in LIMITS.fields},
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
        token: Secret | None = getattr(file.slack, key)
        if token and not token.reveal().startswith(prefix):
            step = "Check that the bot token and the app token are not swapped."
            yield ("slack", key), f"it does not begin with `{prefix}`", step
    if not file.console.loopback:
        step = "Give each person a login token: overlord people token NAME."
        behind = f"proxies speak for others to {file.console.host}"
        what = behind if file.console.proxies else f"other machines can reach {file.console.host}"
        yield ("console", "proxies" if file.console.proxies else "host"), what, step
    yield from _empty_crowds(file)


def _empty_crowds(file: OverlordFile) -> Iterator[Odd]:
    """User groups and roles of a platform that is not there to say who is in them."""
    tokens = {"slack-group": ("Slack", file.slack.bot_token), "discord-role": ("Discord", file.discord.token)}
    for group, members in file.groups.items():
        for crowd in sorted(each for each in members if not is_account(each)):
            platform, token = tokens[crowd.partition(":")[0]]
            if not token:
                step = f"Give {platform} its token, or name accounts as well."
                yield (
                    ("groups", group),
                    f"{crowd} lets nobody in, as {platform} is not joined to say who is in it",
                    step,
                )


def tokens_in(file: OverlordFile) -> set[str]:
    """Of chats and forges."""
    slack = file.slack
    tokens = (slack.bot_token, slack.app_token, slack.signing_secret, file.discord.token, file.github.token)
    return {token.reveal() for token in tokens if token}


def secrets_in(file: OverlordFile) -> set[str]:
    password = urlsplit(file.database_url or "").password
    return tokens_in(file) | ({password} if password else set())
