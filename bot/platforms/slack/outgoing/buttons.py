"""The value of a button (its token, what the presser was shown), and the form that a press may open first."""

import re
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from agents.domain.text.sanitize import cut, one_line
from bot.messages import Button

# token, then #fingerprint where no message tells what was shown, then ?question or !what is to be confirmed
_VALUE = re.compile(r"(?P<token>[\w-]{22}\.\w)(?:#(?P<shown>\w+))?(?:(?P<form>[?!])(?P<words>.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    token: str
    shown: str = ""
    asks: str = ""
    confirm: str = ""

    @property
    def opens_form(self) -> bool:
        return bool(self.asks or self.confirm)


def write(button: Button, *, shown: str = "", confirm: bool, most: int) -> str:
    """The button's value. `confirm`: Slack cannot ask to confirm here, so a form does."""
    start = f"{button.choice.token}#{shown}" if shown else button.choice.token
    if button.asks:
        return f"{start}?{cut(button.asks, most - len(start) - 1)}"
    if button.confirm and confirm:
        return f"{start}!{cut(button.confirm, most - len(start) - 1)}"
    return start


def read(value: str) -> Press | None:
    """None: no button of ours."""
    match = _VALUE.fullmatch(value)
    if match is None:
        return None
    words = match["words"] or ""
    asks, confirm = (words, "") if match["form"] == "?" else ("", words)
    return Press(token=match["token"], shown=match["shown"] or "", asks=asks, confirm=confirm)


CALLBACK = "overlord-press"
WORDS_MOST = 3000


class Form(BaseModel):
    """What a form sends back, kept by Slack in its private metadata."""

    model_config = ConfigDict(frozen=True)

    token: str
    thread: str
    channel: str
    message: str
    shown: str = ""


def form_of(private_metadata: str) -> Form | None:
    try:
        return Form.model_validate_json(private_metadata)
    except ValidationError:
        return None


def view_of(form: Form, press: Press, label: str) -> dict[str, Any]:
    view: dict[str, Any] = {
        "type": "modal",
        "callback_id": CALLBACK,
        "private_metadata": form.model_dump_json(),
        "title": _plain(one_line(label, 24) or "Overlord"),
        "submit": _plain("Send" if press.asks else "Yes, go on"),
        "close": _plain("Go back"),
    }
    return {**view, "blocks": [_question(press.asks) if press.asks else _warning(press.confirm)]}


def _question(asks: str) -> dict[str, Any]:
    box = {"type": "plain_text_input", "action_id": "words", "multiline": True, "max_length": WORDS_MOST}
    return {"type": "input", "label": _plain(cut(asks, 2000)), "element": box}


def _warning(confirm: str) -> dict[str, Any]:
    return {"type": "section", "text": _plain(cut(confirm, 2900))}


def _plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}
