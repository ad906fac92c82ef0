"""A card as Discord shows it: content for notifications, one embed for the rest, rows of buttons. Always fits."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from agents.domain.text.sanitize import clean, cut
from bot.messages import Button, Card, FormField, Style, Tone, quote_code
from bot.platforms.discord.notation import (
    Act,
    CustomId,
    countdown,
    escape,
    fit,
    mark_of,
    moment,
    name_of,
    user_of,
    width,
)
from bot.platforms.provider import PICTURE, Attachment, text_files, without_long_forms

Json = dict[str, Any]

CONTENT, DESCRIPTION, FOOTER = 2000, 4096, 600
TITLE, TEXT, LINE, LABEL = 400, 2400, 900, 80
ROWS, IN_A_ROW, OPTIONS = 5, 5, 25
PINGED = 20
FORM_TITLE, DESCRIBED, FIELD = 45, 1000, 4000
FIELDS_MOST = 5
ROOM_TO_WRITE = 200  # characters, in a form in which something stands already
COLOURS = {Tone.PLAIN: 0x5865F2, Tone.GOOD: 0x2E8B57, Tone.BAD: 0xC0392B, Tone.ASKING: 0xD4A017}
STYLES = {Style.PLAIN: 2, Style.PRIMARY: 1, Style.DANGER: 4}
ANSWER = "Answer…"
DOT = "·"
_IN_WORDS = re.compile(rf"^-# .*\[{DOT}\]\(<(\S+)>\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class May:
    """What the bot is allowed to do in a channel."""

    embed: bool = True
    attach: bool = True


EVERYTHING = May()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """One message, ready to send."""

    content: str
    embeds: tuple[Json, ...] = ()
    components: tuple[Json, ...] = ()
    pings: tuple[str, ...] = ()  # user ids
    files: tuple[Attachment, ...] = ()

    @property
    def payload(self) -> Json:
        embeds = list(self.embeds)
        if embeds and any(file.name == PICTURE for file in self.files):
            embeds[0] = {**embeds[0], "image": {"url": f"attachment://{PICTURE}"}}
        return {
            "content": self.content,
            "embeds": embeds,
            "components": list(self.components),
            "allowed_mentions": {"parse": [], "users": list(self.pings), "replied_user": False},
            "attachments": [
                {"id": str(n), "filename": file.name, "description": name_of(file.says, DESCRIBED)}
                for n, file in enumerate(self.files)
            ],
        }


def render(card: Card, *, ref: str = "", answer: bool = False, may: May = EVERYTHING) -> Rendered:
    """`answer`: offer the Answer form, where replies cannot be read."""
    embeds = may.embed
    pings = _pings(card)
    card = without_long_forms(card, FIELD - ROOM_TO_WRITE)
    rows, left_out = _components(card, answer)
    title, footer = _Cut(_one_line(card.title) or "Overlord", TITLE), _one_line(card.footer)
    head = f"{' '.join(f'<@{user}>' for user in pings)} **{title.shown}**".strip()
    told = cut(footer, FOOTER if embeds else 200)
    tail = _small(escape(told), f"[{DOT}](<{ref}>)" if ref else "")  # where there is no embed to hold it
    body = _Body(card, DESCRIPTION if embeds else CONTENT - width(head) - width(tail) - 2, left_out, may)
    uncut = body.whole and title.whole and not left_out and told == footer
    shown: tuple[Json, ...] = ()
    if embeds and (body.text or footer):
        shown = (_embed(card, body.text, told, ref),)
        content = head
    else:
        content = _join(head, body.text, tail)
    files = text_files(card, whole=not uncut) if may.attach else ()
    return Rendered(content=content, embeds=shown, components=rows, pings=pings, files=tuple(files))


def _embed(card: Card, text: str, footer: str, ref: str) -> Json:
    """An embed's link shows only on its title, and ours has none: so the reference is there and nobody sees it."""
    parts = {"url": ref, "footer": {"text": quote_code(footer)} if footer else None}
    given = {name: part for name, part in parts.items() if part}
    return {"description": text, "color": COLOURS[card.tone], **given}


def _small(*parts: str) -> str:
    said = " ".join(part for part in parts if part)
    return f"-# {said}" if said else ""


def reference_of(message: Json) -> str:
    """The reference that a message of ours carries."""
    for embed in message.get("embeds") or []:
        if mark_of(embed.get("url") or ""):
            return str(embed["url"])
    found = _IN_WORDS.search((message.get("content") or "").rpartition("\n")[2])
    return found[1] if found and mark_of(found[1]) else ""


class _Cut:
    """Text that was made to fit."""

    def __init__(self, text: str, most: int) -> None:
        self.shown = fit(text, most)
        self.whole = len(self.shown) >= len(escape(clean(text)))


class _Body:
    """Lines until the room is used up, then a count of what is missing. A clock is never what is missing."""

    def __init__(self, card: Card, room: int, choices_left_out: int, may: May) -> None:
        self._where = "in the attached file" if may.attach else "in the console"
        self._last: list[str] = []
        self._lines: list[str] = []
        self._missing = 0
        self._cut = False
        if card.until and card.until_what:
            self._last.append(f"{self._fit(card.until_what, LINE)} {countdown(card.until)}")
        if card.links:
            self._last.append(" · ".join(f"[{escape(link.label)}](<{link.url}>)" for link in card.links))
        if choices_left_out:
            self._last.append(f"{choices_left_out} more choices: reply with the one you want, or see the console")
        self._room = room - width(_join(*self._last)) - 60  # for the count
        self._fill(card)

    def _fill(self, card: Card) -> None:
        self._add(self._fit(card.text, min(TEXT, self._room - 200)))
        for row in card.rows:
            value = moment(row.at) if row.at else self._fit(row.value, LINE)
            self._add(f"**{self._fit(row.label, 100)}:** {value}")
        for line in card.lines:
            self._add(self._fit(line, LINE))

    def _fit(self, text: str, most: int) -> str:
        made = _Cut(text, most)
        self._cut = self._cut or not made.whole
        return made.shown

    def _add(self, line: str) -> None:
        if not line:
            return
        if self._missing or width(line) + 1 > self._room:
            self._missing += 1
            return
        self._room -= width(line) + 1
        self._lines.append(line)

    @property
    def whole(self) -> bool:
        return not self._missing and not self._cut

    @property
    def text(self) -> str:
        count = f"… and {self._missing} more {self._where}" if self._missing else ""
        return _join(*self._lines, count, *self._last)


def _pings(card: Card) -> tuple[str, ...]:
    users = (user_of(account) for account in card.notify)
    return tuple(dict.fromkeys(user for user in users if user))[:PINGED]


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())


def _join(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


# ── buttons ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _components(card: Card, answer: bool) -> tuple[tuple[Json, ...], int]:
    """Buttons in rows, the rest in a menu. Also how many found no place."""
    buttons = _unique(card.buttons)
    more = _unique((*card.buttons, *card.more))[len(buttons) :]
    offered = any(button.label == ANSWER for button in (*buttons, *more))  # a question has a form of its own
    own = [_answer()] if answer and card.takes_words and buttons and not offered else []
    room = ROWS * IN_A_ROW - len(own)
    menu_needed = len(more) > 1 or _rows_of(len(buttons) + len(own)) + _rows_of(len(more)) > ROWS
    if not menu_needed:
        return (*_rows([*map(_button, buttons), *own]), *_rows([_button(b) for b in more])), 0
    room -= IN_A_ROW
    if len(buttons) + len(more) > room + OPTIONS:  # one row of buttons, and a menu in each of the others
        room = IN_A_ROW - len(own)
    shown, rest = buttons[:room], [*buttons[room:], *more]
    free = ROWS - _rows_of(len(shown) + len(own))
    menus = [_menu(rest[at : at + OPTIONS], at) for at in range(0, len(rest), OPTIONS)][:free]
    return (*_rows([*map(_button, shown), *own]), *menus), max(0, len(rest) - free * OPTIONS)


def _unique(buttons: tuple[Button, ...]) -> list[Button]:
    """Discord refuses two components of one id."""
    known: dict[str, Button] = {}
    for button in buttons:
        known.setdefault(button.choice.token, button)
    return list(known.values())


def _rows_of(count: int) -> int:
    return -(-count // IN_A_ROW)


def _rows(parts: list[Json]) -> Iterator[Json]:
    for at in range(0, len(parts), IN_A_ROW):
        yield {"type": 1, "components": parts[at : at + IN_A_ROW]}


def _button(button: Button) -> Json:
    return {"type": 2, "style": STYLES[button.style], "label": _label(button), "custom_id": _id(button)}


def _id(button: Button) -> str:
    """What follows a press is written on it, so that it works before our own post is known to us."""
    act = Act.ASK if button.asks else Act.CHECK if button.confirm else Act.PRESS
    return CustomId(act=act, token=button.choice.token).text


def _answer() -> Json:
    return {"type": 2, "style": STYLES[Style.PLAIN], "label": ANSWER, "custom_id": CustomId(act=Act.SAY).text}


def _menu(buttons: list[Button], at: int = 0) -> Json:
    """`at`: how many stand in menus before it."""
    options = [{"label": _label(button), "value": _id(button)} for button in buttons]
    words = f"More choices: {_short(buttons[0])} to {_short(buttons[-1])}" if len(buttons) > 1 else "More choices"
    id = CustomId(act=Act.MORE, message=str(at) if at else "").text
    return {"type": 1, "components": [{"type": 3, "custom_id": id, "placeholder": words, "options": options}]}


def _short(button: Button) -> str:
    return name_of(button.label, 40)


def _label(button: Button) -> str:
    return name_of(button.label, LABEL) or "Choose"


# ── what a press opens ───────────────────────────────────────────────────────────────────────────────────────────


def form(title: str, question: str, id: CustomId, fill: str = "") -> Json:
    """A form with one field for words; `fill` stands in it already."""
    asked = name_of(question, 400) or "In your own words"
    field: Json = {"type": 4, "custom_id": "words", "style": 2, "required": True, "max_length": FIELD}
    field |= {"value": fill} if fill else {}
    short = width(asked) <= FORM_TITLE
    label: Json = {"type": 18, "label": asked if short else "In your own words", "component": field}
    told = [] if short else [{"type": 10, "content": escape(asked)}]
    return {"custom_id": id.text, "title": name_of(title, FORM_TITLE) or "Overlord", "components": [*told, label]}


def fields_form(title: str, fields: Sequence[FormField], id: CustomId) -> Json:
    """A form with several fields; what stands in them already can be changed."""
    parts = [_field(each) for each in fields[:FIELDS_MOST]]
    return {"custom_id": id.text, "title": name_of(title, FORM_TITLE) or "Overlord", "components": parts}


def _field(field: FormField) -> Json:
    box: Json = {"type": 4, "custom_id": field.name, "style": 2 if field.long else 1, "max_length": FIELD}
    box |= {"required": not field.optional}
    box |= {"value": field.value} if field.value else {}
    label: Json = {"type": 18, "label": name_of(field.label, FORM_TITLE), "component": box}
    return label | ({"description": name_of(field.hint, 100)} if field.hint else {})


def confirmation(label: str, question: str, id: CustomId) -> Json:
    """The second step of a button that asks to confirm; only the presser sees it."""
    button = {"type": 2, "style": STYLES[Style.DANGER], "label": f"Yes: {name_of(label, 60)}", "custom_id": id.text}
    return private(question) | {"components": [{"type": 1, "components": [button]}]}


def private(words: str) -> Json:
    return {"content": fit(words, CONTENT), "flags": 1 << 6, "allowed_mentions": {"parse": []}}
