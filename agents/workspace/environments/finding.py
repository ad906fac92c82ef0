"""Finds what a project needs from its files at a commit. Nothing of the project is run."""

from collections.abc import Collection
from pathlib import Path

from agents.domain.project.environment import Ecosystem, Environment, Part, WrittenEnvironment, lay_over
from agents.workspace.environments import native_parts, node_parts, python_parts
from agents.workspace.environments.seen import Machine, Seen

NONE_WRITTEN = WrittenEnvironment()
_FINDERS = (python_parts.find, node_parts.find, native_parts.find)


def find_parts(seen: Seen, machine: Machine, prepared: Collection[Ecosystem] = ()) -> tuple[Part, ...]:
    """`prepared`: ecosystems that the operator has set up by hand already."""
    found = (part for find in _FINDERS for part in find(seen, machine))
    return tuple(part for part in found if part.ecosystem not in prepared)


def find_environment(
    seen: Seen,
    machine: Machine,
    written: WrittenEnvironment = NONE_WRITTEN,
    prepared: Collection[Ecosystem] = (),
) -> Environment:
    return lay_over(find_parts(seen, machine, prepared), written)


def prepared_by_hand(checkout: Path, venv: str = "") -> frozenset[Ecosystem]:
    """What lies ready in the user's own checkout, or is named as `gates.environment`: that is used as it is."""
    found = set[Ecosystem]()
    if venv or (checkout / ".venv" / "pyvenv.cfg").is_file():
        found.add(Ecosystem.PYTHON)
    if (checkout / "node_modules").is_dir():
        found.add(Ecosystem.NODE)
    return frozenset(found)
