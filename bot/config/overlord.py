"""What overlord.yaml and the environment may say: every setting, its default, and what is wrong with a bad value."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, make_dataclass
from enum import StrEnum
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, PlainValidator

from agents.catalog.contexts import Contexts
from agents.catalog.models import Models
from agents.catalog.risk import Risk
from agents.catalog.roles import RolesByName
from agents.catalog.validation import Model, Odd
from agents.catalog.workflows import WrittenSteps
from agents.domain.decisions.authority import ChannelPolicy
from agents.domain.limits import Limits
from agents.domain.models.budget import Budgets
from agents.domain.models.routing import ROLES
from agents.domain.project.retention import Retention
from bot.config.accounts import MEMBERSHIPS, Channel, Groups, Member, is_account
from bot.config.fields import COMMAS, Address, Port, Token, hidden_text
from bot.config.platforms import PlatformSettings, platforms
from bot.config.projects import WrittenProject

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


def _database(written: object) -> str:
    url = re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", hidden_text(written))
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


def _refuse_archived(written: object) -> object:
    if isinstance(written, dict) and "archived" in written:
        raise ValueError("`archived` is not there yet: ended tasks stay in the list. Remove this line.")
    return written


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHub:
    token: Token | None = None
    api_url: Address = "https://api.github.com"
    label: Annotated[str, AfterValidator(_label)] = "overlord"  # asks for work


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainSettings:
    """Settings that are used as they are written."""

    http_host: str = "127.0.0.1"
    http_port: Port = 8766
    sandbox: Sandbox = Sandbox.AUTO
    log_level: LogLevel = LogLevel.INFO
    models: Models = field(default_factory=Models)
    budgets: Budgets = field(default_factory=Budgets)
    github: GitHub = field(default_factory=GitHub)
    limits: Limits = field(default_factory=Limits)
    retention: Annotated[Retention, BeforeValidator(_refuse_archived)] = field(default_factory=Retention)
    risk: Risk | None = None  # None: the one that comes with the program


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlordFile(PlainSettings):
    """What overlord.yaml may say, with the environment laid over it. Each platform adds its section."""

    home: str = ""
    database_url: Annotated[str, PlainValidator(_database, str)] | None = field(default=None, repr=False)
    public_url: Address = ""  # where people reach the console, for links in chats
    approvers: Annotated[tuple[Member, ...], COMMAS] = ()
    groups: Groups
    projects: tuple[WrittenProject, ...] = ()
    channels: Mapping[Channel, ChannelPolicy] = field(default_factory=dict)
    contexts: Contexts | None = None  # None: as they come with the program
    roles: RolesByName = field(default_factory=dict)  # laid over those that come with it
    workflow: WrittenSteps | None = None

    @property
    def platforms(self) -> dict[str, PlatformSettings]:
        return {spec.name: getattr(self, spec.name) for spec in platforms()}


_sections: list[Any] = [(spec.name, spec.settings, field(default_factory=spec.settings)) for spec in platforms()]
OVERLORD: Model[OverlordFile] = Model(
    make_dataclass("WrittenFile", _sections, bases=(OverlordFile,), frozen=True, slots=True, kw_only=True)
)
FLAGS: dict[str, tuple[str, ...]] = {
    "--home": ("home",),
    **{flag: (spec.name, name) for spec in platforms() for flag, name in spec.flags.items()},
}
_SECTIONS: dict[str, tuple[str, ...]] = {  # what is in them has a variable of its own
    "models": ROLES,
    "budgets": tuple(each.name for each in fields(Budgets)),
    "retention": tuple(each.name for each in fields(Retention)),
    "limits": tuple(each.name for each in fields(Limits)),
}
_STRUCTURES = {"github", "risk", "groups", "projects", "channels", "contexts", "roles", "workflow"}
VARIABLES: dict[str, tuple[str, ...]] = {
    **{
        f"OVERLORD_{each.name.upper()}": (each.name,)
        for each in fields(OverlordFile)
        if each.name not in _STRUCTURES | _SECTIONS.keys()
    },
    **{variable: (spec.name, name) for spec in platforms() for variable, name in spec.variables.items()},
    "GITHUB_TOKEN": ("github", "token"),
    "GITHUB_API_URL": ("github", "api_url"),
    "OVERLORD_GITHUB_LABEL": ("github", "label"),
    **{
        f"OVERLORD_{section.upper()}__{name.upper()}": (section, name)
        for section, names in _SECTIONS.items()
        for name in names
    },
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
