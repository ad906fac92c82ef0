"""What setting up several platforms shares: app manifests, asking a provider by HTTP for the doctor, its clock."""

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Annotated, Any

import typer

from agents.catalog.yaml import read_yaml, write_yaml
from agents.domain.text.redact import Secret
from bot.config.settings import Settings
from bot.doctor_check import Check, Now, fail, ok, warn
from manifests import packaged_path

ANSWER = 10  # seconds for a provider to answer
SLIGHT, TOO_MUCH = 30, 300  # seconds of a clock's error: signed requests are good for 300
Name = Annotated[str, typer.Option(help="What the bot is called there.")]
Command = Annotated[str, typer.Option(help="The slash command.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of YAML.")]


def packaged_manifest(platform: str) -> Any:
    return read_yaml(packaged_path(platform, "app.yaml")).data


def show(data: Any, as_json: bool) -> None:
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n" if as_json else write_yaml(data)
    typer.echo(text, nl=False)


def reveal(token: Secret | None) -> str:
    return token.reveal() if token else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int  # 0: nobody answered
    data: Any
    headers: Message = field(default_factory=Message)

    @property
    def error(self) -> str:
        return str(self.data.get("error", "")) if isinstance(self.data, dict) else ""


class ProviderChecks:
    """What the doctor's checks of one provider share. Iterating over a subclass makes them, one after the other."""

    name: str

    def __init__(self, settings: Settings, now: Now) -> None:
        self._settings, self._now = settings, now

    @staticmethod
    def ask(url: str, headers: dict[str, str], data: bytes | None = None) -> Answer:
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=ANSWER) as reply:
                return _read(int(reply.status), reply.read(), reply.headers)
        except urllib.error.HTTPError as refused:
            return _read(refused.code, refused.read(), refused.headers)
        except (OSError, ValueError) as problem:
            return Answer(status=0, data=str(problem))

    def check_clock(self, answer: Answer) -> Check:
        """Ours beside the provider's, whose answers say what time it is there."""
        name = f"{self.name} clock"
        try:
            there = parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
        except ValueError:
            return warn(name, "the provider did not say what time it is", "Check by hand that the clock is right.")
        off = self._now() - there
        seen = f"{abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} the provider's"
        step = "Set the clock, or start its NTP service (timedatectl set-ntp true)."
        if abs(off) > TOO_MUCH:
            return fail(name, f"{seen}: signed requests are refused", step)
        return warn(name, seen, step) if abs(off) > SLIGHT else ok(name, "agrees with the provider's")

    def no_answer(self, answer: Answer) -> Check:
        seen = f"no answer ({answer.data})" if not answer.status else f"status {answer.status}, and no JSON"
        step = f"Check the network and its proxy, and {self.name.upper()}_API_URL if it is set."
        return fail(f"{self.name} token", seen, step)

    def channels_named(self) -> list[str]:
        """Channels of this platform that the settings name, by their last id."""
        named = [*self._settings.channels, *(project.channel for project in self._settings.projects)]
        return sorted({channel.rpartition(":")[2] for channel in named if channel.startswith(f"{self.name}:")})


def _read(status: int, body: bytes, headers: Message) -> Answer:
    try:
        return Answer(status=status, data=json.loads(body or b"null"), headers=headers)
    except ValueError:
        return Answer(status=status, data=None, headers=headers)


def join_names(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(sorted(names)[:most])}{more}"
