"""The specialists that advise on plans, from manifests/policies/specialists.yaml or overlord.yaml."""

import re
from collections.abc import Sequence
from pathlib import Path

from agents.catalog.reading import Shape, items, text
from agents.catalog.yaml import read_yaml
from agents.ports import Specialist


def _specialist(name: str, tags: tuple[str, ...], focus: str) -> Specialist:
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,30}", name):
        raise ValueError(f"`{name}` does not do as a name. Use small letters, digits and dashes.")
    if not tags or not focus:
        raise ValueError(f"`{name}` has no tags or no focus. Write both.")
    return Specialist(name=name, tags=frozenset(tag.casefold() for tag in tags), focus=focus)


_SPECIALIST = Shape(_specialist, ("name", "tags", "focus"), name=text, tags=items(text, most=50), focus=text)
SPECIALISTS = Shape(lambda specialists: specialists, ("specialists",), specialists=items(_SPECIALIST, most=20))


class Panel:
    """Implements agents.ports.Specialists."""

    def __init__(self, specialists: Sequence[Specialist]) -> None:
        self._specialists = tuple(specialists)

    def for_tags(self, tags: frozenset[str]) -> Sequence[Specialist]:
        return tuple(s for s in self._specialists if s.tags & tags)


def load_panel(path: Path) -> Panel:
    return Panel(SPECIALISTS.read(read_yaml(path).data))
