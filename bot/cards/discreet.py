"""Takes secrets out of what people are shown. What is stored stays whole."""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, TypeVar

from agents.domain.learning.proposal import Listed
from agents.domain.text.redact import Redact
from bot.messages import Button, Card, Graph, Node, Row

Part = TypeVar("Part", bound=Card | Row | Button | Graph | Node)
# Fields of a card and of its parts: what people read, and what is made of parts.
_READ = frozenset({"title", "text", "lines", "label", "value", "asks", "confirm", "footer", "until_what"})
_PARTS = frozenset({"rows", "buttons", "more", "files", "graph", "nodes"})


def discreet(card: Card, redact: Redact) -> Card:
    """One search of the whole is quicker than one of each part, and mostly there is nothing to find."""
    whole = "\n".join(_texts(card))
    return card if redact(whole) == whole else _redact_part(card, redact)


def discreet_proposal(listed: Listed, redact: Redact) -> Listed:
    shown, why = listed.proposal, listed.proposal.rationale
    told = replace(
        shown,
        title=redact(shown.title),
        rationale=replace(why, evidence=tuple(redact(each) for each in why.evidence)),
        proposed_action=redact(shown.proposed_action),
    )
    return replace(listed, proposal=told, reason=redact(listed.reason))


def _texts(part: Any) -> Iterator[str]:
    for each in fields(part):
        value = getattr(part, each.name)
        if each.name in _READ:
            yield "\n".join(value) if isinstance(value, tuple) else value
        elif each.name in _PARTS and value:
            for inner in value if isinstance(value, tuple) else (value,):
                yield from _texts(inner)


def _redact_part(part: Part, redact: Redact) -> Part:
    changed: dict[str, Any] = {}
    for each in fields(part):
        value = getattr(part, each.name)
        if each.name in _READ:
            whole = "\n".join(value) if isinstance(value, tuple) else value  # a key may be spread over lines
            if (made := redact(whole)) != whole:
                changed[each.name] = tuple(made.split("\n")) if isinstance(value, tuple) else made
        elif each.name in _PARTS and isinstance(value, tuple):
            changed[each.name] = tuple(_redact_part(inner, redact) for inner in value)
        elif each.name in _PARTS and value:
            changed[each.name] = _redact_part(value, redact)
    return replace(part, **changed)
