"""How a type is written as JSON and read back. Made when first needed: all at once would be a tenth of a start.

So is the library loaded, which is a sixth of it.
"""

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

_MADE: "dict[type[Any], TypeAdapter[Any]]" = {}


def shape(kind: type[T]) -> "TypeAdapter[T]":
    if kind not in _MADE:
        from pydantic import TypeAdapter

        _MADE[kind] = TypeAdapter(kind)
    return _MADE[kind]
