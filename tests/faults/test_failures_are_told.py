"""Whatever fails has one message in its own thread: what failed, what was kept, who must act (P27)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from agents.domain.ids import Thread
from agents.ports import Ports
from agents.workspace.projects import GitProjects
from bot.delivery.announcer import wish
from bot.messages import Card, Tone
from store.chat.deliveries import Received
from store.sql import make_engines
from store.transaction import Transaction
from tests.fakes.flaky_provider import NO_FAULTS, REFUSED, FlakyPlatform
from tests.faults.outbox_trial import Errand, delivering
from tests.faults.outside import Shown
from tests.faults.visit import Visit, visiting


class BrokenProjects(GitProjects):
    def names(self) -> Sequence[str]:
        raise RuntimeError("the list of projects cannot be read")


def broken(ports: Ports) -> Ports:
    return replace(ports, projects=BrokenProjects({}))


class ClumsyPlatform(FlakyPlatform):
    """An adapter with a fault of its own."""

    async def post(self, thread: Thread, key: str, card: Card) -> str:
        if card.title == "clumsy":
            raise KeyError("blocks")
        return await super().post(thread, key, card)


def bad_news(shown: list[Shown]) -> list[Card]:
    """The messages of a thread that tell of a failure; the status card is no message of its own."""
    cards = [s.card for s in shown if s.card and not s.key.startswith("status:")]
    return [card for card in cards if card.tone is Tone.BAD]


def keep(visit: Visit, received: Received) -> None:
    """Store a delivery as an older, a newer or a broken program might have left it."""
    writer, reader = make_engines(f"sqlite:///{visit.home / 'overlord.db'}")
    with writer.begin() as db:
        Transaction(db).deliveries.keep(received)
    writer.dispose()
    reader.dispose()


def test_a_step_that_fails_three_times_is_told_once_with_what_to_do(tmp_path: Path) -> None:
    with visiting(tmp_path, broken) as visit:
        thread = visit.person.say("@overlord add a health check")
        visit.waited_for(thread, "got stuck")
        visit.until_idle()
        (told,) = bad_news(visit.thread(thread))
        assert "RuntimeError: the list of projects cannot be read" in told.lines  # what failed
        assert any(line.startswith("Kept:") for line in told.lines)
        assert "To decide: the owner of the task" in told.footer
        assert told.notify, "whoever must act is called"
        assert any(button.label.startswith("Retry") for button in told.buttons)


def test_a_delivery_that_cannot_be_read_is_told_once_in_its_thread_and_holds_up_nobody(tmp_path: Path) -> None:
    with visiting(tmp_path) as visit:
        thread = visit.person.say("@overlord add a health check")
        asked = visit.waited_for(thread, "which project is this for?")
        garbage = Received(
            key="console:garbage-1",
            kind="Said",
            body="{",
            account="console:root",
            channel="console:general",
            thread=thread,
            at=datetime.now(UTC),
        )
        keep(visit, garbage)
        visit.until(lambda g: g.deliveries["console:garbage-1"] == "parked", "it is given up")
        visit.press("api", asked, thread)
        visit.until_idle()
        (told,) = bad_news(visit.thread(thread))
        assert "went wrong while I read that" in told.title
        assert "Kept: what you sent" in told.text
        assert "say it in other words" in told.text and "the operator" in told.text
        with visit.outside.look() as glimpse:
            assert "ProjectChosen" in glimpse.facts, "the press that came after it counted"


def test_a_card_that_the_platform_refuses_leaves_one_plain_note_and_the_thread_goes_on(tmp_path: Path) -> None:
    thread = Thread("flaky:room:0")
    with delivering(Errand(seed=1, kills=0, faults=NO_FAULTS), tmp_path) as under_way:
        cards = (Card(title="first"), Card(title=f"second, {REFUSED}"), Card(title="third"))
        under_way.want(*(wish(card.title, thread, card) for card in cards))
        under_way.until_idle()
        texts = [message["text"] for message in under_way.shown()[thread]]
    assert texts[:2] == ["first", "third"]
    (note,) = texts[2:]
    assert f"was refused: second, {REFUSED}" in note
    assert "Kept: all of it" in note and "Whoever it is for" in note


def test_after_an_edit_that_is_refused_the_next_one_is_shown(tmp_path: Path) -> None:
    thread = Thread("flaky:room:0")
    with delivering(Errand(seed=1, kills=0, faults=NO_FAULTS), tmp_path) as under_way:
        for title in ("one", f"two, {REFUSED}", "three"):
            under_way.want(wish("status", thread, Card(title=title)))
            under_way.until_idle()
        texts = [message["text"] for message in under_way.shown()[thread]]
    assert texts[0] == "three", "the last state is always delivered"
    (note,) = texts[1:]
    assert f"was refused: two, {REFUSED}" in note


def test_a_fault_in_an_adapter_is_told_in_its_thread_and_holds_up_no_other(tmp_path: Path) -> None:
    here, there = Thread("flaky:room:0"), Thread("flaky:room:1")
    errand = Errand(seed=1, kills=0, faults=NO_FAULTS, platform=ClumsyPlatform)
    with delivering(errand, tmp_path) as under_way:
        titles = ("clumsy", "next")
        under_way.want(*(wish(title, thread, Card(title=title)) for thread in (here, there) for title in titles))
        under_way.until_idle()
        shown = under_way.shown()
    for thread in (here, there):
        texts = [message["text"] for message in shown[thread]]
        assert texts[0] == "next"
        (note,) = texts[1:]
        assert "was refused: clumsy" in note
