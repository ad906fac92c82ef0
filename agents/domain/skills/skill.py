"""Skills: instructions that can be used again, and when one of them is suggested."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from agents.domain.checks.scope import matches

MOST_SUGGESTED = 5
_WORD = re.compile(r"[^\W_]+[+#]*|[+#]+")  # C++ and C# are words, too


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """Text for minions. It gives no rights: whoever follows it stays in its sandbox and its scope."""

    name: str
    description: str
    version: str
    instructions: str
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    file_patterns: tuple[str, ...] = ()
    source: str = ""  # the project it is of; empty: it comes with Overlord


def suggest(skills: Iterable[Skill], words: str, files: Collection[str]) -> Sequence[Skill]:
    """Those that a keyword or a file calls for, the ones with most reasons first."""
    said = _spoken(words)
    counted = [(_reasons(skill, said, files), skill) for skill in skills]
    called = sorted((pair for pair in counted if pair[0]), key=lambda pair: (-pair[0], pair[1].name))
    return [skill for _, skill in called[:MOST_SUGGESTED]]


def _reasons(skill: Skill, said: str, files: Collection[str]) -> int:
    keywords = sum(_spoken(keyword) in said for keyword in skill.keywords if keyword.strip())
    return keywords + sum(any(matches(path, pattern) for path in files) for pattern in skill.file_patterns)


def _spoken(text: str) -> str:
    """Whole words in small letters with one blank around each, so that `test` is not found in `latest`."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "
