"""Validates what people write with pydantic, and explains everything that is wrong: where, what, and what to write.

At the end are types of values that several kinds of files share.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cached_property
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, BeforeValidator, ConfigDict, GetPydanticSchema, TypeAdapter, ValidationError
from pydantic_core import core_schema

from agents.catalog.yaml import Value, Where
from agents.domain.checks.scope import odd_pattern

T = TypeVar("T")
Odd = tuple[Where, str, str]  # where it stands, what is wrong, what to write
Schema = dict[str, Any]  # JSON Schema

MANY = 20  # names; more are not listed
CONFIG = ConfigDict(extra="forbid", allow_inf_nan=False, hide_input_in_errors=True)
_LINES = "Write `name: value` lines, indented."
_LIST = "Write a list: one `- entry` a line."
_UNKNOWN = "Write it as the example in the documentation does."
# What to write instead, by the type of pydantic's error.
_STEPS = {
    "bool_parsing": "Write true or false.",
    "bool_type": "Write true or false.",
    "dataclass_type": _LINES,
    "dict_type": _LINES,
    "finite_number": "Write a number.",
    "float_parsing": "Write a number.",
    "float_type": "Write a number.",
    "frozen_set_type": _LIST,
    "int_from_float": "Write a whole number.",
    "int_parsing": "Write a whole number.",
    "int_parsing_size": "Write a whole number.",
    "int_type": "Write a whole number.",
    "mapping_type": _LINES,
    "model_type": _LINES,
    "tuple_type": _LIST,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    name: str  # of the setting, as the person wrote it
    what: str
    instead: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what}. {self.instead}"


def did_you_mean(written: str, known: Iterable[str]) -> str:
    """A sentence that names the nearest known name, or all of them if they are few."""
    names = sorted(known)
    near = get_close_matches(written, names, n=1, cutoff=0.6)
    if near:
        return f"Did you mean `{near[0]}`?"
    return f"Known here: {', '.join(names)}." if len(names) <= MANY else "Nothing that is known is near it; remove it."


class Wrong(ValueError):
    """Everything that is wrong with what was written."""

    def __init__(self, *odd: Odd) -> None:
        super().__init__("; ".join(f"{'.'.join(map(str, where))}: {what}. {step}" for where, what, step in odd))
        self.odd = odd


class Model(Generic[T]):
    """A type that written data is validated as. Names that it does not have are refused at every level."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    @cached_property
    def _adapter(self) -> TypeAdapter[list[T]]:
        return TypeAdapter(list[self._kind], config=CONFIG)  # type: ignore[name-defined]  # a dataclass takes no config

    def read(self, data: Value, where: Where = ()) -> T:
        """Raises Wrong, whose places begin with `where`."""
        try:
            return self._adapter.validate_python([data])[0]
        except ValidationError as error:
            found = error.errors(include_url=False)
            raise Wrong(*(_explain(each, where, self.schema) for each in found)) from None

    def schema(self) -> Schema:
        """JSON Schema of what may be written."""
        schema = self._adapter.json_schema()
        found: Schema = _inline(schema["items"], schema.get("$defs", {}))
        return found


def read_all(written: Mapping[str, Any], model: Model[Any], faults: list[Odd]) -> Any:
    """What is left when all that cannot be read is taken out and told to `faults`; None: nothing."""
    data = deepcopy({**written})
    while data:
        try:
            return model.read(data)
        except Wrong as wrong:
            told = {where[: len(odd[0])] for odd in wrong.odd for where, _, _ in faults}
            faults += [odd for odd in wrong.odd if odd[0] not in told]  # what was taken out is missing, of course
            if not all([_take_out(data, where) for where, _, _ in wrong.odd]):
                return None
    return None


def _take_out(data: dict[str, Any], where: Where) -> bool:
    """The nearest thing that has a name; False: there is none."""
    for end in range(len(where), 0, -1):
        above: Any = data
        for part in where[: end - 1]:
            above = _inside(above, part)
        if isinstance(above, dict) and where[end - 1] in above:
            del above[str(where[end - 1])]
            return True
    return bool(where) and where[0] not in data and len(where) > 1  # gone already, with another fault


def _inside(above: Any, part: str | int) -> Any:
    if isinstance(above, dict):
        return above.get(part)
    return above[part] if isinstance(above, list) and isinstance(part, int) and part < len(above) else None


def _explain(error: Any, start: Where, schema: Callable[[], Schema]) -> Odd:
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    where: Where = tuple(part for part in error["loc"][1:] if part != "[key]")
    place = (*start, *where)
    if kind == "missing":
        return place, "it is missing", f"Add `{where[-1]}: …`."
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        return place, "there is no such setting", did_you_mean(str(where[-1]), _names_at(schema(), where[:-1]))
    if kind == "value_error":  # whoever refuses says both halves: what is wrong, then what to write
        what, _, step = str(context["error"]).partition(". ")
        return place, what, step
    if kind == "too_long":
        return place, f"there are {context['actual_length']} of them", f"Write at most {context['max_length']}."
    if kind == "string_too_long":
        return place, f"it has {len(value)} characters", f"Write at most {context['max_length']}."
    return place, _describe(value), _step(kind, value, context)


def _step(kind: str, value: object, context: dict[str, Any]) -> str:
    if kind == "string_type":
        return f'Put it in quotes: "{_as_written(value)}".' if isinstance(value, int | float) else "Write text."
    if kind == "enum":
        return f"Write one of {context['expected'].replace(chr(39), '`')}."
    if kind == "greater_than_equal":
        return f"Write at least {_number(context['ge'])}."
    if kind == "less_than_equal":
        return f"Write at most {_number(context['le'])}."
    return _STEPS.get(kind, _UNKNOWN)


def _number(bound: float) -> str:
    return str(int(bound)) if bound == int(bound) else f"{bound:g}"


def _describe(value: object) -> str:
    if value in (None, "", [], {}):
        return "it is empty"
    if isinstance(value, dict):
        return "a mapping is written here"
    if isinstance(value, list):
        return "a list is written here"
    return f"`{_as_written(value)}` cannot be used"


def _as_written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _names_at(schema: Schema, where: Where) -> set[str]:
    """The names that may be written at a place."""
    here = list(_choices(schema))
    for part in where:
        here = [choice for node in here for below in _below(node, part) for choice in _choices(below)]
    return {str(name) for node in here for name in node.get("properties", ())}


def _choices(node: Schema) -> Iterator[Schema]:
    yield node
    for each in node.get("anyOf", ()):
        yield from _choices(each)


def _below(node: Schema, part: str | int) -> Iterator[Schema]:
    if isinstance(part, int):
        yield node.get("items", {})
    elif part in node.get("properties", {}):
        yield node["properties"][part]
    elif isinstance(rest := node.get("additionalProperties"), dict):
        yield rest


def _inline(node: Any, shared: Schema) -> Any:
    """With the schemas that it refers to in place, and without titles, which repeat the names."""
    if isinstance(node, list):
        return [_inline(each, shared) for each in node]
    if not isinstance(node, dict):
        return node
    target = shared[node["$ref"].removeprefix("#/$defs/")] if "$ref" in node else {}
    both = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
    return {key: _inline(value, shared) for key, value in both.items() if key != "title" or isinstance(value, dict)}


def matching(regex: str, refusal: str) -> AfterValidator:
    """Text that matches as a whole. `refusal` says what is wrong, with the text for {}, and what to write."""

    def check(written: str) -> str:
        if not re.fullmatch(regex, written):
            raise ValueError(refusal.format(written[:60]))
        return written

    return AfterValidator(check)


class _Misplaced:
    """Stands for the name of something that is written below another name."""

    def __init__(self, below: str) -> None:
        self.below = below


def _refuse_misplaced(written: object) -> object:
    if isinstance(written, _Misplaced):
        raise ValueError(f"it is written below `{written.below}`. Write `{written.below}`.")
    return written


Name = Annotated[
    str, matching(r"[a-z][a-z0-9_]{0,59}", "`{}` cannot be used as a name. Use small letters, digits and underscores.")
]
Title = Annotated[str, BeforeValidator(_refuse_misplaced)]  # of something that is written below its name


def pattern(example: str) -> AfterValidator:
    """Text that matches paths of a repository."""

    def check(written: str) -> str:
        if problem := odd_pattern(written):
            raise ValueError(f"`{written[:60]}` matches no path: {problem}. Write one such as `{example}`.")
        return written

    return AfterValidator(check)


def add_names(written: Any) -> Any:
    """Copies each name into what is written below it. A different name inside would be found much later."""
    if not isinstance(written, dict):
        return written
    return {key: _add_name(key, below) if isinstance(below, dict) else below for key, below in written.items()}


def _add_name(key: str, below: dict[str, Any]) -> dict[str, Any]:
    return {**below, "name": key if below.get("name", key) == key else _Misplaced(key)}


Named = Annotated[Mapping[Name, T], BeforeValidator(add_names)]  # things below their names


def written_as(kind: Any, make: Callable[[Any], object]) -> GetPydanticSchema:
    """A value that people write in another form: `Annotated[Role, written_as(WrittenRole, WrittenRole.role)]`."""
    return GetPydanticSchema(lambda _, handler: core_schema.no_info_after_validator_function(make, handler(kind)))


def fields_of(written: Any, *without: str) -> dict[str, Any]:
    """By name, for a class of the domain whose fields have the same names."""
    return {each.name: getattr(written, each.name) for each in fields(written) if each.name not in without}
