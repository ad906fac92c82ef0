"""A table that a person fills in: rows of fields as they were sent, moved, and what is wrong with them beside each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from agents.domain.planning.plan_faults import Fault
from bot.messages import Button, FormColumn
from bot.table_forms import FormRow, move_row, read_rows

MOST_FIELDS = 2_000
_MOVES = {"up": -1, "down": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """What the page shows."""

    rows: Sequence[FormRow]
    beside: dict[tuple[str, str], str] = field(default_factory=dict)  # by row and column; no column: the row as a whole
    above: tuple[str, ...] = ()  # what is about no row


def view_of(button: Button) -> TableView:
    return TableView(rows=read_rows(button.fill, button.columns))


def rows_sent(sent: Iterable[tuple[str, str]], columns: Sequence[FormColumn]) -> list[FormRow]:
    """In the order in which they stood on the page."""
    fields = list(sent)
    values = dict(fields)
    keys = dict.fromkeys(value for name, value in fields if name == "row" and value.isascii() and value.isdigit())
    return [
        FormRow(
            key=key,
            fields={column.name: values.get(f"{column.name}-{key}", "").replace("\r\n", "\n") for column in columns},
            dropped=f"drop-{key}" in values,
        )
        for key in keys
    ]


def written_by(sent: Iterable[tuple[str, str]]) -> str:
    """All that stands in the rows, for somebody whose card is gone: nothing has to be written twice."""
    return "\n".join(f"{name}: {value}" for name, value in sent if "-" in name and value.strip())


def move_as_asked(rows: Sequence[FormRow], move: str) -> list[FormRow]:
    """`move`: “up-3” or “down-3”, as the button says; anything else moves nothing."""
    way, _, key = move.partition("-")
    return move_row(rows, key, _MOVES[way]) if way in _MOVES else list(rows)


def with_faults(rows: Sequence[FormRow], columns: Sequence[FormColumn], faults: Sequence[Fault]) -> TableView:
    """Each fault stands beside the field that it is about."""
    keys, names = {row.key for row in rows}, {column.name for column in columns}
    beside, above = dict[tuple[str, str], str](), list[str]()
    for fault in faults:
        key, what = str(fault.number), f"{fault.what[:1].upper()}{fault.what[1:]}"
        if key not in keys:
            above.append(fault.text)
            continue
        place = (key, fault.field if fault.field in names else "")
        beside[place] = f"{beside[place]}. {what}" if place in beside else what
    return TableView(rows=rows, beside=beside, above=tuple(above))
