"""Git as the host runs it: an explicit repository, no configuration of the machine's, nothing executed from it."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakKeyDictionary

from agents.ports import CheckoutFailed

TIMEOUT = 60.0
LONG = 900.0  # for the first copy of a repository, and for writing out all its files
MOST = 256 * 1024 * 1024
AT_ONCE = 4
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
_OPTIONS = (
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.attributesFile=/dev/null",
    "-c", "core.excludesFile=/dev/null",
    "-c", "core.untrackedCache=false",
    "-c", "core.protectHFS=true",
    "-c", "core.protectNTFS=true",
    "-c", "protocol.allow=never",
    "-c", "protocol.file.allow=always",
    "-c", "safe.bareRepository=explicit",
    "-c", "submodule.recurse=false",
    "-c", "commit.gpgSign=false",
    "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",
)  # fmt: skip
_ENVIRON = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "file",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
}


class GitFailed(CheckoutFailed):
    def __init__(self, what: str, said: str, code: int = -1) -> None:
        super().__init__(f"git could not {what}: {said.strip() or 'it said nothing'}", next_step="Look at the project.")
        self.said = said
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """Where git is run. It never looks for a repository itself: the folder with the files may hold a false one."""

    directory: Path
    files: Path | None = None  # the work tree
    held: tuple[int, ...] = ()  # locks that stay taken until git ends, even if the host dies before it
    environ: Mapping[str, str] = field(default_factory=dict)
    seconds: float = TIMEOUT

    async def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """What it printed, all of it."""
        out, cut = await self.cut(*arguments, stdin=stdin)
        if cut:
            raise GitFailed(arguments[0], f"it answered more than {MOST:,} bytes")
        return out

    async def line(self, *arguments: str, stdin: bytes = b"") -> str:
        return (await self.run(*arguments, stdin=stdin)).decode(errors="replace").strip()

    async def says(self, *arguments: str) -> bool:
        """A question that git answers by its exit code, 0 or 1."""
        try:
            await self.run(*arguments)
        except GitFailed as problem:
            if problem.code != 1:
                raise
            return False
        return True

    async def cut(self, *arguments: str, stdin: bytes = b"", most: int = MOST) -> tuple[bytes, int]:
        """The beginning of what it printed, and how many bytes more there were. A few at once: a start holds up all."""
        async with _turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE)):
            return await self._cut(*arguments, stdin=stdin, most=most)

    async def _cut(self, *arguments: str, stdin: bytes, most: int) -> tuple[bytes, int]:
        process = await asyncio.create_subprocess_exec(
            *("git", f"--git-dir={self.directory}"),
            *([] if self.files is None else [f"--work-tree={self.files}"]),
            *(*_OPTIONS, *arguments),
            cwd=self.directory if self.directory.is_dir() else self.directory.parent,
            env={"PATH": os.environ.get("PATH", os.defpath), **_ENVIRON, **self.environ},
            pass_fds=self.held,
            stdin=asyncio.subprocess.PIPE if stdin else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(self.seconds):
                (out, cut), (err, _), _ = await asyncio.gather(
                    _beginning(process.stdout, most), _beginning(process.stderr, 20_000), _feed(process.stdin, stdin)
                )
                await process.wait()
        except TimeoutError:
            raise GitFailed(arguments[0], f"no answer within {self.seconds:g} s") from None
        finally:
            if process.returncode is None:
                await _end(process)
        if process.returncode != 0:
            raise GitFailed(arguments[0], err.decode(errors="replace"), process.returncode or -1)
        return out, cut


async def git(repository: Path, *arguments: str, stdin: bytes | None = None) -> bytes:
    """Run one git command on a repository and return what it printed."""
    return await Git(directory=git_dir(repository)).run(*arguments, stdin=stdin or b"")


def git_dir(repository: Path) -> Path:
    """A checkout's own folder, or the repository itself where it is bare."""
    inside = repository.absolute() / ".git"
    return inside if inside.exists() else repository.absolute()


async def _beginning(stream: asyncio.StreamReader | None, most: int) -> tuple[bytes, int]:
    parts, kept, cut = [], 0, 0
    while stream is not None and (part := await stream.read(1 << 18)):
        room = part[: most - kept]
        parts.append(room)
        kept, cut = kept + len(room), cut + len(part) - len(room)
    return b"".join(parts), cut


async def _feed(stream: asyncio.StreamWriter | None, stdin: bytes) -> None:
    if stream is None:
        return
    with suppress(BrokenPipeError, ConnectionResetError):  # it ended early, and its exit code says why
        stream.write(stdin)
        await stream.drain()
    stream.close()


async def _end(process: asyncio.subprocess.Process) -> None:
    """Asked first: git then takes its lock files away."""
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(2):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
