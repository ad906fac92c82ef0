"""What is shown without the secrets that slipped into it: the last thing done before anybody sees it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.domain.learning.proposal import Listed
from agents.domain.text.redact import Redact
from bot.messages import Button, Card, Graph, Row


def discreet(card: Card, redact: Redact) -> Card:
    whole = "\n".join(_said(card))
    return card if redact(whole) == whole else _redacted(card, redact)


def discreet_proposal(listed: Listed, redact: Redact) -> Listed:
    shown, why = listed.proposal, listed.proposal.rationale
    told = replace(
        shown,
        title=redact(shown.title),
        rationale=replace(why, evidence=tuple(redact(each) for each in why.evidence)),
        proposed_action=redact(shown.proposed_action),
    )
    return replace(listed, proposal=told, reason=redact(listed.reason))


def _said(card: Card) -> Iterator[str]:
    """Everything in it that people may read. One search of it all is quicker than one of each part."""
    yield from (card.title, card.text, *card.lines, card.footer, card.until_what)
    for row in card.rows:
        yield from (row.label, row.value)
    for button in (*card.buttons, *card.more):
        yield from (button.label, button.asks, button.confirm)
    yield from (file.text for file in card.files)
    if card.graph:
        yield from (card.graph.text, *(node.label for node in card.graph.nodes))


def _redacted(card: Card, redact: Redact) -> Card:
    return replace(
        card,
        title=redact(card.title),
        text=redact(card.text),
        rows=tuple(_row(row, redact) for row in card.rows),
        lines=_lines(card.lines, redact),
        buttons=tuple(_button(button, redact) for button in card.buttons),
        more=tuple(_button(button, redact) for button in card.more),
        files=tuple(replace(file, text=redact(file.text)) for file in card.files),
        footer=redact(card.footer),
        until_what=redact(card.until_what),
        graph=_graph(card.graph, redact) if card.graph else None,
    )


def _row(row: Row, redact: Redact) -> Row:
    return replace(row, label=redact(row.label), value=redact(row.value))


def _lines(lines: Sequence[str], redact: Redact) -> tuple[str, ...]:
    """Together, since a key may be spread over them."""
    whole = "\n".join(lines)
    made = redact(whole)
    return tuple(lines) if made == whole else tuple(made.split("\n"))


def _button(button: Button, redact: Redact) -> Button:
    return replace(button, label=redact(button.label), asks=redact(button.asks), confirm=redact(button.confirm))


def _graph(graph: Graph, redact: Redact) -> Graph:
    nodes = tuple(replace(node, label=redact(node.label)) for node in graph.nodes)
    return replace(graph, nodes=nodes, text=redact(graph.text))
