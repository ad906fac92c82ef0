"""Cards as Discord gets them: complete, harmless, and within every limit whatever their size."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from syrupy.assertion import SnapshotAssertion

from agents.domain.ids import Account, DecisionId, Thread
from bot.messages import CODE, Button, Card, Choice, Row, Style, Tone
from bot.platforms.discord.notation import Act, CustomId, Place, escape, reference
from bot.platforms.discord.views import May, Rendered, confirmation, form, reference_of, render
from bot.platforms.provider import PICTURE, Attachment
from tests.fakes.discord.limits import check_message, check_modal
from tests.fakes.discord.people import plain, readable
from tests.fakes.discord.shapes import Shapes, document
from tests.fakes.discord.world import Message, User

DECISION = DecisionId("d" * 22)
AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
REF = reference(Place.of(Thread("discord:1:2:3")), "status:T-1")
HOSTILE = (
    "@everyone <@123> <@&5> <#9> [Approve](https://evil.example/x) **bold** `code` ||spoiler|| \n# head\n-# ref 00"
)


def buttons(count: int, start: int = 0, label: str = "Choose") -> tuple[Button, ...]:
    return tuple(
        Button(label=f"{label} {n}", choice=Choice(decision=DECISION, letter=chr(0x100 + n)))
        for n in range(start, start + count)
    )


PLAN = Card(
    title="T-1: please decide the plan",
    text="1. Add the limiter\n2. Wire it into the API, after 1",
    rows=(Row(label="Critic", value="PROCEED"), Row(label="Last change", at=AT)),
    lines=("Waiting for Ana to decide the plan",),
    buttons=(
        Button(label="Approve plan", choice=Choice(decision=DECISION, letter="a"), style=Style.PRIMARY),
        Button(label="Request changes", choice=Choice(decision=DECISION, letter="b"), asks="What should change?"),
    ),
    more=(Button(label="Cancel task", choice=Choice(decision=DECISION, letter="c"), style=Style.DANGER),),
    notify=(Account("discord:42"), Account("slack:T1:U1")),
    footer="To decide: the owner or an approver.",
    until=AT,
    until_what="If nobody decides, I take “Approve plan” at",
    tone=Tone.ASKING,
    decision=DECISION,
    takes_words=True,
)

CARDS: dict[str, Card] = {
    "a plan": PLAN,
    "a title alone": Card(title="Nothing needs you"),
    "hostile": Card(title=HOSTILE, text=HOSTILE, rows=(Row(label="<@1>", value=HOSTILE),), footer=HOSTILE),
    "more than a row of extras": replace(PLAN, more=buttons(6)),
    "25 buttons": replace(PLAN, buttons=buttons(25), more=()),
    "26 buttons": replace(PLAN, buttons=buttons(26), more=()),
    "45 choices": replace(PLAN, buttons=buttons(20), more=buttons(25, 20)),
    "46 choices": replace(PLAN, buttons=buttons(20), more=buttons(26, 20)),
    "110 choices": replace(PLAN, buttons=buttons(20), more=buttons(90, 20)),
    "long labels": replace(PLAN, buttons=buttons(3, label="A rather long label " * 10)),
    "one choice twice": replace(PLAN, more=PLAN.buttons),
    "long title": replace(PLAN, title="title " * 100),
    "long text": replace(PLAN, text="words " * 2000),
    "many rows": replace(PLAN, rows=tuple(Row(label=f"row {n}", value="v" * 90) for n in range(60))),
    "many lines": replace(PLAN, lines=tuple(f"line {n}" for n in range(900))),
    "long footer": replace(PLAN, footer="foot " * 500),
    "many to notify": replace(PLAN, notify=tuple(Account(f"discord:{n}{'0' * 17}") for n in range(1, 60))),
    "all stars": Card(title="*" * 500, text="*" * 5000, lines=("*" * 3000,) * 5, footer="*" * 3000),
}  # fmt: skip


@pytest.mark.parametrize("name", CARDS)
@pytest.mark.parametrize("embeds", [True, False], ids=["embeds", "plain"])
def test_every_card_fits_and_says_what_it_leaves_out(name: str, embeds: bool, snapshot: SnapshotAssertion) -> None:
    view = render(CARDS[name], ref=REF, answer=name == "a plan", may=May(embed=embeds))
    check_message(view.payload, files=bool(view.files))
    assert not Shapes(document()).request("POST", "/channels/{channel_id}/messages", view.payload)
    assert view.payload["allowed_mentions"]["parse"] == []
    assert reference_of(view.payload) == REF
    if embeds:
        assert bool(view.files) == (name in TOO_MUCH)
    assert outline(view) == snapshot


MARKS = {1: "*", 2: "", 4: "!"}
TOO_MUCH = {"110 choices", "long title", "long text", "many rows", "many lines", "long footer", "all stars"}


def outline(view: Rendered) -> str:
    """The message as a drawing: raw text, what the embed adds, each row of components, the file."""
    parts = [view.content]
    for embed in view.embeds:
        parts += [f"── embed {embed['color']:06x}", embed["description"]]
        parts.append(f"── footer: {embed['footer']['text']}" if "footer" in embed else "")
    for row in view.components:
        inside = row["components"]
        menu = [f"({option['label']})" for option in inside[0].get("options", [])]
        buttons = [f"[{part['label']}]{MARKS[part['style']]}" for part in inside if not menu]
        parts.append(" ".join(("── row:", *buttons, *menu)))
    parts += [f"── file of {len(file.content.decode())} characters" for file in view.files]
    lines = "\n".join(part for part in parts if part).split("\n")
    short = [line if len(line) <= 160 else f"{line[:80]} […{len(line) - 160}…] {line[-80:]}" for line in lines]
    return "\n".join(short if len(short) <= 40 else [*short[:15], f"[…{len(short) - 30} lines…]", *short[-15:]])


def read(card: Card, *, embeds: bool = True) -> str:
    payload = render(card, ref=REF, may=May(embed=embeds)).payload
    return readable(Message("1", "2", User("3", "overlord"), payload["content"], payload["embeds"]))


@pytest.mark.parametrize("embeds", [True, False], ids=["embeds", "plain"])
def test_nobody_sees_by_what_a_message_is_found_again(embeds: bool) -> None:
    """In an embed it is a link that shows nowhere; without one it hangs on a dot."""
    view = render(PLAN, ref=REF, may=May(embed=embeds))
    assert all("title" not in embed for embed in view.embeds), "a title would show the link"
    shown = "\n".join([_LINK.sub(r"\1", view.content), *(f"{e['description']}{e.get('footer')}" for e in view.embeds)])
    assert "ref" not in shown
    assert REF.rpartition("=")[2] not in shown
    assert shown.count("·") == (0 if embeds else 1)


_LINK = re.compile(r"\[([^\]]*)\]\(<[^>]*>\)")  # a link is shown by its words


def test_the_words_of_a_card_are_all_there() -> None:
    for part in (
        PLAN.title,
        *PLAN.text.split("\n"),
        "Critic: PROCEED",
        "2026-03-02 09:30 UTC",
        PLAN.lines[0],
        PLAN.footer,
    ):
        assert part in read(PLAN)
        assert part in read(PLAN, embeds=False)
    assert "If nobody decides, I take “Approve plan” at 2026-03-02 09:30 UTC" in read(PLAN)


def test_only_those_of_this_platform_who_are_meant_are_pinged() -> None:
    view = render(PLAN)
    assert view.payload["allowed_mentions"] == {"parse": [], "users": ["42"], "replied_user": False}
    assert view.content.startswith("<@42> **")


@pytest.mark.parametrize(
    "text", [HOSTILE, "a_b_c *x* ~~y~~ > z | q", "\\*", "plain", "see https://evil.example/?d=1 now", "a ` b", "``` x"]
)
def test_text_is_shown_as_it_is(text: str) -> None:
    """Attacks 58, 60: nothing is a mention, a link or a picture; no markup but the code face, which obeys nothing."""
    assert plain(escape(text)) == CODE.sub(r"\1", text)
    assert "<@" not in escape(text).replace("\\<\\@", "")
    assert not re.search(r"(?<!\\)\]\(", escape(text))


def test_what_stands_between_backticks_has_a_code_face_in_which_nothing_is_obeyed() -> None:
    said = escape("say `status`, not `<@123> **x** [a](https://evil.example)`, or `a\nb`")
    assert said.startswith("say `status`, not `<@123> **x** [a](https://evil.example)`, or \\`a\nb\\`")


def test_escapes_and_hidden_characters_are_gone() -> None:
    """Attack 57."""
    hidden = "\x1b[31mred\x1b[0m \u202eevil\u202c a\u200bb\x00"
    card = Card(
        title=hidden, text=hidden, lines=(hidden,), footer=hidden, buttons=(replace(PLAN.buttons[0], label=hidden),)
    )
    view = render(card)
    assert str(view.payload).count("red evil ab") == 5
    for character in ("\x1b", "\u202e", "\u200b", "\x00"):
        assert character not in json.dumps(view.payload, ensure_ascii=False)


def test_only_links_to_known_hosts_are_links() -> None:
    assert escape("https://github.com/a/b_c") == "<https://github.com/a/b_c>"
    assert escape("https://evil.example/a_b") == "`https://evil.example/a_b`"
    assert escape("https://github.com.evil.example/x").startswith("`")
    assert escape("https://github.com@evil.example/x").startswith("`")


FORMS = (("Request changes", "What should change?"), ("x" * 300, "y" * 3000), ("", ""))


@pytest.mark.parametrize(("title", "question"), FORMS)
def test_forms_and_confirmations_fit(title: str, question: str) -> None:
    id = CustomId(act=Act.FORM, message="1" * 20, token=f"{DECISION}.a")
    assert len(id.text) <= 100
    assert CustomId.of(id.text) == id
    made = form(title, question, id)
    check_modal(made)
    body = {"type": 9, "data": made}
    assert not Shapes(document()).request("POST", "/interactions/{interaction_id}/{interaction_token}/callback", body)
    check_message(confirmation(title, question or "Sure?", id))


@pytest.mark.parametrize("text", ["", "ov:", "ov:press", "ov:other::x", "ov:press:abc:x", "ov:press:1:x y", "x" * 100])
def test_other_custom_ids_are_not_ours(text: str) -> None:
    assert CustomId.of(text) is None


def test_shapes_are_checked() -> None:
    if document() is None:
        pytest.skip("not run: Discord's OpenAPI document is not here; name it in DISCORD_OPENAPI")
    shapes = Shapes(document())
    assert "content" in shapes.request("POST", "/channels/{channel_id}/messages", {"content": 5})


def test_the_picture_of_a_plan_goes_with_the_card_and_is_shown_in_it() -> None:
    picture = Attachment(name=PICTURE, content=b"png", says="2 after 1")
    view = replace(render(Card(title="A plan", text="for a request")), files=(picture,))
    assert view.payload["attachments"] == [{"id": "0", "filename": "plan.png", "description": "2 after 1"}]
    assert view.payload["embeds"][0]["image"] == {"url": "attachment://plan.png"}
