"""The only reader of YAML: plain data, no aliases, no tags, no surprises of type, and errors with a line."""

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError, YAMLStreamError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from agents.domain.errors import OverlordError
from manifests import packaged_path

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]
Where = tuple[str | int, ...]  # the way to a value: ("projects", 0, "name")

SIZE_LIMIT = 256 * 1024
DEPTH_LIMIT = 50

# JSON's numbers and words, nothing of YAML 1.1: `no`, `0755`, `1_000`, `1:30` and `2024-01-01` stay text
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?([eE][-+]?[0-9]{1,3})?")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}
_WANTED = (NodeEvent, MappingEndEvent, SequenceEndEvent, DocumentStartEvent)


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

    def below(self, name: str) -> "Document":
        """What stands under one name, where a file says nothing else; the whole, where it does."""
        inner = self.data.get(name)
        if len(self.data) != 1 or not isinstance(inner, dict):
            return self
        lines = {where[1:]: line for where, line in self.lines.items() if where[:1] == (name,)}
        return Document(name=self.name, data=inner, lines=lines)


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


def read_yaml(path: Path) -> Document:
    return parse_yaml(read_body(path), name=str(path))


def read_packaged(*parts: str) -> Document:
    """What comes with the program: a file, or the files of a folder as if they were one, each below its name."""
    place = packaged_path(*parts)
    if place.is_file():
        return read_yaml(place)
    return Document(name=str(place), data={path.stem: read_yaml(path).data for path in sorted(place.glob("*.yaml"))})


def parse_yaml(body: bytes | str, *, name: str) -> Document:
    raw = body.encode() if isinstance(body, str) else body
    if len(raw) > SIZE_LIMIT:
        raise BadYaml(f"{name} is larger than {SIZE_LIMIT // 1024} KB", next_step="Split it or shorten it.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise BadYaml(f"{name} line {line} is not UTF-8 text", next_step="Save the file as UTF-8.") from error
    builder = _Builder(name)
    try:
        data = builder.document(iter(YAML(typ="safe", pure=True).parse(io.StringIO(text))))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise builder.bad(line, str(error.problem or error.context), "Fix the line; indent with spaces.") from error
    except (YAMLError, YAMLStreamError, ValueError, LookupError) as error:
        # ruamel's scanner lets a few of Python's own errors through on broken input
        raise BadYaml(
            f"{name} is not YAML: {str(error).partition(chr(10))[0]}",
            next_step="Fix the file, or start from the sample.",
        ) from error
    return Document(name=name, data=data, lines=builder.lines)


def write_yaml(data: dict[str, Value]) -> str:
    """Plain block style, for people to paste."""
    out = io.StringIO()
    yaml = YAML(typ="rt", pure=True)  # the safe one would sort the keys
    yaml.default_flow_style = False
    yaml.width = 4096  # links stay whole
    yaml.dump(data, out)
    return out.getvalue()


class _Builder:
    """Builds plain data from the parser's events, so that nothing but plain data can come of it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: dict[Where, int] = {}

    def document(self, events: Iterator[Event]) -> dict[str, Value]:
        wanted = (event for event in events if isinstance(event, _WANTED))
        if next(wanted, None) is None:  # the start of the document
            return {}
        root = next(wanted)
        data = self._node(root, wanted, ())
        for extra in wanted:
            raise self.bad(_line(extra), "a second document begins", "Keep one document in a file; remove the `---`.")
        if data is None:
            return {}
        if not isinstance(data, dict):
            raise self.bad(_line(root), "this is not `name: value`", "Begin the file with a name and a colon.")
        return data

    def _node(self, event: Event, events: Iterator[Event], where: Where) -> Value:
        self._refuse_tricks(event)
        if len(where) > DEPTH_LIMIT:
            raise self.bad(_line(event), f"it is nested deeper than {DEPTH_LIMIT} levels", "Flatten it.")
        self.lines.setdefault(where, _line(event))
        if isinstance(event, ScalarEvent):
            return self._scalar(event)
        if isinstance(event, SequenceStartEvent):
            items: list[Value] = []
            while not isinstance(item := next(events), SequenceEndEvent):
                items.append(self._node(item, events, (*where, len(items))))
            return items
        return self._mapping(events, where)

    def _mapping(self, events: Iterator[Event], where: Where) -> dict[str, Value]:
        pairs: dict[str, Value] = {}
        while not isinstance(event := next(events), MappingEndEvent):
            key = self._key(event)
            if key in pairs:
                raise self.bad(_line(event), f"`{key}` is there twice", "Keep one of the two.")
            self.lines[(*where, key)] = _line(event)
            pairs[key] = self._node(next(events), events, (*where, key))
        return pairs

    def _key(self, event: Event) -> str:
        self._refuse_tricks(event)
        key = self._scalar(event) if isinstance(event, ScalarEvent) else None
        if not isinstance(key, str):
            said = f"`{event.value}`" if isinstance(event, ScalarEvent) else "a list or a mapping"
            raise self.bad(_line(event), f"{said} cannot be a name", "Put the name in quotes.")
        return key

    def _scalar(self, event: ScalarEvent) -> Value:
        text = str(event.value)
        if not event.implicit[0]:  # quoted, or a block of text
            return text
        if text in _WORDS:
            return _WORDS[text]
        if _INTEGER.fullmatch(text):
            return int(text)
        if not _DECIMAL.fullmatch(text):
            return text
        if "." in text and "e" not in text.lower() and text[-1] == "0" and not text.endswith(".0"):
            step = f'Write "{text}" in quotes if it is a version, {float(text)} if it is a number.'
            raise self.bad(_line(event), f"`{text}` would lose its last 0", step)
        return float(text)

    def _refuse_tricks(self, event: Event) -> None:
        if isinstance(event, AliasEvent):
            raise self.bad(_line(event), f"`*{event.anchor}` is an alias", "Write the value out instead.")
        if not isinstance(event, NodeEvent):
            return
        if event.anchor is not None:
            raise self.bad(_line(event), f"`&{event.anchor}` is an anchor", "Write the value out where it is needed.")
        if isinstance(event, ScalarEvent | SequenceStartEvent | MappingStartEvent) and event.ctag is not None:
            raise self.bad(_line(event), f"`{event.tag}` is a tag", "Write plain values; tags are not read.")

    def bad(self, line: int, what: str, next_step: str) -> BadYaml:
        return BadYaml(f"{self.name} line {line}: {what}", next_step=next_step)


def _line(event: Event) -> int:
    return int(event.start_mark.line) + 1 if event.start_mark else 1


class Layers:
    """Values from several places laid over each other: later wins, and each remembers where it came from."""

    def __init__(self) -> None:
        self.data: dict[str, Value] = {}
        self._documents: list[tuple[Where, Document]] = []
        self._named: dict[Where, str] = {}

    def lay(self, document: Document, *, under: str = "") -> None:
        """Lay a file on top, its content below `under`. Mappings merge; anything else is replaced."""
        self._documents.insert(0, ((under,) if under else (), document))
        self.data = _merge(self.data, {under: document.data} if under else document.data)

    def note(self, document: Document, under: Where) -> None:
        """A file whose content is read elsewhere; what is found in it is told with its line."""
        self._documents.insert(0, (under, document))

    def put(self, where: tuple[str, ...], value: Value, name: str) -> None:
        """Set one value, from a variable or a flag of this name."""
        here = self.data
        for part in where[:-1]:
            below = here.setdefault(part, {})
            if not isinstance(below, dict):
                return  # a file has something else there, and that is told instead
            here = below
        here[where[-1]] = value
        self._named[where] = name

    def name(self, where: Where) -> str:
        """What to call the setting at this place: the variable, or the file, the line and its dotted name."""
        for end in range(len(where), 0, -1):
            if variable := self._named.get(where[:end]):
                return variable
            for under, document in self._documents:
                inside = where[len(under) : end]
                if where[: len(under)] == under and inside in document.lines and inside:
                    return f"{document.place(inside)}, {_dotted_name(where[len(under) :])}"
        return _dotted_name(where)

    def text(self, *where: str) -> str:
        """The text at a place; empty if there is none."""
        here: Value = self.data
        for part in where:
            here = here.get(part) if isinstance(here, dict) else None
        return here if isinstance(here, str) else ""


def _merge(below: Mapping[str, Value], above: Mapping[str, Value]) -> dict[str, Value]:
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        merged[key] = _merge(under, value) if isinstance(under, dict) and isinstance(value, dict) else value
    return merged


def _dotted_name(where: Where) -> str:
    """ "projects[0].name", the way people point at a place."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in where)
    return "".join(parts).lstrip(".")
