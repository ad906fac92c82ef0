"""Branches of the projects and the folders they are worked on in, outside of anybody's own checkout."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

from agents.domain.checks.evaluation import Change
from agents.domain.work.git_names import Message
from agents.ports import Checkout, CheckoutFailed, Joined, Uncommittable, Undone, Workspace
from agents.workspace.blind import blind_folders
from agents.workspace.files.artefacts import file_name
from agents.workspace.files.untrusted import remove
from agents.workspace.git import objects, staging
from agents.workspace.git.file_commit import write_files
from agents.workspace.git.folders import Folder, Folders
from agents.workspace.git.mirror import ATTEMPTS, Mirror, check_commit, ref
from agents.workspace.git.putting_back import put_back
from agents.workspace.git.undoing import undo

READ_MOST = 2 * 1024 * 1024  # bytes
PATCH_MOST = 32 * 1024 * 1024  # more than the gates let pass


def copy_of(home: Path, project: str) -> Path:
    """The bare repository that a project's branches are in."""
    return home.resolve() / "repos" / f"{file_name(project)}.git"


async def always_fresh(project: str, branch: str = "") -> None:
    """The repository is the user's own: nothing has to be brought."""


Furnish = Callable[[str, str, Path], Awaitable[Workspace]]  # of which project, from which commit, in which folder


class GitCheckouts:
    """Implements agents.ports.Checkouts. All of it lies in the state folder: see docs/decisions/0015."""

    def __init__(
        self,
        paths: Mapping[str, Path],
        home: Path,
        environment: Furnish | None = None,
        *,
        fresh: Callable[[str, str], Awaitable[None]] = always_fresh,
        owner: int | None = None,
    ) -> None:
        """`environment`: what a project's programs need beside its files; it may put some into the folder.

        `fresh` brings a project's repository up to date, where it is only a copy of one that is elsewhere.
        `owner`: the user that sandboxes run as, if it is another; folders are then given to them ahead of time.
        """
        home = home.resolve()
        self._home, self._owner = home, owner
        self._environment = environment
        self._fresh = fresh
        self._projects = {
            project: Folders(Mirror(path, copy_of(home, project)), home / "worktrees" / file_name(project), owner)
            for project, path in paths.items()
        }

    def repository(self, project: str) -> Path:
        """The bare repository that the branches are in: what a forge pushes from."""
        return self._mirror(project).place

    async def tip(self, project: str, branch: str) -> str:
        mirror = self._mirror(project)
        if branch != "HEAD":
            return await mirror.tip(branch)
        await self._fresh(project, "")
        return await mirror.bring_up()

    async def source(self, project: str, branch: str) -> str:
        mirror = self._mirror(project)
        ref(branch)
        await self._fresh(project, branch)
        return await mirror.bring_up(branch)

    async def prepare(self, project: str) -> None:
        """Have folders ready at the project's HEAD, so that the next `open` is quick."""
        with _translate_errors(project):
            if head := await self.tip(project, "HEAD"):
                await self._folders(project).prepare(head)

    async def open(self, project: str, branch: str, start: str, blind: tuple[str, ...] = ()) -> Checkout:
        opened = await self._open(project, branch, start)
        if not blind:
            return opened
        place = self._blind_place(project, branch)
        with _translate_errors(branch):
            await asyncio.to_thread(make_folder, place, self._owner)
            await blind_folders.lay(place, self.repository(project), opened.head, blind)
        return replace(opened, workspace=Workspace(path=place), blind=blind)

    def _blind_place(self, project: str, branch: str) -> Path:
        return self._home / "blind" / file_name(project) / _name_of(branch)

    async def whole(self, checkout: Checkout) -> Workspace:
        """The branch's own folder, with the project's environment: there the host runs tests of the blind."""
        async with self._found(checkout) as folder:
            return await self._workspace(checkout.project, folder.path, checkout.base)

    async def _open(self, project: str, branch: str, start: str) -> Checkout:
        mirror, folders, name = self._mirror(project), self._folders(project), _name_of(branch)
        with _translate_errors(branch):
            for tries in range(ATTEMPTS):
                async with folders.find(name) as folder:
                    if folder is not None:
                        tip, base = await mirror.ends(branch)
                        head = await folders.follow(folder, tip)
                        space, found = await self._workspace(project, folder.path, base), tries == 0
                        return Checkout(
                            project=project, branch=branch, base=base, head=head, workspace=space, found=found
                        )
                await folders.take(name, await mirror.begin(branch, start))
        raise CheckoutFailed(f"The folder of {branch} goes away as soon as it is made", next_step="Try again.")

    @asynccontextmanager
    async def lend(self, project: str, commit: str) -> AsyncIterator[Workspace]:
        """The files of a commit for a while, nobody's changes among them: what gates judge."""
        commit = await self._mirror(project).fetch_commit(commit)
        async with self._folders(project).lend(commit) as path:
            yield await self._workspace(project, path, commit)

    async def commit(self, checkout: Checkout, message: Message) -> str:
        with _translate_errors(checkout.branch):
            async with self._found(checkout) as folder:
                tree = await staging.stage_all(folder.git, folder.path, folder.aside)
                return await self._committed(checkout, folder, tree, message)

    async def why_uncommittable(self, checkout: Checkout) -> str:
        """Why what is in the folder cannot be committed; empty if it can be. Nothing is committed by asking."""
        with _translate_errors(checkout.branch):
            async with self._found(checkout) as folder:
                try:
                    await staging.stage_all(folder.git, folder.path, folder.aside)
                except Uncommittable as problem:
                    return str(problem)
        return ""

    async def _committed(self, checkout: Checkout, folder: Folder, tree: str, message: Message) -> str:
        mirror, at = self._mirror(checkout.project), folder.at
        if tree == await mirror.tree(at):
            return await mirror.tip(checkout.branch)
        new = await mirror.write_commit(tree, [at], message)
        tip: str | None = new
        if not await mirror.move(checkout.branch, new, at):
            tip = await mirror.join(checkout.branch, at, new, message)
        if tip is None:
            raise CheckoutFailed(
                f"{checkout.branch} went on without this folder, and its changes do not fit any more",
                next_step="Look at both; the changes are still in the folder.",
            )
        folder.set_at(new)
        await self._folders(checkout.project).follow(folder, tip)
        return tip

    async def unsaved_paths(self, checkout: Checkout) -> Sequence[str]:
        async with self._found(checkout) as folder:
            return await staging.unsaved_paths(folder.git)

    async def changed_paths(self, checkout: Checkout, base: str) -> Sequence[str]:
        """All that differs from a commit, as it would be committed; where it could not be, from the last commit."""
        async with self._found(checkout) as folder:
            try:
                tree = await staging.stage_all(folder.git, folder.path, folder.aside)
            except Uncommittable:
                return await staging.unsaved_paths(folder.git)
        changes = await objects.changes(self.repository(checkout.project), check_commit(base), tree)
        return [change.path for change in changes]

    async def put_back(self, checkout: Checkout, commit: str, paths: Sequence[str]) -> list[str]:
        """As they were at the commit; what could not be put back, and why."""
        async with self._found(checkout) as folder:
            return await put_back(self.repository(checkout.project), folder.path, check_commit(commit), paths)

    async def changes(self, project: str, base: str, commit: str) -> Sequence[Change]:
        place = self.repository(project)
        return await objects.changes(place, check_commit(base), check_commit(commit), errors="backslashreplace")

    async def messages(self, project: str, commit: str, most: int) -> Sequence[str]:
        return await self._mirror(project).messages(commit, most)

    async def patch(self, project: str, base: str, commit: str) -> str:
        text, cut = await self._mirror(project).difference(base, commit, PATCH_MOST)
        return f"{text}\n… ({cut:,} more bytes of this patch are left out)\n" if cut else text

    async def difference(self, project: str, base: str, commit: str) -> tuple[str, int]:
        """As much of it as a reviewer may ever be given, and how many bytes are left out."""
        return await self._mirror(project).difference(base, commit, READ_MOST)

    async def tree(self, project: str, commit: str) -> str:
        return await objects.tree_of(self.repository(project), check_commit(commit))

    async def join(self, project: str, into: str, start: str, commit: str, message: Message) -> str | None:
        return await self._mirror(project).join(into, start, commit, message)

    async def forward(self, project: str, into: str, start: str, commit: str) -> str:
        return await self._mirror(project).forward(into, start, commit)

    async def undo(self, project: str, branch: str, start: str, joined: Sequence[Joined]) -> Undone:
        return await undo(self._mirror(project), branch, check_commit(start), joined)

    async def write(self, project: str, branch: str, start: str, files: Mapping[str, bytes], message: Message) -> str:
        mirror = self._mirror(project)
        commit = await write_files(mirror, start, files, message)
        await mirror.put(branch, commit)
        return commit

    async def close(self, checkout: Checkout) -> None:
        await self.discard(checkout.project, checkout.branch)

    async def discard(self, project: str, branch: str) -> None:
        with _translate_errors(branch):
            await asyncio.to_thread(remove, self._blind_place(project, branch))
            await self._folders(project).close(_name_of(branch))

    async def sweep(self, wanted: Collection[tuple[str, str]]) -> int:
        removed = 0
        for project, folders in self._projects.items():
            mine = {_name_of(branch) for of, branch in wanted if of == project}
            removed += await folders.sweep(mine)
            for left in (self._home / "blind" / file_name(project)).glob("*"):
                if left.name not in mine:
                    await asyncio.to_thread(remove, left)
        return removed

    @asynccontextmanager
    async def _found(self, checkout: Checkout) -> AsyncIterator[Folder]:
        """By project and branch: where a folder is, only our own record says."""
        async with self._folders(checkout.project).find(_name_of(checkout.branch)) as folder:
            if folder is None:
                raise CheckoutFailed(f"The folder of {checkout.branch} is not there", next_step="Open it again.")
            place = self._blind_place(checkout.project, checkout.branch)
            if checkout.blind and place.is_dir():
                known = await objects.entries(self.repository(checkout.project), checkout.head)
                await asyncio.to_thread(blind_folders.bring_in, place, folder.path, checkout.blind, [*known])
            yield folder

    async def _workspace(self, project: str, path: Path, base: str) -> Workspace:
        mirror = self._mirror(project)
        around = await self._environment(project, base, path) if self._environment else Workspace(path=path)
        return replace(around, path=path, git=mirror.place)

    def ignore(self, project: str, paths: Collection[str], patterns: Collection[str] = ()) -> None:
        """Files that are in folders and belong to no commit. Each is named once, for git of the project."""
        self._mirror(project).ignore(paths, patterns)

    def _mirror(self, project: str) -> Mirror:
        return self._folders(project).mirror

    def _folders(self, project: str) -> Folders:
        if project not in self._projects:
            raise CheckoutFailed(f"There is no project {project!r}", next_step="Name one of overlord.yaml.")
        return self._projects[project]


def make_folder(place: Path, owner: int | None) -> None:
    """Whoever the sandbox runs as owns it, and so what is written there."""
    place.mkdir(parents=True, exist_ok=True)
    if owner is not None:
        os.chown(place, owner, owner)


@contextmanager
def _translate_errors(branch: str) -> Iterator[None]:
    """A full disk or a missing right is told like any other reason."""
    try:
        yield
    except OSError as problem:
        what = f"The folder of {branch} could not be used: {problem.strerror or problem}"
        raise CheckoutFailed(what, next_step="Look at the disk of the state folder.") from problem


def _name_of(branch: str) -> str:
    """A plus is in no branch's name, so two branches never meet."""
    return ref(branch).removeprefix("refs/heads/").replace("/", "+")
