"""Block Kit as strict as the original: unknown keys, nulls and everything over a limit are refused."""

from collections.abc import Callable, Mapping
from typing import Any

MESSAGE_BLOCKS, VIEW_BLOCKS = 50, 100
Check = Callable[[Any, str], list[str]]


def check_blocks(blocks: Any, most: int = MESSAGE_BLOCKS, *, view: bool = False) -> list[str]:
    """What Slack would say in response_metadata.messages; empty: it takes them."""
    if not isinstance(blocks, list):
        return ["[ERROR] blocks must be a list [json-pointer:/blocks]"]
    problems = [f"[ERROR] no more than {most} items allowed [json-pointer:/blocks]"] if len(blocks) > most else []
    for at, block in enumerate(blocks):
        problems += _block(block, f"/blocks/{at}", view)
    ids = [b["block_id"] for b in blocks if isinstance(b, dict) and isinstance(b.get("block_id"), str)]
    problems += [f"[ERROR] `block_id` {id!r} already exists" for id in sorted({i for i in ids if ids.count(i) > 1})]
    return problems


def check_view(view: Any) -> list[str]:
    if not isinstance(view, dict) or view.get("type") not in ("modal", "home"):
        return ["[ERROR] unsupported type [json-pointer:/view/type]"]
    modal = view["type"] == "modal"
    problems = _shape(view, "/view", _MODAL if modal else _HOME, _MODAL_NEEDS if modal else ("type", "blocks"))
    problems += check_blocks(view.get("blocks"), VIEW_BLOCKS, view=True)
    inputs = [b for b in view.get("blocks") or () if isinstance(b, dict) and b.get("type") == "input"]
    if modal and inputs and "submit" not in view:
        problems.append("[ERROR] missing required field: submit, as there are input blocks [json-pointer:/view]")
    return problems


# ── the checks ──────────────────────────────────────────────────────────────────────────────────────────────────


def _string(most: int, least: int = 1) -> Check:
    def check(value: Any, at: str) -> list[str]:
        if not isinstance(value, str):
            return [f"[ERROR] must be a string [json-pointer:{at}]"]
        if len(value) > most:
            return [f"[ERROR] must be less than {most + 1} characters [json-pointer:{at}]"]
        return [f"[ERROR] must be more than {least - 1} characters [json-pointer:{at}]"] if len(value) < least else []

    return check


def _flag(value: Any, at: str) -> list[str]:
    return [] if isinstance(value, bool) else [f"[ERROR] must be a boolean [json-pointer:{at}]"]


def _number(most: int) -> Check:
    def check(value: Any, at: str) -> list[str]:
        good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most
        return [] if good else [f"[ERROR] must be an integer up to {most} [json-pointer:{at}]"]

    return check


def _one_of(*words: str) -> Check:
    return lambda value, at: [] if value in words else [f"[ERROR] unsupported value {value!r} [json-pointer:{at}]"]


def _text(most: int, *kinds: str) -> Check:
    kinds = kinds or ("plain_text", "mrkdwn")

    def check(value: Any, at: str) -> list[str]:
        if not isinstance(value, dict) or value.get("type") not in kinds:
            return [f"[ERROR] must be one of {', '.join(kinds)} [json-pointer:{at}]"]
        own: Check = _flag
        extra = {"emoji": own} if value["type"] == "plain_text" else {"verbatim": own}
        return _shape(value, at, {"type": _one_of(*kinds), "text": _string(most), **extra}, ("type", "text"))

    return check


def _many(least: int, most: int, check_one: Check) -> Check:
    def check(value: Any, at: str) -> list[str]:
        if not isinstance(value, list) or not least <= len(value) <= most:
            return [f"[ERROR] must have from {least} to {most} items [json-pointer:{at}]"]
        return [problem for n, item in enumerate(value) for problem in check_one(item, f"{at}/{n}")]

    return check


def _object(keys: Mapping[str, Check], needs: tuple[str, ...]) -> Check:
    return lambda value, at: _shape(value, at, keys, needs)


def _shape(value: Any, at: str, keys: Mapping[str, Check], needs: tuple[str, ...]) -> list[str]:
    if not isinstance(value, dict):
        return [f"[ERROR] must be an object [json-pointer:{at}]"]
    problems = [f"[ERROR] missing required field: {key} [json-pointer:{at}]" for key in needs if key not in value]
    for key, inner in value.items():
        if key not in keys:
            problems.append(f"[ERROR] no more than the known keys allowed: {key} [json-pointer:{at}]")
        elif inner is None:
            problems.append(f"[ERROR] must not be null [json-pointer:{at}/{key}]")
        else:
            problems += keys[key](inner, f"{at}/{key}")
    return problems


def _anything(value: Any, at: str) -> list[str]:
    return []


# ── composition objects and elements ────────────────────────────────────────────────────────────────────────────

_plain = "plain_text"
_confirm = _object(
    {
        "title": _text(100, _plain),
        "text": _text(300),
        "confirm": _text(30, _plain),
        "deny": _text(30, _plain),
        "style": _one_of("primary", "danger"),
    },
    ("title", "text", "confirm", "deny"),
)
_option = _object(
    {"text": _text(75, _plain), "value": _string(150), "description": _text(75, _plain), "url": _string(3000)},
    ("text", "value"),
)
_ELEMENTS: dict[str, Check] = {
    "button": _object(
        {
            "type": _anything,
            "text": _text(75, _plain),
            "action_id": _string(255),
            "value": _string(2000),
            "url": _string(3000),
            "style": _one_of("primary", "danger"),
            "confirm": _confirm,
            "accessibility_label": _string(75),
        },
        ("type", "text"),
    ),
    "overflow": _object(
        {"type": _anything, "action_id": _string(255), "options": _many(2, 5, _option), "confirm": _confirm},
        ("type", "options"),
    ),
    "static_select": _object(
        {
            "type": _anything,
            "action_id": _string(255),
            "placeholder": _text(150, _plain),
            "options": _many(1, 100, _option),
            "initial_option": _option,
            "confirm": _confirm,
        },
        ("type", "options"),
    ),
    "plain_text_input": _object(
        {
            "type": _anything,
            "action_id": _string(255),
            "placeholder": _text(150, _plain),
            "initial_value": _string(3000),
            "multiline": _flag,
            "min_length": _number(3000),
            "max_length": _number(3000),
            "focus_on_load": _flag,
        },
        ("type",),
    ),
}


def _element(*kinds: str) -> Check:
    def check(value: Any, at: str) -> list[str]:
        if not isinstance(value, dict) or value.get("type") not in kinds:
            return [f"[ERROR] unsupported type here [json-pointer:{at}]"]
        return _ELEMENTS[value["type"]](value, at)

    return check


def _actions(value: Any, at: str) -> list[str]:
    problems = _many(1, 25, _element("button", "overflow", "static_select"))(value, at)
    ids = [e.get("action_id") for e in value if isinstance(e, dict)] if isinstance(value, list) else []
    twice = sorted({str(id) for id in ids if id and ids.count(id) > 1})
    return problems + [f"[ERROR] `action_id` {id!r} already exists [json-pointer:{at}]" for id in twice]


# ── blocks and views ────────────────────────────────────────────────────────────────────────────────────────────

_ID = {"type": _anything, "block_id": _string(255)}
_BLOCKS: dict[str, tuple[dict[str, Check], tuple[str, ...]]] = {
    "header": ({**_ID, "text": _text(150, _plain)}, ("text",)),
    "section": (
        {
            **_ID,
            "text": _text(3000),
            "fields": _many(1, 10, _text(2000)),
            "accessory": _element("button", "overflow"),
            "expand": _flag,
        },
        (),
    ),
    "context": ({**_ID, "elements": _many(1, 10, _text(3000))}, ("elements",)),
    "actions": ({**_ID, "elements": _actions}, ("elements",)),
    "divider": (dict(_ID), ()),
    "input": (
        {
            **_ID,
            "label": _text(2000, _plain),
            "element": _element("plain_text_input", "static_select"),
            "hint": _text(2000, _plain),
            "optional": _flag,
            "dispatch_action": _flag,
        },
        ("label", "element"),
    ),
}
_HOME: dict[str, Check] = {
    "type": _anything,
    "blocks": _anything,
    "private_metadata": _string(3000, 0),
    "callback_id": _string(255),
    "external_id": _string(255),
}
_MODAL: dict[str, Check] = {
    **_HOME,
    "title": _text(24, _plain),
    "submit": _text(24, _plain),
    "close": _text(24, _plain),
    "clear_on_close": _flag,
    "notify_on_close": _flag,
}
_MODAL_NEEDS = ("type", "title", "blocks")


def _block(block: Any, at: str, view: bool) -> list[str]:
    if not isinstance(block, dict) or block.get("type") not in _BLOCKS:
        return [f"[ERROR] unsupported type: {block.get('type') if isinstance(block, dict) else block!r} [{at}]"]
    if block["type"] == "input" and not view:
        return [f"[ERROR] input blocks belong into views [json-pointer:{at}]"]
    keys, needs = _BLOCKS[block["type"]]
    problems = _shape(block, at, keys, needs)
    if block["type"] == "section" and not ("text" in block or "fields" in block):
        problems.append(f"[ERROR] must define either `text` or `fields` [json-pointer:{at}]")
    return problems
