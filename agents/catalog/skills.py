"""Skills as YAML: those that come with Overlord, and a project's own, which win over them by name."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import AfterValidator, Field

from agents.catalog.validation import Model, Wrong, fields_of, matching, pattern, written_as
from agents.catalog.yaml import BadYaml, parse_yaml
from agents.domain.skills.skill import Skill
from agents.domain.text.sanitize import clean, cut
from manifests import packaged_path

LARGEST = 64 * 1024
MOST = 100
ENDINGS = (".yaml", ".yml")


def _not_empty(written: str) -> str:
    if not written.strip():
        raise ValueError("it is empty. Say something, or remove the file.")
    return written


_NAME = matching(r"[a-z0-9][a-z0-9-]{0,59}", "`{}` cannot be used as a name. Use small letters, digits and dashes.")
_VERSION = matching(
    r"[0-9]{1,6}(\.[0-9]{1,6}){0,2}([-+][A-Za-z0-9.]{1,30})?",
    '`{}` is no version. Write one such as "1.0.0", in quotes.',
)
_NOT_EMPTY, _STRIPPED = AfterValidator(_not_empty), AfterValidator(str.strip)
Keywords = Annotated[tuple[Annotated[str, Field(max_length=60), _NOT_EMPTY], ...], Field(max_length=30)]
_Pattern = Annotated[str, Field(max_length=200), pattern("src/**/*.py")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggers:
    keywords: Keywords = ()
    file_patterns: Annotated[tuple[_Pattern, ...], Field(max_length=30)] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSkill:
    name: Annotated[str, _NAME]
    description: Annotated[str, Field(max_length=500), _NOT_EMPTY, _STRIPPED]
    version: Annotated[str, _VERSION]
    tags: Keywords = ()
    triggers: Triggers = field(default_factory=Triggers)
    instructions: Annotated[str, Field(max_length=20_000), _NOT_EMPTY, _STRIPPED]

    def skill(self) -> Skill:
        return Skill(**fields_of(self, "triggers"), **fields_of(self.triggers))


SKILL: Model[Skill] = Model(Annotated[Skill, written_as(WrittenSkill, WrittenSkill.skill)])


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
    return read_skills({f"skills/{path.name}": path.read_bytes() for path in packaged_path("skills").glob("*.yaml")})


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
        problems = [
            f"{document.place(where)}, {'.'.join(map(str, where))}: {what}. {step}" for where, what, step in wrong.odd
        ]
        return BrokenSkill(path=path, problems=tuple(cut(clean(line), 300) for line in problems), source=source)
