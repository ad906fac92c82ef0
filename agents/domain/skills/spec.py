"""What a skill is to be: the few fields that a person approves, what is wrong with them, and where a draft stands."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.domain.checks.scope import odd_pattern
from agents.domain.ids import fingerprint
from agents.domain.text.sanitize import clean

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
DESCRIPTION_MOST, INSTRUCTIONS_MOST, TRIGGERS_MOST, KEYWORD_MOST, PATTERN_MOST = 500, 20_000, 30, 60, 200
_SEVERAL = ("keywords", "file_patterns")


class SkillState(StrEnum):
    DRAFT = "draft"
    APPROVED = "approved"
    WRITING = "writing"
    VALIDATING = "validating"
    IN_PR = "in_pr"
    MERGED = "merged"
    REJECTED = "rejected"
    FAILED = "failed"


S = SkillState

# Where a draft may go from where it is.
SKILL_MOVES: dict[SkillState, frozenset[SkillState]] = {
    S.DRAFT: frozenset({S.APPROVED, S.REJECTED}),
    S.APPROVED: frozenset({S.WRITING, S.FAILED}),
    S.WRITING: frozenset({S.VALIDATING, S.FAILED}),
    S.VALIDATING: frozenset({S.WRITING, S.IN_PR, S.FAILED}),
    S.IN_PR: frozenset({S.MERGED, S.FAILED}),
    S.MERGED: frozenset(),
    S.REJECTED: frozenset(),
    S.FAILED: frozenset(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillSpec:
    """As it is drafted, edited and approved. `instructions` is an outline; a minion writes them out."""

    name: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    file_patterns: tuple[str, ...] = ()
    instructions: str = ""

    @property
    def hash(self) -> str:
        triggers = (*self.keywords, "|", *self.file_patterns)
        return fingerprint(self.name, self.description, *triggers, "|", self.instructions)

    def text(self) -> str:
        """For a minion and for reviewers: all that was approved."""
        lines = (
            f"name: {self.name}",
            f"description: {self.description}",
            f"triggers, keywords: {', '.join(self.keywords) or 'none'}",
            f"triggers, file_patterns: {', '.join(self.file_patterns) or 'none'}",
            f"instructions, in outline:\n{self.instructions}",
        )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A skill that there is already, by what calls for it."""

    name: str
    keywords: tuple[str, ...] = ()
    file_patterns: tuple[str, ...] = ()


def to_fields(spec: SkillSpec) -> dict[str, str]:
    """For a form: one field each, a trigger a line."""
    return {
        "name": spec.name,
        "description": spec.description,
        "keywords": "\n".join(spec.keywords),
        "file_patterns": "\n".join(spec.file_patterns),
        "instructions": spec.instructions,
    }


FIELDS = tuple(to_fields(SkillSpec()))


def from_fields(given: Mapping[str, str]) -> SkillSpec:
    """Triggers may stand a line or a comma apart."""
    words = {name: clean(given.get(name, "")).strip() for name in FIELDS}
    several = {name: tuple(dict.fromkeys(_parts(words[name]))) for name in _SEVERAL}
    name, description = words["name"], " ".join(words["description"].split())
    return SkillSpec(name=name, description=description, instructions=words["instructions"], **several)


def read_form(words: str, before: SkillSpec) -> SkillSpec:
    """What a form sent back. A field that is missing stays as it was; words that are no form are instructions."""
    try:
        given = json.loads(words)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        given = {"instructions": words}
    return from_fields({**to_fields(before), **{str(name): str(text) for name, text in given.items()}})


def _parts(text: str) -> Iterator[str]:
    return (part for line in text.splitlines() for each in line.split(",") if (part := " ".join(each.split())))


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecFault:
    field: str
    what: str


def faults_of(spec: SkillSpec) -> list[SpecFault]:
    """What is wrong with it by itself, each with what to do about it."""
    odd = [("name", "use small letters, digits and dashes, such as add-endpoint")]
    found = [] if NAME.fullmatch(spec.name) else odd
    found += _bounded("description", spec.description, DESCRIPTION_MOST)
    found += _bounded("instructions", spec.instructions, INSTRUCTIONS_MOST)
    if not spec.keywords and not spec.file_patterns:
        found.append(("keywords", "name a word or a file pattern that calls for it"))
    for field in _SEVERAL:
        found += [(field, f"{TRIGGERS_MOST} are the most")] if len(getattr(spec, field)) > TRIGGERS_MOST else []
    found += [("keywords", f"“{word[:20]}…” is too long") for word in spec.keywords if len(word) > KEYWORD_MOST]
    found += [
        ("file_patterns", f"`{pattern[:60]}` is no pattern of paths in the project")
        for pattern in spec.file_patterns
        if len(pattern) > PATTERN_MOST or odd_pattern(pattern)
    ]
    return [SpecFault(field=field, what=what) for field, what in found]


def _bounded(field: str, text: str, most: int) -> list[tuple[str, str]]:
    if not text.strip():
        return [(field, "it is empty")]
    return [(field, f"{len(text):,} characters; {most:,} are the most")] if len(text) > most else []


def clashes(spec: SkillSpec, known: Iterable[Known]) -> list[SpecFault]:
    """Triggers that another skill has already: nobody could say which of the two is meant. `known`: the others."""
    found = list[SpecFault]()
    for other in known:
        if other.name == spec.name:
            found.append(SpecFault(field="name", what=f"there is a skill `{other.name}` already"))
        for field in _SEVERAL:
            taken = {_plain(each) for each in getattr(other, field)}
            shared = [each for each in getattr(spec, field) if _plain(each) in taken]
            found += [SpecFault(field=field, what=f"`{each}` calls for the skill `{other.name}`") for each in shared]
    return found


def without_clashes(spec: SkillSpec, known: Sequence[Known]) -> SkillSpec:
    """A model's draft leaves others their triggers; what a person writes is never changed in silence."""
    taken = {_plain(each) for other in known for field in _SEVERAL for each in getattr(other, field)}
    words = tuple(each for each in spec.keywords if _plain(each) not in taken)
    patterns = tuple(each for each in spec.file_patterns if _plain(each) not in taken)
    return replace(spec, keywords=words, file_patterns=patterns)


def _plain(trigger: str) -> str:
    return " ".join(trigger.casefold().split())
