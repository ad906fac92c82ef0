"""What the program is set to, as everything else reads it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from agents.catalog.library import Declared
from agents.catalog.validation import Problem
from agents.domain.decisions.authority import ChannelPolicy, Group
from agents.domain.ids import Account, surface_of
from agents.domain.models.routing import ROLES
from agents.domain.supervision.tuning import SupervisorSettings
from bot.config.overlord import (
    PlainSettings,
    Project,
)
from bot.config.platforms import OWN, PlatformSettings

Section = TypeVar("Section", bound=PlatformSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(PlainSettings):
    """All there is to know before the program starts. Tokens are a Secret each: they do not print."""

    home: Path
    config: Path | None  # the overlord.yaml that was read
    database_url: str = field(repr=False)  # may hold a password; `database` may be shown
    platforms: Mapping[str, PlatformSettings]  # by name; see `section`
    public_url: str
    keys: Mapping[str, str] = field(repr=False)  # variables that a choice of models depends on
    groups: Mapping[Group, frozenset[str]]
    operators: frozenset[Account]
    projects: tuple[Project, ...]
    channels: Mapping[str, ChannelPolicy]
    declared: Declared | None = None  # contexts, roles, workflow; None: as they come with the program
    warnings: tuple[Problem, ...] = ()
    left: tuple[Problem, ...] = ()  # settings files that are there and were not read; warnings too
    secrets: frozenset[str] = field(default=frozenset(), repr=False)  # exact values no log may show

    @property
    def database(self) -> str:
        """Where things are kept, without a password."""
        if self.database_url.startswith("sqlite"):
            return f"SQLite, {self.database_url.removeprefix('sqlite:///')}"
        parts = urlsplit(self.database_url)
        return f"PostgreSQL, {parts.hostname or 'this machine'}{parts.path}"

    @property
    def supervisors_switched(self) -> SupervisorSettings:
        """On where they are switched on, or where nobody says and a model is named for their role."""
        said = self.supervisors.enabled
        return replace(self.supervisors, enabled=bool(self.models.supervisor.models()) if said is None else said)

    @property
    def joined_platforms(self) -> list[str]:
        """Where it can be talked to, and how it gets there."""
        return [section.describe(self.http_port) for section in self.platforms.values() if section.joins]

    @property
    def knows_operator(self) -> bool:
        """Whether this machine's user needs no login on our own pages."""
        return any(surface_of(account) == OWN for account in self.operators)

    def section(self, kind: type[Section]) -> Section:
        """The settings of one platform, for that platform."""
        return next(section for section in self.platforms.values() if isinstance(section, kind))

    def channels_on(self, platform: str) -> tuple[str, ...]:
        """Names without the platform's: those listed, then those that a policy or a project names."""
        start = f"{platform}:"
        named = [name.removeprefix(start) for name in self.channels if name.startswith(start)]
        return tuple(dict.fromkeys((*self.platforms[platform].channels, *named)))

    def memberships(self, kind: str) -> frozenset[str]:
        """User groups or roles that carry rights; their platform says who is in them."""
        named = (member for members in self.groups.values() for member in members)
        return frozenset(member for member in named if member.startswith(f"{kind}:"))

    @property
    def own_login(self) -> str:
        """Whose login the operator's is where only this machine's user comes in."""
        mine = [account for account in sorted(self.operators) if surface_of(account) == OWN]
        return mine[0].partition(":")[2] if mine else "operator"

    @property
    def own_channel(self) -> str:
        """Where nobody can keep us from writing."""
        return f"{OWN}:{self.channels_on(OWN)[0]}"


@dataclass(slots=True)
class Named:
    """As the settings in force say; filled anew when they are read again."""

    projects: Sequence[tuple[str, str, str]] = ()  # name, where it is, its channel
    models: Sequence[tuple[str, str]] = ()  # for what, and which

    def fill(self, settings: Settings) -> None:
        self.projects = [(each.name, str(each.path or each.url), each.channel) for each in settings.projects]
        parts = [(role, getattr(settings.models, role)) for role in ROLES]
        self.models = [(role, part.to_written().name) for role, part in parts if part.model]
