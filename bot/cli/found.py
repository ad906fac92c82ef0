"""What is seen of a folder before it becomes a project: its state, its stack, its checks. Nothing of it is run."""

from collections.abc import Sequence
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.workspace.environments import seen as environment_files
from agents.workspace.environments.finding import find_environment, prepared_by_hand
from agents.workspace.gates import detect
from agents.workspace.gates.detect import Look
from agents.workspace.gates.offers import LINT, Offer, read_offers
from agents.workspace.gates.package_folders import find_packages
from agents.workspace.git.repository_states import find_states

STACKS = {
    "Python": ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"),
    "Node": ("package.json",),
    "Go": ("go.mod",),
    "Rust": ("Cargo.toml",),
    "make": ("Makefile", "makefile", "GNUmakefile"),
}


async def describe_folder(folder: Path) -> Sequence[tuple[str, str]]:
    """Label and value of each thing that was found."""
    try:
        look = await detect.look(folder)
    except OverlordError:
        look = Look(texts={})
    tests, lint = _tests(look), detect.lint(look)
    notes = [("Note", f"{each.what}. {each.step}") for each in await find_states(folder)]
    return [
        ("Folder", str(folder)),
        ("Stack", _stack(look)),
        ("Tests", f"{tests}, found by its files" if tests else "none found: no check runs them"),
        ("Lint", f"{lint.value}, found by its files" if lint else "none found"),
        ("Set-up", await _setup(folder)),
        ("Files", f"{len(look.paths):,} committed"),
        *notes,
    ]


def _tests(look: Look) -> str:
    """Of each package, where there are several."""
    found = [(package.folder, package.tests) for package in find_packages(look) if package.tests]
    return ", ".join(f"{way.value} in {folder}" if folder else way.value for folder, way in found)


async def _setup(folder: Path) -> str:
    """The commands that would install what it needs; they run once, in a sandbox, when a person has consented."""
    try:
        seen = await environment_files.look(folder, "HEAD")
    except OverlordError:
        return "not known"
    found = find_environment(seen, environment_files.this_machine(), prepared=prepared_by_hand(folder))
    if found.setup:
        return f"{'; '.join(found.setup)} (asked for before it runs)"
    return "nothing to install" if not prepared_by_hand(folder) else "what lies ready there is used"


def _stack(look: Look) -> str:
    found = {
        name: [file for file in files if any(path == file or path.endswith(f"/{file}") for path in look.paths)]
        for name, files in STACKS.items()
    }
    return ", ".join(f"{name} ({', '.join(files)})" for name, files in found.items() if files) or "not known"


async def offers_in(folder: Path) -> Sequence[Offer]:
    """Checks that its settings and its CI name, and that would not run by themselves."""
    try:
        found = await read_offers(folder)
        linted = detect.lint(await detect.look(folder))
    except OverlordError:
        return ()
    return [offer for offer in found if not (offer.check == LINT and linted)]
