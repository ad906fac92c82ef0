"""A table on a page of the console: moved, dropped, refused beside its fields, and sent; all of it without scripts."""

import re

from agents.domain.errors import OverlordError
from agents.domain.ids import Account, DecisionId, Thread
from agents.domain.planning.plan_faults import Fault
from bot.messages import Button, Card, Choice, FormColumn, Pressed
from bot.platforms.console.rendering import thread_path
from tests.fakes.console import Visit, console, filled_in, text_of
from tests.fakes.desk import ScriptedDesk

TOKEN = Choice(decision=DecisionId("d" * 22), letter="c")
COLUMNS = (
    FormColumn(name="title", label="Title"),
    FormColumn(name="kind", label="Kind of work", choices=("fix", "docs")),
    FormColumn(name="files", label="Files", hint="one a line", several=True),
)
LINES = "# number | title\n1 | Write <the> form | fix | a.py, b.py\n2 | Check it | docs | c.md"
EDIT = Button(label="Edit plan", choice=TOKEN, asks="One line a subtask", fill=LINES, columns=COLUMNS)
HERE = Thread("console:general:here")


def desk_with_card() -> ScriptedDesk:
    desk = ScriptedDesk()
    desk.write(HERE, "console:general", Account("console:ana"), "add login")
    desk.post(HERE, Card(title="the plan", buttons=(EDIT,), decision=TOKEN.decision))
    return desk


async def open_table(visit: Visit) -> dict[str, str]:
    """The form as a browser would send it, unchanged."""
    page = await visit.get(thread_path(HERE))
    assert "data-table" in page.text and "data-lines" not in page.text
    fields = dict(re.findall(r'name="(thread|channel|message|shown|task|back)" value="([^"]*)"', page.text))
    form = await visit.post("/ask", token=TOKEN.token, **fields)
    assert form.status_code == 200 and "Subtask 1" in form.text
    return {"token": TOKEN.token, **fields, **filled_in(form.text)}


def order_of(html: str) -> list[str]:
    return re.findall(r'name="row" value="(\d+)"', html)


async def send(visit: Visit, fields: dict[str, str], rows: tuple[str, ...] = ("1", "2"), **more: str) -> str:
    """As a form with several fields of one name; follows to where the answer is."""
    whole = {"csrf": visit.csrf, "nonce": "number-table", **fields, **more}
    sent = await visit.client.post("/table", data={**whole, "row": list(rows)}, follow_redirects=True)
    return sent.text


def pressed(visit: Visit) -> list[str]:
    return [one.words for one in visit.desk.heard if isinstance(one, Pressed)]


async def test_a_table_is_sent_as_the_lines_it_was_made_of() -> None:
    async with console(desk_with_card()) as visit:
        fields = await open_table(visit)
        assert (
            fields["title-1"] == "Write <the> form" and fields["files-1"] == "a.py\nb.py" and fields["kind-2"] == "docs"
        )
        await send(visit, fields)
        assert pressed(visit) == ["1 | Write <the> form | fix | a.py, b.py\n2 | Check it | docs | c.md"]


async def test_rows_are_moved_and_dropped_without_scripts_and_nothing_typed_is_lost() -> None:
    async with console(desk_with_card()) as visit:
        fields = await open_table(visit)
        typed = {**fields, "title-2": "Check | it twice", "files-2": "c.md\r\nd.md", "drop-1": "on"}
        page = await send(visit, typed, move="up-2")
        assert order_of(page) == ["2", "1"] and filled_in(page)["title-2"] == "Check | it twice"
        assert re.search(r'name="drop-1" value="on" checked', page) and not pressed(visit)
        assert order_of(await send(visit, typed, move="up-1")) == ["1", "2"], "there is nowhere to go"
        assert order_of(await send(visit, typed, move="none")) == ["1", "2"], "the Enter key sends nothing"
        assert not pressed(visit)
        await send(visit, typed, rows=("2", "1"))
        assert pressed(visit) == ["2 | Check / it twice | docs | c.md, d.md\n# 1 | Write <the> form | fix | a.py, b.py"]


async def test_faults_stand_beside_their_fields_and_all_that_was_typed_is_there() -> None:
    desk = desk_with_card()
    async with console(desk) as visit:
        fields = await open_table(visit)
        desk.faults = (
            Fault(subject="Subtask 1", what="names ../x, which is no path", number=2, field="files"),
            Fault(subject="Subtask 1", what="takes 9 h", number=1),
            Fault(what="Nothing was changed"),
        )
        page = await send(visit, {**fields, "files-2": "../x", "title-1": "Another"})
        assert not pressed(visit)
        assert (
            'id="problem-files-2">Names ../x, which is no path</p>' in page
            and 'aria-describedby="problem-files-2"' in page
        )
        assert 'id="problem--1">Takes 9 h</p>' in page and "Nothing was changed" in text_of(page)
        assert filled_in(page)["files-2"] == "../x" and filled_in(page)["title-1"] == "Another"
        desk.faults = ()
        await send(visit, {**fields, "files-2": "x"})
        assert pressed(visit)[0].endswith("2 | Check it | docs | x")


async def test_a_card_that_is_gone_or_a_store_that_is_away_gives_everything_back() -> None:
    desk = desk_with_card()
    async with console(desk) as visit:
        fields = await open_table(visit)
        desk.problem = OverlordError("The disk is full", next_step="Make room.")
        page = await send(visit, {**fields, "title-1": "My long title"})
        assert "The disk is full" in page and "My long title" in page
        gone = await send(visit, {**fields, "title-1": "My long title", "token": f"{'e' * 22}.c"})
        assert "no longer there" in gone and "My long title" in gone
        other = await visit.client.post("/table", data={**fields, "csrf": "wrong", "nonce": "number-table"})
        assert other.status_code == 400 and not pressed(visit)
