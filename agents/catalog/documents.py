"""What a file says, and the plain way to read the policies that come with the program.

They are read at every start, and a whole YAML parser takes longer to load than all of them take to read. What is not
as plain as they are goes to that parser, and a test holds that both say the same of them.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from agents.domain.errors import OverlordError

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]
Where = tuple[str | int, ...]  # the way to a value: ("projects", 0, "name")

# Lines of `name: value`, and of `  name: value` below a name that stands alone. Words of YAML's own are not plain.
_WORD = r"(?!(?:true|false|null)\b)[A-Za-z_]\w*(?:[./-]\w+)*"
_LINE = re.compile(rf"(?P<inner>  )?(?P<name>{_WORD}):(?: +(?P<value>[^\s#][^#]*?))?(?: +#.*)?", re.ASCII)
_PAIR = re.compile(rf"({_WORD}): ({_WORD})", re.ASCII)
_PAIRS = re.compile(rf"{{{_PAIR.pattern}(?:, {_PAIR.pattern})*}}", re.ASCII)
_TEXT = re.compile(_WORD, re.ASCII)
SIZE_LIMIT = 256 * 1024
_INTEGER = re.compile(r"[1-9][0-9]{0,8}")
_DECIMAL = re.compile(r"(?:0|[1-9][0-9]{0,8})\.[0-9]{0,8}[1-9]")


class BadYaml(OverlordError):
    """A file that cannot be read as plain data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a file says, and on which line it says it."""

    name: str
    data: dict[str, Value]
    lines: dict[Where, int] = field(default_factory=dict)

    def place(self, where: Where) -> str:
        """ "overlord.yaml line 12", or the file alone for what is not in it."""
        for end in range(len(where), 0, -1):
            if line := self.lines.get(where[:end]):
                return f"{self.name} line {line}"
        return self.name


def read_body(path: Path) -> bytes:
    """The content of a settings file, and at most one byte more than it may have. Raises BadYaml."""
    try:
        if not path.is_file():
            raise BadYaml(f"There is no file {path}", next_step="Check the path, or create the file.")
        with path.open("rb") as file:
            return file.read(SIZE_LIMIT + 1)
    except OSError as error:
        why = error.strerror or str(error)
        raise BadYaml(f"{path} cannot be read: {why}", next_step="Check who may read it.") from error


def read_packaged(path: Path) -> Document:
    """A file that comes with the program."""
    try:
        return read_plainly(path.read_text(encoding="utf-8"), name=str(path))
    except NotPlain:
        from agents.catalog.yaml import read_yaml

        return read_yaml(path)


class NotPlain(Exception):
    """There may be nothing wrong with it, but it takes more than this to read it."""


def read_plainly(text: str, *, name: str) -> Document:
    reading = _Reading(name)
    for number, line in enumerate(text.split("\n"), 1):
        if line and not line.startswith("#"):
            reading.take(line, number)
    if reading.above and not reading.into:
        raise NotPlain(reading.above)
    return Document(name=name, data=reading.data, lines=reading.lines)


class _Reading:
    def __init__(self, name: str) -> None:
        self.data: dict[str, Value] = {}
        self.lines: dict[Where, int] = {}
        self.into, self.above = self.data, ""  # the name that inner lines are below, and what it holds

    def take(self, line: str, number: int) -> None:
        found = _LINE.fullmatch(line)
        if found is None or bool(found["inner"]) > bool(self.above):
            raise NotPlain(line)
        if self.above and not found["inner"]:
            if not self.into:
                raise NotPlain(line)  # nothing below a name is null
            self.into, self.above = self.data, ""
        name, written = found["name"], found["value"]
        if name in self.into or (written is None and self.above):
            raise NotPlain(line)
        where: Where = (self.above, name) if self.above else (name,)
        self.lines.setdefault((), number)
        self.lines[where] = number
        if written is None:
            self.above, self.into = name, {}
            self.data[name] = self.into
            return
        self.into[name] = value = _value(written)
        if isinstance(value, dict):
            self.lines |= {(*where, inner): number for inner in value}


def _value(written: str) -> Value:
    if written in ("{}", "[]"):
        return {} if written == "{}" else []
    if _TEXT.fullmatch(written):
        return written
    if _INTEGER.fullmatch(written):
        return int(written)
    if _DECIMAL.fullmatch(written):
        return float(written)
    pairs = _PAIR.findall(written)
    if not _PAIRS.fullmatch(written) or len({name for name, _ in pairs}) < len(pairs):
        raise NotPlain(written)
    return dict(pairs)
