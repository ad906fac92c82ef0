"""What overlord.yaml and the environment may say: every setting, its default, and what is wrong with a bad value."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from agents.catalog.documents import Value, Where
from agents.catalog.models import BUDGETS, MODELS, Models
from agents.catalog.policies import LIMITS
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
    text,
    told,
    whole,
)
from agents.domain.decisions.authority import ChannelPolicy, Group
from agents.domain.limits import Limits
from agents.domain.models.budget import Budgets
from agents.domain.models.routing import ROLES
from agents.domain.project.retention import Retention
from agents.domain.text.secret import Secret
from bot.config import fields
from bot.config.accounts import GROUPS, MEMBERSHIPS, is_account, member
from bot.config.platforms import PlatformSettings, platforms
from bot.config.projects import CHANNELS, PROJECT, ProjectPart

if TYPE_CHECKING:
    from agents.domain.checks.risk import RiskPolicy
    from agents.domain.context.strategy import Strategy
    from agents.domain.workflow.roles import RolePart
    from agents.domain.workflow.workflow import Workflow

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


def _database(written: str) -> str:
    url = re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", written)
    if not url.startswith(DATABASES):
        raise ValueError(
            "it is not a database I know. Write sqlite:////path/to/file.db or postgresql+psycopg://host/name."
        )
    if url.rstrip("/") == "sqlite:" or ":memory:" in url:
        raise ValueError("what is kept in memory is lost with the process. Write sqlite:////path/to/file.db.")
    return url


def _label(written: str) -> str:
    if not re.fullmatch(r"[^,\s][^,]{0,49}", written):
        raise ValueError(f"`{written}` is not a label. Write one of at most 50 characters, with no comma in it.")
    return written


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
    platforms: Mapping[str, PlatformSettings]  # by name
    public_url: str = ""  # where people reach the console, for links in chats
    http_host: str = "127.0.0.1"
    http_port: int = 8766
    sandbox: Sandbox = Sandbox.AUTO
    log_level: LogLevel = LogLevel.INFO
    models: Models = field(default_factory=Models)
    budgets: Budgets = field(default_factory=Budgets)
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


def _file(**given: Any) -> OverlordFile:
    sections = {spec.name: given.pop(spec.name, None) or spec.settings.read({}) for spec in platforms()}
    return OverlordFile(platforms=sections, **given)


OVERLORD = Shape(
    _file,
    ("groups", "limits"),
    home=text,
    database_url=optional(checked(hidden, _database)),
    **{spec.name: spec.settings for spec in platforms()},
    public_url=fields.address,
    http_host=text,
    http_port=fields.port,
    sandbox=one_of(*Sandbox),
    log_level=one_of(*LogLevel),
    models=MODELS,
    budgets=BUDGETS,
    github=Shape(GitHub, token=fields.token, api_url=fields.address, label=checked(text, _label)),
    approvers=after(fields.split_words, items(checked(text, member))),
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
    **{flag: (spec.name, name) for spec in platforms() for flag, name in spec.flags.items()},
}
VARIABLES: dict[str, tuple[str, ...]] = {
    "OVERLORD_HOME": ("home",),
    "OVERLORD_DATABASE_URL": ("database_url",),
    "OVERLORD_PUBLIC_URL": ("public_url",),
    "OVERLORD_HTTP_HOST": ("http_host",),
    "OVERLORD_HTTP_PORT": ("http_port",),
    "OVERLORD_SANDBOX": ("sandbox",),
    "OVERLORD_LOG_LEVEL": ("log_level",),
    "OVERLORD_APPROVERS": ("approvers",),
    **{variable: (spec.name, name) for spec in platforms() for variable, name in spec.variables.items()},
    "GITHUB_TOKEN": ("github", "token"),
    "GITHUB_API_URL": ("github", "api_url"),
    "OVERLORD_GITHUB_LABEL": ("github", "label"),
    **{f"OVERLORD_MODELS__{name.upper()}": ("models", name) for name in ROLES},
    **{f"OVERLORD_BUDGETS__{name.upper()}": ("budgets", name) for name in BUDGETS.fields},
    **{f"OVERLORD_RETENTION__{name.upper()}": ("retention", name) for name in RETENTION.fields if name != "archived"},
    **{f"OVERLORD_LIMITS__{name.upper()}": ("limits", name) for name in LIMITS.fields},
}


def contradictions(file: OverlordFile) -> Iterator[Odd]:
    """Settings of a platform that contradict each other."""
    for name, section in file.platforms.items():
        yield from (((name, *where), what, step) for where, what, step in section.problems())


def doubtful(file: OverlordFile) -> Iterator[Odd]:
    """What can be used and is probably not meant."""
    for name, section in file.platforms.items():
        yield from (((name, *where), what, step) for where, what, step in section.warnings())
    yield from _empty_memberships(file)


def _empty_memberships(file: OverlordFile) -> Iterator[Odd]:
    """User groups and roles of a platform that is not there to say who is in them."""
    for group, members in file.groups.items():
        for each in sorted(each for each in members if not is_account(each)):
            known = MEMBERSHIPS[each.partition(":")[0]]
            spec = next(spec for spec in platforms() if spec.membership == known)
            if not file.platforms[spec.name].tokens():
                what = f"{each} lets nobody in, as {spec.title} is not joined to say who is in it"
                yield ("groups", group), what, f"Give {spec.title} its token, or name accounts as well."


def tokens_in(file: OverlordFile) -> set[str]:
    """Of chats and forges."""
    forge = {file.github.token.reveal()} if file.github.token else set()
    return forge.union(*(section.tokens() for section in file.platforms.values()))


def secrets_in(file: OverlordFile) -> set[str]:
    password = urlsplit(file.database_url or "").password
    return tokens_in(file) | ({password} if password else set())
