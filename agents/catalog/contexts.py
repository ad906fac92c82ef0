"""Context strategies as YAML: those in manifests/contexts/, with what overlord.yaml says about them laid over."""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from agents.catalog.documents import Document, Value, Where, read_packaged
from agents.catalog.reading import Read, Shape, Wrong, checked, items, mapping, one_of, schema_of, text, told, whole
from agents.domain.context.packing import MAX_BUDGET, Part
from agents.domain.context.strategy import MEASURES, Input, Strategy, odd_order
from manifests import packaged

T = TypeVar("T")
LEAST_BUDGET = 1_000  # tokens; the rules and a task alone need so many

budget = whole(LEAST_BUDGET, MAX_BUDGET)


def own_name(written: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,59}", written):
        raise ValueError(f"`{written[:60]}` does not do as a name. Use small letters, digits and underscores.")
    return written


def by_name(read: Read[T]) -> Read[Mapping[str, T]]:
    """Things below their names; what is called otherwise inside is a mistake that would be found late."""
    all_of_them = mapping(own_name, read)

    @told(lambda: schema_of(all_of_them))
    def named(where: Where, value: Value) -> Mapping[str, T]:
        if not isinstance(value, dict):
            return all_of_them(where, value)
        full = {key: {"name": key, **each} if isinstance(each, dict) else each for key, each in value.items()}
        odd = [key for key, each in full.items() if isinstance(each, dict) and each["name"] != key]
        if odd:
            raise Wrong(*(((*where, key, "name"), f"it is written below `{key}`", f"Write `{key}`.") for key in odd))
        return all_of_them(where, full)

    return named


def _strategy(**given: Any) -> Strategy:
    made = Strategy(**given)
    if problem := odd_order(made.priority_order, made.inputs):
        raise ValueError(f"its `priority_order` does not do: {problem}")
    return made


def _inputs(**given: int) -> dict[Input, int]:
    return {Input(name): most for name, most in given.items() if most}


CONTEXT = Shape(
    _strategy,
    ("token_budget", "priority_order", "inputs"),
    name=checked(text, own_name),
    description=text,
    token_budget=budget,
    priority_order=items(one_of(*Part)),
    inputs=Shape(_inputs, **{name: whole(0, measure.most) for name, measure in MEASURES.items()}),
)
CONTEXTS = by_name(CONTEXT)


def packaged_contexts() -> Document:
    return packaged_folder("contexts")


def packaged_folder(folder: str) -> Document:
    """The files of a folder of manifests, each below the name it is called by, as if they were one."""
    data: dict[str, Value] = {path.stem: read_packaged(path).data for path in sorted(packaged(folder).glob("*.yaml"))}
    return Document(name=str(packaged(folder)), data=data)
