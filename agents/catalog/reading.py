"""How what people write becomes typed values: small readers, put together in tables. All that is wrong is told at once.

A reader takes a place and what stands there, and returns a value or raises Wrong. Settings are read before anything
else at a start, and to load pydantic and make its models took a sixth of it.
"""

import math
from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from functools import partial
from typing import Generic, TypeVar

from agents.catalog.documents import Value, Where
from agents.catalog.problems import did_you_mean
from agents.catalog.validation import Model, Odd as Odd, Schema as Schema, Wrong as Wrong
from agents.domain.text.secret import Secret

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

Read = Callable[[Where, Value], T]

MANY = 10_000  # entries of a list, where nobody says so
_LINES = "Write `name: value` lines, indented."


class _Gathering:
    """Goes on after something is wrong, so that all of it is told."""

    def __init__(self) -> None:
        self.odd: list[Odd] = []

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        if isinstance(error, Wrong):
            self.odd += error.odd
        return isinstance(error, Wrong)

    def tell(self) -> None:
        if self.odd:
            raise Wrong(*self.odd)


_SCHEMAS: dict[object, Callable[[], Schema]] = {}  # of readers; most programs never ask for one


def told(schema: Callable[[], Schema]) -> Callable[[Read[T]], Read[T]]:
    """What a reader takes, for editors and other programs."""

    def beside(read: Read[T]) -> Read[T]:
        _SCHEMAS[read] = schema
        return read

    return beside


def schema_of(read: Read[object]) -> Schema:
    """Anything, where a reader says nothing of itself."""
    return read.schema() if isinstance(read, Shape | Model) else _SCHEMAS.get(read, dict)()


class Shape(Generic[T]):
    """A reader of `name: value` lines. What `make` needs must be there; it may refuse what does not fit together."""

    def __init__(self, make: Callable[..., T], needs: Collection[str] = (), /, **fields: Read[object]) -> None:
        self._make, self._needs, self.fields = make, needs, fields

    def read(self, data: Value) -> T:
        """A whole document."""
        return self((), data)

    def __call__(self, where: Where, value: Value) -> T:
        lines, found, wrong = _lines(where, value), dict[str, object](), _Gathering()
        for name, written in lines.items():
            with wrong:
                found[name] = self.fields.get(name, self._unknown)((*where, name), written)
        missing = [name for name in self._needs if name not in lines]
        wrong.odd += [((*where, name), "it is missing", f"Add `{name}: …`.") for name in missing]
        wrong.tell()
        return _made(where, partial(self._make, **found))

    def schema(self) -> Schema:
        properties = {str(name): schema_of(read) for name, read in self.fields.items()}
        needs: Schema = {"required": [str(name) for name in self._needs]} if self._needs else {}
        return {"type": "object", "properties": properties, **needs, "additionalProperties": False}

    def _unknown(self, where: Where, value: Value) -> object:
        raise Wrong((where, "there is no such setting", did_you_mean(str(where[-1]), self.fields)))


def _lines(where: Where, value: Value) -> dict[str, Value]:
    if isinstance(value, dict):
        return value
    raise Wrong(_does_not_do(where, value, _LINES))


def _made(where: Where, make: Callable[[], T]) -> T:
    """Whoever refuses says both halves in a ValueError: what is wrong, then what to write."""
    try:
        return make()
    except ValueError as refused:
        what, _, step = str(refused).partition(". ")
        raise Wrong((where, what, step)) from refused


def checked(read: Read[str], *checks: Callable[[str], str]) -> Read[str]:
    """Text. `checks` return it, or raise a ValueError that says what to write instead."""

    @told(lambda: schema_of(read))
    def all_of_it(where: Where, value: Value) -> str:
        found = read(where, value)
        for check in checks:
            found = _made(where, partial(check, found))
        return found

    return all_of_it


def after(turn: Callable[[Value], Value], read: Read[T]) -> Read[T]:
    """What may be written in a shorter way."""
    either = told(lambda: {"anyOf": [schema_of(read), {"type": "string"}]})
    return either(lambda where, value: read(where, turn(value)))


def optional(read: Read[T]) -> Read[T | None]:
    either = told(lambda: {"anyOf": [schema_of(read), {"type": "null"}]})
    return either(lambda where, value: None if value is None else read(where, value))


@told(lambda: {"type": "string"})
def text(where: Where, value: Value) -> str:
    if isinstance(value, str):
        return value
    number = isinstance(value, int | float)
    raise Wrong(_does_not_do(where, value, f'Put it in quotes: "{value}".' if number else "Write text."))


@told(lambda: {"type": "string"})
def hidden(where: Where, value: Value) -> str:
    """Text that is not shown, whatever is wrong with it."""
    if isinstance(value, str):
        return value
    raise Wrong((where, "its value cannot be used", "Write it as text, in quotes."))


@told(lambda: {"type": "string"})
def secret(where: Where, value: Value) -> Secret:
    return Secret(hidden(where, value))


@told(lambda: {"type": "boolean"})
def flag(where: Where, value: Value) -> bool:
    if isinstance(value, bool):
        return value
    raise Wrong(_does_not_do(where, value, "Write true or false."))


def number(least: float, most: float, *, is_not: str = "a number", write: str = "Write a number.") -> Read[float]:
    """A variable holds one as text."""

    @told(lambda: {"type": "number", "minimum": least, "maximum": most})
    def read(where: Where, value: Value) -> float:
        if isinstance(value, bool):  # Python would take true for 1
            raise Wrong((where, f"`{str(value).lower()}` is not {is_not}", write))
        found = _number(value)
        if found is None:
            raise Wrong(_does_not_do(where, value, "Write a number."))
        if not least <= found <= most:
            step = f"Write at least {least:g}." if found < least else f"Write at most {most:g}."
            raise Wrong(_does_not_do(where, value, step))
        return found

    return read


def whole(least: int, most: int) -> Read[int]:
    some = number(least, most)

    @told(lambda: {"type": "integer", "minimum": least, "maximum": most})
    def read(where: Where, value: Value) -> int:
        if not isinstance(value, bool) and ((found := _number(value)) is None or found % 1):
            raise Wrong(_does_not_do(where, value, "Write a whole number."))
        return int(some(where, value))

    return read


def _number(value: Value) -> float | None:
    try:
        found = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def one_of(*choices: E) -> Read[E]:
    @told(lambda: {"enum": [str(choice) for choice in choices]})
    def read(where: Where, value: Value) -> E:
        if value in choices:
            return choices[choices.index(value)]
        *others, last = (f"`{choice}`" for choice in choices)
        raise Wrong(_does_not_do(where, value, f"Write one of {', '.join(others)} or {last}."))

    return read


def items(read: Read[T], most: int = MANY) -> Read[tuple[T, ...]]:
    @told(lambda: {"type": "array", "items": schema_of(read), **({"maxItems": most} if most < MANY else {})})
    def read_all(where: Where, value: Value) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise Wrong(_does_not_do(where, value, "Write a list: one `- entry` a line."))
        if len(value) > most:
            raise Wrong((where, f"there are {len(value)} of them", f"Write at most {most}."))
        found, wrong = list[T](), _Gathering()
        for at, each in enumerate(value):
            with wrong:
                found.append(read((*where, at), each))
        wrong.tell()
        return tuple(found)

    return read_all


def mapping(name: Callable[[str], str], read: Read[T]) -> Read[Mapping[str, T]]:
    """Names that people choose, each with something of one shape."""

    @told(lambda: {"type": "object", "additionalProperties": schema_of(read)})
    def read_all(where: Where, value: Value) -> dict[str, T]:
        found, wrong = dict[str, T](), _Gathering()
        for key, each in _lines(where, value).items():
            with wrong:
                _made((*where, key), partial(name, key))
            with wrong:
                found[key] = read((*where, key), each)
        wrong.tell()
        return found

    return read_all


def _does_not_do(where: Where, value: object, step: str) -> Odd:
    if isinstance(value, dict | list):
        return where, "a list or a mapping is written here" if value else "it is empty", step
    return where, "it is empty" if value in (None, "") else f"`{value}` cannot be used", step
