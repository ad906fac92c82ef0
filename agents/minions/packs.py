"""What minions and reviewers read: the pack of a subtask or of a change, and the skills that apply."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from agents.domain.checks.evaluation import Change
from agents.domain.context.packing import Delta, ReviewPack
from agents.domain.learning.skill import Skill, suggested
from agents.domain.task.pull_report import plan_text
from agents.domain.task.task import Task
from agents.domain.work.work import Work
from agents.domain.workflow.roles import Role
from agents.minions.pack import Packer
from agents.minions.reading import Recent
from agents.ports import Brief, Checkout, Workspace

SKILLS_KEPT = 16  # commits whose skills are kept ready


class Commits(Protocol):
    """What a review reads of the branches."""

    async def difference(self, project: str, base: str, commit: str) -> tuple[str, int]: ...

    async def changes(self, project: str, base: str, commit: str) -> Sequence[Change]: ...

    def lend(self, project: str, commit: str) -> AbstractAsyncContextManager[Workspace]: ...


class WorkPacks:
    """Implements agents.ports.Packs. `read_skills` reads those committed in a project, with ours beneath them."""

    def __init__(
        self,
        packer: Packer,
        commits: Commits,
        role_of: Callable[[str], Role],
        read_skills: Callable[[Checkout], Awaitable[Sequence[Skill]]],
    ) -> None:
        self._packer, self._commits, self._role_of, self._read_skills = packer, commits, role_of, read_skills
        self._skills = Recent[tuple[str, str], Sequence[Skill]](SKILLS_KEPT)

    async def for_review(self, task: Task, work: Work, commit: str, role: str) -> ReviewPack:
        project = task.project or ""
        diff, left = await self._commits.difference(project, work.base, commit)
        delta = Delta(
            plan=plan_text(task),
            before=work.base,
            after=commit,
            diff=diff,
            cut=left,
            changes=tuple(await self._commits.changes(project, work.base, commit)),
        )
        async with self._commits.lend(project, commit) as workspace:
            shown = Checkout(project=project, branch=work.branch, base=work.base, head=commit, workspace=workspace)
            return await self._packer.for_review(shown, delta, self._role_of(role).context)

    async def for_work(self, brief: Brief) -> str:
        return await self._packer.for_work(brief.checkout, brief.subtask, self._role_of(brief.step.role).context)

    async def skills_for(self, brief: Brief) -> Sequence[Skill]:
        """What the subtask calls for comes first."""
        subtask, key = brief.subtask, (brief.checkout.project, brief.checkout.base)
        found = self._skills.get(key) or self._skills.keep(key, await self._read_skills(brief.checkout))
        first = suggested(found, f"{brief.task.request.text} {subtask.title} {subtask.why}", subtask.files)
        return [*first, *(skill for skill in found if skill not in first)]
