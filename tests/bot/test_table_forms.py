"""Lines of text as rows of fields, and back."""

from hypothesis import given, strategies as st

from bot.messages import FormColumn
from bot.table_forms import FormRow, arrange_rows, move_row, read_rows, write_rows

COLUMNS = (FormColumn(name="title", label="Title"), FormColumn(name="files", label="Files", several=True))
WORDS = st.text(max_size=40)


def keys(rows: list[FormRow]) -> str:
    return "".join(row.key for row in rows)


@given(st.lists(st.tuples(WORDS, WORDS, st.booleans()), max_size=6))
def test_whatever_people_type_a_row_stays_one_line_with_its_fields(typed: list[tuple[str, str, bool]]) -> None:
    rows = [
        FormRow(key=str(at), fields={"title": title, "files": files}, dropped=dropped)
        for at, (title, files, dropped) in enumerate(typed, 1)
    ]
    lines = write_rows(rows, COLUMNS)
    again = read_rows(lines, COLUMNS)
    assert [(row.key, row.dropped) for row in again] == [(row.key, row.dropped) for row in rows]
    assert write_rows(again, COLUMNS) == write_rows(read_rows(write_rows(again, COLUMNS), COLUMNS), COLUMNS)
    assert len(lines.split("\n")) == max(1, len(rows))


def test_headings_are_no_rows_and_fields_that_are_not_there_are_empty() -> None:
    (row,) = read_rows("# number | title | files\n2 | Check it", COLUMNS)
    assert (row.key, row.fields, row.dropped) == ("2", {"title": "Check it", "files": ""}, False)


def test_a_row_goes_where_it_was_put_and_the_others_keep_their_order() -> None:
    rows = [FormRow(key=key, fields={}) for key in "1234"]
    assert keys(arrange_rows(rows, {"1": 3})) == "2314"
    assert keys(arrange_rows(rows, {"4": 1})) == "4123"
    assert keys(arrange_rows(rows, {"1": 4, "4": 1})) == "4231"
    assert keys([row for row in arrange_rows(rows, {"2": None, "3": 1}) if not row.dropped]) == "314"
    assert keys(move_row(rows, "3", -1)) == "1324" and keys(move_row(rows, "4", 1)) == "1234"
    assert keys(move_row(rows, "9", 1)) == "1234"
