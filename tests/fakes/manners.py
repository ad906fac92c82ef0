"""What a platform would take and people could not: pictures, buttons and colours without their words."""

from collections.abc import Iterable, Iterator
from typing import Any

from bot.messages import Card, Tone
from tests.fakes.discord.people import readable
from tests.fakes.discord.world import Message as DiscordMessage
from tests.fakes.slack.shown import controls, readable as slack_readable, words_of
from tests.fakes.slack.world import Message as SlackMessage

Shown = tuple[str, str | None]  # what it is, and the words that come with it


def has_words(text: str) -> bool:
    """Two letters or a number at least: a lone sign, dot or emoji says nothing to those who only hear it."""
    return sum(letter.isalpha() for letter in text) >= 2 or any(letter.isdigit() for letter in text)


def of_slack(messages: Iterable[SlackMessage]) -> list[str]:
    ours = [message for message in messages if message.bot_id]
    return [f"{told}: {message.text[:80]}" for message in ours for told in _wordless(_in_slack(message))]


def _in_slack(message: SlackMessage) -> Iterator[Shown]:
    parts = [*_parts(message.blocks)]
    yield from (("a button", control.label) for control in controls(message.blocks))
    yield from (("a picture", part.get("alt_text")) for part in parts if part.get("type") == "image")
    yield from (("a menu", str(part.get("placeholder"))) for part in parts if part.get("type") == "static_select")
    yield from (("a file", words) for words in message.file_words)
    if not message.files:
        yield "a notification", slack_readable(message.text)
        yield "a message", words_of(message.blocks) or slack_readable(message.text)


def of_discord(messages: Iterable[DiscordMessage], bot: str) -> list[str]:
    ours = [message for message in messages if message.author.id == bot and message.type == 0]
    return [f"{told}: {readable(message)[:80]}" for message in ours for told in _wordless(_in_discord(message))]


def _in_discord(message: DiscordMessage) -> Iterator[Shown]:
    parts = [part for row in message.components for part in row["components"]]
    yield from (("a menu", part.get("placeholder")) for part in parts if "options" in part)
    yield from (("a button", part.get("label")) for part in parts if "options" not in part)
    yield from (("a button", option["label"]) for part in parts for option in part.get("options", ()))
    yield from (("a file", attached["description"]) for attached in message.attachments)
    yield "a colour" if message.embeds else "a message", readable(message)


def of_cards(cards: Iterable[Card]) -> list[str]:
    """For the console, which shows cards as they are."""
    return [f"{told}: {card.title}" for card in cards for told in _wordless(_in_card(card))]


def _in_card(card: Card) -> Iterator[Shown]:
    yield "a message" if card.tone is Tone.PLAIN else "a colour", card.title
    yield from (("a picture", graph.text) for graph in (card.graph,) if graph)
    yield from (("a button", button.label) for button in (*card.buttons, *card.more))
    yield from (("a link", link.label) for link in card.links)


def _wordless(shown: Iterable[Shown]) -> list[str]:
    return [f"{what} without words ({words!r})" for what, words in shown if not has_words(words or "")]


def _parts(part: Any) -> Iterator[dict[str, Any]]:
    """Every object anywhere in the blocks."""
    if isinstance(part, dict):
        yield part
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _parts(each)
