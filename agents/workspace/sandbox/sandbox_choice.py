"""Which sandbox is used: the first whose walls all hold when they are tried. Without one, nothing is run."""

import asyncio
import json
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from agents.ports import Ran, Workspace
from agents.workspace.sandbox import walls
from agents.workspace.sandbox.bubblewrap import Bubblewrap
from agents.workspace.sandbox.container import Container, Engine
from agents.workspace.sandbox.processes import resource_limits
from agents.workspace.sandbox.walls import GATE, MB, SandboxUnusable, environ_of

KINDS = ("bubblewrap", "docker", "podman")
AUTO = "auto"
PROBES = Path(__file__).with_name("wall_probes.py")
TRIAL = replace(GATE, name="trial", seconds=30, disk=64 * MB, file=16 * MB)
_ONLY_WITH_A_FILTER = frozenset({"tracing", "taking space"})
SECRET = "secret"
_SAID = TypeAdapter(dict[str, str])

AnySandbox = Bubblewrap | Container


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    probe: str
    seen: str  # what worked and must not; empty if the wall holds


async def examine(sandbox: AnySandbox) -> list[Finding]:
    """Every probe, with the filter and without: else the filter would hide a hole behind it."""
    bare = sandbox.without_filter()
    kinds = [sandbox] if bare is sandbox or not sandbox.has_filter else [sandbox, bare]
    with _place() as workspace, _host() as host:
        found = [finding for kind in kinds for finding in await _try(kind, workspace, host)]
    return list({finding.probe: finding for finding in sorted(found, key=lambda finding: bool(finding.seen))}.values())


async def require(sandbox: AnySandbox) -> None:
    """Raises SandboxUnusable unless every wall holds."""
    if not sandbox.has_filter:
        raise SandboxUnusable(
            "system calls cannot be filtered, for libseccomp is not installed",
            next_step="Install it: apt install libseccomp2 (Fedora: dnf install libseccomp).",
        )
    broken = [finding for finding in await examine(sandbox) if finding.seen]
    if broken:
        seen = "; ".join(f"{finding.probe}: {finding.seen}" for finding in broken)
        raise SandboxUnusable(
            f"the walls of {sandbox.name} do not hold ({seen}), so nothing will be run in it",
            next_step="Update bubblewrap and the kernel, or set OVERLORD_SANDBOX to docker or podman; "
            "if neither helps, report this with the output of `overlord doctor`.",
        )


async def _try(sandbox: AnySandbox, workspace: Workspace, host: dict[str, object]) -> list[Finding]:
    given = {**host, **_expected(sandbox, workspace)}
    command = [sandbox.python, "-I", "-S", "-c", PROBES.read_text(), json.dumps(given)]
    ran = await sandbox.once(workspace, TRIAL, command)
    findings = [
        Finding(probe=probe, seen=seen)
        for probe, seen in _parsed(ran).items()
        if sandbox.has_filter or probe not in _ONLY_WITH_A_FILTER
    ]
    mark = workspace.path / "mark"  # whose file it is, as the host sees it
    theirs = mark.exists() and mark.stat().st_uid == 0
    return [*findings, Finding(probe="owner of files", seen="root owns what it wrote" if theirs else "")]


def _expected(sandbox: AnySandbox, workspace: Workspace) -> dict[str, object]:
    git = [str(path) for path in (workspace.path / ".git", workspace.git) if path is not None]
    shown = sandbox.visible_entries(workspace)
    return {
        "environ": [] if shown is None else [*environ_of(workspace, TRIAL), "PWD"],
        "shown": shown or {},
        "secret": str(workspace.path.parent / SECRET),
        "workspace": str(workspace.path),
        "git": git,
        "above": [str(workspace.path.parent)] if not workspace.path.is_relative_to("/tmp") else [],
        "processes": 8,
        "filtered": sandbox.has_filter,
        "limit": 1 << 14 if shown is None else TRIAL.processes,
    }


def _parsed(ran: Ran) -> dict[str, str]:
    try:
        return _SAID.validate_json(ran.output)
    except ValidationError:
        what = ran.output.strip().splitlines()[-1:] or [f"ended by {ran.ended_by}"]
        return {"probing": f"the probes did not run: {what[0]}"}


@contextmanager
def _place() -> Iterator[Workspace]:
    """A worktree as a minion gets it, and beside it a file it must not see."""
    with tempfile.TemporaryDirectory(prefix="overlord-trial-", dir="/var/tmp") as made:
        base = Path(made).resolve()
        base.chmod(0o755)
        path, git = base / "workspace", base / "repository" / ".git"
        path.mkdir()
        git.mkdir(parents=True)
        (path / ".git").write_text("gitdir: elsewhere\n")
        for each in (path / ".git", git):
            each.chmod(0o777)  # so that nothing but the wall is in the way
        (base / SECRET).write_text("not to be seen")
        yield Workspace(path=path, git=git)


@contextmanager
def _host() -> Iterator[dict[str, object]]:
    """Doors on the host that must stay shut."""
    name = f"overlord-trial-{os.getpid()}-{os.urandom(4).hex()}"
    with closing(socket.create_server(("127.0.0.1", 0))) as door, closing(socket.socket(socket.AF_UNIX)) as abstract:
        abstract.bind(f"\0{name}")
        abstract.listen()
        servers = ["8.8.8.8", *_name_servers()]
        yield {"port": door.getsockname()[1], "abstract": name, "name servers": servers}


def _name_servers() -> list[str]:
    try:
        lines = Path("/etc/resolv.conf").read_text().splitlines()
    except OSError:
        return []
    pairs = (line.split()[:2] for line in lines if line.startswith("nameserver "))
    return [address for _, address in pairs if "." in address and not address.startswith("127.")]


class ChosenSandbox:
    """Calling it gives the sandbox, chosen and tried when it is first needed."""

    def __init__(self, wanted: str) -> None:
        self._wanted = wanted
        self._trial: asyncio.Task[AnySandbox] | None = None

    async def __call__(self) -> AnySandbox:
        """Raises SandboxUnusable. What did not hold is tried again the next time: it may be there by then."""
        if self._trial is None or (self._trial.done() and self._trial.exception()):
            self._trial = asyncio.create_task(choose_sandbox(self._wanted))
        return await asyncio.shield(self._trial)


async def choose_sandbox(wanted: str = AUTO) -> AnySandbox:
    """A sandbox whose walls were all tried just now. Raises SandboxUnusable, with what to install first."""
    problems: list[tuple[str, SandboxUnusable]] = []
    for kind in KINDS if wanted == AUTO else (wanted,):
        try:
            sandbox = await (_bubblewrap() if kind == "bubblewrap" else _container(kind))
            await require(sandbox)
            return sandbox
        except SandboxUnusable as problem:
            problems.append((kind, problem))
    seen = "; ".join(f"{kind}: {problem.what}" for kind, problem in problems)
    raise SandboxUnusable(seen, next_step=problems[0][1].next_step)


async def _bubblewrap() -> AnySandbox:
    sandbox = Bubblewrap(tools=walls.find_tools())
    await asyncio.to_thread(resource_limits.sweep_groups)
    return sandbox


async def _container(kind: str) -> AnySandbox:
    path = shutil.which(kind)
    if path is None:
        raise SandboxUnusable("not installed", next_step=f"Install {kind}, or bubblewrap.")
    engine = Engine(name=kind, path=path)
    code, _ = await engine("info")
    if code != 0:
        raise SandboxUnusable("its engine does not answer", next_step=f"Start {kind}.")
    sandbox = Container(engine)
    await sandbox.sweep()
    return sandbox
