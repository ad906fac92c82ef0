"""Cards of large plans in any script fit every platform, as a post and as an edit, in the unit each one counts."""

import json

from hypothesis import given, settings, strategies as st

from agents.domain.ids import DecisionId
from bot.messages import Button, Card, Choice, Row
from bot.platforms.discord import views
from bot.platforms.slack.blocks import render
from tests.fakes.discord.limits import check_message
from tests.fakes.slack import kit
from tests.fakes.slack.api import EDIT_TEXT_MOST, MESSAGE_MOST

SCRIPTS = (
    "Add a login page ",
    "添加登录页面",
    "Добавить вход ",
    "تسجيل الدخول ",
    "🧑‍🚀🚀",
    "<&>*_~`|",
    "e\u0301",
    "word",
)
names = st.builds(lambda part, times: part * times, st.sampled_from(SCRIPTS), st.integers(1, 60))
buttons = tuple(Button(label=f"Do {n} 🚀", choice=Choice(decision=DecisionId("d" * 22), letter="a")) for n in range(3))


@st.composite
def plans(draw: st.DrawFn) -> Card:
    """The shape of a status or plan card: a row and a line for each of 1–60 subtasks."""
    titles = draw(st.lists(names, min_size=1, max_size=60))
    return Card(
        title=titles[0],
        text=draw(names),
        rows=tuple(Row(label=f"T-1.{n}", value=f"Running · {title}") for n, title in enumerate(titles)),
        lines=tuple(titles),
        buttons=buttons,
        footer=draw(names),
    )


@settings(max_examples=40)
@given(plans())
def test_slack_takes_it_as_a_post_and_as_an_edit(card: Card) -> None:
    for edit in (False, True):
        rendered = render(card, edit=edit)
        assert kit.check_blocks(rendered.blocks) == []
        assert len(json.dumps({"text": rendered.text, "blocks": rendered.blocks}, ensure_ascii=False)) <= MESSAGE_MOST
        assert rendered.text
        if edit:
            assert len(rendered.text.encode()) <= EDIT_TEXT_MOST


@settings(max_examples=40)
@given(plans(), st.booleans())
def test_discord_takes_it_with_and_without_embeds(card: Card, embeds: bool) -> None:
    check_message(
        views.render(card, may=views.May(embed=embeds), ref="https://discord.com/channels/1/2?ref=0123456789").payload
    )


def test_a_small_edit_says_everything() -> None:
    card = Card(title="T-1", text="Which colour?", rows=(Row(label="State", value="Running"),), buttons=buttons)
    assert render(card, edit=True).text == render(card).text


def test_a_large_edit_still_says_what_it_is_and_offers() -> None:
    card = Card(
        title="T-1 · add login", rows=tuple(Row(label=str(n), value="添加" * 40) for n in range(60)), buttons=buttons
    )
    text = render(card, edit=True).text
    assert text.startswith("T-1 · add login") and "more" in text and "Choices: Do 0" in text
