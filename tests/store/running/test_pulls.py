"""The local forge's memory, on both databases: the same key is the same pull request."""

import asyncio
from dataclasses import replace

from agents.ports import Pull
from bot.services import SystemClock
from store.database import Database
from store.running.port_adapters import PullLog

PULL = Pull(key="T-1.1", project="shop", branch="ai/one", head="a" * 40, title="One", body="It is one.")


def book(database: Database) -> PullLog:
    return PullLog(database, SystemClock())


async def test_pull_requests_are_numbered_within_their_project(database: Database) -> None:
    log = book(database)
    made = [PULL, replace(PULL, key="T-1.2"), replace(PULL, key="T-2.1", project="web"), PULL]
    assert [(await log.open(pull, "main")).number for pull in made] == [1, 2, 1, 1]


async def test_pull_requests_opened_at_once_get_numbers_of_their_own(database: Database) -> None:
    log = book(database)
    made = await asyncio.gather(*(log.open(replace(PULL, key=f"k{at % 10}"), "main") for at in range(30)))
    assert {record.number for record in made} == set(range(1, 11))
    assert len({(record.key, record.number) for record in made}) == 10


async def test_an_open_one_takes_the_latest_words_and_a_merged_one_stays(database: Database) -> None:
    log = book(database)
    await log.open(PULL, "main")
    newer = await log.open(replace(PULL, head="b" * 40, title="Better"), "main")
    assert (newer.head, newer.title, newer.number) == ("b" * 40, "Better", 1)
    await log.merging("shop", 1, "c" * 40, "d" * 40)
    await log.mark_merged("shop", 1, "d" * 40)
    await log.merging("shop", 1, "e" * 40, "f" * 40)
    await log.mark_merged("shop", 1, "f" * 40)
    late = await log.open(replace(PULL, head="9" * 40), "main")
    assert (late.state, late.head, late.was, late.commit) == ("merged", "b" * 40, "c" * 40, "d" * 40)
    assert await log.find("shop", 1) == late
    assert await log.find("shop", 2) is None


async def test_a_draft_takes_the_latest_words_and_is_ready_once(database: Database) -> None:
    log = book(database)
    draft = replace(PULL, draft=True)
    assert (await log.open(draft, "main")).state == "draft"
    newer = await log.open(replace(draft, head="b" * 40), "main")
    assert (newer.state, newer.head, newer.number) == ("draft", "b" * 40, 1)
    await log.mark_merged("shop", 1, "d" * 40)
    assert (await log.open(newer_of(draft), "main")).state == "draft", "a draft is not merged"
    for _ in range(2):
        await log.mark_ready("shop", 1)
    assert (await log.open(draft, "main")).state == "open", "what is ready is not made a draft again"
    await log.mark_merged("shop", 1, "d" * 40)
    await log.mark_ready("shop", 1)
    found = await log.find("shop", 1)
    assert found and found.state == "merged"


def newer_of(pull: Pull) -> Pull:
    return replace(pull, head="c" * 40)
