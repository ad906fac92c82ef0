"""Messages as people see them: what is readable, what can be pressed, who is pinged."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Block = Mapping[str, Any]

_MARKUP = re.compile(r"<([^<>]*)>")
_CROWD = re.compile(r"(?<![\w@.])@(channel|here|everyone)\b")
EVERYBODY = "everybody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """Something that can be pressed: a button, or one entry of an overflow menu."""

    label: str
    value: str
    element: Mapping[str, Any]
    option: Mapping[str, Any] | None
    block_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One message, as one person sees it."""

    ts: str
    by: str  # user id; the bot's own for its messages
    by_bot: bool
    title: str  # the header, or the first line
    words: str  # everything readable in the blocks, or in the text where there are none
    text: str  # the notification, with its markup resolved
    labels: tuple[str, ...]
    pings: frozenset[str]
    ephemeral: bool = False
    edited: bool = False
    reactions: Mapping[str, Sequence[str]]
    files: tuple[str, ...] = ()


def readable(mrkdwn: str) -> str:
    """mrkdwn with its markup resolved: a date shows its fallback, a link its label."""

    def resolve(match: re.Match[str]) -> str:
        inner, _, label = match[1].partition("|")
        if label:
            return label
        return {"!channel": "@channel", "!here": "@here", "!everyone": "@everyone"}.get(inner, inner)

    return html.unescape(_MARKUP.sub(resolve, mrkdwn))


def pings_in(mrkdwn: str, *, verbatim: bool) -> set[str]:
    """Who is notified: user ids, and everybody for a crowd. Without verbatim Slack also reads plain @here."""
    found = set()
    for inner in _MARKUP.findall(mrkdwn):
        if inner.startswith("@"):
            found.add(inner[1:].partition("|")[0])
        elif inner.startswith(("!channel", "!here", "!everyone", "!subteam")):
            found.add(EVERYBODY)
    if not verbatim and _CROWD.search(mrkdwn):
        found.add(EVERYBODY)
    return found


def texts(blocks: Sequence[Block]) -> Iterator[Mapping[str, Any]]:
    """Every text object that is read, in reading order."""
    for block in blocks:
        if "text" in block:
            yield block["text"]
        yield from block.get("fields", ())
        if block["type"] == "input":
            yield block["label"]
        if block["type"] == "context":
            yield from block["elements"]


def words_of(blocks: Sequence[Block]) -> str:
    return "\n".join(t["text"] if t["type"] == "plain_text" else readable(t["text"]) for t in texts(blocks))


def pings_of(blocks: Sequence[Block]) -> set[str]:
    marked = (t for t in texts(blocks) if t["type"] == "mrkdwn")
    return {who for t in marked for who in pings_in(t["text"], verbatim=t.get("verbatim", False))}


def links_of(blocks: Sequence[Block], text: str) -> set[str]:
    """Addresses that a person could click."""
    marked = [t["text"] for t in texts(blocks) if t["type"] == "mrkdwn"]
    return {m.partition("|")[0] for part in (*marked, text) for m in _MARKUP.findall(part) if m.startswith("http")}


def controls(blocks: Sequence[Block]) -> list[Control]:
    found = []
    for block in blocks:
        elements = [*block.get("elements", ()), *([block["accessory"]] if "accessory" in block else ())]
        for element in elements:
            found += _pressable(element, block.get("block_id", ""))
    return found


def _pressable(element: Mapping[str, Any], block_id: str) -> list[Control]:
    if element["type"] == "button":
        label, value = element["text"]["text"], element.get("value", "")
        return [Control(label=label, value=value, element=element, option=None, block_id=block_id)]
    if element["type"] in ("overflow", "static_select"):
        return [
            Control(label=o["text"]["text"], value=o["value"], element=element, option=o, block_id=block_id)
            for o in element["options"]
        ]
    return []
