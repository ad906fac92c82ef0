"""Paths for machines, such as health and metrics: what answers them, and the answer."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    text: str
    status: int = 200
    media: str = "text/plain; charset=utf-8"


Endpoint = Callable[[], Awaitable[Answer]]
