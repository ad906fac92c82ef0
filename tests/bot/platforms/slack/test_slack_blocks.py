"""Cards as Slack blocks: at and over every limit, and always what the strict fake takes."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from syrupy.assertion import SnapshotAssertion

from agents.domain.ids import Account, DecisionId
from bot.messages import Button, Card, Choice, Row, Style, Tone
from bot.platforms.slack.blocks import Press, Rendered, home_view, read_press, render
from bot.platforms.slack.notation import escape
from tests.fakes.slack import kit
from tests.fakes.slack.api import MESSAGE_MOST
from tests.fakes.slack.shown import controls, links_of, pings_in, pings_of, words_of

DECISION = DecisionId("d" * 22)
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HOSTILE = "<!channel> <!here> @everyone <@U0LEAD> <https://evil.example|Approve> *bold* & \u202eevil\x1b[31m"


def button(number: int = 0, label: str = "Approve plan", **more: object) -> Button:
    choice = Choice(decision=DECISION, letter=chr(ord("a") + number))
    return Button(label=label, choice=choice, **more)  # type: ignore[arg-type]


PLAN = Card(
    title="Plan for T-1: two subtasks",
    text="1. Add the limiter to src/**/*.py\n2. Wire it into the API, after 1",
    rows=(Row(label="Critic", value="PROCEED"), Row(label="Paths", value="src/**/*.py"), Row(label="Since", at=NOON)),
    lines=("a spike first", "then the limiter"),
    buttons=(
        button(0, style=Style.PRIMARY),
        button(1, "Request changes", asks="What should change?"),
        button(2, "Drop plan", style=Style.DANGER, confirm="This cannot be undone. Go on?"),
    ),
    more=(button(3, "Narrow scope", asks="To what?"), button(4, "Cancel task", confirm="Cancel this task?")),
    notify=(Account("slack:T0TEAM:U0ANA"),),
    footer="To decide: an approver.",
    until=NOON,
    until_what="If nobody decides, I take “wait” at",
    tone=Tone.ASKING,
    decision=DECISION,
)
LONG = "word " * 4_000
LIMITS = {
    "plan": PLAN,
    "only a title": Card(title="Noted"),
    "nothing at all": Card(title=""),
    "header at 150": Card(title="t" * 150),
    "header over 150": Card(title="t" * 151),
    "title of 20,000": replace(PLAN, title=LONG),
    "section at 3000": Card(title="t", text="x" * 3000),
    "section over 3000": Card(title="t", text="x" * 3001),
    "text of 20,000": replace(PLAN, text=LONG),
    "text of 20,000 to escape": replace(PLAN, text="<&>" * 7_000),
    "unbroken text": replace(PLAN, text="x" * 30_000),
    "100 rows": replace(PLAN, rows=tuple(Row(label=f"row {n}", value="v" * 60) for n in range(100))),
    "a row of 5,000": replace(PLAN, rows=(Row(label="l" * 500, value="v" * 5_000),)),
    "an empty row": Card(title="t", rows=(Row(label="", value=""),)),
    "400 lines": replace(PLAN, lines=tuple(f"line {n}" for n in range(400))),
    "a line of 20,000": replace(PLAN, lines=(LONG, "second")),
    "an empty line": Card(title="t", lines=("",)),
    "25 buttons": replace(PLAN, buttons=tuple(button(n, f"Choose {n}") for n in range(25)), more=()),
    "60 buttons": replace(PLAN, buttons=tuple(button(n % 26, f"Choose {n}") for n in range(60))),
    "labels of 200": replace(PLAN, buttons=tuple(button(n, "l" * 200) for n in range(5))),
    "a menu of one": replace(PLAN, more=PLAN.more[:1]),
    "a menu of five": replace(PLAN, more=tuple(button(n, f"Do {n}") for n in range(5))),
    "a menu of nine": replace(PLAN, more=tuple(button(n, f"Do {n}") for n in range(9))),
    "long questions": replace(PLAN, buttons=tuple(button(n, f"Ask {n}", asks="why " * 900) for n in range(12))),
    "long confirmations": replace(PLAN, buttons=tuple(button(n, f"Do {n}", confirm="sure " * 900) for n in range(25))),
    "a long question in the menu": replace(PLAN, more=tuple(button(n, f"Do {n}", asks="q" * 900) for n in range(3))),
    "a footer of 20,000": replace(PLAN, footer=LONG),
    "everything too long": replace(
        PLAN,
        title="<" * 20_000,
        text="<" * 20_000,
        rows=tuple(Row(label="<" * 90, value="<" * 400) for _ in range(60)),
        lines=("<" * 5_000,) * 60,
        buttons=tuple(button(n % 26, "<" * 90, asks="<" * 500, confirm="<" * 900) for n in range(60)),
        more=tuple(button(n, "<" * 90, asks="<" * 500) for n in range(9)),
        notify=tuple(Account(f"slack:T0TEAM:U{n:09}") for n in range(20)),
        footer="<" * 9_000,
        until_what="<" * 300,
    ),
    "hostile": Card(
        title=HOSTILE,
        text=HOSTILE,
        rows=(Row(label=HOSTILE, value=HOSTILE), Row(label="plain", value="a <b> & c")),
        lines=(HOSTILE,),
        buttons=(button(0, HOSTILE, confirm=HOSTILE),),
        footer=HOSTILE,
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_slack_takes_every_card(name: str) -> None:
    rendered = render(LIMITS[name])
    assert kit.check_blocks(rendered.blocks) == []
    whole = json.dumps({"text": rendered.text, "blocks": rendered.blocks}, ensure_ascii=False)
    assert len(whole) <= MESSAGE_MOST
    assert rendered.text, "a phone shows nothing else"
    assert "null" not in json.dumps(rendered.blocks)
    assert not any("block_id" in block for block in rendered.blocks), "an edit wants new ids, or none"


def attached(rendered: Rendered) -> str:
    """Everything the card says, where the message leaves something out."""
    return "".join(file.content.decode() for file in rendered.files)


@pytest.mark.parametrize("name", ["plan", "text of 20,000", "60 buttons", "a menu of nine", "400 lines", "hostile"])
def test_a_card_looks_like_this(name: str, snapshot: SnapshotAssertion) -> None:
    rendered = render(LIMITS[name])
    assert {"text": rendered.text, "blocks": rendered.blocks, "attached": len(attached(rendered))} == snapshot


def test_what_fits_is_shown_whole_and_nothing_is_attached() -> None:
    rendered = render(PLAN)
    assert rendered.files == []
    words = words_of(rendered.blocks)
    for said in ("Add the limiter to src/**/*.py", "PROCEED", "a spike first", "To decide: an approver", "Go on?"):
        assert said in words or said in json.dumps(rendered.blocks, ensure_ascii=False)
    for said in ("Plan for T-1", "Critic: PROCEED", "Choices: Approve plan · Request changes", "Cancel task"):
        assert said in rendered.text


def test_what_does_not_fit_is_counted_and_attached_whole() -> None:
    rendered = render(replace(PLAN, text=LONG))
    assert "more characters" in words_of(rendered.blocks)
    assert LONG.strip() in attached(rendered)
    assert [c.label for c in controls(rendered.blocks)][:3] == ["Approve plan", "Request changes", "Drop plan"]


def test_nothing_said_becomes_a_ping_a_link_or_a_control_character() -> None:
    rendered = render(LIMITS["hostile"])
    assert pings_of(rendered.blocks) | pings_in(rendered.text, verbatim=True) == set()
    assert links_of(rendered.blocks, rendered.text) == set()
    everything = json.dumps(rendered.blocks, ensure_ascii=False) + rendered.text
    assert "\u202e" not in everything
    assert "\\u001b" not in everything
    assert "evil.example" in words_of(rendered.blocks), "it is shown, as text"


def test_only_those_who_are_to_be_notified_are_mentioned() -> None:
    rendered = render(PLAN)
    assert pings_of(rendered.blocks) == {"U0ANA"}
    assert rendered.text.startswith("<@U0ANA> ")


def test_times_are_shown_in_the_readers_own_zone() -> None:
    stamp = f"<!date^{int(NOON.timestamp())}^{{date_short_pretty}} {{time}}|2026-03-02 12:00 UTC>"
    rendered = render(PLAN)
    assert rendered.text.count(stamp) == 2
    assert json.dumps(rendered.blocks, ensure_ascii=False).count(stamp) == 2


def test_every_control_carries_its_token_and_the_form_it_opens() -> None:
    found = {c.label: read_press(c.value) for c in controls(render(PLAN).blocks)}
    assert all(press and press.token.startswith(DECISION) for press in found.values())
    assert found["Request changes"] == Press(token=f"{DECISION}.b", asks="What should change?")
    assert found["Drop plan"] == Press(token=f"{DECISION}.c"), "Slack itself asks to confirm a button"
    assert found["Cancel task"] == Press(token=f"{DECISION}.e", confirm="Cancel this task?")


@pytest.mark.parametrize("value", ["", "x", "d" * 22, f"{'d' * 22}.", f"{'d' * 21}.a", f"{'d' * 22}.a|x", "../../etc"])
def test_a_value_that_is_not_ours_is_no_press(value: str) -> None:
    assert read_press(value) is None


def test_the_home_shows_what_fits_and_counts_the_rest() -> None:
    few, many = home_view([PLAN] * 2), home_view([replace(PLAN, fingerprint="f" * 32)] * 60)
    for view in (few, many):
        assert kit.check_view(view) == []
    assert "more: say `what needs me` to me, and I list all of them" in words_of(many["blocks"])
    pressed = read_press(controls(many["blocks"])[0].value)
    assert pressed
    assert pressed.shown == "f" * 32


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Say `status` to see it.", "mrkdwn"),
        ("It is in `src/**/*.py` & `a<b`.", "mrkdwn"),
        ("Say `status`, *now*", "plain_text"),  # mrkdwn would make somebody's stars bold
        ("`ok` :white_check_mark: approved", "plain_text"),  # nor is anybody's word a tick
        ("> quoted `code`", "plain_text"),
        ("a ` b", "plain_text"),
        ("nothing", "plain_text"),
    ],
)
def test_a_code_face_where_mrkdwn_changes_nothing_else(text: str, shown: str) -> None:
    made = render(Card(title="`T-1`", text=text, footer=text)).blocks
    assert made[0]["text"] == {"type": "plain_text", "text": "“T-1”", "emoji": False}
    said = (made[1]["text"], made[-1]["elements"][0])
    assert {each["type"] for each in said} == {shown}
    assert all(each["text"] == (escape(text) if shown == "mrkdwn" else text) for each in said)


def test_the_rare_choices_of_a_plan_are_in_one_menu() -> None:
    decision = PLAN.buttons[0].choice.decision
    choices = [Button(label=f"Do {each}", choice=Choice(decision=decision, letter=each)) for each in "abcdefgh"]
    made = render(Card(title="x", buttons=tuple(choices[:2]), more=tuple(choices[2:]))).blocks[-1]["elements"]
    assert [each["type"] for each in made] == ["button", "button", "static_select"] and len(made[2]["options"]) == 6
