"""The specialists that advise on plans, from manifests/policies/specialists.yaml or overlord.yaml."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from agents.catalog.yaml import read_yaml
from agents.ports import Specialist


class _One(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z0-9-]{0,30}$")
    tags: list[str] = Field(min_length=1, max_length=50)
    focus: str = Field(min_length=1, max_length=500)


class _All(BaseModel):
    model_config = ConfigDict(extra="forbid")

    specialists: list[_One] = Field(max_length=20)


class Panel:
    """Implements agents.ports.Specialists."""

    def __init__(self, specialists: Sequence[Specialist]) -> None:
        self._specialists = tuple(specialists)

    def for_tags(self, tags: frozenset[str]) -> Sequence[Specialist]:
        return tuple(s for s in self._specialists if s.tags & tags)


def load_panel(path: Path) -> Panel:
    read = _All.model_validate(read_yaml(path).data)
    return Panel(
        [Specialist(name=s.name, tags=frozenset(t.casefold() for t in s.tags), focus=s.focus) for s in read.specialists]
    )
