"""What Python projects need: from uv.lock, requirements files, pyproject.toml, setup.cfg and setup.py."""

import configparser
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.domain.project.environment import Ecosystem, Part
from agents.workspace.environments import poetry_groups
from agents.workspace.environments.runner_needs import runner_needs
from agents.workspace.environments.seen import Machine, Seen, join
from agents.workspace.gates.detect import PY_TEST

PYPROJECT = "pyproject.toml"
_MANIFESTS = (PYPROJECT, "setup.py", "setup.cfg")
_LOCKS = ("uv.lock", "poetry.lock")
# Extras, groups and requirements files that hold what checks need.
WANTED = re.compile(
    r"tests?|testing|dev|develop|development|lint|linting|linters?|typing|types|type-?check(ing)?|mypy|checks?|qa|style|ci"
)
_REQUIREMENTS = re.compile(r"requirements(?:[-_.](?P<what>[\w.-]+))?\.txt")
_FOLDER = "requirements"
_FOR_TESTS, _FOR_WORK = ("test", "tests", "testing"), ("dev", "develop", "development")
_BASE = ("base", "main", "requirements", "common")  # of the program itself, in that folder
_VERSIONED = re.compile(
    r"setuptools[-_]scm|hatch[-_]vcs|vcs[-_]versioning|versioningit|poetry-dynamic-versioning|setuptools-git-versioning"
)
_WRITES = re.compile(r"""\b(?:write_to|version_file|version-file)["']?\s*[:=]\s*["']([^"'\n]+)["']""")
_NAMED = re.compile(r"[A-Za-z0-9][\w.-]*")
_OURS = ("pytest", "coverage")  # installed in any case
NO_TAG = "0.0.0"
VENV = '"$PYTHON" -m venv "$LAYER/venv"'
PIP = '"$LAYER/venv/bin/python" -m pip'
# These know no variable that tells it.
_READS_GIT = re.compile(r"setuptools[-_]git[-_]versioning|versioningit|versioneer|dunamai|uv[-_]dynamic[-_]versioning")
# What takes a version from git is told one: where a tree is laid out there is no git.
_TOLD = ("SETUPTOOLS_SCM_PRETEND_VERSION", "PDM_BUILD_SCM_VERSION", "PBR_VERSION", "POETRY_DYNAMIC_VERSIONING_BYPASS")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Package:
    """One folder with Python manifests, as far as they can be read."""

    folder: str
    toml: Mapping[str, Any]
    texts: Mapping[str, str]  # setup.py and setup.cfg
    requirements: tuple[str, ...] = ()
    uv_lock: bool = False
    files: frozenset[str] = field(default_factory=frozenset)
    poetry_lock: Mapping[str, Any] = field(default_factory=dict)
    tox_ini: str = ""
    members: tuple["_Package", ...] = ()  # of its workspace

    @property
    def project(self) -> dict[str, Any]:
        return _table(self.toml, "project")

    @property
    def builds(self) -> bool:
        """Whether pip can install the folder itself."""
        return bool(self.project.get("name") or self.toml.get("build-system") or self.texts or self._poetry)

    @property
    def _poetry(self) -> dict[str, Any]:
        return _table(_table(self.toml, "tool"), "poetry")

    @property
    def extras(self) -> tuple[str, ...]:
        found = list(_table(self.project, "optional-dependencies"))
        found += _section(self.texts.get("setup.cfg", ""), "options.extras_require")
        found += list(_table(self._poetry, "extras"))
        found += _extras_of_setup(self.texts.get("setup.py", ""))
        return _chosen(found)

    @property
    def groups(self) -> tuple[str, ...]:
        return _chosen(_table(self.toml, "dependency-groups"))

    @property
    def poetry_groups(self) -> tuple[str, ...]:
        """What Poetry would install for checks, as requirements."""
        chosen = _chosen(poetry_groups.group_names(self._poetry))
        found = (poetry_groups.requirements(self._poetry, name, self.poetry_lock) for name in chosen)
        return tuple(dict.fromkeys(each for some in found for each in some))

    @property
    def runner_needs(self) -> tuple[str, ...]:
        """What tox or hatch would install, where nothing else says what tests need."""
        said = self.extras or self.groups or self.poetry_groups or self.requirements or self.uv_lock
        return () if said else runner_needs(self.tox_ini, self.toml)

    @property
    def gathers(self) -> bool:
        """Whether it is the root of a workspace of uv."""
        return "workspace" in _table(_table(self.toml, "tool"), "uv")

    @property
    def name(self) -> str:
        said = self.project.get("name") or self._poetry.get("name")
        return _known_as(said) if isinstance(said, str) else ""

    @property
    def needs(self) -> frozenset[str]:
        listed = self.project.get("dependencies")
        named = [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
        names = (found[0] for each in named if (found := _NAMED.match(each)))
        return frozenset(map(_known_as, (*names, *_table(self._poetry, "dependencies"))))

    @property
    def asks_git(self) -> bool:
        """Whether building asks git for a version."""
        return self._builds_with(_VERSIONED)

    @property
    def reads_git(self) -> bool:
        """Whether the version can only be told by a repository with a tag."""
        return self._builds_with(_READS_GIT)

    def _builds_with(self, tools: re.Pattern[str]) -> bool:
        requires = _table(self.toml, "build-system").get("requires")
        named = [each for each in requires if isinstance(each, str)] if isinstance(requires, list) else []
        return any(tools.search(text) for text in (*named, *self.texts.values()))

    @property
    def generated_files(self) -> tuple[str, ...]:
        """Files that building writes beside the sources, by what the manifests say of it."""
        tool = _table(self.toml, "tool")
        scm = _table(tool, "setuptools_scm")
        hatch = _table(_table(_table(_table(tool, "hatch"), "build"), "hooks"), "vcs")
        named = [scm.get("write_to"), scm.get("version_file"), hatch.get("version-file")]
        named += [found for text in self.texts.values() for found in _WRITES.findall(text)]
        plain = (each for each in named if isinstance(each, str) and _is_inside(each))
        return tuple(dict.fromkeys(join(self.folder, each) for each in plain))

    @property
    def installs(self) -> bool:
        """Whether there is anything to install: a plain project without dependencies works as it lies there."""
        project = self.project
        dynamic = project.get("dynamic")
        unknown = isinstance(dynamic, list) and "dependencies" in dynamic
        poetry = set(_table(self._poetry, "dependencies")) - {"python"}
        needs = (project.get("dependencies"), unknown, self.requirements, self.uv_lock, poetry, self.generated_files)
        return (
            any(needs)
            or bool(self.extras or self.groups or self.poetry_groups or self.members)
            or any(each not in _OURS for each in self.runner_needs)
            or "setup.py" in self.texts
            or self._of_setup_cfg
        )

    @property
    def _of_setup_cfg(self) -> bool:
        return "install_requires" in _section(self.texts.get("setup.cfg", ""), "options")

    @property
    def wants(self) -> str:
        """The Python that it asks for, as `requires-python`."""
        said = self.project.get("requires-python")
        return said if isinstance(said, str) else ""


def find(seen: Seen, machine: Machine) -> Iterator[Part]:
    """One venv for all of a repository; those in folders below count where the root has none of its own."""
    packages = [_package(seen, folder) for folder in _folders(seen)]
    wanted = _needed_first([package for package in packages if package.installs])
    for number, package in enumerate(wanted):
        found = machine.python(package.wants)
        toolchain = f"{found[1]} {found[0][0]}.{found[0][1]}" if found else f"Python {package.wants}".strip()
        yield Part(
            ecosystem=Ecosystem.PYTHON,
            folder=package.folder,
            seen=join(package.folder, _told_by(package)),
            toolchain=toolchain,
            setup=(*_tagged(package, seen), *_commands(package, machine, first=number == 0)),
            locks=tuple(sorted(frozenset.union(package.files, *(member.files for member in package.members)))),
            members=tuple(member.folder for member in package.members),
            generated=package.generated_files,
            variables=dict.fromkeys(_TOLD, seen.version or NO_TAG) if package.asks_git else {},
        )


def _tagged(package: _Package, seen: Seen) -> Iterator[str]:
    """A repository of the tree alone, with its nearest tag: the project's own is not shown to set-up."""
    if package.reads_git and seen.tag:
        commit = "git -c user.name=set-up -c user.email=set-up@localhost commit -q -m base"
        yield f"git init -q . && git add -A && {commit} && git tag {shlex.quote(seen.tag)}"


def _folders(seen: Seen) -> list[str]:
    found = list(seen.folders_with(*_MANIFESTS))
    found += [folder for folder in _with_requirements(seen) if folder not in found]
    if "" not in found:
        return found
    root = _package(seen, "")
    if not root.installs or root.gathers:
        return [""] if root.installs else found
    return ["", *(folder for folder in found if folder and _has_tests(seen, folder))]


def _has_tests(seen: Seen, folder: str) -> bool:
    return any(path.startswith(f"{folder}/") and PY_TEST.search(path) for path in seen.blobs)


def _needed_first(packages: list[_Package]) -> list[_Package]:
    """What another package of the repository needs is there before it: an index may have a stranger's of that name."""
    left, found = list(packages), list[_Package]()
    while left:
        waiting = {package.name for package in left if package.name}
        free = next((each for each in left if not (each.needs - {each.name}) & waiting), left[0])
        left.remove(free)
        found.append(free)
    return found


def _with_requirements(seen: Seen) -> Iterator[str]:
    names = {path.rpartition("/")[2] for path in seen.blobs}
    yield from seen.folders_with(*(name for name in names if _REQUIREMENTS.fullmatch(name)))


def _package(seen: Seen, folder: str) -> _Package:
    requirements = tuple(sorted(_requirements(seen, folder)))
    texts = {
        name: seen.texts[join(folder, name)] for name in ("setup.py", "setup.cfg") if join(folder, name) in seen.texts
    }
    files = (join(folder, name) for name in (*_MANIFESTS, *_LOCKS, ".python-version") if seen.has(join(folder, name)))
    toml = seen.toml(join(folder, PYPROJECT))
    inside = seen.folders_with(*_MANIFESTS) if "workspace" in _table(_table(toml, "tool"), "uv") else ()
    start = f"{folder}/" if folder else ""
    return _Package(
        folder=folder,
        toml=toml,
        poetry_lock=seen.toml(join(folder, "poetry.lock")),
        tox_ini=seen.texts.get(join(folder, "tox.ini"), ""),
        members=tuple(_package(seen, each) for each in inside if each != folder and each.startswith(start)),
        texts=texts,
        requirements=requirements,
        uv_lock=seen.has(join(folder, "uv.lock")),
        files=frozenset((*files, *(join(folder, name) for name in requirements))),
    )


def _requirements(seen: Seen, folder: str) -> Iterator[str]:
    """Those of the program itself and of its checks, beside the manifest or in a folder `requirements`."""
    kept = dict[str, str]()  # in that folder, by what they are for
    for path in seen.blobs:
        above, _, name = path.rpartition("/")
        found = _REQUIREMENTS.fullmatch(name)
        if above == folder and found and (not found["what"] or WANTED.fullmatch(found["what"].casefold())):
            yield name
        elif above == join(folder, _FOLDER) and name.endswith(".txt"):
            kept[name.removesuffix(".txt").casefold().replace("_", "-")] = f"{_FOLDER}/{name}"
    for_tests = any(what in kept for what in _FOR_TESTS)
    for what, path in kept.items():  # that for development often pins everything once more
        if what in _BASE or (WANTED.fullmatch(what) and not (for_tests and what in _FOR_WORK)):
            yield path


def _commands(package: _Package, machine: Machine, *, first: bool) -> Iterator[str]:
    go = f"cd {shlex.quote(package.folder)} && " if package.folder else ""
    if first:
        yield VENV
    if package.uv_lock:
        yield from (f"{go}{command}" for command in _by_uv(package, machine))
        return
    if package.groups:
        yield f'{PIP} install "pip>=25.1"'  # older ones know no dependency groups
    what = [f"-r {shlex.quote(name)}" for name in package.requirements]
    extras = f"[{','.join(package.extras)}]" if package.extras else ""
    if package.builds:
        what.append(shlex.quote(f".{extras}") if extras else ".")
    what += [f"--group {name}" for name in package.groups]
    what += map(shlex.quote, (*package.poetry_groups, *(each for each in package.runner_needs if each not in _OURS)))
    yield f"{go}{PIP} install {' '.join(what)} pytest coverage"


def _by_uv(package: _Package, machine: Machine) -> Iterator[str]:
    """The locked versions, from whatever index this machine uses: the addresses in a lock file are not asked."""
    uv = "uv"
    if "uv" not in machine.programs:
        yield '"$PYTHON" -m venv "$LAYER/tools" && "$LAYER/tools/bin/python" -m pip install uv'
        uv = '"$LAYER/tools/bin/uv"'
    chosen = [f"--extra {name}" for name in package.extras] + [f"--group {name}" for name in package.groups]
    whose = ("--all-packages", "--no-emit-workspace") if package.gathers else ("--no-emit-project",)
    options = " ".join(("--frozen", *whose, "--no-header", "--quiet", *chosen))
    yield f'{uv} export {options} -o "$LAYER/locked.txt"'
    yield f'{PIP} install --no-deps -r "$LAYER/locked.txt"'  # a lock is whole; the project may be in it
    start = f"{package.folder}/" if package.folder else ""
    built = [each for each in (package, *package.members) if each.builds and each.toml.get("build-system")]
    folders = (f"./{each.folder.removeprefix(start)}" if each is not package else "." for each in built)
    own = f"{PIP} install --no-deps {' '.join(map(shlex.quote, folders))} && " if built else ""
    yield f"{own}{PIP} install pytest coverage"


def _told_by(package: _Package) -> str:
    names = ("uv.lock", PYPROJECT, "setup.py", "setup.cfg", *package.requirements)
    return next((name for name in names if join(package.folder, name) in package.files), PYPROJECT)


def _chosen(names: Iterable[str]) -> tuple[str, ...]:
    plain = (name for name in names if _NAMED.fullmatch(name))
    return tuple(dict.fromkeys(name for name in plain if WANTED.fullmatch(name.casefold().replace("_", "-"))))


def _known_as(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).casefold()


def _table(of: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = of.get(name)
    return found if isinstance(found, dict) else {}


def _section(text: str, name: str) -> list[str]:
    reader = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        reader.read_string(text)
    except configparser.Error:
        return []
    return reader.options(name) if reader.has_section(name) else []


def _extras_of_setup(text: str) -> list[str]:
    """Names in `extras_require={"test": …}`, where they are written out."""
    found = re.search(r"extras_require\s*=\s*\{(.*?)\n?\s*\}", text, re.DOTALL)
    return re.findall(r"""["']([\w.-]+)["']\s*:""", found[1]) if found else []


def _is_inside(path: str) -> bool:
    return not path.startswith("/") and ".." not in path.split("/") and path.isprintable()
