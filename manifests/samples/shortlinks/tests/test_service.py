from datetime import UTC, datetime
from pathlib import Path

import pytest

from shortlinks.service import Shortener, UnknownCode
from shortlinks.store import LinkStore

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def shortener(tmp_path: Path) -> Shortener:
    return Shortener(LinkStore(tmp_path / "links.json"), now=lambda: NOON)


def test_a_link_is_resolved(shortener: Shortener) -> None:
    link = shortener.shorten("https://example.org/a/long/path")
    assert shortener.resolve(link.code) == "https://example.org/a/long/path"


def test_an_unknown_code_is_told(shortener: Shortener) -> None:
    with pytest.raises(UnknownCode):
        shortener.resolve("zzz")


def test_a_link_can_be_forgotten(shortener: Shortener) -> None:
    link = shortener.shorten("https://example.org")
    shortener.forget(link.code)
    with pytest.raises(UnknownCode):
        shortener.resolve(link.code)


def test_only_web_addresses_are_shortened(shortener: Shortener) -> None:
    with pytest.raises(ValueError):
        shortener.shorten("file:///etc/passwd")
