"""What every wire of a model has in common: a request as it was heard, an answer to be sent, and how one is refused."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

LETTERS_A_TOKEN = 4
PIECE = 12  # letters of a stream at a time
Json = dict[str, Any]


class Strict(BaseModel):
    """What is not named in a model of a request is refused, as the original does."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Refused(Exception):
    """An error as the original answers it: `kind` and `code` in its own words, where it has such."""

    def __init__(self, status: int, message: str, *, code: str | None = None, kind: str = "", **more: object) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.kind = kind
        self.more = more


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A request that was taken. `talk` is the same on every wire: roles and words, and which tools were called."""

    model: str
    talk: Sequence[Json]
    body: Json
    stream: bool = False
    with_usage: bool = True  # in a stream
    most: int | None = None  # tokens of the answer
    tools: tuple[str, ...] = ()
    schema: Json | None = None  # that the answer is bound to
    json_mode: bool = False
    marks: tuple[str, ...] | None = None  # all words up to each cache mark; None: prefixes are kept without a mark
    thinks: bool = True  # whether what a model thinks is sent here

    @property
    def text(self) -> str:
        return "\n".join(str(message.get("content") or "") for message in self.talk)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """An answer, before it has the shape of a wire."""

    number: int
    model: str
    text: str | None
    thinks: str = ""
    calls: tuple[tuple[str, str, str], ...] = ()  # id, tool, arguments
    finish: str | None = "stop"
    refusal: str | None = None
    choices: int = 1
    tokens: int = 0
    written: int = 0
    cached: int = 0

    @property
    def thought(self) -> int:
        """Tokens."""
        return len(self.thinks) // LETTERS_A_TOKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What a server has: `tools`, `json_mode` and `schemas` say what it can do, `window` how much it takes."""

    models: tuple[str, ...]
    key: str
    window: int = 128_000
    tools: bool = True
    json_mode: bool = True
    schemas: bool = True
    thinking: str = ""  # what its models think before each answer


class Wire(ABC):
    """One protocol, told from the server's side."""

    provider: str  # litellm's name for it
    model: str = "own"  # one that it serves, as litellm lists it where it does
    base: str = ""  # what follows the host in the address that litellm is given
    posts: tuple[str, ...]
    media = "text/event-stream"

    def __init__(self, host: Host) -> None:
        self.host = host

    @abstractmethod
    def check_key(self, headers: Mapping[str, str]) -> None: ...

    @abstractmethod
    def read(self, path: str, body: bytes) -> Heard:
        """Raises Refused."""

    @abstractmethod
    def whole(self, heard: Heard, made: Made) -> Json: ...

    @abstractmethod
    def pieces(self, heard: Heard, made: Made) -> Iterator[bytes]: ...

    @abstractmethod
    def error(self, refused: Refused) -> object: ...

    @abstractmethod
    def overflow(self, heard: Heard, tokens: int) -> Refused | None:
        """What is said to a request of more tokens than fit; None: nothing, it is cut without a word."""

    def about(self) -> dict[str, Json]:
        """What it says of itself, by path."""
        return {}

    def wrong_key(self, headers: Mapping[str, str], name: str, prefix: str = "") -> bool:
        return headers.get(name, "") != f"{prefix}{self.host.key}"


def load(body: bytes) -> Json:
    given = json.loads(body)
    if not isinstance(given, dict):
        raise ValueError("not an object")
    return given


def place_of(error: ValidationError) -> tuple[str, str, str]:
    """Where the first fault is, which kind it is and what is wrong."""
    detail = error.errors()[0]
    return ".".join(str(part) for part in detail["loc"]), detail["type"], detail["msg"]


def split(text: str) -> Iterator[str]:
    return (text[at : at + PIECE] for at in range(0, len(text), PIECE))


def event(data: object, name: str = "") -> bytes:
    """One server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


@dataclass(slots=True)
class Blocks:
    """The words of a request up to each cache mark, gathered as it is read."""

    text: str = ""
    marks: list[str] = field(default_factory=list)

    def add(self, text: str, *, marked: bool) -> None:
        self.text += text
        if marked:
            self.marks.append(self.text)
