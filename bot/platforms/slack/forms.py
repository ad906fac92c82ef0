"""Forms behind buttons, as Slack's modals: one box for words, or a table with a few fields a row."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from agents.domain.planning.plan_faults import Fault
from agents.domain.text.sanitize import cut, one_line
from bot.field_forms import write_fields
from bot.messages import Button, FormColumn, FormField
from bot.platforms.slack.blocks import Block, Press, plain_text
from bot.platforms.slack.truncation import fits_table
from bot.table_forms import FormRow, arrange_rows, read_rows, write_rows

WORDS_MOST = 3000
PLACE, FIELD, DROP = "place", "field", "drop"


class Form(BaseModel):
    """What a form sends back, kept by Slack in its private metadata."""

    model_config = ConfigDict(frozen=True)

    token: str
    thread: str
    channel: str
    message: str
    shown: str = ""
    rows: tuple[str, ...] = ()  # keys of a table, in their order
    columns: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()  # of a form with several

    @classmethod
    def read(cls, private_metadata: str) -> "Form | None":
        try:
            return cls.model_validate_json(private_metadata)
        except ValidationError:
            return None


def form_view(form: Form, press: Press, label: str, button: Button | None = None) -> dict[str, Any]:
    """`button`: as it was stored, with what stands in its form already."""
    rows = read_rows(button.fill, button.columns) if button and fits_table(button) else []
    if button and rows:
        form = form.model_copy(
            update={"rows": tuple(row.key for row in rows), "columns": tuple(each.name for each in button.columns)}
        )
    if button and button.fields:
        form = form.model_copy(update={"fields": tuple(each.name for each in button.fields)})
    return {
        "type": "modal",
        "callback_id": "overlord-press",
        "private_metadata": form.model_dump_json(),
        "title": plain_text(one_line(label, 24) or "Overlord"),
        "submit": plain_text("Send" if press.asks else "Yes, go on"),
        "close": plain_text("Go back"),
        "blocks": _blocks(rows, press, button),
    }


def _blocks(rows: Sequence[FormRow], press: Press, button: Button | None) -> list[Block]:
    if button and button.fields:
        return [_field(each) for each in button.fields]
    return _table(rows, button.columns) if button and rows else [_one(press, button)]


def _field(field: FormField) -> Block:
    box: Block = {"type": "plain_text_input", "action_id": FIELD, "multiline": field.long, "max_length": WORDS_MOST}
    box |= {"initial_value": field.value} if field.value else {}
    made: Block = {"type": "input", "block_id": field.name, "label": plain_text(field.label), "element": box}
    made |= {"optional": field.optional}
    return made | ({"hint": plain_text(field.hint)} if field.hint else {})


def fields_sent(form: Form, values: Mapping[str, str]) -> str:
    """As they were sent. `values`: by block id; an empty field has none."""
    return write_fields({name: values.get(name) or "" for name in form.fields})


def _one(press: Press, button: Button | None) -> Block:
    if not press.asks:
        return {"type": "section", "text": plain_text(cut(press.confirm, 2900))}
    box: Block = {"type": "plain_text_input", "action_id": "words", "multiline": True, "max_length": WORDS_MOST}
    box |= {"initial_value": button.fill} if button and button.fill else {}
    asks = button.asks if button and button.asks else press.asks
    return {"type": "input", "label": plain_text(cut(asks, 2000)), "element": box}


# ── a table ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _table(rows: Sequence[FormRow], columns: Sequence[FormColumn]) -> list[Block]:
    told = "Change what should be different. Choose another place for a subtask to move it, or drop it."
    fields = [block for at, row in enumerate(rows, 1) for block in _row(row, at, len(rows), columns)]
    return [{"type": "section", "text": plain_text(told)}, *fields]


def _row(row: FormRow, at: int, count: int, columns: Sequence[FormColumn]) -> list[Block]:
    places = {**{str(place): f"Place {place}" for place in range(1, count + 1)}, DROP: "Drop it"}
    first = _input(row, PLACE, "Place", _select(places, DROP if row.dropped else str(at)))
    return [first, *(_column(row, column) for column in columns)]


def _column(row: FormRow, column: FormColumn) -> Block:
    value = row.fields.get(column.name, "")
    if column.choices:
        chosen = value if value in column.choices else column.choices[0]
        return _input(row, column.name, column.label, _select({each: each for each in column.choices}, chosen))
    box: Block = {"type": "plain_text_input", "action_id": FIELD, "max_length": WORDS_MOST}
    box |= {"initial_value": value[:WORDS_MOST]} if value else {}
    box |= {"multiline": True} if column.several else {}
    made = _input(row, column.name, column.label, box) | {"optional": True}
    return made | ({"hint": plain_text(column.hint)} if column.hint else {})


def _input(row: FormRow, name: str, label: str, element: Block) -> Block:
    block_id = f"{row.key}.{name}"
    return {"type": "input", "block_id": block_id, "label": plain_text(f"{row.key} · {label}"), "element": element}


def _select(choices: Mapping[str, str], chosen: str) -> Block:
    options = {value: {"text": plain_text(text), "value": value} for value, text in choices.items()}
    return {
        "type": "static_select", "action_id": FIELD, "options": [*options.values()], "initial_option": options[chosen],
    }  # fmt: skip


def table_lines(form: Form, values: Mapping[str, str]) -> str:
    """The table as it was sent, as lines. `values`: by block id, as `Form` named the rows and columns."""
    columns = [FormColumn(name=name, label=name) for name in form.columns]
    rows = [
        FormRow(key=key, fields={each.name: values.get(f"{key}.{each.name}", "") for each in columns})
        for key in form.rows
    ]
    chosen = {key: values.get(f"{key}.{PLACE}", "") for key in form.rows}
    places = {key: None if at == DROP else int(at) for key, at in chosen.items() if at == DROP or at.isdigit()}
    return write_rows(arrange_rows(rows, places), columns)


def errors_of(form: Form, faults: Sequence[Fault]) -> dict[str, Any]:
    """What Slack shows beside the fields of a form that stays open."""
    errors: dict[str, str] = {}
    if form.fields:
        for fault in faults:
            errors[fault.field if fault.field in form.fields else form.fields[0]] = cut(fault.what, 1900)
        return {"response_action": "errors", "errors": errors}
    for fault in faults:
        known = str(fault.number) in form.rows
        key, what = (str(fault.number), fault.what) if known else (form.rows[0], fault.text)
        name = fault.field if known and fault.field in form.columns else PLACE
        place = f"{key}.{name}"
        errors[place] = cut(f"{errors[place]}; {what}" if place in errors else what, 1900)
    return {"response_action": "errors", "errors": errors}
