"""The fake's Block Kit is as strict as the original: what Slack refuses, it refuses."""

from typing import Any

import pytest

from tests.fakes.slack.kit import check_blocks, check_view


def plain(text: str = "x", **more: Any) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, **more}


def section(**more: Any) -> dict[str, Any]:
    return {"type": "section", "text": plain(), **more}


def actions(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "actions", "elements": list(elements)}


def button(**more: Any) -> dict[str, Any]:
    return {"type": "button", "text": plain(), "action_id": "a", "value": "v", **more}


def options(count: int, value: str = "v") -> list[dict[str, Any]]:
    return [{"text": plain(), "value": value} for _ in range(count)]


CONFIRM = {"title": plain(), "text": plain(), "confirm": plain(), "deny": plain()}
GOOD: dict[str, list[Any]] = {
    "50 blocks": [section()] * 50,
    "section at 3000": [section(text=plain("x" * 3000))],
    "mrkdwn verbatim": [section(text={"type": "mrkdwn", "text": "x", "verbatim": True})],
    "10 fields": [{"type": "section", "fields": [plain("x" * 2000)] * 10}],
    "header at 150": [{"type": "header", "text": plain("x" * 150)}],
    "button at its limits": [actions(button(text=plain("x" * 75), value="v" * 2000, action_id="a" * 255))],
    "25 elements": [actions(*(button(action_id=str(n)) for n in range(25)))],
    "overflow of 5": [actions({"type": "overflow", "action_id": "o", "options": options(5)})],
    "confirm": [actions(button(confirm=CONFIRM, style="danger"))],
}
BAD: dict[str, Any] = {
    "no list": {"type": "section"},
    "51 blocks": [section()] * 51,
    "unknown block": [{"type": "sectoin", "text": plain()}],
    "unknown key": [section(colour="red")],
    "null": [section(accessory=None)],
    "null text": [{"type": "section", "text": None}],
    "section without text": [{"type": "section"}],
    "section over 3000": [section(text=plain("x" * 3001))],
    "empty text": [section(text=plain(""))],
    "11 fields": [{"type": "section", "fields": [plain()] * 11}],
    "field over 2000": [{"type": "section", "fields": [plain("x" * 2001)]}],
    "header over 150": [{"type": "header", "text": plain("x" * 151)}],
    "header in mrkdwn": [{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}],
    "emoji on mrkdwn": [section(text={"type": "mrkdwn", "text": "x", "emoji": True})],
    "label over 75": [actions(button(text=plain("x" * 76)))],
    "label in mrkdwn": [actions(button(text={"type": "mrkdwn", "text": "x"}))],
    "value over 2000": [actions(button(value="v" * 2001))],
    "action_id over 255": [actions(button(action_id="a" * 256))],
    "action_id twice": [actions(button(), button())],
    "26 elements": [actions(*(button(action_id=str(n)) for n in range(26)))],
    "no elements": [actions()],
    "unknown style": [actions(button(style="warning"))],
    "overflow of 6": [actions({"type": "overflow", "action_id": "o", "options": options(6)})],
    "overflow of 1": [actions({"type": "overflow", "action_id": "o", "options": options(1)})],
    "option value over 150": [actions({"type": "overflow", "action_id": "o", "options": options(2, "v" * 151)})],
    "confirm over 300": [actions(button(confirm={**CONFIRM, "text": plain("x" * 301)}))],
    "confirm without deny": [actions(button(confirm={k: v for k, v in CONFIRM.items() if k != "deny"}))],
    "block_id twice": [section(block_id="b"), section(block_id="b")],
    "context of 11": [{"type": "context", "elements": [plain()] * 11}],
    "input in a message": [{"type": "input", "label": plain(), "element": {"type": "plain_text_input"}}],
}
INPUT = {"type": "input", "label": plain(), "element": {"type": "plain_text_input", "action_id": "a"}}
MODAL = {"type": "modal", "title": plain(), "submit": plain(), "blocks": [INPUT]}
BAD_VIEWS = {
    "title over 24": {**MODAL, "title": plain("x" * 25)},
    "no submit": {k: v for k, v in MODAL.items() if k != "submit"},
    "metadata over 3000": {**MODAL, "private_metadata": "x" * 3001},
    "101 blocks": {**MODAL, "blocks": [section()] * 101},
    "a title on a home": {"type": "home", "title": plain(), "blocks": [section()]},
    "no type": {"blocks": [section()]},
}


@pytest.mark.parametrize("name", GOOD)
def test_what_slack_takes_is_taken(name: str) -> None:
    assert check_blocks(GOOD[name]) == []


@pytest.mark.parametrize("name", BAD)
def test_what_slack_refuses_is_refused(name: str) -> None:
    assert check_blocks(BAD[name])


@pytest.mark.parametrize("name", BAD_VIEWS)
def test_views_are_checked_too(name: str) -> None:
    assert check_view(MODAL) == []
    assert check_view(BAD_VIEWS[name])
