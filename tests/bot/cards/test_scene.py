"""Links and long texts on a card as each platform shows them, and what a task cost and how long it took."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agents.domain.planning.facts import PlanState
from agents.domain.text.redact import Redactor
from bot.cards.discreet import discreet
from bot.cards.scene import Bill, Ways, bill_rows, duration_in_words, with_kept, with_task_page
from bot.messages import Attached, Card, Link, dump_card, load_card
from bot.platforms.discord.views import May, render as discord_render
from bot.platforms.slack.blocks import render as slack_render
from tests.domain.secret_corpus import BARE
from tests.llm.rig import task

URL = "https://overlord.example/task/T-1"
CARD = Card(title="T-1 is ready to merge", links=(Link(label="Show the diff", url=URL),), files=())


@pytest.mark.parametrize(
    ("ways", "url", "wanted"),
    [
        (Ways(surface="slack"), "http://127.0.0.1:8765/pulls/app/1", ""),
        (Ways(surface="slack"), "http://localhost:1/pulls/app/1", ""),
        (Ways(surface="slack"), "https://github.com/o/r/pull/3", "https://github.com/o/r/pull/3"),
        (
            Ways(surface="discord", public="https://o.example"),
            "http://[::1]:1/pulls/app/1",
            "https://o.example/pulls/app/1",
        ),
        (Ways(surface="console"), "http://127.0.0.1:8765/pulls/app/1", "/pulls/app/1"),
    ],
)
def test_an_address_is_one_that_the_reader_can_open(ways: Ways, url: str, wanted: str) -> None:
    assert ways.openable(url) == wanted


def test_without_an_address_the_thing_itself_goes_along() -> None:
    made = with_kept(Card(title="T-1"), task(), "T-1.diff", "Show the diff", Ways(surface="slack"))
    assert made.files == (Attached(name="T-1.diff"),) and not made.links
    assert load_card(dump_card(made)) == made
    assert not with_task_page(Card(title="T-1"), task(), Ways(surface="discord")).links


def test_links_are_links_on_slack_and_discord() -> None:
    slack = slack_render(CARD)
    assert f"<{URL}|Show the diff>" in str(slack.blocks) and f"Show the diff: {URL}" in slack.text
    discord = discord_render(CARD)
    assert f"[Show the diff](<{URL}>)" in discord.embeds[0]["description"]


def test_a_long_text_is_a_file_on_discord_unless_files_are_not_allowed() -> None:
    card = Card(title="T-1", files=(Attached(name="T-1.diff", text="+one\n-two\x1b[31m\n"),))
    (file,) = discord_render(card).files
    assert (file.name, file.content) == ("T-1.diff", b"+one\n-two\n")
    assert not discord_render(card, may=May(attach=False)).files


def test_a_key_in_a_file_is_hidden_too() -> None:
    key = BARE["github classic"]
    card = discreet(Card(title="T-1", files=(Attached(name="a.diff", text=f"+token = {key}"),)), Redactor())
    assert key not in card.files[0].text and card.files[0].name == "a.diff"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "0 s"),
        (29, "29 s"),
        (60, "1 min"),
        (754, "13 min"),
        (3_600, "1 h"),
        (7_380, "2 h 3 min"),
        (190_000, "2 days 4 h"),
    ],
)
def test_times_are_real_and_short(seconds: float, said: str) -> None:
    assert duration_in_words(timedelta(seconds=seconds)) == said


@pytest.mark.parametrize(
    ("bill", "raised", "said"),
    [
        (Bill(), None, "nothing so far"),
        (Bill(spent=0.404), None, "$0.40"),
        (Bill(budget=2.0), None, "$0.00 of a budget of $2.00"),
        (Bill(spent=1.5, budget=2.0), 4.0, "$1.50 of a budget of $4.00"),
    ],
)
def test_cost_is_said_beside_its_budget(bill: Bill, raised: float | None, said: str) -> None:
    assert bill_rows(replace(task(), money=replace(task().money, budget=raised)), bill)[0].value == said


def test_a_rehearsal_costs_nothing() -> None:
    assert (
        bill_rows(replace(task(), plan=PlanState(rehearsal=True)), Bill(spent=1.0))[0].value
        == "nothing, as this is a rehearsal"
    )
