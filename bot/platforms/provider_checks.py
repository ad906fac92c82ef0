"""What the doctor checks of several platforms share: asking a provider by HTTP, and comparing clocks."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from agents.domain.text.secret import Secret
from bot.config.settings import Settings
from bot.doctor_check import Check, fail, ok, warn

ANSWER = 10  # seconds for a provider to answer
SLIGHT, TOO_MUCH = 30, 300  # seconds of a clock's error: signed requests are good for 300
Now = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int  # 0: nobody answered
    data: Any
    headers: Mapping[str, str]

    @property
    def error(self) -> str:
        return str(self.data.get("error", "")) if isinstance(self.data, dict) else ""


def ask(request: urllib.request.Request) -> Answer:
    try:
        with urllib.request.urlopen(request, timeout=ANSWER) as reply:
            return _read(int(reply.status), reply.read(), dict(reply.headers.items()))
    except urllib.error.HTTPError as refused:
        return _read(refused.code, refused.read(), dict(refused.headers.items()))
    except (OSError, ValueError) as problem:
        return Answer(status=0, data=str(problem), headers={})


def _read(status: int, body: bytes, headers: Mapping[str, str]) -> Answer:
    low = {name.lower(): value for name, value in headers.items()}
    try:
        return Answer(status=status, data=json.loads(body or b"null"), headers=low)
    except ValueError:
        return Answer(status=status, data=None, headers=low)


def reveal(token: Secret | None) -> str:
    return token.reveal() if token else ""


def check_clock(name: str, answer: Answer, now: float) -> Check:
    """Ours beside the provider's, whose answers say what time it is there."""
    try:
        there = parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
    except ValueError:
        return warn(name, "the provider did not say what time it is", "Check by hand that the clock is right.")
    off = now - there
    seen = f"{abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} the provider's"
    step = "Set the clock, or start its NTP service (timedatectl set-ntp true)."
    if abs(off) > TOO_MUCH:
        return fail(name, f"{seen}: signed requests are refused", step)
    return warn(name, seen, step) if abs(off) > SLIGHT else ok(name, "agrees with the provider's")


def no_answer(name: str, answer: Answer, variable: str) -> Check:
    seen = f"no answer ({answer.data})" if not answer.status else f"status {answer.status}, and no JSON"
    return fail(name, seen, f"Check the network and its proxy, and {variable} if it is set.")


def channels_named(settings: Settings, surface: str) -> list[str]:
    """Channels of this platform that the settings name, by their last id."""
    named = [*settings.channels, *(project.channel for project in settings.projects)]
    return sorted({channel.rpartition(":")[2] for channel in named if channel.startswith(f"{surface}:")})


def join_names(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(sorted(names)[:most])}{more}"
