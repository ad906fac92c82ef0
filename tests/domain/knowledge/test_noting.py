"""What follows for notes: who is asked about which change, once, and what a merge brought in."""

from dataclasses import replace

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import Follows, Moment, Question
from agents.domain.decisions.subject import OfNotes, OfNotesPull
from agents.domain.decisions.table import open_questions
from agents.domain.ids import TaskId, project_id
from agents.domain.knowledge.document import Note, Status
from agents.domain.knowledge.facts import CLEAN, Learnt, NotesPull, PendingNote
from agents.domain.knowledge.note import Carried, Folder, Move
from agents.domain.knowledge.noting import (
    BATCH,
    after_merge,
    ask_about,
    ask_to_establish,
    note_pull,
    to_establish,
    waits_for_pull,
    withdraw_replaced,
)
from agents.domain.project.project import Project
from agents.domain.task.task import TaskState
from agents.domain.work.work import SubtaskState
from tests.builders.steered import NOW
from tests.builders.supervision import note
from tests.builders.working import Working

API = project_id("api")


def pending(slug: str, *, waits: bool = True, task: str = "T-1") -> PendingNote:
    return PendingNote(change=replace(note(slug), task=TaskId(task)), at=NOW, waits=waits)


def knowing(working: Working, *waiting: PendingNote, open: tuple[Decision, ...] = (), **more: object) -> Moment:
    learnt = Learnt(pending=waiting, **more)  # type: ignore[arg-type]
    project = Project(id=API, changed_at=NOW, open=open, learnt=learnt)
    return working.moment(project=lambda: project)


def questions(found: Follows) -> list[Question]:
    return [each for each in found if isinstance(each, Question)]


def opened(working: Working, subject: OfNotes) -> Decision:
    """A card that is open about such changes."""
    asked = Question(kind=Kind.NOTES, subject=subject, project=API, cause="c")
    [fact] = open_questions(working.task, [asked], working.moment())
    assert isinstance(fact, e.DecisionOpened)
    return fact.decision


def asked_about(found: Follows) -> list[tuple[str, ...]]:
    subjects = [each.subject for each in questions(found)]
    return [tuple(change.slug for change in about.notes) for about in subjects if isinstance(about, OfNotes)]


def test_each_change_of_a_task_that_waits_has_its_card() -> None:
    working = Working()
    moment = knowing(working, pending("a"), pending("b"), pending("sure", waits=False), pending("other", task="T-9"))
    found = ask_about(working.task, moment)
    assert asked_about(found) == [("a",), ("b",)]
    assert {each.project for each in questions(found)} == {API} and len({each.cause for each in questions(found)}) == 2


def test_nobody_is_asked_twice_about_a_change() -> None:
    working, waiting = Working(), pending("a")
    card = opened(working, OfNotes(notes=(waiting.change,)))
    assert ask_about(working.task, knowing(working, waiting, open=(card,))) == []
    assert asked_about(ask_about(working.task, knowing(working, waiting, pending("b"), open=(card,)))) == [("b",)]


def test_a_card_about_a_guess_that_was_replaced_is_withdrawn_and_no_other() -> None:
    working, waiting = Working(), pending("a")
    kept = opened(working, OfNotes(notes=(waiting.change,)))
    stale = opened(working, OfNotes(notes=(note("gone"),)))
    others = replace(stale, task=TaskId("T-9"))
    proved = opened(working, OfNotes(notes=(note("gone"),), establishes=True))
    moment = knowing(working, waiting, open=(kept, stale, others, proved))
    [withdrawn] = withdraw_replaced(working.task, moment)
    assert isinstance(withdrawn, e.DecisionWithdrawn) and withdrawn.decision == stale.id


def test_a_merge_tells_which_notes_came_in_and_which_were_used_without_trouble() -> None:
    working = Working()
    assert after_merge(working.task, working.moment()) == []
    change = note("errors")
    carried = (Carried(change=change, move=Move.ADDED),)
    working.task = replace(working.task, delivery=replace(working.task.delivery, notes=carried))
    working.set(1, state=SubtaskState.DONE, tries=1, notes=("conventions/a", "conventions/b"))
    task = working.set(2, state=SubtaskState.DONE, tries=2, notes=("conventions/b", "conventions/c"))
    merged, used = after_merge(task, working.moment())
    assert isinstance(merged, e.NotesMerged) and (merged.notes, merged.names) == ((change.id,), (change.name,))
    assert isinstance(used, e.NotesUsed) and used.notes == ("conventions/a",), "b was there when there was trouble"


def guess(slug: str, status: Status = Status.PROVISIONAL) -> Note:
    return Note(folder=Folder.CONVENTIONS, slug=slug, title=slug, status=status, rules=("Do it",))


def test_only_guesses_that_proved_themselves_and_that_nobody_is_asked_about_are_to_be_established() -> None:
    working = Working()
    notes = [guess("proved"), guess("young"), guess("sure", Status.ESTABLISHED), guess("asked")]
    uses = {guess("young").name: CLEAN - 1} | {guess(slug).name: CLEAN for slug in ("proved", "sure", "asked")}
    card = opened(working, OfNotes(notes=(note("asked"),)))
    moment = knowing(working, open=(card,), uses=uses)
    assert to_establish(notes, moment) == [guess("proved")]
    many = [guess(f"n{number}") for number in range(BATCH + 1)]
    full = knowing(working, uses={each.name: CLEAN for each in many})
    assert to_establish(many, full) == many[:BATCH]


def test_what_proved_itself_is_asked_about_on_one_card() -> None:
    working = Working()
    assert ask_to_establish(working.task, [], working.moment()) == []
    asked, question = ask_to_establish(working.task, [guess("a"), guess("b")], working.moment())
    assert isinstance(asked, e.NotesProved) and asked.notes == (guess("a").name, guess("b").name)
    assert isinstance(question, Question) and isinstance(question.subject, OfNotes) and question.subject.establishes
    assert [(each.slug, each.rules, each.task) for each in question.subject.notes] == [
        ("a", ("Do it",), working.task.id),
        ("b", ("Do it",), working.task.id),
    ]


def test_notes_of_a_task_that_is_over_wait_for_a_pull_request_of_their_own_once() -> None:
    working, mine, waits = Working(), pending("a", waits=False), pending("b")
    in_pull, others = pending("c", waits=False), pending("d", waits=False, task="T-9")
    pull = NotesPull(task=working.task.id, number=4, head="h", into="main", notes=(in_pull.change.id,))
    learnt = Learnt(pending=(mine, waits, in_pull, others), pulls=(pull,))
    assert waits_for_pull(working.task, learnt) == (), "it goes with the work while there is work"
    assert waits_for_pull(replace(working.task, state=TaskState.DONE), learnt) == (mine,)


def test_a_pull_request_of_notes_is_asked_about_once() -> None:
    working = Working()
    pull = NotesPull(task=working.task.id, number=4, head="h", into="main", notes=("n",))
    opened_, question = note_pull(working.task, pull, "https://forge.example/4", (), working.moment())
    assert isinstance(opened_, e.NotesOpened) and (opened_.number, opened_.head, opened_.notes) == (4, "h", ("n",))
    assert isinstance(question, Question) and question.kind is Kind.NOTES_MERGE
    assert isinstance(question.subject, OfNotesPull) and question.subject.number == 4
    known = knowing(working, pulls=(pull,))
    assert note_pull(working.task, pull, "https://forge.example/4", (), known) == []


def test_changes_of_another_task_are_no_change_of_this_one() -> None:
    learnt = Learnt(pending=(pending("a", waits=False), pending("b", waits=False, task="T-9")))
    assert [each.change.slug for each in learnt.of_task(TaskId("T-9"))] == ["b"]
