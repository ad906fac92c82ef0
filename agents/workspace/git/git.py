"""Git as the host runs it: an explicit repository, only the settings named here, nothing executed from it."""

import asyncio
import os
import re
import signal
import subprocess
from collections import defaultdict
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from weakref import WeakKeyDictionary

from agents.domain.work.git_names import Signature
from agents.ports import CheckoutFailed

EMAIL = "overlord@localhost"  # of the host's commits
TIMEOUT = 60.0
LONG = 900.0  # for the first copy of a repository, and for writing out all its files
MOST = 256 * 1024 * 1024
ERRORS_MOST = 20_000
TRIES = 5
EXPENDABLE = "250"  # more likely to be ended than we are, less likely than what runs in a sandbox
# What git says of a folder of objects that upkeep removed because it was empty, just as git was about to write there.
_SWEPT = "unable to create temporary file: No such file or directory"
AT_ONCE = 4  # near and far apart: a server that does not answer keeps nobody from reading a file here
_Turns = defaultdict[bool, asyncio.Semaphore]
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, _Turns] = WeakKeyDictionary()
_OPTIONS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.untrackedCache=false",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.sshCommand=false",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "protocol.version=2",
    "protocol.allow=never",
    "protocol.file.allow=always",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
_ENVIRON = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "file",
    "GIT_ASKPASS": "false",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
}
# Brings commits and nothing beside them.
FETCH = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules")
# Git runs this in the user's repository. It is given nothing from outside but what stands here.
UPLOAD = "--upload-pack=git -c 'safe.directory=*' -c core.hooksPath=/dev/null -c core.fsmonitor=false upload-pack"
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def identity(date: str = "", signature: Signature | None = None) -> dict[str, str]:
    """Who the host's commits are by, for git's environment. No date: now. Whoever signs is the author alone."""
    told = {"NAME": "Overlord", "EMAIL": EMAIL, **({"DATE": date} if date else {})}
    both = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in told.items()}
    if signature is None or not signature.author:
        return both
    return {**both, "GIT_AUTHOR_NAME": signature.name, "GIT_AUTHOR_EMAIL": signature.address}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What git answered."""

    code: int
    out: bytes
    err: str
    cut: int = 0  # bytes that it printed beyond what was wanted

    @property
    def text(self) -> str:
        return self.out.decode(errors="replace")


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
    grace: float = 0.0  # seconds to come to an end in when we are called off: half of a person's files is worse
    far: bool = False  # it speaks to another machine

    def command(self, *arguments: str) -> tuple[str, ...]:
        return (
            *("git", f"--git-dir={self.directory}"),
            *([] if self.files is None else [f"--work-tree={self.files}"]),
            *(part for option in _OPTIONS for part in ("-c", option)),
            *arguments,
        )

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": os.environ.get("PATH", os.defpath), **_ENVIRON, **self.environ}

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

    async def commit_at(self, name: str) -> str:
        """The commit that a ref or an id names; empty if there is none."""
        try:
            return await self.line("rev-parse", "--verify", "-q", "--end-of-options", f"{name}^{{commit}}")
        except GitFailed as problem:
            if problem.code == 1 or "Needed a single revision" in problem.said:
                return ""
            raise

    async def cut(self, *arguments: str, stdin: bytes = b"", most: int = MOST) -> tuple[bytes, int]:
        """The beginning of what it printed, and how many bytes more there were."""
        said = await self.ask(*arguments, stdin=stdin, most=most)
        if said.code != 0:
            raise GitFailed(arguments[0], said.err, said.code)
        return said.out, said.cut

    async def ask(self, *arguments: str, stdin: bytes = b"", most: int = MOST) -> Said:
        """Whatever comes of it; -1 is no answer in time. A few at once: a start holds up all."""
        turns = _turns.setdefault(asyncio.get_running_loop(), _Turns(partial(asyncio.Semaphore, AT_ONCE)))
        async with turns[self.far]:
            for _ in range(TRIES):
                asked = self._ask(*arguments, stdin=stdin, most=most)
                said = await (_at_leisure(asked, self.grace) if self.grace else asked)
                if said.code == 0 or _SWEPT not in said.err:
                    break
            return said

    async def _ask(self, *arguments: str, stdin: bytes, most: int) -> Said:
        process = await self._started(*arguments, given=bool(stdin))
        try:
            async with asyncio.timeout(self.seconds):
                (out, cut), (err, _), _ = await asyncio.gather(
                    _beginning(process.stdout, most),
                    _beginning(process.stderr, ERRORS_MOST),
                    _feed(process.stdin, stdin),
                )
                code = await process.wait()
        except TimeoutError:
            return Said(code=-1, out=b"", err=f"no answer within {self.seconds:g} s")
        finally:
            if process.returncode is None:
                await _end(process)
        return Said(code=code, out=out, err=err.decode(errors="replace"), cut=cut)

    async def _started(self, *arguments: str, given: bool) -> asyncio.subprocess.Process:
        """Not in our session: what ends us does not end it halfway."""
        whole = self.directory.is_dir() and self.directory.name != ".git"
        started = await asyncio.create_subprocess_exec(
            *self.command(*arguments),
            cwd=self.directory if whole else self.directory.parent,
            env=self.environment,
            pass_fds=self.held,
            stdin=asyncio.subprocess.PIPE if given else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        _let_go_first(started.pid)
        return started


def _let_go_first(pid: int) -> None:
    """Where memory runs out it is ended before us."""
    with suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text(EXPENDABLE)


async def git(repository: Path, *arguments: str, stdin: bytes | None = None) -> bytes:
    """Run one git command on a repository and return what it printed."""
    return await Git(directory=git_dir(repository)).run(*arguments, stdin=stdin or b"")


def git_dir(repository: Path) -> Path:
    """A checkout's own folder, or the repository itself where it is bare."""
    inside = repository.absolute() / ".git"
    return inside if inside.exists() else repository.absolute()


def is_tracked(repository: Path, path: Path) -> bool:
    """Whether the repository's index names this file. Yes, where git cannot say. Needs no event loop."""
    where = Git(directory=git_dir(repository), files=repository)
    try:
        asked = ("ls-files", "-z", "--error-unmatch", "--", str(path))
        done = subprocess.run(
            where.command(*asked), env=where.environment, cwd=repository, capture_output=True, timeout=TIMEOUT
        )
    except (OSError, subprocess.TimeoutExpired):
        return True
    return done.returncode != 1  # 1: it is not there; anything else but 0 is trouble


def is_commit(written: str) -> bool:
    """Whether it is a commit's whole id, and so nothing that git could take for something else."""
    return bool(_COMMIT.fullmatch(written))


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


async def _at_leisure(asked: Coroutine[None, None, Said], grace: float) -> Said:
    """A task of its own, which being called off does not reach before the time is over."""
    task = asyncio.create_task(asked)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        try:
            await asyncio.wait({task}, timeout=grace)
        finally:
            task.cancel()
        raise


async def _end(process: asyncio.subprocess.Process) -> None:
    """With all that it started. Asked first: git then takes its lock files away."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        async with asyncio.timeout(2):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
