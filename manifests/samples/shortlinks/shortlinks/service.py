"""What callers use: shorten, resolve, forget."""

from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urlsplit

from shortlinks.codes import encode
from shortlinks.store import Link, LinkStore


class UnknownCode(LookupError):
    pass


class Shortener:
    def __init__(self, store: LinkStore, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._store = store
        self._now = now

    def shorten(self, url: str) -> Link:
        if urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"{url!r} is not a web address")
        link = Link(code=encode(len(self._store.all()) + 1000), url=url, created=self._now().isoformat())
        self._store.put(link)
        return link

    def resolve(self, code: str) -> str:
        link = self._store.all().get(code)
        if link is None:
            raise UnknownCode(code)
        return link.url

    def forget(self, code: str) -> None:
        if not self._store.remove(code):
            raise UnknownCode(code)
