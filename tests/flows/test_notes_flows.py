"""A supervisor's note on its way: with the work of its task, or after it, and never without a person."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.errors import PressRefused
from agents.domain.events import Event, NotesUsed, SupervisorRan, SupervisorsReported
from agents.domain.ids import project_id
from agents.domain.knowledge.document import INDEX
from agents.domain.knowledge.facts import CLEAN, Learnt
from agents.domain.knowledge.note import Folder, Move, NoteChange, Supervisor
from agents.domain.task.task import TaskState
from store.codec import Cause
from store.streams import audit
from store.transaction import Transaction
from tests.builders.supervision import TASK, note
from tests.fakes.notes import notes_in
from tests.flows.work import LEAD, Work, work as work

AT = datetime(2026, 3, 1, tzinfo=UTC)
PATH = "docs/knowledge/conventions/errors.md"
ERRORS = note("errors")
LESSON = NoteChange(
    folder=Folder.LESSONS, slug="names", title="Names", rules=("Names may be empty",), by=Supervisor.INTERNALISER,
    task=TASK, needs_user_review=True,
)  # fmt: skip


def knows(work: Work, files: Mapping[str, str] | None = None) -> None:
    work.workshop.knowledge = notes_in(work.workshop.checkouts, files or {})


async def record(work: Work, *facts: Event) -> None:
    def transaction(tx: Transaction) -> None:
        at = work.office.clock.now()
        tx.log.append(work.task, [replace(fact, at=at) for fact in facts], Cause(actor="overlord", delivery="job:x"))

    await work.office.database.write(transaction)


async def noted(work: Work, *changes: NoteChange) -> None:
    """What a supervisor found, while the task is at work."""
    ran = SupervisorRan(
        task=work.task, project=project_id("shop"), at=AT, call="c", by=changes[0].by, summary="s", notes=changes
    )
    await record(work, ran, SupervisorsReported(task=work.task, at=AT, call="c", reports=()))


async def learnt(work: Work) -> Learnt:
    found = await work.office.database.read(lambda tx: tx.log.project_of(tx.log.task(work.task)))
    assert found
    return found.learnt


async def open_of(work: Work, kind: Kind) -> Decision | None:
    return (await work.office.database.read(lambda tx: tx.log.in_thread(work.task))).of_kind(kind)


def text_of(work: Work, commit: str) -> str:
    return work.workshop.checkouts.written[commit][PATH].decode()


async def test_a_guess_is_a_commit_of_its_own_and_comes_in_with_a_persons_merge(work: Work) -> None:
    knows(work)
    await work.accepted()
    await noted(work, ERRORS)
    await work.settle()
    task = await work.now()
    (carried,) = task.delivery.notes
    assert (carried.move, carried.established) == (Move.ADDED, False)
    written = work.workshop.checkouts.written[task.delivery.head]
    assert set(written) == {PATH, INDEX} and "_Status: provisional_" in text_of(work, task.delivery.head)
    assert work.workshop.checkouts.before[task.delivery.head] == work.workshop.checkouts.branches[task.work.branch]
    assert "Note what T-1 taught" in work.workshop.checkouts.said[-1]
    merge = await open_of(work, Kind.MERGE)
    assert merge and merge.subject and getattr(merge.subject, "commit", "") == task.delivery.head
    assert [each.change.name for each in (await learnt(work)).pending] == ["conventions/errors"], (
        "it waits for the merge"
    )
    await work.press(Kind.MERGE, "merge")
    await work.settle()
    assert (await work.now()).state is TaskState.DONE and not (await learnt(work)).pending
    assert not await work.office.database.read(lambda tx: audit.examine(tx.db).apart)


async def test_what_a_person_must_confirm_is_inert_until_then_and_is_a_pull_request_of_its_own(work: Work) -> None:
    knows(work)
    await work.accepted()
    await noted(work, LESSON)
    await work.settle()
    assert not (await work.now()).delivery.notes, "nobody has confirmed it"
    await work.press(Kind.MERGE, "merge")
    await work.settle()
    with pytest.raises(PressRefused):
        await work.press(Kind.NOTES, "confirm", by=replace(LEAD, groups=frozenset()))
    await work.press(Kind.NOTES, "confirm")
    await work.settle()
    asked = work.workshop.forge.asked[-1]
    assert asked.key.startswith("T-1:notes:") and asked.title == "Note what T-1 taught"
    text = work.workshop.checkouts.written[asked.head]["docs/knowledge/lessons/names.md"].decode()
    assert "_Status: established_" in text
    assert await open_of(work, Kind.NOTES_MERGE) and len(work.workshop.forge.merged) == 1, "that of the task alone"
    await work.press(Kind.NOTES_MERGE, "merge")
    await work.settle()
    state = await learnt(work)
    assert not state.pending and not state.pulls and work.workshop.forge.merged[-1] == asked.head
    assert not await work.office.database.read(lambda tx: audit.examine(tx.db).apart)


async def test_a_person_writes_other_rules_and_stands_by_those(work: Work) -> None:
    knows(work)
    await work.accepted()
    await noted(work, LESSON)
    await work.settle()
    with pytest.raises(PressRefused, match="rules have at most 500 characters"):
        await work.press(Kind.NOTES, "edit", "x" * 600)
    await work.press(Kind.NOTES, "edit", "1. Names are never empty\n- Trim them\n")
    ((pending,), _) = (await learnt(work)).pending, await work.settle()
    assert pending.change.rules == ("Names are never empty", "Trim them") and pending.confirmed
    assert pending.change.what == "edited by a person"


async def test_what_is_discarded_is_gone_and_a_later_guess_takes_the_place_of_an_earlier(work: Work) -> None:
    knows(work)
    await work.accepted()
    await noted(work, LESSON)
    await work.settle()
    await noted(work, replace(LESSON, rules=("Names are trimmed",)))
    await work.settle()
    asked = await open_of(work, Kind.NOTES)
    assert asked and "Names are trimmed" in repr(asked.subject), "the earlier question was withdrawn"
    await work.press(Kind.NOTES, "discard")
    await work.press(Kind.MERGE, "merge")
    await work.settle()
    assert not (await learnt(work)).pending and len(work.workshop.forge.asked) == 1


async def test_a_task_that_ends_without_a_merge_leaves_its_notes_to_a_pull_request_of_their_own(work: Work) -> None:
    knows(work)
    await work.accepted()
    await noted(work, ERRORS)
    await work.cancel()
    await work.settle()
    (pull,) = (await learnt(work)).pulls
    assert work.workshop.forge.asked[-1].head == pull.head and not work.workshop.forge.merged
    await work.press(Kind.NOTES_MERGE, "leave")
    await work.settle()
    assert not (await learnt(work)).pending and not work.workshop.forge.merged


async def test_a_merge_of_notes_that_does_not_fit_is_given_up_and_said(work: Work) -> None:
    knows(work)
    await work.accepted()
    await noted(work, ERRORS)
    await work.cancel()
    await work.settle()
    work.workshop.forge.fits = False
    await work.press(Kind.NOTES_MERGE, "merge")
    await work.settle()
    assert not (await learnt(work)).pulls


async def test_notes_that_proved_themselves_ask_to_be_established_in_one_card(work: Work) -> None:
    knows(work, {PATH: "# Errors\n## Rules\n- Do it\n", "docs/knowledge/domain/x.md": "# X\n## Rules\n- y\n"})
    await work.accepted()
    used = NotesUsed(task=work.task, project=project_id("shop"), at=AT, notes=("conventions/errors",))
    await record(work, *[used] * (CLEAN - 1))
    await work.settle()
    assert {name for each in (await work.now()).work.subtasks for name in each.notes} == {"conventions/errors"}
    await work.press(Kind.MERGE, "merge")
    await work.settle()
    asked = await open_of(work, Kind.NOTES)
    assert asked and [each.name for each in asked.subject.notes] == ["conventions/errors"]  # type: ignore[union-attr]
    assert not (await learnt(work)).uses, "it is asked again after as many more"
    await work.press(Kind.NOTES, "confirm")
    await work.settle()
    head = work.workshop.forge.asked[-1].head
    assert "_Status: established_" in text_of(work, head) and "code_style_supervisor, T-1: established" in text_of(
        work, head
    )


async def test_without_notes_nothing_more_happens_than_before(work: Work) -> None:
    await work.accepted()
    await work.settle()
    await work.press(Kind.MERGE, "merge")
    assert await work.settle() == ["merge"]
    assert (await work.now()).delivery.notes == ()
