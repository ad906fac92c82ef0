"""Types of values that several sections of overlord.yaml share."""

from ipaddress import ip_network
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, PlainValidator

from agents.domain.text.redact import Secret
from agents.domain.text.sanitize import Between, cut, small_number


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
