"""Readers of values that several sections of overlord.yaml share."""

from ipaddress import ip_network
from urllib.parse import urlsplit

from agents.catalog.documents import Value, Where
from agents.catalog.reading import Wrong, after, checked, items, optional, secret, text, told
from agents.domain.text.numbers import small_number
from agents.domain.text.sanitize import cut


@told(lambda: {"type": "integer", "minimum": 0, "maximum": 65_535})
def port(where: Where, value: Value) -> int:
    number = None if isinstance(value, bool) else small_number(str(value))
    if number is None or number > 65_535:
        step = "Write a number from 1 to 65535, or 0 for any free one."
        raise Wrong((where, f"`{cut(str(value), 60)}` is not a port", step))
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


def split_words(value: Value) -> Value:
    """A variable holds a list as words between commas."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


address = checked(text, _address)
words = after(split_words, items(text))
networks = after(split_words, items(checked(text, _network)))
token = optional(secret)
