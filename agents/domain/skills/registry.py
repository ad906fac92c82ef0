"""What is known of skills beside their files: where each came from, how often it was used, and how that went."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.domain.ids import TaskId
from agents.domain.skills.fared import Fared
from agents.domain.skills.skill import Skill
from agents.domain.skills.spec import SkillSpec, SkillState


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRow:
    """A draft and what became of it."""

    task: TaskId
    project: str
    name: str
    state: SkillState
    revises: str = ""
    draft: int
    spec: SkillSpec
    decision: str | None = None  # that approved it
    merge: str | None = None  # that let it in
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A skill that minions may use."""

    skill: Skill
    origin: str  # manual, evolved: it came of a draft here
    fared: Fared


MANUAL, EVOLVED = "manual", "evolved"


def register(
    skills: Sequence[Skill], made: set[tuple[str, str]], fared: dict[tuple[str, str], Fared]
) -> list[Registered]:
    """Skills that come with the program were used in every project."""
    found = []
    for skill in skills:
        used = [each for (project, name), each in fared.items() if name == skill.name and skill.source in ("", project)]
        sums = Fared(tasks=sum(each.tasks for each in used), passed=sum(each.passed for each in used))
        origin = EVOLVED if (skill.source, skill.name) in made else MANUAL
        found.append(Registered(skill=skill, origin=origin, fared=sums))
    return found
