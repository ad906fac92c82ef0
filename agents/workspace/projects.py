"""The configured projects, read from what is committed in them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from agents.workspace.git.git import GitFailed, git
from agents.workspace.skills import committed_files

FILES_MOST = 20_000
TEMPLATES = ".overlord/prompts"


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

    async def templates(self, project: str, commit: str = "") -> dict[str, bytes]:
        """The project's own guidance for models by file name, as it is committed: what is only written is not read."""
        path = self._paths.get(project)
        files = await committed_files(path, TEMPLATES, commit or "HEAD") if path else {}
        return {name.rpartition("/")[2]: body for name, body in files.items()}
