"""What every platform must do, tried on each."""

import importlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agents.domain.ids import DecisionId
from bot.messages import Button, Card, Choice, Gone, Row, Style, Tone
from tests.conformance.rig import Rig
from tests.conformance.rigs import RIGS

DECISION = DecisionId("d" * 22)


def button(number: int, label: str = "") -> Button:
    return Button(label=label or f"Choose {number}", choice=Choice(decision=DECISION, letter=chr(ord("a") + number)))


CARD = Card(
    title="T-1: which project is this for?",
    text="Press one, or reply.",
    rows=(Row(label="Asked by", value="Ana"), Row(label="Since", at=datetime(2026, 1, 2, 3, 4, tzinfo=UTC))),
    lines=("first line", "second line"),
    buttons=(button(0, "Use api"), replace(button(1, "Use web"), style=Style.DANGER, confirm="Sure?")),
    more=(button(2, "Snooze"),),
    footer="To decide: the owner.",
    tone=Tone.ASKING,
    decision=DECISION,
)


@pytest.fixture(params=sorted(RIGS))
async def rig(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Rig]:
    async with AsyncExitStack() as stack:
        yield await importlib.import_module(RIGS[request.param]).open_rig(stack, tmp_path)


async def test_a_card_shows_all_it_says_and_its_buttons_carry_only_tokens(rig: Rig) -> None:
    thread = await rig.thread()
    id = await rig.platform.post(thread, "decision:1", CARD)
    (seen,) = await rig.visible(thread, rig.bo)
    assert seen.id == id
    for words in ("which project", "Press one", "Asked by", "Ana", "Since", "first line", "second line", "the owner"):
        assert words in seen.text
    assert seen.tokens == (f"{DECISION}.a", f"{DECISION}.b", f"{DECISION}.c")


async def test_a_post_is_found_by_its_key_and_by_no_other(rig: Rig) -> None:
    thread, other = await rig.thread(), await rig.thread()
    id = await rig.platform.post(thread, "status:T-1", CARD)
    plain = await rig.platform.post(thread, "reply:1", Card(title="No buttons here"))
    assert await rig.platform.find(thread, "status:T-1") == id
    assert await rig.platform.find(thread, "reply:1") == plain
    assert await rig.platform.find(thread, "status:T-2") is None
    assert await rig.platform.find(other, "status:T-1") is None


async def test_an_edit_replaces_everything_and_twice_is_once(rig: Rig) -> None:
    thread = await rig.thread()
    id = await rig.platform.post(thread, "decision:1", CARD)
    for _ in range(2):
        await rig.platform.edit(thread, id, Card(title="Decided by Ana", tone=Tone.GOOD))
    (seen,) = await rig.visible(thread, rig.bo)
    assert seen.id == id
    assert "Decided by Ana" in seen.text
    assert "Press one" not in seen.text
    assert seen.tokens == ()
    assert await rig.platform.find(thread, "decision:1") == id


async def test_what_was_posted_stands_in_order(rig: Rig) -> None:
    thread = await rig.thread()
    for number in range(5):
        await rig.platform.post(thread, f"reply:{number}", Card(title=f"number {number}"))
    assert [f"number {n}" in seen.text for n, seen in enumerate(await rig.visible(thread, rig.bo))] == [True] * 5


async def test_a_whisper_is_for_one_person(rig: Rig) -> None:
    thread = await rig.thread()
    await rig.platform.whisper(thread, rig.bo, "whisper:1", Card(title="This is not yours to decide"))
    assert [seen.private for seen in await rig.visible(thread, rig.bo)] == [True]
    assert await rig.visible(thread, rig.ana) == []


async def test_a_message_is_marked_as_noticed_once(rig: Rig) -> None:
    thread = await rig.thread()
    for _ in range(2):
        await rig.platform.mark_seen(thread, thread.rpartition(":")[2])
    assert await rig.noticed(thread) == 1


async def test_a_message_that_is_gone_says_so(rig: Rig) -> None:
    thread = await rig.thread()
    id = await rig.platform.post(thread, "status:T-1", CARD)
    missing = id[:-1] + ("1" if id[-1] != "1" else "2")
    with pytest.raises(Gone):
        await rig.platform.edit(thread, missing, CARD)


async def test_hostile_text_stays_text_and_pings_nobody(rig: Rig) -> None:
    hostile = "<!channel> <!here> @everyone @here <@U1> <@123> <https://evil.example|Approve> [x](https://evil.example)"
    thread = await rig.thread()
    card = Card(title=hostile, text=hostile, lines=(hostile,), rows=(Row(label="x", value=hostile),))
    await rig.platform.post(thread, "reply:1", card)
    (seen,) = await rig.visible(thread, rig.bo)
    assert "evil.example" in seen.text
    assert await rig.pinged(thread) == set()


async def test_only_those_who_should_be_are_notified(rig: Rig) -> None:
    thread = await rig.thread()
    await rig.platform.post(thread, "decision:1", replace(CARD, notify=(rig.ana,)))
    assert await rig.pinged(thread) == {rig.ana}


@pytest.mark.parametrize("size", [200, 2_000, 20_000, 200_000])
async def test_a_card_of_any_size_is_shown_and_says_what_it_leaves_out(rig: Rig, size: int) -> None:
    thread = await rig.thread()
    words = "abcdefghi " * (size // 10)
    card = replace(CARD, title=words, text=words, lines=(words,) * 3, footer=words)
    await rig.platform.post(thread, "decision:1", card)
    (seen,) = await rig.visible(thread, rig.bo)
    assert seen.tokens, "whatever is cut, it can still be decided"


async def test_many_buttons_rows_and_lines_are_shown_or_counted(rig: Rig) -> None:
    thread = await rig.thread()
    card = replace(
        CARD,
        rows=tuple(Row(label=f"row {n}", value="v" * 50) for n in range(120)),
        lines=tuple(f"line {n}" for n in range(300)),
        buttons=tuple(button(n, f"A rather long label for the button with the number {n} " * 3) for n in range(24)),
    )
    id = await rig.platform.post(thread, "decision:1", card)
    await rig.platform.edit(thread, id, card)
    (seen,) = await rig.visible(thread, rig.bo)
    assert f"{DECISION}.a" in seen.tokens


async def test_a_thread_of_our_own_is_begun_once_and_holds_cards(rig: Rig) -> None:
    channel = (await rig.thread()).rpartition(":")[0]
    words = "ana asks on GitHub: Give prices a <currency> & *more*\nhttps://github.com/acme/shop/issues/1"
    thread = await rig.platform.begin(channel, "github:acme/shop#1@7", words)
    assert thread.startswith(f"{channel}:")
    assert await rig.platform.begin(channel, "github:acme/shop#1@7", words) == thread, "found again after a crash"
    other = await rig.platform.begin(channel, "github:acme/shop#2@9", words.replace("/1", "/2"))
    assert other != thread
    id = await rig.platform.post(thread, "status:T-1", CARD)
    assert id in [seen.id for seen in await rig.visible(thread, rig.bo)]
    assert await rig.platform.find(thread, "status:T-1") == id
