"""Wishes, for tests that need one and do not care who made it."""

from dataclasses import replace
from typing import Any

from agents.domain.ids import PersonId
from agents.domain.task.wishes import Source, Wish
from tests.builders.steered import NOW

WISH = Wish(number=1, by=PersonId("ana"), at=NOW, words="use tabs", source=Source.REMARK)


def wish(words: str, number: int = 1, **more: Any) -> Wish:
    return replace(WISH, words=words, number=number, **more)
