"""More than one answer holds: every task and everything that waits can be reached by words, and the totals are true."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from agents.domain.decisions import table
from agents.domain.decisions.decision import Option, with_letters
from agents.domain.ids import Account, Thread
from agents.domain.limits import Limits
from agents.domain.task import decide
from agents.domain.task.facts import Request
from bot.intake.inbox import Inbox
from bot.messages import Card, Said, load_card
from bot.permissions import Permissions
from bot.running.jobs import settle_waiting
from bot.services import Services, SystemClock
from store.codec import Cause
from store.database import Database
from store.transaction import Transaction
from tests.builders.decisions import question

ANA, CHANNEL = Account("console:ana"), "console:general"
TASKS, PRIVATE = 43, 2  # in all, and those among them that were asked for in a direct message
WHICH = with_letters(Option(value="api"), Option(value="web"))


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Services]:
    database = Database(f"sqlite:///{tmp_path / 'overlord.db'}")
    yield Services(database=database, permissions=Permissions({}, frozenset()), clock=SystemClock(), limits=Limits())
    database.close()


def fill(office: Services, tx: Transaction) -> None:
    owner, cause = tx.people.of(ANA).id, Cause(actor=ANA, delivery="d")
    for number in range(TASKS):
        moment, direct = office.moment(CHANNEL, f"cause {number}"), number < PRIVATE
        thread = Thread(f"{CHANNEL}:{number}")
        request = Request(text=f"thing {number}", by=owner, thread=thread, channel=CHANNEL, at=moment.at, direct=direct)
        task = tx.log.open(decide.open_task(tx.log.next_id(), request, moment), cause)
        tx.log.append(task.id, table.ask(task, question("project", WHICH), moment), cause)


async def answer(office: Services, words: str, *, direct: bool = False) -> Card:
    key, inbox = f"console:{words}:{direct}", Inbox(office)
    said = Said(
        key=key,
        thread=Thread(f"{CHANNEL}:{words.replace(' ', '-')}"),
        channel=CHANNEL,
        message="1",
        by=ANA,
        text=words,
        mentions_bot=True,
        direct=direct,
        at=datetime.now(UTC),
    )
    await inbox.accept(said)
    while await settle_waiting(inbox):
        pass
    found = "SELECT body FROM posts WHERE key IN (?, ?)"
    keys = (f"reply:{key}", f"whisper:{key}")
    return load_card(await office.database.read(lambda tx: tx.db.exec_driver_sql(found, keys).scalar_one()))


@pytest.mark.parametrize("words", ["tasks", "what needs me"])
@pytest.mark.parametrize("direct", [False, True])
async def test_page_by_page_everything_is_reached(office: Services, words: str, direct: bool) -> None:
    await office.database.write(partial(fill, office))
    total = TASKS if direct else TASKS - PRIVATE
    seen: list[str] = []
    for number in (1, 2, 3):
        card = await answer(office, f"{words} {number}" if number > 1 else words, direct=direct)
        assert card.title.startswith(f"{total} ")
        assert f"; {len(seen) + 1} to {min(number * 20, total)} of them here" in card.title
        assert (f"Say `{words} {number + 1}` to see the next ones" in card.footer) is (number < 3)
        assert number == 3 or len(card.lines) == 20
        seen += [line.split(" ")[0] for line in card.lines]
    assert len(seen) == len(set(seen)) == total
    assert all(re.fullmatch(r"T-\d+", id) for id in seen)
    beyond = await answer(office, f"{words} 4", direct=direct)
    assert "There is no page 4" in beyond.title and f"`{words} 3`" in beyond.text


async def test_one_page_says_nothing_of_pages(office: Services) -> None:
    assert (await answer(office, "tasks")).title == "No task is open"
    assert (await answer(office, "what needs me")).title == "Nothing needs you"
    await office.database.write(partial(fill, office))
    card = await answer(office, "tasks page 3")
    assert card.title == "41 open tasks; 41 to 41 of them here" and not card.footer
