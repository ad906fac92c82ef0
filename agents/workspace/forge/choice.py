"""One forge for all projects: each goes to where it is."""

from collections.abc import Mapping

from agents.ports import Forge, ForgeFailed, Pull, PullRequest, Target
from agents.ports.judging import ANYWHERE


class Forges:
    """Implements agents.ports.Forge by handing on, project by project."""

    def __init__(self, of: Mapping[str, Forge]) -> None:
        self._of = of

    async def base(self, project: str, number: int = 0) -> str:
        return await self._for(project).base(project, number)

    async def open(self, pull: Pull) -> PullRequest:
        return await self._for(pull.project).open(pull)

    async def comment(self, key: str, project: str, number: int, text: str) -> None:
        await self._for(project).comment(key, project, number, text)

    async def merge(self, project: str, number: int, head: str, message: str, target: Target = ANYWHERE) -> str | None:
        return await self._for(project).merge(project, number, head, message, target)

    async def publish(self, project: str, branch: str, head: str) -> str:
        return await self._for(project).publish(project, branch, head)

    async def fetch_branch(self, project: str, branch: str) -> str:
        return await self._for(project).fetch_branch(project, branch)

    def _for(self, project: str) -> Forge:
        if project not in self._of:
            raise ForgeFailed(f"There is no repository for {project} here", next_step="Name it under `projects:`.")
        return self._of[project]


class NoIssues:
    """Implements agents.ports.Issues where GitHub is not set up any more."""

    async def tell(self, key: str, project: str, number: int, text: str) -> None:
        raise ForgeFailed(f"Issue {number} of {project} cannot be reached", next_step="Set GITHUB_TOKEN again.")

    mark_blocked = tell
    attention = tell
