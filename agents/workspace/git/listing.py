"""The files of a commit as git has them: names and blob ids, without reading or checking out any."""

import asyncio
from pathlib import Path

from agents.domain.context.listing import Listing
from agents.ports import Checkout
from agents.workspace.git.git import GitFailed, git, is_commit

MOST = 200_000
_PLAIN = ("100644", "100755")


async def listing(repository: Path, commit: str) -> Listing:
    """Raises GitFailed."""
    if not is_commit(commit):
        raise GitFailed("list the files", f"{commit!r} is not a commit's full id")
    said = await git(repository, "ls-tree", "-r", "-z", "--full-tree", commit)
    return await asyncio.to_thread(parse, said)


async def of_checkout(checkout: Checkout, commit: str) -> Listing:
    """Asked of the repository, for the worktree is a minion's."""
    return await listing(checkout.workspace.git or checkout.workspace.path, commit)


def parse(said: bytes) -> Listing:
    """Links and submodules are not files; names that nobody could read are counted and not listed."""
    lines = said.split(b"\0", MOST)
    rest = lines.pop() if lines else b""
    files, odd = dict[str, str](), 0
    for line in lines:
        about, _, name = line.decode(errors="surrogateescape").partition("\t")
        if not about.startswith(_PLAIN):
            continue
        if name.isprintable():
            files[name] = about.rpartition(" ")[2]
        else:
            odd += 1
    return Listing(files=files, more=rest.count(b"\0") + odd)
