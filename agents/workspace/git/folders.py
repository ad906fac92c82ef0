"""Folders with the files of one commit each: some ready beforehand, taken for a branch, and removed."""

import asyncio
import os
import stat
from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from agents.ports import CheckoutFailed
from agents.workspace.files.locks import hold_folder, hold_now
from agents.workspace.files.untrusted import hand_over, remove
from agents.workspace.git.git import LONG, Git, GitFailed
from agents.workspace.git.mirror import Mirror
from agents.workspace.git.staging import refresh, unsaved_paths

POOL = 2
# What a name begins with says what it is; a branch's own folder begins with none of these.
SPARE, LENT, ASIDE, GONE = "@", "=", "%", "~"


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder, what git keeps about it where only the host writes, and our lock on it."""

    path: Path
    kept: Path
    lock: int

    @property
    def git(self) -> Git:
        return Git(directory=self.kept, files=self.path, held=(self.lock,))

    @property
    def aside(self) -> Path:
        return self.path.with_name(f"{ASIDE}{self.path.name}")

    @property
    def at(self) -> str:
        return (self.kept / "HEAD").read_text().strip()

    def set_at(self, commit: str) -> None:
        _write(self.kept / "HEAD", f"{commit}\n")

    def tell_git(self, folder: Path, kept: Path) -> None:
        """Let both halves know where the other one will be. Whatever stood at .git before goes."""
        _write(self.kept / "gitdir", f"{folder}/.git\n")
        pointer, text = self.path / ".git", f"gitdir: {kept}\n"
        if _says(pointer, text):
            return
        remove(pointer)
        with pointer.open("x") as new:
            new.write(text)
        pointer.chmod(0o644)  # whoever the sandbox runs as reads it


class Folders:
    """The folders of one project. A name is made ready under another, so what is there is whole."""

    def __init__(self, mirror: Mirror, place: Path, owner: int | None = None) -> None:
        self.mirror = mirror
        self._place = place
        self._owner = owner  # whom the sandbox runs as, where that is not ourselves

    def path(self, name: str) -> Path:
        return self._place / name

    def _folder(self, name: str, lock: int) -> Folder:
        return Folder(path=self.path(name), kept=self._kept(name), lock=lock)

    def _kept(self, name: str) -> Path:
        return self.mirror.place / "worktrees" / name

    def _is_whole(self, name: str) -> bool:
        folder, kept = self.path(name), self._kept(name)
        return folder.is_dir() and not folder.is_symlink() and (kept / "HEAD").is_file() and (kept / "index").is_file()

    @asynccontextmanager
    async def find(self, name: str) -> AsyncIterator[Folder | None]:
        """A branch's folder, locked; None if there is none, or half of one."""
        async with AsyncExitStack() as stack:
            folder = None
            with suppress(FileNotFoundError):
                lock = await stack.enter_async_context(hold_folder(self._kept(name)))
                if self._is_whole(name):
                    folder = self._folder(name, lock)
                    (folder.kept / "index.lock").unlink(missing_ok=True)  # of a git that was killed: we hold the lock
                    folder.tell_git(folder.path, folder.kept)
            yield folder

    async def take(self, name: str, commit: str) -> None:
        """Give a folder at this commit that name, unless somebody else was faster."""
        async with self._spare(commit) as spare, self.mirror.lock():
            if self._is_whole(name):
                return
            half = await self._drop(name)
            self._rename(spare, name)
        if half is not None:
            await asyncio.to_thread(remove, half)

    @asynccontextmanager
    async def lend(self, commit: str) -> AsyncIterator[Path]:
        """A folder at this commit for a while, without a branch."""
        async with self._spare(commit) as spare:
            name = f"{LENT}{spare.path.name[1:]}"
            async with self.mirror.lock():
                lent = self._rename(spare, name)
            try:
                yield lent.path
            finally:
                await self._remove(lent)

    async def prepare(self, commit: str) -> None:
        """Have some folders at this commit ready."""
        for name in self._spares():
            if ready := self._ready(name):
                try:
                    await self._turn(ready, commit)
                finally:
                    os.close(ready.lock)
        while (spare := await self._begun(POOL)) is not None:
            try:
                await self._fill(spare, commit)
            finally:
                os.close(spare.lock)

    async def follow(self, folder: Folder, tip: str) -> str:
        """Bring the folder to where its branch went without it, if it holds no changes; the commit it is at."""
        at = folder.at
        if at == tip:
            return at
        if await folder.git.line("write-tree") != await self.mirror.tree(tip):
            try:
                if await unsaved_paths(folder.git):
                    return at
                await replace(folder.git, seconds=LONG).run("read-tree", "-m", "-u", at, tip)
            except CheckoutFailed:
                return at
            self._to_be_handed_over(folder)
        folder.set_at(tip)
        return tip

    async def close(self, name: str) -> None:
        async with self.find(name) as folder:
            if folder is not None:
                await self._remove(folder)

    async def sweep(self, wanted: Collection[str]) -> int:
        """Remove what nobody wants and nobody holds."""
        if not self.mirror.place.is_dir():
            return 0
        there = {*_listed(self._place), *_listed(self.mirror.place / "worktrees")}
        ready = [name for name in sorted(there) if name.startswith(SPARE) and (self._kept(name) / "ready").is_file()]
        stay = {name for name in (*wanted, *ready[:POOL]) if self._is_whole(name)}
        return sum([await self._swept(name) for name in sorted(there - stay)])

    async def _swept(self, name: str) -> bool:
        async with self.mirror.lock():
            kept = self._kept(name.removeprefix(ASIDE))
            lock = hold_now(kept)
            if lock is None and kept.is_dir():
                return False  # somebody is at it
            try:
                gone = await self._drop(name)
            finally:
                if lock is not None:
                    os.close(lock)
        if gone is not None:
            await asyncio.to_thread(remove, gone)
        return gone is not None

    async def _drop(self, name: str) -> Path | None:
        """Take away what is left under a name; what must still be removed. The mirror's lock is held."""
        gone = None
        with suppress(FileNotFoundError):
            gone = self.path(name).rename(self.path(f"{GONE}{os.urandom(8).hex()}"))
        await asyncio.to_thread(remove, self._kept(name))
        return gone

    async def _remove(self, folder: Folder) -> None:
        gone = folder.path.rename(folder.path.with_name(f"{GONE}{os.urandom(8).hex()}"))
        for each in (folder.kept, folder.aside, gone):
            await asyncio.to_thread(remove, each)

    @asynccontextmanager
    async def _spare(self, commit: str) -> AsyncIterator[Folder]:
        """A folder at this commit that belongs to nobody. If it keeps its name, it is there for the next."""
        folder = await self._picked(commit)
        try:
            if folder is None:
                folder = await self._begun()
                assert folder is not None
                await self._fill(folder, commit)
            yield folder
        finally:
            if folder is not None:
                os.close(folder.lock)

    async def _picked(self, commit: str) -> Folder | None:
        """A ready one, with the fewest differences first; one that cannot be brought there is left to the sweep."""
        for name in sorted(self._spares(), key=lambda name: _text(self._kept(name) / "HEAD").strip() != commit):
            if ready := self._ready(name):
                if await self._turn(ready, commit):
                    return ready
                os.close(ready.lock)
        return None

    def _ready(self, name: str) -> Folder | None:
        lock = hold_now(self._kept(name))
        if lock is None:
            return None
        if (self._kept(name) / "ready").is_file() and self._is_whole(name):
            return self._folder(name, lock)
        os.close(lock)
        return None

    async def _begun(self, most: int | None = None) -> Folder | None:
        """An empty folder under a new name, locked; None if there are as many as that."""
        name = f"{SPARE}{os.urandom(8).hex()}"
        async with self.mirror.lock():
            if most is not None and len(self._spares()) >= most:
                return None
            self._kept(name).mkdir()
            self._kept(name).chmod(0o755)
            lock = hold_now(self._kept(name))
        assert lock is not None
        return self._folder(name, lock)

    async def _fill(self, folder: Folder, commit: str) -> None:
        folder.path.mkdir(parents=True)
        _write(folder.kept / "commondir", "../..\n")
        folder.set_at(commit)
        folder.tell_git(folder.path, folder.kept)
        await replace(folder.git, seconds=LONG).run("read-tree", "--reset", "-u", "--no-recurse-submodules", commit)
        await self._finish(folder)

    async def _turn(self, folder: Folder, commit: str) -> bool:
        """Write only what differs. A folder that is cut short in it is not ready, so nobody takes it."""
        at = folder.at
        if at == commit:
            return True
        (folder.kept / "ready").unlink(missing_ok=True)
        (folder.kept / "index.lock").unlink(missing_ok=True)
        try:
            await replace(folder.git, seconds=LONG).run("read-tree", "-m", "-u", "--no-recurse-submodules", at, commit)
        except GitFailed:
            return False
        self._to_be_handed_over(folder)
        folder.set_at(commit)
        await self._finish(folder)
        return True

    async def _finish(self, folder: Folder) -> None:
        if self._owner is not None and folder.path.stat().st_uid != self._owner:
            await asyncio.to_thread(hand_over, folder.path, self._owner)
            await refresh(folder.git)
        _write(folder.kept / "ready", "")

    def _to_be_handed_over(self, folder: Folder) -> None:
        """Files were written as ourselves: whose they are is looked at again from the top."""
        if folder.path.stat().st_uid != os.geteuid():
            os.chown(folder.path, os.geteuid(), os.getegid())

    def _rename(self, folder: Folder, name: str) -> Folder:
        """The mirror's lock is held. The folder comes last: once it has its name, everything is there."""
        path, kept = self.path(name), self._kept(name)
        (folder.kept / "ready").unlink(missing_ok=True)
        folder.tell_git(path, kept)
        folder.kept.rename(kept)
        folder.path.rename(path)
        return replace(folder, path=path, kept=kept)

    def _spares(self) -> list[str]:
        return [name for name in _listed(self.mirror.place / "worktrees") if name.startswith(SPARE)]


def _listed(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except FileNotFoundError:
        return []


def _text(path: Path) -> str:
    with suppress(OSError):
        return path.read_text()
    return ""


def _says(pointer: Path, text: str) -> bool:
    """Whether it is a plain file with this text; it lies where a minion may have put anything."""
    try:
        plain = stat.S_ISREG(pointer.lstat().st_mode) and pointer.lstat().st_size == len(text.encode())
        return plain and pointer.read_text(errors="replace") == text
    except FileNotFoundError:
        return False


def _write(path: Path, text: str) -> None:
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text(text)
    fresh.chmod(0o644)
    fresh.rename(path)
