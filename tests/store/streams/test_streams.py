"""Streams of both kinds on both databases: a project's facts are kept as a task's are, and together with them."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from agents.domain import events as e
from agents.domain.decisions.table import open_questions
from agents.domain.errors import IllegalMove
from agents.domain.events import Event
from agents.domain.ids import TaskId, project_id
from agents.domain.learning import proposing
from agents.domain.task.task import Task
from store.codec import BEGINNING, Cause
from store.database import Database
from store.streams import audit
from store.streams.log import SAVE_EVERY
from store.transaction import Transaction
from tests.builders.proposals import proposal_of
from tests.store.remarks import remark, tampered
from tests.store.room import MORNING, Room

SHOP = project_id("shop")
BY_RULE = Cause(actor="overlord", delivery="job:1")


@pytest.fixture
async def task(room: Room) -> Task:
    return await room.task()


def proposed(task: Task, title: str) -> Event:
    at = MORNING + timedelta(minutes=1)
    return e.ProposalMade(task=task.id, project=SHOP, at=at, proposal=proposal_of(title, task.id))


async def record(database: Database, task: TaskId, facts: Sequence[Event]) -> None:
    await database.write(lambda tx: tx.log.append(task, facts, BY_RULE))


async def test_one_transaction_records_facts_of_a_task_and_of_its_project(room: Room, task: Task) -> None:
    facts = [remark(task, "one"), proposed(task, "A"), proposed(task, "B"), remark(task, "two")]
    await record(room.database, task.id, facts)

    def look(tx: Transaction) -> tuple[list[int], list[int], list[str]]:
        mine, shop = tx.log.facts(task.id), tx.log.facts(SHOP)
        chain = tx.db.execute(text("SELECT prev_hash FROM events WHERE stream = 'P-shop' ORDER BY version"))
        assert list(chain.scalars()) == [BEGINNING, shop[0].hash], "a chain of its own"
        unread = [type(each.event).__name__ for each in tx.log.unread("launcher")][-4:]
        return [each.version for each in mine], [each.version for each in shop], unread

    mine, shop, unread = await room.database.read(look)
    assert (mine, shop) == ([0, 1, 2, 3], [0, 1])
    assert unread == ["RemarkMade", "ProposalMade", "ProposalMade", "RemarkMade"], "readers see both, as they happened"
    project = await room.database.read(lambda tx: tx.log.project(SHOP))
    assert project and [each.proposal.title for each in project.proposals] == ["A", "B"]
    assert await room.whole()


async def test_what_cannot_follow_on_one_stream_undoes_the_other(room: Room, task: Task) -> None:
    unknown = e.DecisionExpired(task=task.id, project=SHOP, at=MORNING, decision=proposal_of("A").id)  # type: ignore[arg-type]
    with pytest.raises(IllegalMove):
        await record(room.database, task.id, [remark(task, "one"), proposed(task, "A"), unknown])
    assert await room.database.read(lambda tx: tx.log.project(SHOP)) is None
    assert len(await room.database.read(lambda tx: tx.log.facts(task.id))) == 2
    assert await room.whole()


async def test_a_fact_about_a_task_is_none_about_a_project(room: Room, task: Task) -> None:
    class Misplaced(e.RemarkMade):
        stream = SHOP

    with pytest.raises(IllegalMove, match="no fact about a project"):
        await record(room.database, task.id, [Misplaced(task=task.id, at=MORNING, by=task.request.by, text="")])


async def test_a_project_is_loaded_again_from_its_snapshot_and_the_facts_since(room: Room, task: Task) -> None:
    for number in range(SAVE_EVERY + 3):
        await record(room.database, task.id, [proposed(task, f"No {number}")])
    row = await room.database.read(
        lambda b: b.db.execute(text("SELECT * FROM snapshots WHERE stream = 'P-shop'")).one()
    )
    assert (row.saved, row.version, row.number, row.ended) == (SAVE_EVERY + 1, SAVE_EVERY + 3, None, None)
    project = await room.database.read(lambda tx: tx.log.project(SHOP))
    assert project and len(project.proposals) == SAVE_EVERY + 3
    assert await room.whole()


async def test_projects_are_not_counted_among_tasks(room: Room, task: Task) -> None:
    await record(room.database, task.id, [proposed(task, "A")])

    def look(tx: Transaction) -> tuple[list[TaskId], list[TaskId], float]:
        both = [[each.id for each in tx.log.tasks(ended=ended)] for ended in (False, True)]
        return both[0], both[1], audit.measure(tx.db, MORNING)["overlord_open_tasks"][1]

    assert await room.database.read(look) == ([task.id], [task.id], 1)
    assert (await room.task()).id == "T-2"


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        ("UPDATE events SET body = replace(body, '\"A\"', '\"C\"') WHERE stream = 'P-shop'", True),
        ("UPDATE snapshots SET body = replace(body, '\"A\"', '\"C\"') WHERE stream = 'P-shop'", False),
        ("DELETE FROM snapshots WHERE stream = 'P-shop'", False),
        ("UPDATE proposals SET title = 'another'", False),
    ],
)
async def test_a_project_that_somebody_changed_by_hand_is_named(
    room: Room, task: Task, change: str, broken: bool
) -> None:
    await record(room.database, task.id, [proposed(task, "A")])
    tampered(room.database, change)
    found = await room.database.read(lambda tx: audit.examine(tx.db))
    assert found.apart and all(each.startswith("P-shop: ") for each in found.apart)
    assert found.broken == (((SHOP, 0),) if broken else ())


async def test_the_database_itself_refuses_a_proposal_that_is_approved_and_that_nobody_decided_on(
    room: Room, task: Task
) -> None:
    await record(room.database, task.id, [proposed(task, "A")])
    for status in ("approved", "rejected", "implemented"):
        with pytest.raises(IntegrityError):
            tampered(room.database, f"UPDATE proposals SET status = '{status}'")


async def test_the_facts_of_a_thread_are_told_once_each_page_by_page(room: Room, task: Task) -> None:
    """Those that the project has because of this task stand among the task's own, where they happened."""
    other = await room.task()
    chosen = e.ProjectChosen(task=task.id, at=MORNING, project="shop", by=None, why="")
    facts = [chosen, proposed(task, "A"), remark(task, "one"), proposed(other, "B"), proposed(task, "C")]
    await record(room.database, task.id, [*facts, remark(task, "two"), proposed(task, "D")])

    def look(tx: Transaction) -> list[list[str]]:
        now, pages, before = tx.log.task(task.id), list[list[str]](), None
        while before is None or before > 0:
            page = tx.log.facts_in_thread(now, last=2, before=before)
            pages.append([getattr(each.event, "text", type(each.event).__name__) for each in page])
            before = page[0].version
        return pages

    assert await room.database.read(look) == [
        ["one", "ProposalMade", "two", "ProposalMade"],
        ["DecisionOpened", "ProjectChosen", "ProposalMade"],
        ["TaskRequested"],
    ]


async def test_what_a_project_asks_is_seen_in_the_thread_that_gave_rise_to_it(room: Room, task: Task) -> None:
    other = await room.task()
    moment = room.office.moment(task.request.channel, "job:1")
    facts = open_questions(task, proposing.propose(task, proposal_of("A", task.id), moment), moment)
    await record(room.database, task.id, facts)

    def look(tx: Transaction) -> tuple[list[str], list[str], list[str]]:
        seen = (tx.log.task(task.id), tx.log.in_thread(task.id), tx.log.in_thread(other.id))
        own, here, there = ([str(each.kind) for each in one.open] for one in seen)
        return own, here, there

    own, here, there = await room.database.read(look)
    assert here == [*own, "proposal"] and own == there == ["controls"]


async def test_a_thread_shows_nothing_that_another_one_gave_rise_to(room: Room, task: Task) -> None:
    """The other task may have been asked for in a direct message."""
    other = await room.task()
    for each, title in ((task, "A"), (other, "B")):
        moment = room.office.moment(each.request.channel, f"job:{title}")
        made = proposing.propose(each, proposal_of(title, each.id), moment)
        await record(room.database, each.id, open_questions(each, made, moment))
    seen = await room.database.read(lambda tx: tx.log.in_thread(task.id))
    assert [each.title for each in seen.proposals] == ["A"]
    assert [each.question for each in seen.open if each.kind == "proposal"] == ["A"]
