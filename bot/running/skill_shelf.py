"""The skills of a project as they are committed, for whoever drafts another one."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agents.catalog.skills import packaged_skills, read_skills
from agents.domain.skills.drafting import Shelf
from agents.domain.skills.skill import Skill
from agents.domain.skills.spec import Known
from agents.workspace.git.objects import committed_files
from bot.running.workshop import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectShelves:
    """Implements agents.ports.Shelves."""

    sites: Mapping[str, Site]

    async def shelf(self, project: str) -> Shelf:
        known = [
            Known(name=each.name, keywords=each.keywords, file_patterns=each.file_patterns)
            for each in await self.read(project)
        ]
        return Shelf(folder=self.sites[project].skills, known=tuple(known))

    async def read(self, project: str) -> Sequence[Skill]:
        """With those that come with the program beneath them."""
        site = self.sites[project]
        files = await committed_files(site.path, site.skills)
        return (await asyncio.to_thread(lambda: read_skills(files, project).over(packaged_skills()))).skills
