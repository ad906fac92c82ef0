"""Runs set-up commands in a sandbox of their own: a network through an allowlist, and nothing of ours to be seen."""

import asyncio
import os
import re
import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from agents.domain.project.environment import Environment
from agents.domain.project.packages import Client, PackageHosts, places_of
from agents.domain.text.sanitize import one_line
from agents.ports import EndedBy, Profile, Ran, Room, Sandbox, Show, Workspace
from agents.workspace.environments import layers
from agents.workspace.environments.links import linked_places
from agents.workspace.environments.registries import Sources, named_hosts
from agents.workspace.environments.tree_environment import toolchains
from agents.workspace.files.untrusted import remove
from agents.workspace.git import objects
from agents.workspace.git.clean_checkout import lay_out
from agents.workspace.sandbox.walls import GATE, GB, MB

SETUP = replace(
    GATE,
    name="set-up",
    seconds=1800,
    memory=4 * GB,
    cpus=2,
    processes=512,
    descriptors=4096,
    disk=8 * GB,
    inodes=1_000_000,
    file=2 * GB,
    kept=MB // 2,
    in_the_open=True,  # an index on the same machine has no TLS
)
_SAID = 600  # characters of what a failed command said last
_SHELL = ("/bin/sh", "-c")
_USR = Path("/usr")
_TOLD = "tmp/secrets"  # goes with the other scratch
_SHORTEST = 6  # characters of a secret that can be told from other text
_SEARCHED_MOST = 64 << 20  # bytes of one file
# Settings of clients that keep all they write inside the layer, and what is wanted of none of them.
_CLIENTS = {
    "PIP_NO_CACHE_DIR": "1",
    "PIP_NO_INPUT": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_PROGRESS_BAR": "off",
    "UV_PYTHON_DOWNLOADS": "never",
    "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    "NPM_CONFIG_YES": "true",
    "YARN_ENABLE_TELEMETRY": "0",
    "YARN_NODE_LINKER": "node-modules",  # what Plug'n'Play would leave lies in a cache that is not kept
    "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0",
    "CI": "1",
    "GOFLAGS": "-modcacherw",
    "GOTOOLCHAIN": "local",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One set-up: of which tree, by which commands, with what."""

    repository: Path
    commit: str
    environment: Environment
    python: str = ""  # the interpreter that a venv is made with
    secrets: Mapping[str, str]
    sources: Sources
    hosts: PackageHosts
    shipped: PackageHosts  # as they come with the program
    names: Mapping[Client, list[str]]  # packages whose pages tell where files lie


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """`problem` is empty where all went well."""

    said: str
    problem: str = ""
    next_step: str = ""
    seconds: float = 0.0
    refused: tuple[str, ...] = ()  # places that were wanted and are on no list


async def allowed_places(request: Request) -> frozenset[str]:
    """Configured indexes and what they link to; for clients that nobody configured, the public hosts.

    What the operator added to the lists that come with the program counts for configured clients, too.
    """
    sources = request.sources
    hosts = {
        host
        for client, listed in request.hosts.items()
        for host in listed
        if client in sources.public or host not in request.shipped.get(client, ())
    }
    links = await linked_places(sources.registries, request.names)
    return frozenset((*named_hosts(sources.registries), *links)) | places_of(tuple(hosts))


async def set_up(request: Request, place: Path, sandbox: Sandbox, show: Show) -> Result:
    """Fill the folder `place`, which is empty. What a command says is shown while it runs."""
    began, refused = time.monotonic(), dict[str, None]()
    await _lay_out(request, place)
    allowed = await allowed_places(request)
    profile = replace(SETUP, egress=allowed or frozenset({"nowhere.invalid:443"}), refused=refused.setdefault)
    said, problem, next_step = list[str](), "", ""
    async with sandbox.open(_workspace(request, place), profile) as room:
        for command in request.environment.setup:
            ran = await _shown(room, command, show)
            said.append(f"$ {command}\n{ran.output}")
            if ran.ended_by is not EndedBy.EXIT or ran.exit_code != 0:
                problem, next_step = _why(command, ran, profile), _next_step(ran, tuple(refused), request)
                break
    seconds = time.monotonic() - began
    told = "\n".join((*said, *(f"refused: {each} is on no list" for each in refused)))
    return Result(said=told, problem=problem, next_step=next_step, seconds=seconds, refused=tuple(refused))


async def _lay_out(request: Request, place: Path) -> None:
    await asyncio.to_thread(_make_folders, request, place)
    there = await objects.entries(request.repository, request.commit)
    await lay_out(request.repository, place / layers.TREE, list(there.values()))


def _make_folders(request: Request, place: Path) -> None:
    place.mkdir(mode=0o755)
    for name in (layers.TREE, *layers.SCRATCH, layers.CARGO, layers.GO):
        (place / name).mkdir(mode=0o755)
    if request.secrets:  # in a file: arguments of a process are seen by everybody on the machine
        lines = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in request.secrets.items())
        with os.fdopen(os.open(place / _TOLD, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(lines)
    if request.sources.cargo:
        (place / layers.CARGO / "config.toml").write_text(request.sources.cargo)


def _workspace(request: Request, place: Path) -> Workspace:
    chains = toolchains()
    python = Path(request.python) if request.python else None
    own = () if python is None or python.is_relative_to(_USR) else (python.parent.parent,)
    readable = (*own, *(path for chain in chains for path in chain.own), *request.sources.readable)
    programs = [str(chain.programs) for chain in chains]
    environment = request.environment
    return Workspace(
        path=place,
        readable=tuple(dict.fromkeys(readable)),
        environ={
            **_CLIENTS,
            **request.sources.environ,
            **environment.made_variables,
            **environment.variables,
            **_places(place),
            "PATH": ":".join((*programs, "/usr/local/bin", "/usr/bin", "/bin")),
            "LAYER": str(place),
            "PYTHON": request.python or "python3",
        },
    )


def _places(place: Path) -> dict[str, str]:
    cache = f"{place}/cache"
    return {
        "TMPDIR": f"{place}/tmp",
        "XDG_CACHE_HOME": cache,
        "UV_CACHE_DIR": f"{cache}/uv",
        "NPM_CONFIG_CACHE": f"{cache}/npm",
        "YARN_CACHE_FOLDER": f"{cache}/yarn",
        "YARN_GLOBAL_FOLDER": f"{cache}/yarn-global",
        "GOCACHE": f"{cache}/go-build",
        "GOMODCACHE": f"{place}/{layers.GO}",
        "CARGO_HOME": f"{place}/{layers.CARGO}",
    }


async def _shown(room: Room, command: str, show: Show) -> Ran:
    with show(command, "set-up") as heard:
        told = f'[ ! -f "$LAYER/{_TOLD}" ] || . "$LAYER/{_TOLD}"; cd "$LAYER/{layers.TREE}" && {command}'
        return await room.run((*_SHELL, told), on_output=heard)


def _why(command: str, ran: Ran, profile: Profile) -> str:
    ended = {
        EndedBy.EXIT: f"ends with exit code {ran.exit_code}",
        EndedBy.TIMEOUT: f"took longer than {profile.seconds:g} s",
        EndedBy.MEMORY: "ran out of memory",
        EndedBy.DISK: "wrote more than a set-up may",
        EndedBy.OUTPUT: "said more than a set-up may",
        EndedBy.KILLED: "was ended from outside",
    }[ran.ended_by]
    last = one_line(ran.output.strip()[-_SAID:], _SAID)
    return f"`{command}` {ended}{f': {last}' if last else ''}"


_MISSING = re.compile(r"(?m)(?:^|: )(?:\d+: )?([\w.+-]+): (?:command )?not found$")


def _next_step(ran: Ran, refused: tuple[str, ...], request: Request) -> str:
    """By the real cause, where it can be told."""
    if missing := _MISSING.search(ran.output):
        return f"Install {missing[1]} on this machine, or write other commands under `environment: setup:`."
    if request.sources.locked and re.search(r"\b40[13]\b", ran.output):
        names = ", ".join(request.sources.locked)
        return f"{names} wants a password: name the variable that holds its address under `environment: secrets:`."
    if refused:
        return f"It wanted {', '.join(refused[:3])}: if that is right, add the host under `packages:` of the settings."
    return "Read its log; write other commands under `environment: setup:` if these are not the right ones."


def secret_left(place: Path, secrets: Mapping[str, str]) -> tuple[str, str] | None:
    """The name of a secret whose value lies in what minions are shown, and where; None if there is none."""
    wanted = {name: value.encode() for name, value in secrets.items() if len(value) >= _SHORTEST}
    if not wanted:
        return None
    for name in layers.SCRATCH:
        remove(place / name)
    for folder, _, files in os.walk(place):
        for file in files:
            path = Path(folder, file)
            if path.is_symlink() or not path.is_file() or path.stat().st_size > _SEARCHED_MOST:
                continue
            content = path.read_bytes()
            for secret, value in wanted.items():
                if value in content:
                    return secret, str(path.relative_to(place))
    return None


def python_of(toolchain: str) -> str:
    """The interpreter that a part of an environment names."""
    found = toolchain.rpartition(" ")[0]
    return found if found.startswith("/") and os.access(found, os.X_OK) else ""
