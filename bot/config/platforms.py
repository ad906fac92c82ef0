"""The registry of chat platforms, what each exports as `PLATFORM`, and types of fields in sections of overlord.yaml."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import import_module
from ipaddress import ip_network
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, PlainValidator

from agents.catalog.validation import Odd
from agents.domain.text.redact import Secret
from agents.domain.text.sanitize import Between, cut, small_number

OWN = "console"  # ours: always there, and nobody can keep us from writing to it
# First is OWN.
REGISTRY: dict[str, str] = {
    OWN: "bot.platforms.console",
    "slack": "bot.platforms.slack",
    "discord": "bot.platforms.discord",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformSettings(ABC):
    """A platform's section of overlord.yaml. Subclasses add the fields; places in problems are relative to it."""

    @property
    def joins(self) -> bool:
        """Whether enough is set to connect: by default, a token."""
        return bool(self.tokens())

    @property
    def channels(self) -> tuple[str, ...]:
        """Channels that exist from the start, without the platform's name."""
        return ()

    @property
    def api(self) -> str:
        """Where tokens are sent; empty: nowhere."""
        return ""

    @abstractmethod
    def describe(self, http_port: int) -> str:
        """How it is reached, in a few words, for the person who starts the program."""

    def operator(self, user: str) -> str:
        """The account of this machine's user, if the platform knows them without a login."""
        return ""

    def problems(self) -> Iterator[Odd]:
        """Settings that contradict each other."""
        yield from ()

    def warnings(self) -> Iterator[Odd]:
        """Settings that work and are probably not meant."""
        yield from ()

    def tokens(self) -> set[str]:
        values = (getattr(self, each.name) for each in fields(self))
        return {value.reveal() for value in values if isinstance(value, Secret) and value}


@dataclass(frozen=True, slots=True, kw_only=True)
class IdForm:
    """How an id is written."""

    pattern: str  # a regular expression of the whole
    example: str  # with what its parts are


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """A group of people that only its platform can list, such as a user group or a role."""

    kind: str  # what its ids begin with
    form: IdForm
    words: str  # what stands before its id where people read it


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformSpec:
    """All that the rest of the program knows of a platform. Light: what needs its libraries is named as module:name."""

    name: str  # accounts, channels, threads and the section of overlord.yaml begin with it
    title: str
    settings: type[PlatformSettings]
    variables: Mapping[str, str]  # environment variable -> field of the settings
    flags: Mapping[str, str] = field(default_factory=dict)  # of `overlord up`, likewise
    account: IdForm
    membership: Membership | None = None
    possessive: str  # "its own history" is still there: whose
    loggers: tuple[str, ...] = ()  # of its libraries, which tell every step
    rank: str = ""  # (message id) -> its place in the channel; empty: the ids say nothing, our own copies do
    connect: str  # (settings, services, inbox, queries) -> context manager of a bot.messages.Platform
    serve: str = ""  # (settings, services, queries, pages) -> context manager of the address; of OWN alone
    checks: str  # (settings, now) -> checks of `overlord doctor`
    checks_ask_nobody: bool = False  # so that they run with --offline too
    manifest: str = ""  # a command of `overlord manifest`


@cache
def platforms() -> tuple[PlatformSpec, ...]:
    return tuple(load(f"{module}:PLATFORM") for module in REGISTRY.values())


def find_platform(surface: str) -> PlatformSpec | None:
    """None: another place where people are known, such as the command line."""
    return next((spec for spec in platforms() if spec.name == surface), None)


def load(path: str) -> Any:
    """What `module:name` names. The one place where a platform's modules are imported."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def _port(written: object) -> int:
    number = None if isinstance(written, bool) else small_number(str(written))
    if number is None or number > 65_535:
        step = "Write a number from 1 to 65535, or 0 for any free one."
        raise ValueError(f"`{cut(str(written), 60)}` is not a port. {step}")
    return number


def _address(written: str) -> str:
    parts = urlsplit(written)
    if parts.scheme not in ("http", "https", "ws", "wss") or not parts.hostname:
        raise ValueError(f"`{written}` is not an address. Write one that begins with https:// (wss:// for a gateway).")
    return written


def _network(written: str) -> str:
    try:
        return str(ip_network(written))
    except ValueError as odd:
        step = "Write an address such as 10.0.0.7, or a network such as 10.0.0.0/24."
        raise ValueError(f"`{written}` is not the address of a proxy. {step}") from odd


def _split_words(written: object) -> object:
    return [part.strip() for part in written.split(",") if part.strip()] if isinstance(written, str) else written


def hidden_text(written: object) -> str:
    """Text that is not shown, whatever is wrong with it."""
    if not isinstance(written, str):
        raise ValueError("its value cannot be used. Write it as text, in quotes.")
    return written


def _secret(written: object) -> Secret:
    return Secret(hidden_text(written))


Port = Annotated[int, PlainValidator(_port, Annotated[int, Between(0, 65_535)])]
Address = Annotated[str, AfterValidator(_address)]
Network = Annotated[str, AfterValidator(_network)]
Token = Annotated[Secret, PlainValidator(_secret, str)]
COMMAS = BeforeValidator(_split_words, list[str] | str)  # a variable holds a list as words between commas
