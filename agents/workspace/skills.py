"""Reads the skill files that are committed in a repository; a minion's worktree is not asked."""

from pathlib import Path

from agents.workspace.git.git import GitFailed, git

MOST, LARGEST = 200, 256 * 1024


async def committed_files(repository: Path, folder: str, commit: str = "HEAD") -> dict[str, bytes]:
    """Plain files right in one folder. One that is too large is not read: blanks of too many bytes stand for it."""
    try:
        said = await git(repository, "ls-tree", "-l", "-z", "--full-tree", commit, "--", f"{folder.strip('/')}/")
    except GitFailed:
        return {}  # nothing is committed yet, or it is no repository
    found = dict[str, bytes]()
    for line in said.decode(errors="surrogateescape").split("\0")[:MOST]:
        about, _, path = line.partition("\t")
        parts = about.split()
        if len(parts) == 4 and parts[0].startswith("100") and path.isprintable():
            large = int(parts[3]) > LARGEST
            found[path] = b" " * (LARGEST + 1) if large else await git(repository, "cat-file", "blob", parts[2])
    return found
