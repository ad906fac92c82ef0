"""Forms: a question to answer in words, or something to confirm. The form remembers which button opened it."""

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from agents.domain.text.sanitize import cut, one_line
from bot.platforms.slack.outgoing.buttons import Press

CALLBACK = "overlord-press"
WORDS_MOST = 3000


class Form(BaseModel):
    """What a form carries back. Slack keeps it for us; nobody can change it on the way."""

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
