"""What a supervisor learnt, from its answer to the next prompt: confirmed and merged by people, also after crashes."""

from dataclasses import replace
from datetime import UTC, datetime

from agents.domain.events import Event, SupervisorRan
from agents.domain.ids import project_id
from agents.domain.knowledge.note import Folder, NoteChange, Supervisor
from store.codec import Cause
from store.streams import audit
from store.transaction import Transaction
from tests.builders.supervision import TASK, note
from tests.fakes.notes import notes_in
from tests.fakes.work import Workshop
from tests.scenarios.conftest import THREE, Opened, Play
from tests.scenarios.working import given

STAGES = THREE
AT = datetime(2026, 3, 1, tzinfo=UTC)
LESSON = NoteChange(
    folder=Folder.LESSONS, slug="names", title="Names of people", rules=("Names may be empty",),
    by=Supervisor.INTERNALISER, task=TASK, needs_user_review=True,
)  # fmt: skip


async def supervisor_found(play: Play, *changes: NoteChange) -> None:
    """The typed output of a supervisor, as its flow records it."""
    task = await play.task()
    on = project_id(task.project or "")
    ran = SupervisorRan(task=task.id, project=on, at=AT, call="c", by=changes[0].by, summary="s", notes=changes)

    def transaction(tx: Transaction) -> None:
        fact: Event = replace(ran, at=play.program.services.clock.now())
        tx.log.append(task.id, [fact], Cause(actor="overlord", delivery=f"job:{changes[0].id}"))

    await play.program.services.database.write(transaction)


async def test_a_note_is_confirmed_merged_and_in_the_next_prompt(opened: Opened) -> None:
    work = Workshop()
    work.knowledge = notes_in(work.checkouts, {})
    play = await opened(given(work))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await supervisor_found(play, note("errors"))
    await supervisor_found(play, LESSON)
    card = await play.sees("lead", thread, "T-1 taught something: Names of people", "Names may be empty")
    assert set(card.buttons) == {"Confirm note", "Edit rules", "Discard note"} and "Nobody is told of it" in card.text
    await play.host.restart()
    await play.stage.press("mallory", thread, "Confirm note")
    await play.whispered("mallory", thread, "This is not yours to decide")
    await play.stage.press("lead", thread, "Edit rules", words="Names are never empty")
    await play.sees("lead", thread, "edited and confirmed", gone="Confirm note")

    await play.stage.press("lead", thread, "Approve plan")
    merge = await play.sees("lead", thread, "T-1 is ready to merge", offers="Merge it")
    assert "docs/knowledge/conventions/errors.md" in merge.text and "(new, unconfirmed)" in merge.text
    assert "docs/knowledge/lessons/names.md" in merge.text and "Names are never empty" in merge.text
    assert work.forge.merged == [], "a person merges it"
    await play.host.restart()
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1", "merged")
    await play.happened("Merged")

    work.checkouts.theirs["main"] = work.forge.merged[-1]
    again = await play.stage.say("ana", "check what names the errors have", mention=True)
    await play.sees("ana", again, "please look at the plan")
    await play.stage.press("lead", again, "Approve plan")
    await play.sees("lead", again, "T-2 is ready to merge", offers="Merge it")
    told = next(brief for brief in work.minions.briefs if brief.task.id == "T-2").knowledge
    assert [each.name for each in told.confirmed] == ["lessons/names"]
    assert [each.name for each in told.unconfirmed] == ["conventions/errors"]
    assert [each.rules for each in told.confirmed] == [("Names are never empty",)]
    assert not await play.program.services.database.read(lambda tx: audit.examine(tx.db).apart)


async def test_notes_of_a_task_that_is_over_are_merged_by_themselves_or_left_out(opened: Opened) -> None:
    work = Workshop()
    work.knowledge = notes_in(work.checkouts, {})
    play = await opened(given(work))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await supervisor_found(play, LESSON)
    await play.sees("lead", thread, "taught something", offers="Confirm note")
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("lead", thread, "T-1 is ready to merge", offers="Merge it")
    await play.stage.press("lead", thread, "Merge it")
    await play.happened("Merged")
    await play.stage.press("lead", thread, "Confirm note")
    card = await play.sees("lead", thread, "Notes of T-1 are ready to merge", "lessons/names.md", offers="Merge notes")
    assert set(card.buttons) == {"Merge notes", "Leave them out"} and len(work.forge.merged) == 1
    await play.host.restart()
    await play.stage.press("lead", thread, "Merge notes")
    await play.sees("lead", thread, "Merge of notes approved", gone="Merge notes")

    def learnt(tx: Transaction) -> bool:
        project = tx.log.project_of(tx.log.task(TASK))
        return bool(project and not project.learnt.pulls and not project.learnt.pending)

    for _ in range(600):
        if await play.program.services.database.read(learnt):
            break
        await play.silence("lead", thread)
    assert len(work.forge.merged) == 2 and await play.program.services.database.read(learnt)
