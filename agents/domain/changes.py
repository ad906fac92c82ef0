"""A frozen thing with a few of its fields changed. A task is changed by every fact."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Thing = TypeVar("Thing", bound=DataclassInstance)


def changed(thing: "Thing", changes: Mapping[str, Any]) -> "Thing":
    """As `dataclasses.replace`, in a tenth of the time; for records without slots, which keep a dict."""
    had = thing.__dict__
    if not changes.keys() <= had.keys():
        raise TypeError(f"{type(thing).__name__} has no {', '.join(sorted(changes.keys() - had.keys()))}")
    new = object.__new__(type(thing))
    new.__dict__.update(had)
    new.__dict__.update(changes)
    return new
