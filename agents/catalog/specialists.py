"""The specialists that advise on plans, from manifests/policies/specialists.yaml."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from agents.catalog.fields import written_as
from agents.catalog.validation import Model
from agents.catalog.yaml import read_yaml
from agents.ports import Specialist


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSpecialist:
    name: str
    tags: Annotated[tuple[str, ...], Field(max_length=50)]
    focus: str

    def specialist(self) -> Specialist:
        if not re.fullmatch(r"[a-z][a-z0-9-]{0,30}", self.name):
            raise ValueError(f"`{self.name}` cannot be used as a name. Use small letters, digits and dashes.")
        if not self.tags or not self.focus:
            raise ValueError(f"`{self.name}` has no tags or no focus. Write both.")
        return Specialist(name=self.name, tags=frozenset(tag.casefold() for tag in self.tags), focus=self.focus)


_Specialist = Annotated[Specialist, written_as(WrittenSpecialist, WrittenSpecialist.specialist)]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPanel:
    specialists: Annotated[tuple[_Specialist, ...], Field(max_length=20)]


SPECIALISTS: Model[WrittenPanel] = Model(WrittenPanel)


class Panel:
    """Implements agents.ports.Specialists."""

    def __init__(self, specialists: Sequence[Specialist]) -> None:
        self._specialists = tuple(specialists)

    def for_tags(self, tags: frozenset[str]) -> Sequence[Specialist]:
        return tuple(s for s in self._specialists if s.tags & tags)


def load_panel(path: Path) -> Panel:
    return Panel(SPECIALISTS.read(read_yaml(path).data).specialists)
