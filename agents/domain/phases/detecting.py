"""What components of a plan import from each other, and what nobody knows: suggestions, for a person to confirm."""

import ast
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from agents.domain.context.importing import SCRIPT_IMPORT, SCRIPTS, imports_of
from agents.domain.context.listing import Listing
from agents.domain.planning.decomposition import Decomposition, Subtask

LARGEST = 200_000  # characters of a file that is read
MOST_FILES = 200  # of a component
NODE_OWN = frozenset(
    [
        "assert",
        "buffer",
        "child_process",
        "cluster",
        "crypto",
        "dgram",
        "dns",
        "events",
        "fs",
        "http",
        "http2",
        "https",
        "inspector",
        "module",
        "net",
        "os",
        "path",
        "perf_hooks",
        "process",
        "punycode",
        "querystring",
        "readline",
        "stream",
        "string_decoder",
        "timers",
        "tls",
        "tty",
        "url",
        "util",
        "v8",
        "vm",
        "worker_threads",
        "zlib",
    ]
)
ReadText = Callable[[str], str]  # empty: it is not there, or cannot be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One that imports something."""

    line: int
    text: str  # as it would be written on one line
    module: str  # the package that it names; empty: it is relative


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Where a component's code says that it needs something."""

    component: int
    file: str
    line: int
    text: str
    needs: int = 0  # the component that has what it imports
    package: str = ""  # what is neither a component's nor the project's


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    edges: tuple[Seen, ...] = ()  # that the plan does not have
    unknown: tuple[Seen, ...] = ()
    late: tuple[Seen, ...] = ()  # on a component of a later phase, so that they cannot be added


@dataclass(frozen=True, kw_only=True)
class _Code:
    listing: Listing
    read: ReadText
    known: Collection[str] = field(default_factory=frozenset)  # packages that need not be asked for


def find_dependencies(plan: Decomposition, listing: Listing, read: ReadText, known: Collection[str] = ()) -> Detected:
    """Of files that exist already: what is still to be written imports nothing. The first place of each is told."""
    code = _Code(listing=listing, read=read, known={each.casefold() for each in known})
    owners = _owners(plan)
    waits = _waits(plan)
    phases = {subtask.number: subtask.phase for subtask in plan.subtasks}
    edges, unknown, late = dict[tuple[int, int], Seen](), dict[str, Seen](), dict[tuple[int, int], Seen]()
    for subtask in plan.steps:
        for seen in _imports(subtask, code, owners):
            if seen.package:
                unknown.setdefault(seen.package, seen)
            elif phases[seen.needs] > subtask.phase:
                late.setdefault((subtask.number, seen.needs), seen)
            elif seen.needs not in waits[subtask.number] and subtask.number not in waits[seen.needs]:
                edges.setdefault((subtask.number, seen.needs), seen)
    return Detected(edges=tuple(edges.values()), unknown=tuple(unknown.values()), late=tuple(late.values()))


def _owners(plan: Decomposition) -> dict[str, int]:
    """Who writes a file, or what is in a folder."""
    return {path: subtask.number for subtask in plan.steps for path in subtask.files}


def _waits(plan: Decomposition) -> Mapping[int, set[int]]:
    """All that each waits for by name, near and far."""
    needs = {subtask.number: subtask.blocked_by for subtask in plan.subtasks}
    found = dict[int, set[int]]()
    for number in needs:
        found[number], more = set(), {number}
        while more:
            more = {each for one in more for each in needs.get(one, ())} - found[number]
            found[number] |= more
    return found


def _imports(subtask: Subtask, code: _Code, owners: Mapping[str, int]) -> Iterator[Seen]:
    for path in islice(_files(subtask, code.listing), MOST_FILES):
        text = code.read(path)[:LARGEST]
        for said in statements(path, text):
            found = imports_of(path, said.text, code.listing, code.read)
            needed = {owner for each in found if (owner := _owner(each, owners)) and owner != subtask.number}
            place = {"component": subtask.number, "file": path, "line": said.line, "text": said.text}
            yield from (Seen(**place, needs=owner) for owner in sorted(needed))  # type: ignore[arg-type]
            if not found and _is_unknown(path, said.module, code):
                yield Seen(**place, package=said.module)  # type: ignore[arg-type]


def _files(subtask: Subtask, listing: Listing) -> Iterator[str]:
    for path in subtask.files:
        yield from sorted(listing.beneath(path)) if path.endswith("/") else (path,) if path in listing else ()


def _owner(path: str, owners: Mapping[str, int]) -> int:
    """Whoever writes the file itself, or else the nearest folder that it is in; 0: nobody."""
    parts = path.split("/")
    folders = ("/".join(parts[:end]) + "/" for end in range(len(parts) - 1, 0, -1))
    return next((owners[each] for each in (path, *folders) if each in owners), 0)


def _is_unknown(path: str, module: str, code: _Code) -> bool:
    if not module or module.casefold() in code.known:
        return False
    if path.endswith((".py", ".pyi")):
        inside = module in code.listing.folders or f"src/{module}" in code.listing.folders
        return module not in sys.stdlib_module_names and not inside
    return module not in NODE_OWN and not module.startswith("node:")


def statements(path: str, text: str) -> Iterator[Statement]:
    """Python by its syntax tree; TypeScript and JavaScript by what follows `from`, `import` and `require`."""
    if path.endswith((".py", ".pyi")):
        yield from _of_python(text)
    elif path.endswith(SCRIPTS):
        for found in SCRIPT_IMPORT.finditer(_without_comments(text)):
            line = text.count("\n", 0, found.start(1)) + 1
            yield Statement(line=line, text=text.splitlines()[line - 1].strip()[:200], module=_package(found[1]))


def _of_python(text: str) -> Iterator[Statement]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Statement(line=node.lineno, text=f"import {alias.name}", module=alias.name.partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            module = "" if node.level else (node.module or "").partition(".")[0]
            yield Statement(line=node.lineno, text=ast.unparse(node)[:500], module=module)


def _package(wanted: str) -> str:
    """`@scope/name/part` as `@scope/name`; empty: a path."""
    if wanted.startswith((".", "/", "@/", "~/", "#")):
        return ""
    parts = wanted.split("/")
    return "/".join(parts[:2]) if wanted.startswith("@") else parts[0]


# Text in quotes is matched first, so that `//` of an address begins no comment; each always ends, closed or not.
_COMMENT = re.compile(r"""("(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?)|//[^\n]*|/\*.*?(?:\*/|\Z)""", re.S)


def _without_comments(text: str) -> str:
    """As long as it was, with blanks in place of comments."""
    return _COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)
