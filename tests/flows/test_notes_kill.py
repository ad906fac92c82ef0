"""Each job on a note's way dies once: commit, pull request, merge and cards are there once."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace

import pytest

from agents.domain.decisions.authority import Kind
from agents.domain.ids import project_id
from agents.flows import FLOWS
from store.streams import audit
from tests.flows.test_kill_each_step import Killed, MortalStore
from tests.flows.test_notes_flows import ERRORS, LESSON, knows, learnt, noted, open_of
from tests.flows.work import Work, work as work

PRESSES = {Kind.NOTES: "confirm", Kind.MERGE: "merge", Kind.NOTES_MERGE: "merge"}


async def settle_dying(work: Work, kill: str, killed: set[str]) -> None:
    while job := await work.any_job():
        ports = work.ports(job)
        if kill and job.id not in killed:
            killed.add(job.id)
            ports = replace(ports, store=MortalStore(ports.store, after_notes=kill == "after notes"))
        with suppress(Killed):
            await FLOWS[job.flow](job.event, ports)


@pytest.mark.parametrize("kill", ["", "before it records", "after notes"])
async def test_what_dies_on_the_way_is_done_once(work: Work, kill: str) -> None:
    killed = set[str]()
    knows(work)
    await work.accepted()
    await noted(work, ERRORS, replace(LESSON))
    await settle_dying(work, kill, killed)
    await work.press(Kind.MERGE, "merge")  # what came with the work
    await settle_dying(work, kill, killed)
    for kind in (Kind.NOTES, Kind.NOTES_MERGE):
        assert await open_of(work, kind)
        await work.press(kind, PRESSES[kind])
        await settle_dying(work, kill, killed)
    forge = work.workshop.forge
    assert len(forge.pulls) == 2 and len(forge.merged) == len(set(forge.merged)) == 2
    assert len(work.workshop.checkouts.written) == 2
    recorded = await work.office.database.read(lambda tx: tx.log.facts(project_id("shop")))
    counts = Counter(type(each.event).__name__ for each in recorded)
    assert counts["NotesMerged"] == 2 and counts["NotesOpened"] == counts["NotesConfirmed"] == 1
    assert counts["DecisionOpened"] == counts["DecisionMade"] == 2
    assert not (await learnt(work)).pending and await _is_whole(work)


async def _is_whole(work: Work) -> bool:
    return not await work.office.database.read(lambda tx: audit.examine(tx.db).apart)
