"""Takes what a minion left in its folder into the index, without following, entering or running anything of it."""

import asyncio
import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from agents.domain.checks.scope import odd_path
from agents.ports import Uncommittable
from agents.workspace.files.safe_open import NotThere, Tree
from agents.workspace.files.untrusted import remove
from agents.workspace.git.git import LONG, Git, GitFailed

LARGEST_FILE = 50 * 1024 * 1024
MOST_FILES = 100_000
MOST_LISTED = 32 << 20  # bytes of their names
NESTED = "it is a repository of its own; remove the .git in it"
_TOLD = 5
_GENERATED = "let .gitignore name what is generated"
_READ_BY_GIT = (".gitignore", ".gitattributes", ".gitmodules")
# "dirty" keeps git from running itself inside of a nested repository, whose configuration is the minion's.
_TRACKED = ("-z", "--raw", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty")


async def refresh(git: Git) -> None:
    """Let the index know again which files are as they were."""
    if git.files is not None:
        _refuse([f"{path!r}: it is no plain file" for path in await asyncio.to_thread(_stoppers, git.files)])
    try:
        await replace(git, seconds=LONG).run("update-index", "-q", "--refresh", "--ignore-submodules")
    except GitFailed as problem:
        if problem.code != 1:  # 1: some differ
            raise


async def unsaved_paths(git: Git) -> list[str]:
    """Paths that differ from the last commit."""
    await refresh(git)
    fields, others = await _listed_by(git, "diff-index", *_TRACKED, "HEAD", "--"), await _others(git)
    return await asyncio.to_thread(sorted, [*fields[1::2], *others])  # two sorted lists: that is quick


async def stage_all(git: Git, folder: Path, aside: Path) -> str:
    """The tree of all that is in the folder and not ignored. Raises Uncommittable, saying what cannot be taken.

    What changed is copied aside first, each file opened beneath the folder: git itself would follow a link that
    is put in a file's place while it reads. The copy is where git then looks.
    """
    await refresh(git)
    fields, others = await _listed_by(git, "diff-files", *_TRACKED), await _others(git)
    gone, here, problems = await asyncio.to_thread(_changed, fields, others)
    _refuse(problems)
    if gone:
        await git.run("update-index", "-z", "--force-remove", "--stdin", stdin=_listed(gone))
    if here:
        await _take(git, folder, aside, here)
    return await git.line("write-tree")


def _changed(fields: Sequence[str], others: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Paths that are gone, paths that are there, and what is wrong with those."""
    tracked = [(path, status.split(" ")) for status, path in zip(fields[::2], fields[1::2], strict=True)]
    gone = [path for path, status in tracked if status[4] == "D"]
    here = [*(path for path, status in tracked if status[4] != "D"), *others]
    links = [path for path, status in tracked if status[4] != "D" and "160000" in (status[0][1:], status[1])]
    return gone, here, _problems(here, links)


async def _take(git: Git, folder: Path, aside: Path, paths: Sequence[str]) -> None:
    await asyncio.to_thread(remove, aside)
    try:
        _refuse(await asyncio.to_thread(_copied, folder, aside, paths))
        copies = replace(git, files=aside, seconds=LONG)
        said = await copies.run(
            "update-index", "-z", "--add", "--replace", "--verbose", "--stdin", stdin=_listed(paths)
        )
        taken = {line[5:-1] for line in said.decode(errors="surrogateescape").splitlines() if line.startswith("add '")}
        _refuse([f"{path!r}: git does not take such a name" for path in paths if path not in taken])
    finally:
        await asyncio.to_thread(remove, aside)


def _copied(folder: Path, aside: Path, paths: Iterable[str]) -> list[str]:
    """Copy them; returns why some cannot be."""
    aside.mkdir(mode=0o700)
    problems = []
    with closing(Tree(folder)) as tree:
        for path in paths:
            try:
                _copy(tree, path, aside / path)
            except NotThere as problem:
                problems.append(problem.what)
            except FileNotFoundError:
                problems.append(f"{path!r} went away while it was read")
    return problems


def _copy(tree: Tree, path: str, into: Path) -> None:
    target = tree.link(path)
    into.parent.mkdir(parents=True, exist_ok=True)
    if target is not None:
        into.symlink_to(target)
        return
    content = tree.read(path, LARGEST_FILE)
    with into.open("xb") as copy:
        copy.write(content)
    into.chmod(0o700 if tree.runnable(path) else 0o600)


def _problems(paths: Sequence[str], links: Sequence[str]) -> list[str]:
    if len(paths) > MOST_FILES:
        return [f"{len(paths):,} files changed, more than {MOST_FILES:,}; {_GENERATED}"]
    nested = {*links, *(path for path in paths if path.endswith("/"))}
    return [f"{path!r}: {problem}" for path in paths if (problem := NESTED if path in nested else odd_path(path))]


def _stoppers(folder: Path) -> list[str]:
    """Pipes where git expects its own files: it would wait for a writer without end."""
    found, ahead = [], [str(folder)]
    while ahead:
        try:
            with os.scandir(ahead.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        ahead.append(entry.path)
                    elif entry.name in _READ_BY_GIT and not entry.is_symlink() and not entry.is_file():
                        found.append(os.path.relpath(entry.path, folder))
        except OSError:
            continue  # too deep or not to be read: git passes over it, too
    return found


def _refuse(problems: Sequence[str]) -> None:
    if not problems:
        return
    more = f" and {len(problems) - _TOLD} more" if len(problems) > _TOLD else ""
    raise Uncommittable(
        f"What changed cannot be committed: {'; '.join(problems[:_TOLD])}{more}",
        next_step="Remove or rename it, or let .gitignore name it.",
    )


async def _others(git: Git) -> list[str]:
    """Files that git does not know and is not told to ignore; a nested repository is named with a slash at its end."""
    return await _listed_by(git, "ls-files", "-z", "--others", "--exclude-standard")


async def _listed_by(git: Git, *arguments: str) -> list[str]:
    """Not read on the loop, for there may be very many; and no more than could be committed."""
    said, cut = await git.cut(*arguments, most=MOST_LISTED)
    _refuse([f"more than {MOST_LISTED >> 20} MB of names changed; {_GENERATED}"] if cut else [])
    return await asyncio.to_thread(lambda: said.decode(errors="surrogateescape").split("\0")[:-1])


def _listed(paths: Iterable[str]) -> bytes:
    return "".join(f"{path}\0" for path in paths).encode(errors="surrogateescape")
