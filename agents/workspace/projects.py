"""The configured projects, read from what is committed in them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from agents.workspace.git import GitFailed, git

FILES_MOST = 20_000


class GitProjects:
    """Implements agents.ports.Projects."""

    def __init__(
        self,
        paths: Mapping[str, Path | None],
        of_channel: Callable[[str], str] = lambda channel: "",
        fresh: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        """`fresh` brings a project's repository up to date, where it is only a copy."""
        self._paths = paths
        self._of_channel = of_channel
        self._fresh = fresh

    def names(self) -> Sequence[str]:
        return tuple(self._paths)

    def of_channel(self, channel: str) -> str:
        return self._of_channel(channel)

    async def files(self, project: str) -> Sequence[str]:
        path = self._paths.get(project)
        if path is None:
            return ()
        if self._fresh:
            await self._fresh(project)
        try:
            listed = await git(path, "ls-tree", "-r", "-z", "--name-only", "HEAD")
        except GitFailed:
            return ()
        names = listed.decode(errors="replace").split("\0")
        return tuple(name for name in names if name)[:FILES_MOST]
