"""Forms with several fields: what was written into each, as the words of one press."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.messages import Button, FormField


def write_fields(values: Mapping[str, str]) -> str:
    """As JSON: words may hold anything, and nothing in them parts one field from the next."""
    plain = {name: text.replace("\r\n", "\n").strip() for name, text in values.items()}
    return json.dumps(plain, ensure_ascii=False)


def fill_fields(fields: Sequence[FormField], values: Mapping[str, str]) -> tuple[FormField, ...]:
    return tuple(replace(field, value=values.get(field.name, "")) for field in fields)


def longest(button: Button) -> int:
    """Characters that stand in the fullest field of its form."""
    return max((len(text) for text in (button.fill, *(field.value for field in button.fields))), default=0)
