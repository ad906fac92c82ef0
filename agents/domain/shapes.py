"""How a type is written as JSON and read back. Made when first needed: all at once would be a tenth of a start."""

from typing import Any, TypeVar

from pydantic import TypeAdapter

T = TypeVar("T")

_MADE: dict[type[Any], TypeAdapter[Any]] = {}


def shape(kind: type[T]) -> TypeAdapter[T]:
    if kind not in _MADE:
        _MADE[kind] = TypeAdapter(kind)
    return _MADE[kind]
