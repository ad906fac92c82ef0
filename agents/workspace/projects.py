"""The configured projects, read from what is committed in them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from agents.workspace.git import GitFailed, git

FILES_MOST = 20_000


class GitProjects:
    """Implements agents.ports.Projects."""

    def __init__(self, paths: Mapping[str, Path | None]) -> None:
        self._paths = paths

    def names(self) -> Sequence[str]:
        return tuple(self._paths)

    async def files(self, project: str) -> Sequence[str]:
        path = self._paths.get(project)
        if path is None:
            return ()
        try:
            listed = await git(path, "ls-tree", "-r", "-z", "--name-only", "HEAD")
        except GitFailed:
            return ()
        names = listed.decode(errors="replace").split("\0")
        return tuple(name for name in names if name)[:FILES_MOST]
