"""The environments of the projects: what each needs at a commit, whether it is there, and making it so."""

import asyncio
import os
import shlex
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.domain.project.environment import Ecosystem, Environment, Service, WrittenEnvironment
from agents.domain.project.packages import PackageHosts
from agents.ports import Artefacts, Ground, Sandbox, SetUpEnded, Show, Shown, show_nothing
from agents.workspace.environments import layers, setting_up
from agents.workspace.environments.clues import find_clues, hash_of
from agents.workspace.environments.finding import find_environment, prepared_by_hand
from agents.workspace.environments.layers import Layer, Layers, Mark, modules_in
from agents.workspace.environments.links import package_names
from agents.workspace.environments.registries import Sources, read_sources
from agents.workspace.environments.seen import Machine, Seen, look, this_machine
from agents.workspace.environments.setting_up import Request, python_of
from agents.workspace.environments.tree_environment import Attached
from agents.workspace.sandbox.walls import toolchain

REMEMBERED = 64  # commits whose environments are known without looking again
READY_TRIES = 150  # of a service, five a second


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundSite:
    """A project as its environment needs it."""

    repository: Path  # that its commits are in
    checkout: Path  # the user's own folder
    written: WrittenEnvironment = field(default_factory=WrittenEnvironment)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    venv: str = ""  # as `gates.environment` names one


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundTools:
    """What set-up is run with. `sources`: where package clients of this machine get packages from."""

    sandbox: Callable[[], Awaitable[Sandbox]]
    artefacts: Artefacts
    hosts: PackageHosts = field(default_factory=dict)
    shipped: PackageHosts = field(default_factory=dict)
    machine: Callable[[], Machine] = this_machine
    sources: Callable[[], Sources] = lambda: read_sources(os.environ, Path.home())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    seen: Seen
    environment: Environment
    key: str
    clues: Mapping[str, str] = field(default_factory=dict)


class ProjectGrounds:
    """Implements agents.ports.Grounds."""

    def __init__(self, sites: Mapping[str, GroundSite], home: Path, tools: GroundTools) -> None:
        self._sites = sites
        self._tools = tools
        self._layers = Layers(home)
        self._known: dict[tuple[str, str, frozenset[Ecosystem], tuple[str, ...]], _Known] = {}

    async def find(self, project: str, commit: str, proposed: tuple[str, ...] = ()) -> Ground:
        known = await self._find(project, commit, proposed)
        if known is None:
            return Ground()
        layer = await asyncio.to_thread(self._layers.find, project, known.key)
        return Ground(
            environment=known.environment,
            key=known.key,
            ready=layer is not None or not known.environment.setup,
            clues=known.clues,
            clue=hash_of(known.clues, known.seen.blobs),
        )

    async def set_up(
        self, project: str, commit: str, show: Show = show_nothing, proposed: tuple[str, ...] = ()
    ) -> SetUpEnded:
        """Once for each key, whoever asks. Whether it may be run, the caller knows."""
        known = await self._find(project, commit, proposed)
        if known is None or not known.environment.setup:
            return SetUpEnded()
        async with self._layers.building(project, known.key) as place:
            if found := await asyncio.to_thread(self._layers.find, project, known.key):
                return SetUpEnded(key=known.key, log=found.mark.log)
            return await self._build(project, commit, known, place, show)

    async def _build(self, project: str, commit: str, known: _Known, place: Path, show: Show) -> SetUpEnded:
        site = self._sites[project]
        request = Request(
            repository=site.repository,
            commit=commit,
            environment=known.environment,
            python=_python(known.environment, self._tools.machine()),
            secrets=site.secrets,
            sources=await asyncio.to_thread(self._tools.sources),
            hosts=self._tools.hosts,
            shipped=self._tools.shipped,
            names=package_names(known.seen),
        )
        await asyncio.to_thread(self._layers.clear, project, known.key)
        try:
            result = await setting_up.set_up(request, place, await self._tools.sandbox(), show)
        except (OverlordError, OSError) as problem:
            await asyncio.to_thread(self._layers.clear, project, known.key)
            next_step = problem.next_step if isinstance(problem, OverlordError) else "Look at the state folder's disk."
            what = problem.what if isinstance(problem, OverlordError) else str(problem)
            return SetUpEnded(key=known.key, problem=what, next_step=next_step)
        said = _without(result.said, site.secrets)
        log = await self._tools.artefacts.keep(f"setup-{project}-{known.key[:12]}", said)
        if not result.problem and (left := await asyncio.to_thread(setting_up.secret_left, place, site.secrets)):
            what = f"set-up left the value of {left[0]} in {left[1]}, where minions would see it"
            result = replace(result, problem=what, next_step="Have the commands keep it out of what they install.")
        if result.problem:
            await asyncio.to_thread(self._layers.clear, project, known.key)
            why = _without(result.problem, site.secrets)
            return SetUpEnded(key=known.key, problem=why, next_step=result.next_step, log=log, seconds=result.seconds)
        mark = Mark(
            key=known.key,
            consent=known.environment.consent,
            at=time.time(),
            seconds=round(result.seconds, 1),
            log=log,
            shown=tuple(await asyncio.to_thread(lambda: sorted(modules_in(place / layers.TREE)))),
        )
        await asyncio.to_thread(self._layers.finish, project, mark)
        return SetUpEnded(key=known.key, log=log, seconds=mark.seconds)

    async def attach(self, project: str, commit: str) -> Attached:
        """What a tree that began at this commit gets. A layer that is not there yet is no reason to fail here."""
        known = await self._find(project, commit)
        if known is None:
            return Attached()
        found = await asyncio.to_thread(self._layers.find, project, known.key)
        installs = known.environment.setup or known.clues  # also by what a model proposed
        layer = found or (await asyncio.to_thread(self._layers.latest, project) if installs else None)
        return attach(known.environment, layer, self._sites[project].checkout)

    async def tidy(self) -> None:
        for project in self._sites:
            await asyncio.to_thread(self._layers.tidy, project)

    async def _find(self, project: str, commit: str, proposed: tuple[str, ...] = ()) -> _Known | None:
        site = self._sites.get(project)
        if site is None or not commit or not await asyncio.to_thread(site.repository.is_dir):
            return None  # nothing of it was brought here yet, so nothing of it is known
        prepared = prepared_by_hand(site.checkout, site.venv)
        at = (project, commit, prepared, proposed)
        if at not in self._known:
            seen = await look(site.repository, commit, site.checkout)
            machine = await asyncio.to_thread(self._tools.machine)
            environment = find_environment(seen, machine, site.written, prepared)
            clues = {} if environment.setup or environment.written or prepared else find_clues(seen)
            if clues and proposed:
                environment = replace(environment, setup=proposed, proposed=tuple(clues))
            if len(self._known) >= REMEMBERED:
                self._known.pop(next(iter(self._known)))
            key = environment.key(seen.blobs)
            self._known[at] = _Known(seen=seen, environment=environment, key=key, clues=clues)
        return self._known[at]


def attach(environment: Environment, layer: Layer | None, checkout: Path) -> Attached:
    copies = [(checkout, path) for path in environment.carry]
    services = environment.services
    first = tuple(environment.prepare)
    if layer is None:
        return Attached(copies=tuple(copies), environ=environment.variables, first=first, around=_beside(services))
    tree, venv = layer.path / layers.TREE, layer.venv
    copies += [(tree, path) for path in environment.generated_files]
    fetched = {name: part for name in (layers.GO, layers.CARGO) if (part := layer.part(name))}
    return Attached(
        venv=venv,
        readable=(*(toolchain(venv) if venv else ()), *fetched.values()),
        environ={**_offline(environment, fetched), **environment.variables},
        shown=tuple(Shown(source=tree / at, at=at, scratch=layers.WRITTEN) for at in layer.mark.shown),
        copies=tuple(copies),
        sources=_sources(environment) if venv else (),
        first=first,
        around=_beside(services),
    )


def _offline(environment: Environment, fetched: Mapping[str, Path]) -> dict[str, str]:
    has = {part.ecosystem for part in environment.parts}
    told = dict[str, str]()
    if Ecosystem.GO in has and layers.GO in fetched:
        told |= {"GOMODCACHE": str(fetched[layers.GO]), "GOPROXY": "off", "GOFLAGS": "-mod=mod", "GOSUMDB": "off"}
    if Ecosystem.RUST in has and layers.CARGO in fetched:
        told |= {"CARGO_HOME": str(fetched[layers.CARGO]), "CARGO_NET_OFFLINE": "true"}
    return told


def _sources(environment: Environment) -> tuple[str, ...]:
    parts = [part for part in environment.parts if part.ecosystem is Ecosystem.PYTHON]
    folders = (folder or "." for part in parts for folder in (part.folder, *part.members))
    return tuple(dict.fromkeys(folders)) or (".",)


def _python(environment: Environment, machine: Machine) -> str:
    named = (python_of(part.toolchain) for part in environment.parts if part.ecosystem is Ecosystem.PYTHON)
    found = machine.python()
    return next((each for each in named if each), found[1] if found else "")


def _without(text: str, secrets: Mapping[str, str]) -> str:
    for name, value in secrets.items():
        text = text.replace(value, f"[{name}]") if value else text
    return text


def _beside(services: tuple[Service, ...]) -> tuple[str, ...]:
    """A shell that starts the services, waits until they can be used, and then becomes the command. All end with it."""
    if not services:
        return ()
    lines = []
    for service in services:
        log, wait = f"/tmp/{service.name}.log", f"n=0; until {{ {service.ready}; }} >/dev/null 2>&1"
        lines.append(f"/bin/sh -c {shlex.quote(service.command)} >{log} 2>&1 &")
        if service.ready:
            says = f"echo 'The service {service.name} is not ready.'; tail -n 20 {log}"
            gives_up = f"[ $n -lt {READY_TRIES} ] || {{ {says}; exit 125; }}"
            lines.append(f"{wait}; do n=$((n+1)); {gives_up}; sleep 0.2; done")
    return ("/bin/sh", "-c", "\n".join((*lines, '"$@"', "exit $?")), "services")
