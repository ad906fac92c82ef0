"""The packages of one repository: each has checks of its own, and the paths of a change say which are run."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.domain.checks.file_kinds import is_documentation
from agents.workspace.gates import detect
from agents.workspace.gates.detect import Look, Way
from agents.workspace.gates.gate_runner import GateRunner
from agents.workspace.gates.rules import Case

_NODE = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_CARGO = ("dependencies", "dev-dependencies", "build-dependencies")
_REQUIRED = re.compile(r"(?m)^\s*(?:require\s+)?([\w.~-]+(?:/[\w.~-]+)*)\s+v\d")
_MODULE = re.compile(r"(?m)^\s*module\s+(\S+)")
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
# A root's script that only has those of its packages run: they are run by themselves.
_DELEGATES = re.compile(
    r"--workspaces?\b|\s-(?:ws|w)\b|\bworkspaces? (?:run|foreach)\b|\b(?:turbo|nx|lerna|wireit)\b"
    r"|\bpnpm\b.*\s(?:-r|--recursive|--filter)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A folder with a manifest and tests of its own; the root holds what lies in none of the others."""

    folder: str
    look: Look
    tests: Way | None
    others: tuple[str, ...] = ()  # packages in folders beneath it
    names: frozenset[str] = frozenset()  # that others need it by
    needs: frozenset[str] = frozenset()
    gathers: bool = False  # declares the others as its workspace

    def owns(self, path: str) -> bool:
        start = f"{self.folder}/" if self.folder else ""
        return path.startswith(start) and not path.startswith(tuple(f"{other}/" for other in self.others))


def find_packages(look: Look, written: Collection[str] = ()) -> tuple[Package, ...]:
    """The root first. A repository without packages beneath it is one by itself, and all of it belongs to that.

    `written`: folders that settings name as packages; those that are not in this tree do not count.
    """
    folders = [folder for folder in detect.folders_with(look.paths, detect.MANIFESTS) if folder][: detect.PACKAGES_MOST]
    crates = isinstance(look.toml("Cargo.toml").get("workspace"), dict)
    apart = look.split(folders)
    chosen = [folder for folder in folders if folder in written or _tests_in(apart[folder], crates=crates)]
    chosen += [each for each in written if each not in chosen and any(p.startswith(f"{each}/") for p in look.paths)]
    if not chosen:
        return (Package(folder="", look=look, tests=detect.tests(look)),)
    return tuple(_package(own, folder, chosen, crates=crates) for folder, own in look.split(chosen).items())


def _package(own: Look, folder: str, chosen: Sequence[str], *, crates: bool) -> Package:
    start = f"{folder}/" if folder else ""
    others = tuple(other for other in chosen if other != folder and other.startswith(start))
    return Package(
        folder=folder,
        look=own,
        tests=_tests_in(own, crates=crates and bool(folder)),
        others=others,
        names=frozenset(_names(own)),
        needs=frozenset(_needs(own)),
        gathers=not folder and _gathers(own),
    )


def _tests_in(look: Look, *, crates: bool) -> Way | None:
    """Only what would really run something. `crates`: the root's cargo tests those of its workspace."""
    way = detect.tests(look)
    if way is Way.PYTEST and not any(detect.PY_TEST.search(path) for path in look.paths):
        way = Way.NPM if detect.has_npm_test(look) else None
    if way is Way.NPM and _DELEGATES.search(look.script("test")):
        return None
    if way is Way.GO and not any(path.endswith(".go") for path in look.paths):
        return None
    return None if way is Way.CARGO and crates else way


def _gathers(look: Look) -> bool:
    uv = _table(_table(look.toml(), "tool"), "uv")
    return "workspaces" in look.json() or "pnpm-workspace.yaml" in look.paths or "workspace" in uv


def touched_packages(packages: Sequence[Package], changed: Collection[str]) -> tuple[Package, ...]:
    """Those that hold a changed path, and those that need them. What several share lies at the root: all are meant.

    Tests of the root may import packages of the same language, so they are run with them, unless it only gathers them.
    """
    telling = [path for path in changed if not is_documentation(path)] or changed
    touched = {package.folder for path in telling for package in packages if package.owns(path)}
    if "" in touched or not touched:
        return tuple(packages)
    meant = _with_dependents(packages, touched)
    ways = {package.tests for package in packages if package.folder in meant}
    return tuple(each for each in packages if each.folder in meant or _watches(each, ways))


def _watches(package: Package, ways: Collection[Way | None]) -> bool:
    return not package.folder and not package.gathers and package.tests is not None and package.tests in ways


def _with_dependents(packages: Sequence[Package], touched: Collection[str]) -> set[str]:
    meant = set(touched)
    while True:
        names = frozenset(name for package in packages if package.folder in meant for name in package.names)
        more = {package.folder for package in packages if package.folder and package.needs & names} - meant
        if not more:
            return meant
        meant |= more


def _names(look: Look) -> Iterator[str]:
    if isinstance(name := look.json().get("name"), str):
        yield f"npm {name}"
    for table in (_table(look.toml(), "project"), _table(_table(look.toml(), "tool"), "poetry")):
        if isinstance(name := table.get("name"), str):
            yield _python(name)
    if isinstance(name := _table(look.toml("Cargo.toml"), "package").get("name"), str):
        yield f"crate {name}"
    if module := _MODULE.search(look.texts.get("go.mod", "")):
        yield f"go {module[1]}"


def _needs(look: Look) -> Iterator[str]:
    yield from (f"npm {name}" for kind in _NODE for name in _table(look.json(), kind))
    project = _table(look.toml(), "project")
    lists = [project.get("dependencies"), *_table(project, "optional-dependencies").values()]
    lists += _table(look.toml(), "dependency-groups").values()
    named = (each for some in lists if isinstance(some, list) for each in some if isinstance(each, str))
    yield from (_python(found[0]) for each in named if (found := _NAME.match(each.strip())))
    poetry = _table(_table(look.toml(), "tool"), "poetry")
    yield from map(_python, _table(poetry, "dependencies"))
    yield from (f"crate {name}" for kind in _CARGO for name in _table(look.toml("Cargo.toml"), kind))
    yield from (f"go {module}" for module in _REQUIRED.findall(look.texts.get("go.mod", "")))


def _python(name: str) -> str:
    return f"python {re.sub(r'[-_.]+', '-', name).casefold()}"


def _table(of: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = of.get(name)
    return found if isinstance(found, dict) else {}


def by_package(runner: GateRunner) -> tuple[GateRunner, ...]:
    """One for each package that the change touches; the runner itself where the repository is one.

    Packages are those of the base, and a folder that becomes one is added: none takes paths away from what was there.
    """
    case, written = runner.case, runner.commands.packages
    before, after = find_packages(case.before, written), find_packages(case.after, written)
    if len(before) == len(after) == 1:
        return (runner,)
    changed = [each.change.path for each in case.differing]
    known = {package.folder for package in before}
    fresh = [each for each in after if each.folder not in known and any(map(each.owns, changed))]
    looks = {package.folder: package.look for package in after}
    shared = tuple(each for each in case.differing if before[0].owns(each.change.path))
    chosen = [replace(runner, case=_of(case, each, each.look, looks)) for each in touched_packages(before, changed)]
    added = [replace(runner, case=_of(case, each, Look(texts={}), looks)) for each in fresh]
    return tuple(
        each if not each.case.package else replace(each, case=replace(each.case, shared=shared))
        for each in (*chosen, *added)
    )


def _of(case: Case, package: Package, before: Look, looks: Mapping[str, Look]) -> Case:
    owns = package.owns
    return replace(
        case,
        package=package.folder,
        others=package.others,
        way=package.tests,
        before=before,
        after=looks.get(package.folder) or case.after.within(package.folder, package.others),
        differing=tuple(each for each in case.differing if owns(each.change.path)),
        contents={path: content for path, content in case.contents.items() if owns(path)},
        former={path: content for path, content in case.former.items() if owns(path)},
        measured=tuple(path for path in case.measured if owns(path)),
    )
