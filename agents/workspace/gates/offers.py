"""Checks that a project seems to want: read from its settings and its CI, and offered to a person, never taken."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from agents.workspace.gates import detect
from agents.workspace.gates.detect import Look
from agents.workspace.git import objects

CI_FILES = re.compile(r"^\.github/workflows/[^/]+\.ya?ml$|^\.gitlab-ci\.yml$|^\.circleci/config\.yml$")
READ_MOST = 256 << 10  # bytes of one CI file
TYPE_CHECK, FORMAT, LINT, DOCS = "type_check", "format", "lint", "docs"
_LINES_MOST = 2_000  # of one CI file
_BEFORE = re.compile(r"^(?:-\s+)?(?:(?:run|script|command):\s*)?")
# What a command is for, by the program it starts. Only the start of a line counts: what is piped or chained is left.
_BY = r"(?:(?:uv|poetry|pdm|hatch) run |python3? -m |npx |pnpm (?:exec )?|yarn )?"
_TOOLS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (check, re.compile(rf"{_BY}(?:{tools})(?:\s|$)"))
    for check, tools in (
        (TYPE_CHECK, r"mypy|pyright|basedpyright|ty check|pyre|tsc|vue-tsc|flow check"),
        (FORMAT, r"black .*--check|ruff format .*(?:--check|--diff)|prettier .*(?:--check|-c)|isort .*(?:--check|-c)"
                 r"|cargo fmt .*--check|gofmt -l|biome check"),
        (LINT, r"flake8|pylint|eslint|golangci-lint|cargo clippy|go vet|ruff check"),
        (DOCS, r"mkdocs build|sphinx-build|typedoc|cargo doc"),
    )
)  # fmt: skip
_SCRIPTS = {
    TYPE_CHECK: ("typecheck", "type-check", "types", "check-types", "tsc"),
    FORMAT: ("format:check", "check-format", "fmt:check", "prettier:check"),
    LINT: ("lint",),
    DOCS: ("docs", "docs:build", "build:docs"),
}
_ODD = re.compile(r"\$\{\{|[|;<>`]|\$\(|&&|\|\|")  # more than one plain command


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A command that must pass, as it seems, and where that was read."""

    check: str
    command: str
    found_in: str


async def read_offers(repository: Path, commit: str = "HEAD") -> tuple[Offer, ...]:
    """Of what is committed. Raises GitFailed."""
    there = await objects.entries(repository, commit)
    ci = [entry for path, entry in there.items() if CI_FILES.match(path) and entry.size <= READ_MOST]
    return offers(await detect.look_at(repository, there), detect.decode(await objects.blobs(repository, ci)))


def offers(look: Look, ci: Mapping[str, str]) -> tuple[Offer, ...]:
    """The first for each check: a project's own scripts before its CI, and both before what settings hint at.
    `ci`: the texts of its CI files, by path."""
    found = (*_from_scripts(look), *_from_ci(ci), *_from_settings(look))
    first = dict[str, Offer]()
    for offer in found:
        first.setdefault(offer.check, offer)
    return tuple(first.values())


def _from_scripts(look: Look) -> Iterator[Offer]:
    runner = "pnpm" if "pnpm-lock.yaml" in look.paths else "yarn" if "yarn.lock" in look.paths else "npm"
    for check, names in _SCRIPTS.items():
        for name in names:
            if look.script(name):
                yield Offer(check=check, command=f"{runner} run {name}", found_in=f"package.json, script {name}")


def _from_ci(ci: Mapping[str, str]) -> Iterator[Offer]:
    for path, text in sorted(ci.items()):
        for line in _commands(text):
            for check, tools in _TOOLS:
                if tools.match(line):
                    yield Offer(check=check, command=line, found_in=path)


def _from_settings(look: Look) -> Iterator[Offer]:
    tool = look.toml().get("tool")
    tools = tool if isinstance(tool, dict) else {}
    if "mypy" in tools or look.paths & {"mypy.ini", ".mypy.ini"} or look.ini("setup.cfg", "mypy"):
        files = " ." if not _names_files(tools.get("mypy")) else ""
        yield Offer(check=TYPE_CHECK, command=f"mypy{files}", found_in="its settings of mypy")
    if "pyright" in tools or "pyrightconfig.json" in look.paths:
        yield Offer(check=TYPE_CHECK, command="pyright", found_in="its settings of pyright")
    if "tsconfig.json" in look.paths:
        yield Offer(check=TYPE_CHECK, command="npx tsc --noEmit", found_in="tsconfig.json")
    if "black" in tools:
        yield Offer(check=FORMAT, command="black --check .", found_in="its settings of black")
    ruff = tools.get("ruff")
    if isinstance(ruff, dict) and "format" in ruff:
        yield Offer(check=FORMAT, command="ruff format --check .", found_in="its settings of ruff")
    if "mkdocs.yml" in look.paths:
        yield Offer(check=DOCS, command="mkdocs build --strict", found_in="mkdocs.yml")


def _names_files(mypy: object) -> bool:
    return isinstance(mypy, dict) and any(key in mypy for key in ("files", "packages", "modules"))


def _commands(text: str) -> list[str]:
    """Lines that are plain commands, whatever they stand in: under `run:`, in a block, in a list."""
    lines = (_BEFORE.sub("", line.strip()).strip("\"'") for line in text.splitlines()[:_LINES_MOST])
    return [line for line in lines if line and len(line) <= 300 and line.isprintable() and not _ODD.search(line)]
