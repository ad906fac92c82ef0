"""What is wrong with a file or a setting, in words: its name, what was seen, and what to write instead."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from agents.catalog.documents import Where
from agents.domain.records import dataclass

MANY = 20
_SECRET = ("token", "secret", "database_url")  # how the names of settings end whose values are not shown
NameOf = Callable[[Where], str]
ShapeAt = Callable[[Where], type[BaseModel]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    name: str  # of the setting, as the person wrote it
    what: str
    instead: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what}. {self.instead}"


def explain(error: ValidationError, name_of: NameOf, shape_at: ShapeAt) -> list[Problem]:
    """Every fault pydantic found, in our words. `shape_at` says which type a mistyped name should have been part of."""
    return [_explained(detail, name_of, shape_at) for detail in error.errors(include_url=False)]


def did_you_mean(written: str, known: Iterable[str]) -> str:
    """A sentence that names the nearest known name, or all of them if they are few."""
    names = sorted(known)
    near = get_close_matches(written, names, n=1, cutoff=0.6)
    if near:
        return f"Did you mean `{near[0]}`?"
    return f"Known here: {', '.join(names)}." if len(names) <= MANY else "Nothing that is known is near it; remove it."


def _explained(detail: ErrorDetails, name_of: NameOf, shape_at: ShapeAt) -> Problem:
    where: Where = tuple(part for part in detail["loc"] if part != "[key]")
    name = name_of(where)
    if detail["type"] == "extra_forbidden":
        known = shape_at(where[:-1]).model_fields
        return Problem(name=name, what="there is no such setting", instead=did_you_mean(str(where[-1]), known))
    if detail["type"] == "missing":
        return Problem(name=name, what="it is missing", instead=f"Add `{where[-1]}: …`.")
    if detail["type"] == "value_error":
        # our own validators say both halves: what, then what to write
        what, _, instead = str(detail["ctx"]["error"]).partition(". ")
        return Problem(name=name, what=what, instead=instead)
    if str(where[-1]).endswith(_SECRET):
        return Problem(name=name, what="its value does not do", instead="Write it as text, in quotes.")
    return Problem(name=name, what=_seen(detail), instead=_wanted(detail))


def _seen(detail: ErrorDetails) -> str:
    value = detail["input"]
    if isinstance(value, dict | list):
        return "a list or a mapping is written here" if value else "it is empty"
    return "it is empty" if value in (None, "") else f"`{value}` does not do"


def _wanted(detail: ErrorDetails) -> str:
    kind = detail["type"]
    if kind in ("enum", "literal_error"):
        return f"Write one of {detail['ctx']['expected']}.".replace("'", "`")
    if kind == "string_type" and isinstance(detail["input"], int | float):
        return f'Put it in quotes: "{detail["input"]}".'
    if kind == "less_than_equal":
        return f"Write at most {detail['ctx']['le']:g}."
    if kind == "greater_than_equal":
        return f"Write at least {detail['ctx']['ge']:g}."
    return _WANTED.get(kind, f"{detail['msg']}.")


_LINES = "Write `name: value` lines, indented."
_LIST = "Write a list: one `- entry` a line."
_WANTED = {
    "bool_type": "Write true or false.",
    "int_type": "Write a whole number.",
    "int_parsing": "Write a whole number.",
    "int_from_float": "Write a whole number.",
    "float_type": "Write a number.",
    "float_parsing": "Write a number.",
    "string_type": "Write text.",
    "list_type": _LIST,
    "tuple_type": _LIST,
    "dict_type": _LINES,
    "model_type": _LINES,
}
