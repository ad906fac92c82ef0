"""What was kept of a task: its list on the task's page, and each diff and log on a page of its own."""

from dataclasses import replace

import pytest

from agents.domain.ids import Account, DecisionId, TaskId, Thread
from agents.domain.task.task import TaskState
from bot.messages import Button, Card, Choice
from bot.platforms.console.rendering import kept_of
from tests.fakes.console import console, text_of
from tests.fakes.desk import ScriptedDesk

ANA, HERE, TASK = Account("console:ana"), Thread("console:general:here"), TaskId("T-1")
DIFF = """\
diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1 +1 @@
-<script>alert(1)</script>
+print("hello")
"""


@pytest.fixture
def desk() -> ScriptedDesk:
    made = ScriptedDesk()
    made.write(HERE, "console:general", ANA, "add login")
    task = made.open_task(HERE, "add login", state=TaskState.RUNNING)
    made.open_tasks[task.id] = replace(
        task, delivery=replace(task.delivery, pull=1, url="http://127.0.0.1/pulls/sample/1")
    )
    made.texts = {(TASK, "T-1.diff"): DIFF, (TASK, "T-1.1-1-tests"): "1 passed <b>\n2 failed"}
    return made


def test_what_was_kept_stands_by_what_it_is_about() -> None:
    names = ("T-1.10-1-tests", "T-1.2-1-tests", "T-1.2-1-original-tests", "T-1.2-2.patch", "T-1.diff")
    assert [(about, [label for _, label in files]) for about, files in kept_of(TASK, names)] == [
        ("T-1", ["diff"]),
        ("T-1.2, attempt 1", ["original tests", "tests"]),
        ("T-1.2, attempt 2", ["patch"]),
        ("T-1.10, attempt 1", ["tests"]),
    ]


async def test_the_task_and_its_conversation_lead_to_the_changes(desk: ScriptedDesk) -> None:
    async with console(desk) as visit:
        for path in ("/task/T-1", f"/thread/{HERE}"):
            assert 'href="/task/T-1/kept/T-1.diff">Read the changes' in (await visit.get(path)).text
        page = await visit.get("/task/T-1")
        assert 'href="/task/T-1/kept/T-1.1-1-tests"' in page.text
        assert "T-1.1, attempt 1" in page.text
        there = await visit.get("/pulls/sample/1")
        assert there.headers["location"] == "/task/T-1/kept/T-1.diff"


async def test_a_diff_is_a_table_and_nothing_in_it_is_markup(desk: ScriptedDesk) -> None:
    async with console(desk) as visit:
        page = await visit.get("/task/T-1/kept/T-1.diff")
        assert '<tr class="removed">' in page.text and '<tr class="added">' in page.text
        assert "/static/diff.css" in page.text and (await visit.get("/static/diff.css")).status_code == 200
        assert "<script>alert" not in page.text and "&lt;script&gt;alert" in page.text


@pytest.mark.parametrize(
    ("asked", "page"), [("", 1), ("2", 2), ("3", 3), ("99", 3), ("0", 1), ("-1", 1), ("x", 1), ("²", 1), ("9" * 40, 1)]
)
async def test_a_long_diff_has_pages_that_lead_to_each_other(desk: ScriptedDesk, asked: str, page: int) -> None:
    body = "".join(f"+line {at}\n" for at in range(12_000))
    desk.texts[TASK, "T-1.diff"] = f"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,12000 @@\n{body}"
    async with console(desk) as visit:
        found = await visit.get(f"/task/T-1/kept/T-1.diff?page={asked}")
    assert found.status_code == 200 and f"Page {page} of 3" in found.text
    assert ('href="?page=2" rel="next"' in found.text) is (page == 1) and ('rel="next"' in found.text) is (page < 3)
    assert (f"<code>line {[0, 7_000, 11_999][page - 1]}</code>") in found.text


async def test_a_log_is_shown_as_it_is(desk: ScriptedDesk) -> None:
    async with console(desk) as visit:
        page = await visit.get("/task/T-1/kept/T-1.1-1-tests")
        assert "1 passed &lt;b&gt;\n2 failed" in page.text
        assert "2 lines" in text_of(page.text)
        assert (await visit.get("/task/T-1/kept/T-1.9-1-tests")).status_code == 404


async def test_the_output_of_a_check_keeps_its_columns(desk: ScriptedDesk) -> None:
    desk.post(
        HERE, Card(title="T-1.1 was sent back", lines=("tests: 1 failed\nE   assert <0>\nE    +  where", "no more"))
    )
    async with console(desk) as visit:
        page = await visit.get(f"/thread/{HERE}")
        assert "tests: 1 failed<pre" in page.text and "E   assert &lt;0&gt;\nE    +  where</pre>" in page.text
        assert page.text.count("<pre") == 1


async def test_a_button_has_one_ellipsis(desk: ScriptedDesk) -> None:
    choice = Choice(decision=DecisionId("d" * 22), letter="a")
    desk.post(HERE, Card(title="?", buttons=(Button(label="Answer…", choice=choice, asks="What?"),)))
    async with console(desk) as visit:
        assert "Answer…" in text_of((await visit.get(f"/thread/{HERE}")).text).replace("……", "twice")
