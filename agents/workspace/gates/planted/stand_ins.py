"""Files that would be loaded in place of Python's own modules, or of the runner's, before any test is."""

import re
import sys
from collections.abc import Iterable

_RUNNER = {"pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "coverage", "xdist", "execnet"}
_BY_ITSELF = {"sitecustomize", "usercustomize"}
# A package called so is common, and no runner loads Python's own.
_NEVER_LOADED = {"test", "idlelib", "lib2to3", "turtle", "turtledemo", "this", "antigravity"}
_TAKEN = (sys.stdlib_module_names - _NEVER_LOADED) | _RUNNER | _BY_ITSELF
_ENDINGS = (".py", ".pyc", ".so")
# Programs that commands of tests start by their name, from wherever the project looks first.
_PROGRAM = re.compile(
    r"(^|/)(python[\d.]*|pytest|py\.test|node|npm|npx|cargo|jest|mocha|vitest|tox|nox|coverage|sh|bash)$"
)


def stand_ins(added: Iterable[str], roots: Iterable[str]) -> list[str]:
    """Of the paths that were added, those that are imported or started under a name that is taken. `roots`: folders
    that are searched for modules."""
    places = {f"{root.strip('/')}/".lstrip("/") for root in roots}
    return sorted(path for path in added if _PROGRAM.search(path) or any(_stands_in(path, place) for place in places))


def _stands_in(path: str, place: str) -> bool:
    if not path.startswith(place):
        return False
    top, _, rest = path[len(place) :].partition("/")
    if rest:
        return top in _TAKEN and rest == "__init__.py"
    return top.endswith(_ENDINGS) and top.partition(".")[0] in _TAKEN
