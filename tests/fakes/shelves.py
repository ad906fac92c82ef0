"""Skills of projects, played at the port."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.domain.skills.drafting import Shelf
from agents.domain.skills.skill import Skill
from agents.domain.skills.spec import Known


@dataclass
class MemoryShelves:
    skills: tuple[Skill, ...] = ()
    folder: str = ".overlord/skills"

    async def shelf(self, project: str) -> Shelf:
        known = (
            Known(name=each.name, keywords=each.keywords, file_patterns=each.file_patterns) for each in self.skills
        )
        return Shelf(folder=self.folder, known=tuple(known))

    async def read(self, project: str) -> Sequence[Skill]:
        return self.skills
