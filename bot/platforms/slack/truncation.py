"""Cuts a card to what Slack can show, and says how much was left out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.domain.text.sanitize import cut, one_line
from bot.messages import Button, Card, Row
from bot.platforms.provider import without_long_forms
from bot.table_forms import read_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How many characters or items each part of a card may have."""

    title: int
    text: int
    rows: int
    value: int
    lines: int  # characters of all lines together
    footer: int
    label: int
    question: int  # what a button's form asks
    choices: int = 80  # buttons, and entries of a menu that can be searched

    @property
    def native_confirm(self) -> bool:
        """Whether Slack's own confirmation dialogs fit; otherwise a form asks."""
        return self.choices > BUTTONS


BUTTONS, OVERFLOW, NOTIFIED = 25, 5, 20
MENU = 10  # entries of “More” where there is room
BLOCKS_MOST = 100  # of a form
FORM_MOST = 2_800  # characters that stand in a form of 3,000: there must be room to write more
BEFORE_MENU = 5  # where there are more than fit as buttons, so many stand before a menu of the rest
# Tried in this order until the whole message is small enough.
ROOMS = (
    Room(title=2900, text=9000, rows=40, value=1800, lines=6000, footer=1500, label=75, question=1000),
    Room(title=600, text=3000, rows=30, value=300, lines=2500, footer=600, label=75, question=300),
    Room(title=300, text=1500, rows=12, value=200, lines=1000, footer=300, label=75, question=120),
    Room(title=150, text=600, rows=8, value=100, lines=400, footer=150, label=60, question=80, choices=40),
    Room(title=120, text=200, rows=4, value=60, lines=150, footer=80, label=30, question=50, choices=25),
    Room(title=80, text=60, rows=1, value=20, lines=60, footer=40, label=20, question=10, choices=25),
)


def fits_table(button: Button) -> bool:
    """Whether there is room for all rows; a long one is written as lines of text."""
    count = len(read_rows(button.fill, button.columns)) if button.columns else 0
    return 0 < count * (len(button.columns) + 1) < BLOCKS_MOST


def truncate(card: Card, room: Room) -> Card:
    """The same card, no longer than the room."""
    card = without_long_forms(card, FORM_MOST, fits_table)
    buttons, more, left = _pick_buttons(card, room.choices)
    return replace(
        card,
        title=one_line(card.title, room.title) or "…",
        text=cut(card.text, room.text),
        rows=tuple(_row(row, room.value) for row in _limit_rows(card.rows, room.rows)),
        lines=_limit_lines(card.lines, room.lines),
        buttons=tuple(_button(b, room) for b in buttons),
        more=tuple(_button(b, room) for b in more),
        notify=card.notify[:NOTIFIED],
        footer=_footer(cut(card.footer, room.footer), left),
        until_what=cut(card.until_what, room.footer),
    )


def _pick_buttons(card: Card, most: int) -> tuple[tuple[Button, ...], tuple[Button, ...], int]:
    """Buttons, menu entries, and how many choices are left out. A menu of one is a button; a full menu spills over."""
    small, menu = card.more if len(card.more) > 1 else (), MENU if most > BUTTONS else OVERFLOW
    buttons = (*card.buttons, *(() if small else card.more), *small[menu:])
    return buttons[:most], small[:menu], max(0, len(buttons) - most)


def _footer(footer: str, left: int) -> str:
    if not left:
        return footer
    told = f"{left} more choice{'s' if left > 1 else ''}: reply with the one you want, or see the console."
    return f"{footer} {told}".strip()


def _button(button: Button, room: Room) -> Button:
    return replace(button, label=one_line(button.label, room.label) or "…")


def _row(row: Row, most: int) -> Row:
    return replace(row, label=one_line(row.label, min(80, most)), value=cut(row.value, most))


def _limit_rows(rows: Sequence[Row], most: int) -> tuple[Row, ...]:
    if len(rows) <= most:
        return tuple(rows)
    return (*rows[: most - 1], Row(label="…", value=f"and {len(rows) - most + 1} more"))


def _limit_lines(lines: Sequence[str], most: int) -> tuple[str, ...]:
    if sum(len(line) + 1 for line in lines) <= most:
        return tuple(lines)
    kept: list[str] = []
    left = most - 20
    for line in lines:
        if len(line) + 1 > left and kept:
            break
        kept.append(cut(line, max(left, 40)))
        left -= len(kept[-1]) + 1
    rest = len(lines) - len(kept)
    return (*kept, f"… and {rest} more") if rest else tuple(kept)
