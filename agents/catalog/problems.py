"""What is wrong with a file or a setting, in words: its name, what was seen, and what to write instead."""

from collections.abc import Iterable
from dataclasses import dataclass

MANY = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    name: str  # of the setting, as the person wrote it
    what: str
    instead: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what}. {self.instead}"


def did_you_mean(written: str, known: Iterable[str]) -> str:
    """A sentence that names the nearest known name, or all of them if they are few."""
    from difflib import get_close_matches  # nobody needs it where all is well

    names = sorted(known)
    near = get_close_matches(written, names, n=1, cutoff=0.6)
    if near:
        return f"Did you mean `{near[0]}`?"
    return f"Known here: {', '.join(names)}." if len(names) <= MANY else "Nothing that is known is near it; remove it."
