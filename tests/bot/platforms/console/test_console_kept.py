"""What was kept of a task: its list on the task's page, and each diff and log on a page of its own."""

from dataclasses import replace

import pytest

from agents.domain.ids import Account, DecisionId, TaskId, Thread
from agents.domain.task.task import Task, TaskState
from bot.messages import Button, Card, Choice, Pressed
from bot.platforms.console.rendering import kept_of
from bot.queries import Need
from tests.fakes.console import console, text_of
from tests.fakes.desk import ScriptedDesk, plan_card

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
        assert '<tr class="removed" id="f1L1">' in page.text and '<tr class="added" id="f1R1">' in page.text
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
    assert ('href="#f1"' in found.text) is (page == 1) and ('href="?page=1#f1"' in found.text) is (page > 1)


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


async def test_a_diff_leads_to_its_files_its_siblings_and_its_plain_text(desk: ScriptedDesk) -> None:
    desk.texts[TASK, "T-1.2-1.patch"] = DIFF.replace("a.py", "b.py")
    desk.texts[TASK, "T-1.diff"] = DIFF + DIFF.replace("a.py", "b.py")
    async with console(desk) as visit:
        page = await visit.get("/task/T-1/kept/T-1.diff")
        assert 'href="#f2"><code>b.py</code>' in page.text and "2 files" in text_of(page.text)
        assert 'href="/task/T-1/kept/T-1.2-1.patch"' in page.text and "T-1.2, attempt 1" in page.text
        plain = await visit.get("/task/T-1/kept/T-1.diff?plain")
        assert plain.text == desk.texts[TASK, "T-1.diff"] and plain.headers["content-type"].startswith("text/plain")
        assert plain.headers["x-content-type-options"] == "nosniff"
        assert (await visit.get("/task/T-1/kept/T-1.diff?plain=2")).text == DIFF.replace("a.py", "b.py")


def merge_card(task: Task) -> Card:
    return replace(plan_card(task, f"{task.id} is ready to merge", "merge"), footer="To decide: an approver.")


async def test_comments_on_lines_are_one_press_with_path_and_line(desk: ScriptedDesk) -> None:
    need = desk.ask(desk.open_tasks[TASK], merge_card(desk.open_tasks[TASK]))
    async with console(desk) as visit:
        page = await visit.get("/task/T-1/kept/T-1.diff")
        assert "T-1 is ready to merge" in page.text and "To decide: an approver." in page.text
        sent = await visit.client.post(
            "/task/T-1/kept/T-1.diff",
            data={
                **form_of(need, visit.csrf),
                "words": "Nearly.",
                "file": ["1", "1", "1"],
                "line": ["1", "L1", "7"],
                "note": ["say hi", "this was fine", "  "],
            },
        )
        assert sent.status_code == 303 and sent.headers["location"].startswith("/task/T-1/kept/T-1.diff?pressed=")
        assert "Your choice was taken" in (await visit.get(sent.headers["location"])).text
    [pressed] = [each for each in desk.heard if isinstance(each, Pressed)]
    assert pressed.words == "Nearly.\na.py:1: say hi\na.py:1 (as it was): this was fine"
    assert "script" not in pressed.words, "a repository's text never passes for a person's words"


@pytest.mark.parametrize(
    ("file", "line", "told"),
    [
        ("9", "1", "a file that this diff does not have"),
        ("x", "1", "a file that this diff does not have"),
        ("1", "99", "does not show line 99 of a.py"),
        ("1", "", "does not show line (none) of a.py"),
        ("1", "<b>", "does not show line &lt;b&gt; of a.py"),
    ],
)
async def test_a_comment_on_no_line_gives_the_words_back(desk: ScriptedDesk, file: str, line: str, told: str) -> None:
    need = desk.ask(desk.open_tasks[TASK], merge_card(desk.open_tasks[TASK]))
    async with console(desk) as visit:
        await visit.get("/needs")
        form = {**form_of(need, visit.csrf), "words": "Nearly.", "file": file, "line": line, "note": "my comment"}
        again = await visit.client.post("/task/T-1/kept/T-1.diff", data=form)
    assert again.status_code == 400 and told in again.text
    assert "Nearly.\nline" in again.text and "my comment" in again.text and 'action="/press"' in again.text
    assert desk.heard == []


async def test_a_press_that_comes_too_late_gives_the_words_back(desk: ScriptedDesk) -> None:
    need = desk.ask(desk.open_tasks[TASK], merge_card(desk.open_tasks[TASK]))
    desk.asked.clear()
    async with console(desk) as visit:
        assert 'id="review"' not in (await visit.get("/task/T-1/kept/T-1.diff")).text, "nothing is to be decided"
        form = {**form_of(need, visit.csrf), "words": "Nearly.", "file": "1", "line": "1", "note": "say hi"}
        told = await visit.client.post("/task/T-1/kept/T-1.diff", data=form)
    assert "already decided" in told.text and "a.py:1: say hi" in told.text


async def test_words_that_are_too_long_are_never_cut_in_silence(desk: ScriptedDesk) -> None:
    need = desk.ask(desk.open_tasks[TASK], merge_card(desk.open_tasks[TASK]))
    async with console(desk) as visit:
        await visit.get("/needs")
        form = {**form_of(need, visit.csrf), "words": "x" * 19_990, "file": "1", "line": "1", "note": "y" * 20}
        again = await visit.client.post("/task/T-1/kept/T-1.diff", data=form)
    assert again.status_code == 400 and "can have 20,000" in again.text and desk.heard == []


def form_of(need: Need, csrf: str) -> dict[str, str]:
    """What the page's form carries besides what a person writes."""
    return {
        "csrf": csrf,
        "nonce": "a-number-of-a-form",
        "thread": need.task.request.thread,
        "channel": need.task.request.channel,
        "shown": need.card.fingerprint,
        "task": need.task.id,
        "back": "/task/T-1/kept/T-1.diff",
        "token": need.card.buttons[1].choice.token,
    }
