"""Files of a project that a file imports, found by name: Python, TypeScript, JavaScript and Go."""

import re
from collections.abc import Iterator
from itertools import chain

from agents.domain.context.listing import Listing, first_of
from agents.domain.context.script_paths import ReadText, ScriptPaths, inside, script_paths

MOST_IMPORTS = 24

# Patterns and no parser: parsing code that somebody hostile wrote may end the whole process.
_PYTHON = re.compile(
    r"^[ \t]{0,40}(?:from[ \t]{1,9}([.\w]{1,200})[ \t]{1,9}import[ \t]{0,9}(\([^()]{0,2000}\)|[^\n]{0,500})"
    r"|import[ \t]{1,9}([^\n]{1,500}))",
    re.M,
)
SCRIPT_IMPORT = re.compile(r"""(?:\bfrom|\brequire\(|\bimport\(?)\s{0,5}["']([^"'\n]{1,200})["']""")
_GO = re.compile(r'^[ \t]{0,9}(?:import[ \t]{1,9})?(?:[\w.]{1,50}[ \t]{1,9})?"([\w./~-]{3,200})"', re.M)
_NAME = re.compile(r"[A-Za-z_]\w{0,100}")
SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")
_ENDINGS = ("", *SCRIPTS, ".json", *(f"/index{end}" for end in SCRIPTS))
_BUILT = re.compile(r"\.[mc]?jsx?$")  # what a module of TypeScript is named where it is imported


def _unread(path: str) -> str:
    return ""


def imports_of(path: str, text: str, listing: Listing, read: ReadText = _unread) -> list[str]:
    """In the order in which it names them. `read`: other files, such as the settings of TypeScript."""
    if path.endswith((".py", ".pyi")):
        found = _python(path, text, listing)
    elif path.endswith(SCRIPTS):
        found = _script(path, text, listing, script_paths(path, listing.files, read))
    elif path.endswith(".go"):
        found = _go(text, listing)
    else:
        return []
    return first_of(found, MOST_IMPORTS, besides={path})


def _python(path: str, text: str, listing: Listing) -> Iterator[str]:
    package = path.split("/")[:-1]
    above = ["/".join(package[:end]) + "/" for end in range(1, len(package) + 1)]
    roots = ["", "src/", *above, *(f"{folder}src/" for folder in above)]
    for found in _PYTHON.finditer(text):
        module, names, plain = found.groups()
        starts = [""] if (module or "").startswith(".") else roots
        for wanted in _modules(module, names, plain, package):
            yield from chain.from_iterable(_python_file(root + wanted, listing) for root in starts)


def _modules(module: str | None, names: str | None, plain: str | None, package: list[str]) -> Iterator[str]:
    """Paths without an ending: of the names that may be modules first, then of the module itself."""
    if plain is not None:
        yield from (each.split()[0].replace(".", "/") for each in plain.split(",") if each.split())
        return
    bare = (module or "").lstrip(".")
    up = len(module or "") - len(bare)
    if up > len(package) + 1:
        return
    base = package[: len(package) - up + 1] if up else []
    start = "/".join((*base, *(bare.split(".") if bare else ())))
    for name in _NAME.findall((names or "").partition("#")[0])[:50]:
        yield f"{start}/{name}" if start else name
    if start:
        yield start


def _python_file(base: str, listing: Listing) -> Iterator[str]:
    return (made for made in (f"{base}.py", f"{base}.pyi", f"{base}/__init__.py") if made in listing)


def _script(path: str, text: str, listing: Listing, paths: ScriptPaths) -> Iterator[str]:
    here = path.split("/")[:-1]
    for found in SCRIPT_IMPORT.finditer(text):
        wanted = found[1].partition("?")[0]  # `./icon.svg?raw`, as bundlers read it
        places = _relative(here, wanted) if wanted.startswith(".") else (*paths.places(wanted), *_usual(wanted))
        files = (made for place in places for made in _script_files(place) if made in listing)
        if (first := next(files, None)) is not None:
            yield first


def _relative(here: list[str], wanted: str) -> tuple[str, ...]:
    place = inside(here, wanted)
    return () if place is None else (place,)


def _usual(wanted: str) -> tuple[str, ...]:
    """What frameworks mean by @/ and ~/ where no settings of the project say it."""
    return tuple(f"{root}{wanted[2:]}" for root in ("src/", "", "app/")) if wanted.startswith(("@/", "~/")) else ()


def _script_files(place: str) -> Iterator[str]:
    for start in dict.fromkeys((place, _BUILT.sub("", place))):
        yield from (f"{start}{end}".lstrip("/") for end in _ENDINGS)


def _go(text: str, listing: Listing) -> Iterator[str]:
    for found in _GO.finditer(text[:20_000]):
        parts = found[1].split("/")
        for start in range(min(len(parts), 12)):
            folder = "/".join(parts[start:])
            if folder in listing.folders:
                names = (name for name in listing.folders[folder] if name.endswith(".go"))
                yield from (f"{folder}/{name}" for name in names if not name.endswith("_test.go"))
                break
