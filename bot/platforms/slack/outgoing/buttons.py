"""What a button of ours carries: its token, what the presser was shown, and the form that opens first."""

import re
from dataclasses import dataclass

from agents.domain.text.sanitize import cut
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
    """`confirm`: Slack cannot ask by itself here, so a form does."""
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
