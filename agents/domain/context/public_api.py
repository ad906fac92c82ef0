"""What others may call of a source file: names and signatures, without what is inside.

Patterns and no parser, as for imports: the code is somebody else's.
"""

import re
from collections.abc import Iterator

MOST = 200  # lines of one file
_PYTHON = re.compile(
    r"^(?P<indent>[ ]{0,8})(?:(?:async[ ]+)?def[ ]+(?P<def>[A-Za-z]\w{0,100}|__init__|__call__)[ ]*\([^\n]*"
    r"|class[ ]+(?P<class>[A-Za-z]\w{0,100})[^\n]*)$"
)
_SCRIPT = re.compile(
    r"^export[ ]+(?:default[ ]+)?(?:declare[ ]+)?(?:abstract[ ]+)?(?:async[ ]+)?"
    r"(?P<kind>function\*?|class|const|let|interface|type|enum)[ ]+[^\n]*"
)
_OTHERS = {
    ".go": re.compile(r"^(?:func (?:\([^)]{0,100}\) )?[A-Z]|type [A-Z])[^\n]*"),
    ".rs": re.compile(r"^[ ]{0,8}pub (?:async )?(?:fn|struct|enum|trait|type|const)\b[^\n]*"),
    ".java": re.compile(r"^[ ]{0,8}public [^\n=;]*[({]?"),
}
_SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs")
_LONGEST_HEAD = 12  # lines of one signature


def public_api(path: str, text: str) -> str:
    """Empty: nothing is public, or its language is not known here."""
    lines = text.splitlines()
    if path.endswith((".py", ".pyi")):
        found = _python(lines)
    elif path.endswith(_SCRIPTS):
        found = _script(lines)
    else:
        pattern = next((each for end, each in _OTHERS.items() if path.endswith(end)), None)
        found = (_head(line) for line in lines if pattern and pattern.match(line))
    return "\n".join(line for line, _ in zip(found, range(MOST), strict=False))


def _python(lines: list[str]) -> Iterator[str]:
    """Public functions at the top, public classes and their public methods, with their signatures."""
    inside: str | None = None  # a class whose methods count; None: none
    for at, line in enumerate(lines):
        found = _PYTHON.match(line)
        if line[:1].strip() and not line.startswith(("#", ")", "@")):
            inside = None
        if found is None:
            continue
        indent = len(found["indent"])
        if found["class"] and not indent:
            inside = found["class"]
            yield from _whole(lines, at)
        elif found["def"] and (not indent or (inside and indent == 4)):
            yield from _whole(lines, at)


def _whole(lines: list[str], at: int) -> Iterator[str]:
    """A signature to its end, which may be some lines on; what stands behind its colon is inside."""
    text = "\n".join(line.rstrip() for line in lines[at : at + _LONGEST_HEAD])
    yield from text[: _end(text, ":") + 1].splitlines()


def _script(lines: list[str]) -> Iterator[str]:
    """Exports; of interfaces, types and enums all of it, for that is what they are."""
    at = 0
    while at < len(lines):
        found = _SCRIPT.match(lines[at])
        at += 1
        if not found:
            continue
        line = lines[at - 1]
        if found["kind"] not in ("interface", "type", "enum"):
            yield _head(line)
            continue
        yield line.rstrip()
        depth = line.count("{") - line.count("}")
        while depth > 0 and at < len(lines):
            yield lines[at].rstrip()
            depth += lines[at].count("{") - lines[at].count("}")
            at += 1


def _head(line: str) -> str:
    """Without the body that begins on the same line, or the value that is assigned."""
    arrow = line.find("=>")
    head = line[:arrow] if arrow > 0 else line[: _end(line, "{")]
    return head[: _end(head, "=") if arrow < 0 else len(head)].rstrip()


def _end(text: str, mark: str) -> int:
    """Where the mark stands outside of all brackets; the whole length if it does not."""
    depth = 0
    for at, letter in enumerate(text):
        if letter == mark and depth == 0:
            return at
        depth += (letter in "([{") - (letter in ")]}")
    return len(text)
