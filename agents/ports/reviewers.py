"""Who advises on plans."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Specialist:
    """Advises on plans whose tags are its own; never blocks."""

    name: str
    tags: frozenset[str]
    focus: str


class Specialists(Protocol):
    def for_tags(self, tags: frozenset[str]) -> Sequence[Specialist]: ...
