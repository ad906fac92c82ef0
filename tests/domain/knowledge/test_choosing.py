"""Which notes a prompt shows: conventions, what matches, within the budget; what is confirmed first."""

from agents.domain.knowledge.choosing import BUDGET, choose_notes, rank, search_notes
from agents.domain.knowledge.document import Note, Status
from agents.domain.knowledge.note import Folder


def note(name: str, *rules: str, status: Status = Status.ESTABLISHED) -> Note:
    folder, _, slug = name.partition("/")
    return Note(folder=Folder(folder), slug=slug, title=slug, rules=rules, status=status)


NOTES = (
    note("conventions/errors", "Raise ToolError"),
    note("conventions/names", "Name functions by a verb", status=Status.PROVISIONAL),
    note("conventions/old", "Use camel case", status=Status.DEPRECATED),
    note("design/storage", "Links are kept in SQLite, one table"),
    note("design/queue", "Jobs are leased"),
    note("lessons/sqlite", "SQLite locks: keep transactions short", status=Status.PROVISIONAL),
    note("domain/links", "A link expires after a year"),
)


def one_each(note: Note) -> int:
    return 1


def test_conventions_always_and_the_rest_where_it_matches() -> None:
    chosen = choose_notes(NOTES, "store the expiry of links in SQLite", one_each)
    assert chosen.names == (
        *("conventions/errors", "design/storage", "domain/links"),
        *("conventions/names", "lessons/sqlite"),
    )
    assert choose_notes(NOTES, "", one_each).names == ("conventions/errors", "conventions/names")


def test_what_is_confirmed_and_what_is_not_stand_apart() -> None:
    chosen = choose_notes(NOTES, "SQLite", one_each)
    assert {note.status for note in chosen.confirmed} == {Status.ESTABLISHED}
    assert {note.status for note in chosen.unconfirmed} == {Status.PROVISIONAL}


def test_where_there_is_no_room_guesses_go_first_and_a_smaller_note_may_still_fit() -> None:
    sizes = {"conventions/errors": 900, "conventions/names": 1_500, "design/storage": 900, "lessons/sqlite": 200}
    chosen = choose_notes(NOTES, "SQLite", lambda note: sizes.get(note.name, BUDGET))
    assert chosen.names == ("conventions/errors", "design/storage", "lessons/sqlite")


def test_rare_words_count_more_than_common_ones() -> None:
    notes = [note(f"lessons/n{number}", "keep the cache warm") for number in range(9)]
    notes.append(note("lessons/rare", "keep leases short"))
    assert rank(notes, "leases of the cache")[0][1].name == "lessons/rare"


def test_a_search_finds_words_in_any_number_and_what_no_longer_applies() -> None:
    assert [each.name for each in search_notes(NOTES, "Camel cases?")] == ["conventions/old"]
    assert search_notes(NOTES, "the") == []
    assert search_notes([], "sqlite") == []
