"""Skills as YAML: those that come with Overlord, and a project's own, which win over them by name."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from agents.catalog.documents import BadYaml, Document, Where
from agents.catalog.problems import explain
from agents.catalog.yaml import parse_yaml
from agents.domain.records import dataclass
from agents.domain.scope import odd_pattern
from agents.domain.skill import Skill
from agents.domain.text import clean, cut
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


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


Word = Annotated[str, Field(max_length=60), AfterValidator(_meaningful)]
Words = Annotated[list[Word], Field(max_length=30)]
Patterns = Annotated[list[Annotated[str, Field(max_length=200), AfterValidator(_pattern)]], Field(max_length=30)]


class _Triggers(_Part):
    keywords: Words = []
    file_patterns: Patterns = []


class _File(_Part):
    """M059"""

    name: Annotated[str, AfterValidator(_name)]
    description: Annotated[str, Field(max_length=500), AfterValidator(_meaningful)]
    version: Annotated[str, AfterValidator(_version)]
    tags: Words = []
    triggers: _Triggers = _Triggers()
    instructions: Annotated[str, Field(max_length=20_000), AfterValidator(_meaningful)]

    def skill(self, source: str) -> Skill:
        return Skill(
            name=self.name,
            description=self.description.strip(),
            version=self.version,
            instructions=self.instructions.strip(),
            tags=tuple(self.tags),
            keywords=tuple(self.triggers.keywords),
            file_patterns=tuple(self.triggers.file_patterns),
            source=source,
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
        return _File.model_validate(document.data).skill(source)
    except BadYaml as problem:
        return BrokenSkill(path=path, problems=(str(problem),), source=source)
    except ValidationError as error:
        told = explain(error, partial(_named, document), _shape)
        return BrokenSkill(path=path, problems=tuple(cut(clean(str(problem)), 300) for problem in told), source=source)


def _named(document: Document, where: Where) -> str:
    return f"{document.place(where)}, {'.'.join(map(str, where))}"


def _shape(where: Where) -> type[BaseModel]:
    return _Triggers if where[:1] == ("triggers",) else _File
