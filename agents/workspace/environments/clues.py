"""Files that seem to say how a project is set up, where code finds nothing."""

import re
from collections.abc import Mapping

from agents.domain.ids import fingerprint
from agents.workspace.environments.seen import CLUE, Seen
from agents.workspace.gates.detect import MANIFESTS

EACH_MOST = 4_500  # characters of one file
FILES_MOST = 8
_MAKES = re.compile(r"(?m)^(setup|install|deps|dependencies|bootstrap|init|develop|dev|requirements)\s*:(?!=)")
_TOX = re.compile(r"(?m)^\s*(deps|commands_pre|extras|dependency_groups)\s*=")
_NOX = re.compile(r"\bsession\.install\b")
_CI = re.compile(r"^\.(github/workflows|gitlab-ci|circleci)")


def find_clues(seen: Seen) -> Mapping[str, str]:
    """Texts by path. What CI does counts beside another clue, or where there is no manifest that code could read."""
    named = sorted(
        (path for path in seen.texts if CLUE.fullmatch(path)), key=lambda path: (bool(_CI.match(path)), path)
    )
    strong = [path for path in named if _tells(path, seen.texts[path])]
    known = any(seen.has(name) for name in MANIFESTS)
    if not strong and (known or not named):
        return {}
    chosen = [*strong, *(path for path in named if _CI.match(path))] if strong else named
    return {path: seen.texts[path][:EACH_MOST] for path in chosen[:FILES_MOST]}


def _tells(path: str, text: str) -> bool:
    """Whether it is about what has to be installed."""
    if _CI.match(path):
        return False
    name = path.rpartition("/")[2].casefold()
    if name.endswith("makefile") or name.startswith(("justfile", "taskfile")):
        return _MAKES.search(text) is not None
    if name == "tox.ini":
        return _TOX.search(text) is not None
    return _NOX.search(text) is not None if name == "noxfile.py" else True


def hash_of(clues: Mapping[str, str], blobs: Mapping[str, str]) -> str:
    return fingerprint("clues 1", *(f"{path} {blobs.get(path, '')}" for path in clues)) if clues else ""
