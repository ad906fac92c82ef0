"""A frozen thing with a few of its fields changed. A task is changed by every fact."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Thing = TypeVar("Thing", bound=DataclassInstance)


def changed(thing: "Thing", changes: Mapping[str, Any]) -> "Thing":
    """As `dataclasses.replace`, in half the time; for dataclasses of several fields, all given when one is made."""
    names, values_of = _fields(type(thing))
    values = dict(zip(names, values_of(thing), strict=True))
    values.update(changes)
    return type(thing)(**values)


@cache
def _fields(kind: "type[DataclassInstance]") -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    names = tuple(field.name for field in fields(kind))
    return names, attrgetter(*names)
