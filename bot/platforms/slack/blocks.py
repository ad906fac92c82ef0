"""A card as Slack shows it: blocks within Slack's limits, and the whole message as text for notifications."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from agents.domain.text.sanitize import clean, cut
from bot.messages import Button, Card, Row, Style, quote_code
from bot.platforms.provider import Attachment, text_files
from bot.platforms.slack.notation import date, escape, has_code, mention, would_format
from bot.platforms.slack.truncation import BEFORE_MENU, BUTTONS, OVERFLOW, ROOMS, Room, truncate

MESSAGE_MOST = 12_800  # Slack refuses a message of about 13,200 characters
EDIT_TEXT_MOST = 3_900  # bytes: chat.update refuses a `text` of more than 4,000, where a post takes far more
SECTION_MOST, HEADER_MOST = 3000, 150
RUNS_MOST = 20  # of rows with and without markup, before all of them go without
BUTTON_VALUE, OPTION_VALUE = 2000, 150
HOME_BLOCKS = 100
# token, then #fingerprint where no message tells what was shown, then ?question or !what is to be confirmed
_VALUE = re.compile(r"(?P<token>[\w-]{22}\.\w)(?:#(?P<shown>\w+))?(?:(?P<form>[?!=])(?P<words>.*))?", re.DOTALL)

Block = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    text: str
    blocks: list[Block]
    files: list[Attachment]  # long texts, and all that the card says where the message leaves something out


def render(card: Card, *, edit: bool = False) -> Rendered:
    """Render, measure, and where it is too much try again with less room. `edit`: for chat.update."""
    for room in ROOMS:
        fitted = truncate(card, room)
        text, blocks = fallback(fitted), card_blocks(fitted, room)
        if size(text, blocks) <= MESSAGE_MOST:
            break
    files = text_files(card, whole=fitted.fallback != card.fallback)
    return Rendered(text=_edit_text(card) if edit else text, blocks=blocks, files=files)


def _edit_text(card: Card) -> str:
    """The words beside an edit's blocks: shorter than the blocks where they must be."""
    for room in ROOMS:
        text = fallback(truncate(card, room))
        if len(text.encode()) <= EDIT_TEXT_MOST:
            return text
    return text.encode()[:EDIT_TEXT_MOST].decode(errors="ignore")


def size(text: str, blocks: Sequence[Mapping[str, Any]]) -> int:
    return len(json.dumps({"text": text, "blocks": blocks}, ensure_ascii=False))


def fallback(card: Card) -> str:
    """The whole decision in words: phones and screen readers show nothing else."""
    rows = (f"{_escape(row.label)}: {_time(row) or _escape(row.value)}" for row in card.rows)
    choices = " · ".join(_escape(b.label) for b in (*card.buttons, *card.more))
    links = (f"{_escape(link.label)}: {escape(link.url)}" for link in card.links)
    offered = f"Choices: {choices}" if choices else ""
    parts = (_escape(card.title), _escape(card.text), *rows, *map(_escape, card.lines), *links, _clock(card), offered)
    body = "\n".join(part for part in (*parts, _escape(card.footer)) if part)
    pinged = " ".join(mention(account) for account in card.notify)
    return f"{pinged} {body}" if pinged else body


def card_blocks(card: Card, room: Room, shown: str = "") -> list[Block]:
    """`shown`: the fingerprint its buttons carry, where no message of ours tells what was shown."""
    blocks = [_title(card.title), *_sections(card.text), *_rows(card.rows)]
    blocks += _sections("\n".join(f"• {line}" for line in card.lines))
    if card.links:
        links = (f"<{escape(link.url)}|{_escape(link.label)}>" for link in card.links)
        blocks.append(_context(_mrkdwn(" · ".join(links))))
    if card.until:
        blocks.append(_context(_mrkdwn(_clock(card))))
    if card.notify:
        blocks.append(_context(_mrkdwn(f"For {' '.join(mention(a) for a in card.notify)}")))
    if controls := [*_buttons(card.buttons, room, shown), *_more(card.more, shown)]:
        blocks += [{"type": "actions", "elements": controls[n : n + 25]} for n in range(0, len(controls), 25)]
    if card.footer:
        blocks.append(_context(_faced(card.footer)))
    return blocks


def home_view(cards: Sequence[Card], count: int = 0) -> dict[str, Any]:
    """What needs somebody, as the app's home; their buttons carry what was shown. `count`: of all that does."""
    blocks: list[Block] = []
    shown = 0
    for card in cards:
        room = ROOMS[2]
        more = [*([{"type": "divider"}] if blocks else []), *card_blocks(truncate(card, room), room, card.fingerprint)]
        if len(blocks) + len(more) >= HOME_BLOCKS:
            break
        blocks += more
        shown += 1
    if left := max(count, len(cards)) - shown:
        blocks.append(_context(plain_text(f"… and {left} more: say `what needs me` to me, and I list all of them.")))
    return {"type": "home", "blocks": blocks}


def _escape(text: str) -> str:
    return escape(clean(text))


# ── parts ───────────────────────────────────────────────────────────────────────────────────────────────────────


def plain_text(text: str) -> Block:
    """Exactly these characters: no markup, no mention, no link, no :emoji:."""
    return {"type": "plain_text", "text": clean(text) or "…", "emoji": False}


def _mrkdwn(text: str) -> Block:
    """Only for what we wrote or escaped ourselves; verbatim, or Slack would look for links and @here in it."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def _faced(text: str) -> Block:
    """In a code face what stands between backticks, where mrkdwn changes nothing else of it; else as it is."""
    marked = escape(clean(text))
    safe = has_code(marked) and not would_format(clean(text)) and len(marked) <= SECTION_MOST
    return _mrkdwn(marked) if safe else plain_text(text)


def _title(title: str) -> Block:
    """A header knows no code face."""
    plain = plain_text(quote_code(title))
    return {"type": "header" if len(title) <= HEADER_MOST else "section", "text": plain}


def _sections(text: str) -> list[Block]:
    return [{"type": "section", "text": _faced(piece)} for piece in _pieces(clean(text)) if piece.strip()]


def _pieces(text: str) -> Iterator[str]:
    """Parts that fit a section, cut where a line or a word ends."""
    while len(text) > SECTION_MOST:
        at = max(text.rfind("\n", 0, SECTION_MOST), text.rfind(" ", 0, SECTION_MOST))
        at = at if at > SECTION_MOST // 2 else SECTION_MOST
        yield text[:at]
        text = text[at:].lstrip("\n")
    yield text


def _rows(rows: Sequence[Row]) -> list[Block]:
    """One below the other: Slack's own fields stand in two columns, which break the order of steps."""
    runs = [(plain, [*run]) for plain, run in groupby(rows, key=_is_plain)]
    if len(runs) > RUNS_MOST:
        runs = [(True, [*rows])]
    return [block for plain, run in runs for block in (_plain_rows if plain else _marked_rows)(run)]


def _is_plain(row: Row) -> bool:
    """Slack would format what stands in it, or it grows too long when it is escaped."""
    if row.at:
        return False
    return would_format(row.label + row.value) or len(_mrkdwn_row(row)) > SECTION_MOST


def _plain_rows(rows: Sequence[Row]) -> list[Block]:
    return [block for text in _pack(f"{row.label}: {row.text}" for row in rows) for block in _sections(text)]


def _marked_rows(rows: Sequence[Row]) -> list[Block]:
    return [{"type": "section", "text": _mrkdwn(text)} for text in _pack(map(_mrkdwn_row, rows))]


def _mrkdwn_row(row: Row) -> str:
    return f"*{_escape(row.label) or '…'}:* {_time(row) or _escape(row.value)}"


def _pack(lines: Iterable[str]) -> Iterator[str]:
    """As many to a section as fit."""
    text = ""
    for line in lines:
        if text and len(text) + 1 + len(line) > SECTION_MOST:
            yield text
            text = ""
        text = f"{text}\n{line}" if text else line
    if text:
        yield text


def _time(row: Row) -> str:
    return date(row.at) if row.at else ""


def _clock(card: Card) -> str:
    return f"{_escape(card.until_what)} {date(card.until)}".strip() if card.until else ""


def _context(text: Block) -> Block:
    return {"type": "context", "elements": [text]}


def _buttons(buttons: Sequence[Button], room: Room, shown: str) -> list[Block]:
    """Buttons while they are few; then some, and a menu in which one can type to search."""
    few = buttons if len(buttons) <= BUTTONS else buttons[:BEFORE_MENU]
    return [
        *(_button(button, f"press-{n}", room, shown) for n, button in enumerate(few)),
        *_menu("static_select", "press-choose", buttons[len(few) :], shown),
    ]


def _button(button: Button, action: str, room: Room, shown: str) -> Block:
    most = min(BUTTON_VALUE, room.question + 80)
    element: Block = {
        "type": "button",
        "text": plain_text(button.label),
        "action_id": action,
        "value": button_value(button, shown=shown, confirm=not room.native_confirm, most=most),
    }
    if button.style is not Style.PLAIN:
        element["style"] = button.style.value
    if button.confirm and not button.asks and room.native_confirm:
        element["confirm"] = _confirm(button)
    return element


def _confirm(button: Button) -> Block:
    made: Block = {
        "title": plain_text("Are you sure?"),
        "text": plain_text(cut(button.confirm, 300)),
        "confirm": plain_text(cut(button.label, 30)),
        "deny": plain_text("Go back"),
    }
    return made | ({"style": "danger"} if button.style is Style.DANGER else {})


def _more(entries: Sequence[Button], shown: str) -> list[Block]:
    """Slack's small menu takes five; where there are more, a larger one has them all."""
    return _menu("overflow" if len(entries) <= OVERFLOW else "static_select", "press-more", entries, shown)


def _menu(type: str, action: str, entries: Sequence[Button], shown: str) -> list[Block]:
    """Slack asks to confirm a whole menu or nothing, so an entry that needs it opens a form."""
    values = (button_value(entry, shown=shown, confirm=True, most=OPTION_VALUE) for entry in entries)
    options = [{"text": plain_text(entry.label), "value": value} for entry, value in zip(entries, values, strict=True)]
    menu = {"type": type, "action_id": action, "options": options}
    words = {} if type == "overflow" else {"placeholder": plain_text(f"{len(entries)} more choices")}
    return [menu | words] if entries else []


# ── presses ─────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    token: str
    shown: str = ""
    asks: str = ""
    confirm: str = ""
    filled: bool = False  # something stands in the form already

    @property
    def opens_form(self) -> bool:
        return bool(self.asks or self.confirm)


def button_value(button: Button, *, shown: str = "", confirm: bool, most: int) -> str:
    """The button's value. `confirm`: Slack cannot ask to confirm here, so a form does."""
    start = f"{button.choice.token}#{shown}" if shown else button.choice.token
    if button.asks:
        return f"{start}{'=' if button.fill or button.fields else '?'}{cut(button.asks, most - len(start) - 1)}"
    if button.confirm and confirm:
        return f"{start}!{cut(button.confirm, most - len(start) - 1)}"
    return start


def read_press(value: str) -> Press | None:
    """None: no button of ours."""
    match = _VALUE.fullmatch(value)
    if match is None:
        return None
    words = match["words"] or ""
    asks, confirm = ("", words) if match["form"] == "!" else (words, "")
    filled = match["form"] == "="
    return Press(token=match["token"], shown=match["shown"] or "", asks=asks, confirm=confirm, filled=filled)
