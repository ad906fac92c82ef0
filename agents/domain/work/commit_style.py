"""How a project words its commits, as its own history shows; what the settings say counts before it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

READ = 50  # commits of people that are looked at
_FEWEST = 5  # fewer show no habit
_CONVENTIONAL, _SIGNED, _LOWER = 0.6, 0.8, 0.5  # shares of them from which something is a habit
_TYPES = "build|chore|ci|deps|docs|feat|fix|perf|refactor|revert|style|tests?"
_TYPED = re.compile(rf"(?:{_TYPES})(?:\([^()\n]{{1,40}}\))?!?: +(\S)")
_SIGNED_OFF = re.compile(r"^Signed-off-by: \S.* <\S+@\S+>$", re.M)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitStyle:
    conventional: bool = False  # `fix: refuse expired links`, as conventionalcommits.org has it
    lower: bool = False  # and what follows the type begins with a small letter
    signed_off: bool = False


def style_of(messages: Sequence[str]) -> CommitStyle:
    """What the messages of earlier commits have in common."""
    if len(messages) < _FEWEST:
        return CommitStyle()
    typed = [found for message in messages if (found := _TYPED.match(message))]
    small = [found for found in typed if found[1].islower()]
    signed = [message for message in messages if _SIGNED_OFF.search(message)]
    conventional = len(typed) >= _CONVENTIONAL * len(messages)
    return CommitStyle(
        conventional=conventional,
        lower=conventional and len(small) >= _LOWER * len(typed),
        signed_off=len(signed) >= _SIGNED * len(messages),
    )
