"""Forms that are tables: lines of text as rows of fields, and the fields that people changed as lines again.

A line is “key | field | field”; one that begins with # is a row that was dropped, or a heading.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.messages import FormColumn


@dataclass(frozen=True, slots=True, kw_only=True)
class FormRow:
    key: str  # a number, which the row keeps wherever it is moved
    fields: Mapping[str, str]  # by column
    dropped: bool = False


def read_rows(lines: str, columns: Sequence[FormColumn]) -> list[FormRow]:
    rows = []
    for line in lines.splitlines():
        key, *given = (part.strip() for part in line.strip().removeprefix("#").split("|"))
        if key.isascii() and key.isdigit():
            filled = [*given, *("" for _ in columns)]
            fields = {column.name: _unfolded(text, column) for column, text in zip(columns, filled, strict=False)}
            rows.append(FormRow(key=key, fields=fields, dropped=line.lstrip().startswith("#")))
    return rows


def write_rows(rows: Sequence[FormRow], columns: Sequence[FormColumn]) -> str:
    """Dropped rows keep their lines, so that nothing typed is lost; readers of the lines pass over them."""
    return "\n".join(_line(row, columns) for row in rows)


def _line(row: FormRow, columns: Sequence[FormColumn]) -> str:
    fields = (_folded(row.fields.get(column.name, "")) for column in columns)
    return f"{'# ' if row.dropped else ''}{' | '.join((row.key, *fields))}".rstrip()


def _unfolded(text: str, column: FormColumn) -> str:
    return "\n".join(part for each in text.split(",") if (part := each.strip())) if column.several else text


def _folded(text: str) -> str:
    """On one line, and without what parts fields."""
    parts = (" ".join(each.replace("|", "/").split()) for each in text.splitlines())
    return ", ".join(part.rstrip(",") for part in parts if part)


def move_row(rows: Sequence[FormRow], key: str, by: int) -> list[FormRow]:
    """One row up (-1) or down (1), past its neighbour."""
    moved = [*rows]
    at = next((at for at, row in enumerate(moved) if row.key == key), None)
    if at is not None and 0 <= at + by < len(moved):
        moved[at], moved[at + by] = moved[at + by], moved[at]
    return moved


def arrange_rows(rows: Sequence[FormRow], places: Mapping[str, int | None]) -> list[FormRow]:
    """By the place that was chosen for each; None: dropped. Who moved down comes after whoever stands there, who moved
    up before."""

    def place_of(at: int, row: FormRow) -> float:
        place = places.get(row.key, at) or at
        return place + (0.5 if place > at else -0.5 if place < at else 0.0)

    numbered = sorted(enumerate(rows, 1), key=lambda each: place_of(*each))
    return [replace(row, dropped=row.key in places and places[row.key] is None) for _, row in numbered]
