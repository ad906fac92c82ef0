"""JSON as a model must write it: each key once, and no numbers that JSON does not have."""

import json
from typing import Any


def strictly(text: str) -> Any:
    """Raises ValueError or RecursionError."""
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key appears twice")
    return dict(pairs)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
