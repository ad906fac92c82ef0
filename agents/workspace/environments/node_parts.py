"""What Node projects need: npm, pnpm or yarn by the lock file that is there; a workspace is set up from its root."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

from agents.domain.project.environment import Ecosystem, Part
from agents.workspace.environments.seen import Machine, Seen, join

MANIFEST = "package.json"
_DEPENDENCIES = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_NPM = ("package-lock.json", "npm-shrinkwrap.json")
_MANAGER = re.compile(r"(?P<name>npm|pnpm|yarn)@(?P<version>\d+(?:\.\d+){0,2})")
_QUIET = "--no-audit --no-fund"
_MODERN_YARN = "@yarnpkg/cli-dist"  # what npm knows as yarn ends before version 3
_FALLBACK = {"pnpm": "9", "yarn": "1.22.22", _MODERN_YARN: "4"}


def find(seen: Seen, machine: Machine) -> Iterator[Part]:
    """Members of a workspace are set up by its root; without one, each package by itself."""
    folders = list(seen.folders_with(MANIFEST))
    spaces = [folder for folder in folders if _is_workspace(seen, folder)]
    for folder in folders:
        package = seen.json(join(folder, MANIFEST))
        above = any(space != folder and folder.startswith(f"{space}/" if space else "") for space in spaces)
        if not above and (_needs(package) or folder in spaces or _lock(seen, folder)):
            yield _part(seen, machine, folder, package)


def _is_workspace(seen: Seen, folder: str) -> bool:
    return "workspaces" in seen.json(join(folder, MANIFEST)) or seen.has(join(folder, "pnpm-workspace.yaml"))


def _needs(package: dict[str, Any]) -> bool:
    return any(isinstance(package.get(kind), dict) and package[kind] for kind in _DEPENDENCIES)


def _lock(seen: Seen, folder: str) -> str:
    names = ("pnpm-lock.yaml", "yarn.lock", *_NPM)
    return next((name for name in names if seen.has(join(folder, name))), "")


def _part(seen: Seen, machine: Machine, folder: str, package: dict[str, Any]) -> Part:
    lock = _lock(seen, folder)
    go = f"cd {shlex.quote(folder)} && " if folder else ""
    install = _install(seen, machine, folder, lock, package)
    known = [join(folder, name) for name in (MANIFEST, lock, "pnpm-workspace.yaml", ".npmrc", ".yarnrc.yml") if name]
    inside = seen.folders_with(MANIFEST) if _is_workspace(seen, folder) else ()
    members = (join(each, MANIFEST) for each in inside if each.startswith(f"{folder}/" if folder else ""))
    return Part(
        ecosystem=Ecosystem.NODE,
        folder=folder,
        seen=join(folder, lock or MANIFEST),
        toolchain=f"node {machine.programs.get('node', '')}".strip(),
        setup=(f"{go}{install}",),
        prepare=(f"{go}npm run --silent build",) if _must_build(seen, folder, package) else (),
        locks=tuple(sorted({*(path for path in known if seen.has(path)), *members})),
    )


def _install(seen: Seen, machine: Machine, folder: str, lock: str, package: dict[str, Any]) -> str:
    if lock == "pnpm-lock.yaml":
        return f"{_program('pnpm', machine, package)} install --frozen-lockfile"
    if lock == "yarn.lock":
        if _is_modern_yarn(seen, folder, package):
            strict = (
                "--immutable" if _manager(package)[0] else "--no-immutable"
            )  # a newer one writes the lock its own way
            return f"{_program(_MODERN_YARN, machine, package)} install {strict}"
        return f"{_program('yarn', machine, package)} install --frozen-lockfile --non-interactive"
    return f"npm ci {_QUIET}" if lock else f"npm install --no-package-lock {_QUIET}"


def _program(name: str, machine: Machine, package: dict[str, Any]) -> str:
    """As it is installed, else as npm fetches it: of the version that the project names."""
    if name in machine.programs:
        return name
    named, version = _manager(package)
    mine = named == ("yarn" if name == _MODERN_YARN else name)
    return f"npx --yes {name}@{version if mine else _FALLBACK[name]}"


def _manager(package: dict[str, Any]) -> tuple[str, str]:
    """The program that the project names, and its version; empty where it names none."""
    found = _MANAGER.match(str(package.get("packageManager", "")))
    return (found["name"], found["version"]) if found else ("", "")


def _is_modern_yarn(seen: Seen, folder: str, package: dict[str, Any]) -> bool:
    named, version = _manager(package)
    if named == "yarn":
        return version.split(".")[0] not in ("0", "1")
    return seen.has(join(folder, ".yarnrc.yml"))


def _must_build(seen: Seen, folder: str, package: dict[str, Any]) -> bool:
    """What the package is entered by is not in the repository, and a script makes it."""
    scripts = package.get("scripts")
    main = package.get("main")
    if not isinstance(scripts, dict) or not scripts.get("build") or not isinstance(main, str):
        return False
    entered = join(folder, main.removeprefix("./"))
    return not any(seen.has(f"{entered}{end}") for end in ("", ".js", ".cjs", ".mjs", "/index.js"))
