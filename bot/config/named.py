"""The projects and models that are named in the settings in force, to be listed."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.domain.models.routing import ROLES
from bot.config.settings import Settings


@dataclass(slots=True)
class Named:
    """As the settings in force say; filled anew when they are read again."""

    projects: Sequence[tuple[str, str, str]] = ()  # name, where it is, its channel
    models: Sequence[tuple[str, str]] = ()  # for what, and which

    def fill(self, settings: Settings) -> None:
        self.projects = [(each.name, str(each.path or each.url), each.channel) for each in settings.projects]
        parts = [(role, getattr(settings.models, role)) for role in ROLES]
        self.models = [(role, part.to_written().name) for role, part in parts if part.model]
