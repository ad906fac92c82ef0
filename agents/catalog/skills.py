"""Skills as YAML: those that come with Overlord, and a project's own, which win over them by name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from agents.catalog.documents import BadYaml, Document, Where
from agents.catalog.reading import Read, Shape, Wrong, checked, items, text
from agents.catalog.yaml import parse_yaml
from agents.domain.learning.skill import Skill
from agents.domain.text.sanitize import clean, cut
from agents.domain.work.scope import odd_pattern
from manifests import packaged

LARGEST = 64 * 1024
MOST = 100
ENDINGS = (".yaml", ".yml")


def _name(written: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,59}", written):
        raise ValueError(f"`{written[:60]}` does not do as a name. Use small letters, digits and dashes.")
    return written


def _version(written: str) -> str:
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6}){0,2}([-+][A-Za-z0-9.]{1,30})?", written):
        raise ValueError(f'`{written[:60]}` is no version. Write one such as "1.0.0", in quotes.')
    return written


def _pattern(written: str) -> str:
    if problem := odd_pattern(written):
        raise ValueError(f"`{written[:60]}` matches no path: {problem}. Write one such as `src/**/*.py`.")
    return written


def _meaningful(written: str) -> str:
    if not written.strip():
        raise ValueError("it is empty. Say something, or remove the file.")
    return written


def _short(most: int) -> Read[str]:
    def check(written: str) -> str:
        if len(written) > most:
            raise ValueError(f"it has {len(written)} characters. Write at most {most}.")
        return written

    return checked(text, check)


_WORDS = items(checked(_short(60), _meaningful), most=30)
_TRIGGERS: Shape[dict[str, Any]] = Shape(
    dict, keywords=_WORDS, file_patterns=items(checked(_short(200), _pattern), most=30)
)


def _skill(triggers: Mapping[str, Any] = MappingProxyType({}), **given: Any) -> Skill:
    return Skill(**given, **triggers)


SKILL = Shape(
    _skill,
    ("name", "description", "version", "instructions"),
    name=checked(text, _name),
    description=checked(_short(500), _meaningful, str.strip),
    version=checked(text, _version),
    tags=_WORDS,
    triggers=_TRIGGERS,
    instructions=checked(_short(20_000), _meaningful, str.strip),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenSkill:
    """A file that is no skill, and everything that is wrong with it."""

    path: str
    problems: tuple[str, ...]
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skills:
    """By name. A broken file never stops the others."""

    skills: tuple[Skill, ...] = ()
    broken: tuple[BrokenSkill, ...] = ()

    def find(self, name: str) -> Skill | None:
        return next((skill for skill in self.skills if skill.name == name), None)

    def over(self, others: "Skills") -> "Skills":
        """These win over the others by name."""
        found = {skill.name: skill for skill in (*others.skills, *self.skills)}
        return Skills(skills=tuple(found[name] for name in sorted(found)), broken=(*others.broken, *self.broken))


def read_skills(files: Mapping[str, bytes], source: str = "") -> Skills:
    """From the files of a repository, as they are committed; `source` is the project's name."""
    good, broken = dict[str, tuple[str, Skill]](), list[BrokenSkill]()
    wanted = sorted(path for path in files if path.endswith(ENDINGS))
    for path in wanted[:MOST]:
        found = _read(path, files[path], source)
        if isinstance(found, BrokenSkill):
            broken.append(found)
        elif found.name in good:
            what = f"There is a skill `{found.name}` already, in {good[found.name][0]}. Give one another name."
            broken.append(BrokenSkill(path=path, problems=(what,), source=source))
        else:
            good[found.name] = (path, found)
    if len(wanted) > MOST:
        what = f"Only the first {MOST} files are read. Remove or join some of the {len(wanted) - MOST} others."
        broken.append(BrokenSkill(path=wanted[MOST], problems=(what,), source=source))
    return Skills(skills=tuple(skill for _, (_, skill) in sorted(good.items())), broken=tuple(broken))


def packaged_skills() -> Skills:
    return read_skills({f"skills/{path.name}": path.read_bytes() for path in packaged("skills").glob("*.yaml")})


def _read(path: str, body: bytes, source: str) -> Skill | BrokenSkill:
    if len(body) > LARGEST:
        what = f"{path} is larger than {LARGEST // 1024} KB. Shorten it."
        return BrokenSkill(path=path, problems=(what,), source=source)
    try:
        document = parse_yaml(body, name=path)
        return replace(SKILL.read(document.data), source=source)
    except BadYaml as problem:
        return BrokenSkill(path=path, problems=(str(problem),), source=source)
    except Wrong as wrong:
        told = [f"{_named(document, where)}: {what}. {step}" for where, what, step in wrong.odd]
        return BrokenSkill(path=path, problems=tuple(cut(clean(line), 300) for line in told), source=source)


def _named(document: Document, where: Where) -> str:
    return f"{document.place(where)}, {'.'.join(map(str, where))}"
