"""The roles and contexts that hold for the job at hand: those of everybody, with what its project's own files add."""

import asyncio
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field

from agents.catalog.library import Catalog, with_engines
from agents.catalog.roles.project_roles import with_project_roles
from agents.domain.task.task import Task
from agents.domain.workflow.roles import EngineName
from agents.minions.reading import Recent
from agents.workspace.projects import GitProjects

KEPT = 16  # commits whose roles are kept ready
_HERE: ContextVar[Catalog | None] = ContextVar("catalog", default=None)  # each job runs in a context of its own
Told = tuple[str, ...]
_AS_WRITTEN: Mapping[str, EngineName] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectCatalogs:
    """`usual`: what holds where no project adds anything."""

    usual: Callable[[], Catalog]
    projects: GitProjects
    kept: Recent[tuple[str, str], tuple[Catalog, Told]] = field(default_factory=lambda: Recent(KEPT))

    def now(self) -> Catalog:
        return _HERE.get() or self.usual()

    async def enter(self, task: Task, engines: Mapping[str, EngineName] = _AS_WRITTEN) -> Told:
        """For the job that runs now. Work that has begun keeps to the commit that it began from. `engines`: of roles
        that run on another than is written. Returns what of the project's files is left out."""
        found, told = await self._at(task.project or "", task.work.base)
        _HERE.set(with_engines(found, engines))
        return told

    async def _at(self, project: str, commit: str) -> tuple[Catalog, Told]:
        key = (project, commit)
        if commit and (known := self.kept.get(key)):
            return known
        files = await self.projects.role_files(project, commit) if project else {}
        if not files:
            return self.usual(), ()
        made = await asyncio.to_thread(with_project_roles, self.usual(), files)
        return self.kept.keep(key, made) if commit else made
