"""A folder without the code of the product: interfaces, the public API, fixtures and papers, and one's own files.

It is no checkout: there is no .git, and what is not shown was never there. The host copies what is written back.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from agents.domain.checks.file_kinds import is_code, is_documentation, is_test
from agents.workspace.blind.outlines import outline
from agents.workspace.files.safe_open import NotThere, Tree
from agents.workspace.git import objects

API = "PUBLIC_API.md"
INTERFACES = "interfaces/"  # where a workflow has them written, unless it says otherwise
_DECLARED = (".d.ts", ".pyi", ".proto", ".graphql", ".avsc")
_SETTINGS = frozenset({"pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "package.json", "tsconfig.json"})
_FILES = ("100644", "100755")  # links and submodules are none
MOST = 400  # files
MOST_CODE = 4_000  # files of code whose outline is made
DEEPEST = 30  # folders of one's own beneath each other
LARGEST = 400_000  # bytes of one


def is_shown(path: str, mine: Sequence[str]) -> bool:
    """What says how the product is used or tested, never how it is made."""
    name = path.rpartition("/")[2]
    usable = name == "conftest.py" or (name in _SETTINGS and "/" not in path) or path.endswith(_DECLARED)
    return usable or is_documentation(path) or path.startswith((*mine, INTERFACES))


async def lay(place: Path, repository: Path, commit: str, mine: Sequence[str]) -> None:
    """Write what may be seen of a commit. Files that somebody began there are left as they are."""
    there = await objects.entries(repository, commit)
    plain = [entry for entry in there.values() if entry.mode in _FILES and entry.size <= LARGEST]
    wanted = [entry for entry in plain if is_shown(entry.path, mine)][:MOST]
    code = [entry for entry in plain if is_code(entry.path) and not is_test(entry.path)]
    code = [entry for entry in code if not is_shown(entry.path, mine)][:MOST_CODE]
    texts = await objects.blobs(repository, code)
    await asyncio.to_thread(_write, place, await objects.blobs(repository, wanted), texts, tuple(mine))


def _write(place: Path, shown: Mapping[str, bytes], texts: Mapping[str, bytes], mine: tuple[str, ...]) -> None:
    with closing(Tree(place)) as tree:
        for path, body in shown.items():
            if not (path.startswith(mine) and _read(tree, path) is not None):
                tree.write(path, body)
        tree.write(API, outline(texts).encode())


def bring_in(place: Path, folder: Path, mine: Sequence[str], known: Sequence[str]) -> None:
    """Copy one's own files into the branch's folder; of `known` ones, those that are gone go there, too."""
    with closing(Tree(place)) as written, closing(Tree(folder)) as whole:
        files = own_files(written, mine)
        for path, body in files.items():
            if _read(whole, path) != body:
                whole.write(path, body)
        for path in known:
            if path.startswith(tuple(mine)) and path not in files:
                with suppress(OSError, NotThere):
                    whole.remove(path)


def own_files(tree: Tree, mine: Sequence[str]) -> Mapping[str, bytes]:
    found = dict[str, bytes]()
    for start in mine:
        for path in _beneath(tree, start.rstrip("/"), DEEPEST):
            if len(found) == MOST:
                break
            if (body := _read(tree, path)) is not None:
                found[path] = body
    return found


def _beneath(tree: Tree, folder: str, depth: int) -> Iterator[str]:
    try:
        names = tree.names(folder)
    except (OSError, NotThere):
        return
    for name, kind in names:
        if kind == "folder" and depth and name not in ("__pycache__", ".pytest_cache"):
            yield from _beneath(tree, f"{folder}/{name}", depth - 1)
        elif kind == "file":
            yield f"{folder}/{name}"


def _read(tree: Tree, path: str) -> bytes | None:
    try:
        return tree.read(path, LARGEST)
    except (OSError, NotThere):
        return None
