"""What a change of a project's skills is judged by, whoever made it: schema, name, triggers, forbidden patterns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from agents.domain.checks.evaluation import SKILL, GateRun, Score, Sign
from agents.domain.skills.scan import scan
from agents.domain.skills.skill import Skill
from agents.domain.skills.spec import Known, SkillSpec, clashes
from agents.domain.text.sanitize import clean, cut, one_line

MOST = 8
ENDINGS = (".yaml", ".yml")
ReadSkills = Callable[[Mapping[str, bytes]], tuple[Sequence[Skill], Sequence[tuple[str, Sequence[str]]]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """The folder of a project's skills, and how a file of it is read: the good ones, and what is wrong with others."""

    folder: str
    read: ReadSkills
    packaged: Sequence[Skill] = ()

    def holds(self, path: str) -> bool:
        return path.casefold().startswith(f"{self.folder.strip('/').casefold()}/")


def judge_skills(
    shelf: Shelf, changed: Mapping[str, bytes], there: Mapping[str, bytes], spec: SkillSpec | None
) -> GateRun:
    """`changed`: files of the folder that are new or different now; `there`: all of it, as it is now; `spec`: what a
    person approved, where the work is to write one skill."""
    why = [
        f"{path}: {what}" for path, body in sorted(changed.items()) for what in _wrong(shelf, path, body, there, spec)
    ]
    if not why:
        named = ", ".join(sorted(changed)) or "none is left behind broken"
        return GateRun(
            name=SKILL,
            score=Score.PASS,
            why=one_line(f"schema, name, triggers and words: {named}"),
            signs=(Sign.SKILLS,),
        )
    lines = [cut(clean(each), 300) for each in why]
    more = f", and {len(why) - 1} more" if len(why) > 1 else ""
    return GateRun(name=SKILL, score=Score.NEEDS_REVISION, why=f"{lines[0]}{more}", output="\n".join(lines[:MOST]))


def _wrong(shelf: Shelf, path: str, body: bytes, there: Mapping[str, bytes], spec: SkillSpec | None) -> list[str]:
    if not path.endswith(ENDINGS) or "/" in path.removeprefix(f"{shelf.folder.strip('/')}/"):
        return ["only YAML files stand here, each right in this folder"]
    good, broken = shelf.read({path: body})
    found = [what for _, problems in broken for what in problems]
    found += [f"line {each.line}: {each.what}" for each in scan(body.decode(errors="replace"))]
    for skill in good:
        stem = path.rpartition("/")[2].rpartition(".")[0]
        if stem != skill.name:
            found.append(f"the file of the skill `{skill.name}` is called {skill.name}.yaml")
        others = shelf.read({name: text for name, text in there.items() if name != path})[0]
        found += _taken(skill, [*others, *(each for each in shelf.packaged if each.name != skill.name)])
        found += _unlike(skill, spec) if spec else []
    return found


def _taken(skill: Skill, others: Sequence[Skill]) -> list[str]:
    known = [Known(name=each.name, keywords=each.keywords, file_patterns=each.file_patterns) for each in others]
    mine = SkillSpec(name=skill.name, keywords=skill.keywords, file_patterns=skill.file_patterns)
    return [each.what for each in clashes(mine, known)]


def _unlike(skill: Skill, spec: SkillSpec) -> list[str]:
    """A minion writes the instructions out; all else is as a person approved it."""
    approved = {
        "name": (skill.name, spec.name),
        "description": (" ".join(skill.description.split()), spec.description),
        "triggers, keywords": (tuple(sorted(skill.keywords)), tuple(sorted(spec.keywords))),
        "triggers, file_patterns": (tuple(sorted(skill.file_patterns)), tuple(sorted(spec.file_patterns))),
    }
    return [
        f"{field} is not what was approved: {now!r}, not {was!r}"
        for field, (now, was) in approved.items()
        if now != was
    ]
