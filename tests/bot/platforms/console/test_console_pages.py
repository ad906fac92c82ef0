"""What the pages say, read as a browser without scripts reads them."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from agents.domain.errors import OverlordError
from agents.domain.ids import Account, TaskId, Thread
from agents.domain.metrics.run_row import Run
from agents.domain.task.task import TaskState
from agents.domain.work.outcome import Implementation, Made, ReviewStatus, Status, WorkerOutcome
from bot.cards.opening import Opening
from bot.cards.replies import QueueStatus
from bot.messages import Button, Card, Choice, Graph, Node, Row, Said, Style, Tone
from bot.platforms.console.rendering import ICONS, TONES, ago, cut
from bot.queries.query_api import MESSAGES_SHOWN
from store.streams.projections import EvaluationResult
from tests.fakes.console import console, text_of
from tests.fakes.desk import START, ScriptedDesk, plan_card

ANA, BEN = Account("console:ana"), Account("console:ben")
HERE = Thread("console:general:here")
NASTY = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7*7 }}"


def desk_with(*cards: Card) -> ScriptedDesk:
    desk = ScriptedDesk()
    desk.write(HERE, "console:general", ANA, "add login")
    for card in cards:
        desk.post(HERE, card)
    return desk


def test_every_state_has_its_drawing_and_every_tone_its_word() -> None:
    assert ICONS.keys() == set(TaskState)
    assert TONES.keys() == set(Tone)


async def test_the_whole_walk_without_scripts() -> None:
    async with console() as visit:
        home = await visit.get("/")
        assert home.headers["location"] == "/c/general"
        sent = await visit.say("@overlord add login")
        thread = await visit.get(sent.headers["location"])
        assert "Plan for T-1: two subtasks" in thread.text
        assert 'aria-label="seen"' in thread.text
        fields = dict(re.findall(r'name="(thread|channel|message|shown|task|back)" value="([^"]*)"', thread.text))
        asks = re.search(r'value="([^"]+)" data-press data-asks', thread.text)
        assert asks
        form = await visit.post("/ask", token=asks[1], **fields)
        assert "What should change?" in form.text
        answered = await visit.post("/press", token=asks[1], words="smaller, please", **fields)
        after = await visit.get(answered.headers["location"])
        assert "T-1: change by Ana" in after.text
        assert "smaller, please" in after.text
        assert "Approve plan" not in after.text


async def test_an_empty_channel_offers_something_to_try() -> None:
    async with console(opening=Opening(suggestions=("add a health check", "@overlord explain the build"))) as visit:
        page = await visit.get("/c/general")
        assert 'data-fill="@overlord add a health check"' in page.text
        assert 'data-fill="@overlord explain the build"' in page.text
        assert ">@overlord </textarea>" in page.text
        filled = await visit.get("/c/general?try=2")
        assert ">@overlord explain the build</textarea>" in filled.text, "it fills the box without scripts too"
        for other in ("0", "3", "x", "<b>"):
            assert ">@overlord </textarea>" in (await visit.get(f"/c/general?try={other}")).text
        direct = await visit.get("/direct")
        assert 'data-fill="add a health check"' in direct.text
        assert visit.desk.heard == [], "nothing is sent before a person sends it"


async def test_the_first_page_says_what_the_sample_is_and_what_is_missing() -> None:
    desk = desk_with(Card(title="Card"))
    offered = Opening()
    offered.fill(sample="/home/ana/.overlord/sample", offers=("count links",), rehearses=True)
    async with console(desk, opening=offered, channels=("general", "empty")) as visit:
        empty = text_of((await visit.get("/c/empty")).text)
        assert "shortlinks, a small Python program" in empty and "/home/ana/.overlord/sample" in empty
        assert "count links" in empty and "No model is set up, so a script plays" in empty
        assert "More to try on the sample" in (await visit.get("/c/general")).text
    offered.fill(sample="", offers=("count links",), rehearses=True)
    async with console(desk, opening=offered, channels=("general", "empty")) as visit:
        for path in ("/c/empty", "/c/general"):
            said = text_of((await visit.get(path)).text)
            assert "nothing can be planned for your projects yet" in said and "count links" not in said
    offered.fill(sample="", offers=(), rehearses=False)
    assert (offered.about, offered.notice) == ("", "") and offered.suggestions


async def test_a_channel_shows_the_end_of_each_thread() -> None:
    desk = desk_with(*(Card(title=f"Card {n}") for n in range(6)))
    async with console(desk) as visit:
        page = await visit.get("/c/general")
        assert "3 earlier replies" in page.text
        assert "Card 2" not in page.text
        assert "Card 5" in page.text
        assert "6 replies" in text_of(page.text)


async def test_a_long_thread_says_what_it_leaves_out_and_shows_it_when_asked() -> None:
    desk = desk_with(*(Card(title=f"Card {n}.") for n in range(MESSAGES_SHOWN + 2)))
    async with console(desk) as visit:
        page = await visit.get(f"/thread/{HERE}")
        assert "add login" in page.text and "Card 1." not in page.text and "Card 2." in page.text
        assert (
            page.text.index("add login")
            < page.text.index("2 earlier messages are not shown")
            < page.text.index("Card 2.")
        )
        assert f'href="/thread/{HERE}?all"' in page.text
        whole = await visit.get(f"/thread/{HERE}?all")
        assert "Card 1." in whole.text and "not shown" not in whole.text


async def test_needs_me_counts_and_is_pleasant_when_empty() -> None:
    async with console() as visit:
        assert "Nothing needs you" in (await visit.get("/needs")).text
        await visit.say("@overlord add login")
        page = await visit.get("/needs")
        assert "1 decision waits for you" in page.text
        assert "(1) For you" in page.text
        assert 'name="message" value=""' in page.text
        assert 'name="shown" value="print-' in page.text


async def test_a_refused_press_on_needs_me_is_answered_there() -> None:
    async with console() as visit:
        await visit.say("@overlord add login")
        need = next(iter(visit.desk.asked.values()))
        token = Choice(decision=need.decision.id, letter="a").token
        fields = {"thread": need.task.request.thread, "token": token, "back": "/needs"}
        await visit.post("/press", **fields)
        second = await visit.post("/press", **fields)
        assert "already decided by Ana" in text_of(second.text)
        later = await visit.get(f"/needs?pressed={need.task.request.thread}&since=2026-01-01T00:00:00Z")
        assert "already decided by Ana" in text_of(later.text)
        assert "Only you see this" in later.text


async def test_private_words_are_marked_and_shown_to_one() -> None:
    desk = desk_with()
    desk.post(HERE, Card(title="For Ana alone"), to=ANA)
    desk.post(HERE, Card(title="For Ben alone"), to=BEN)
    async with console(desk) as visit:
        page = await visit.get(f"/thread/{HERE}")
        assert "For Ana alone" in page.text
        assert "For Ben alone" not in page.text
        assert page.text.count("Only you see this") == 1


async def test_tasks_are_listed_with_words_for_their_state() -> None:
    async with console() as visit:
        await visit.say("@overlord add login")
        said = text_of((await visit.get("/tasks")).text)
        assert "T-1 add login" in said
        assert "Waiting for approval" in said
        assert "Project shop" in said
        assert "Owner Ana" in said


async def test_a_task_tells_its_story() -> None:
    async with console() as visit:
        await visit.say("@overlord add login")
        page = await visit.get("/task/T-1")
        said = text_of(page.text)
        assert "Asked for: add login" in said
        assert re.search(r"v1 · [\w-]{8} ", said)
        assert "Waiting for a decision" in said
        assert f'href="/thread/{visit.desk.heard[0].thread}"' in page.text


async def test_a_task_says_how_each_attempt_was_checked() -> None:
    desk = ScriptedDesk()
    scores: Any = {"test_score": "pass", "lint_score": "", "review_score": NASTY, "overall": "needs_revision"}
    judged = EvaluationResult(
        task=TaskId("T-1"),
        subtask=2,
        pr_number=0,
        repo="shop",
        feedback=NASTY,
        revision_number=1,
        timestamp=START,
        **scores,
    )
    desk.evaluations = (judged,)
    async with console(desk) as visit:
        await visit.say("@overlord add login")
        page = await visit.get("/task/T-1")
        assert "T-1.2, attempt 2 needs another try tests: passed lint: not run" in text_of(page.text)
        assert NASTY not in page.text


async def test_the_tasks_page_has_a_button_that_pauses_and_resumes_the_queue() -> None:
    desk = ScriptedDesk()
    async with console(desk) as visit:
        page = await visit.get("/tasks")
        assert "The queue runs; 0 waiting" in text_of(page.text) and 'value="pause the queue"' in page.text
        desk.queue_status = QueueStatus(paused_by=NASTY, paused_at=START, waiting=(TaskId("T-1"),))
        page = await visit.get("/tasks")
        assert "The queue is paused by" in text_of(page.text) and 'value="resume the queue"' in page.text
        assert NASTY not in page.text
        direct = re.search(r'name="channel" value="(@[^"]+)"', page.text)
        assert direct
        await visit.post("/say", channel=direct[1], text="resume the queue", nonce="n" * 16)
        (said,) = desk.heard
        assert isinstance(said, Said) and said.direct and said.text == "resume the queue"


RUN = Run(
    task=TaskId("T-1"), step="implement", subtask=2, attempt=2, role=NASTY, engine="", model=NASTY, task_type="",
    workflow="default", success=False, retries=1, calls=9, tokens_in=1200, tokens_out=34, cached_tokens=0,
    cost=0.125, seconds=61.4, error="cli_error", timestamp=START,
)  # fmt: skip


async def test_a_task_lists_its_runs() -> None:
    desk = ScriptedDesk()
    planned = replace(RUN, step="plan", subtask=0, attempt=1, role="planner", success=True, retries=0, error="")
    desk.listed_runs = (planned, RUN)
    async with console(desk) as visit:
        await visit.say("@overlord add login")
        page = await visit.get("/task/T-1")
        said = text_of(page.text)
        assert "T-1 plan 1 planner" in said and "well 0 61 s 1,234 $0.12" in said
        assert "T-1.2-2 implement" in said and "failed (cli error) 1 61 s 1,234 $0.12" in said
        assert NASTY not in page.text


async def test_a_task_says_what_came_of_each_run() -> None:
    desk = ScriptedDesk()
    desk.outcomes = (
        WorkerOutcome(
            run="T-1.1-1",
            worker="minion",
            status=Status.NEEDS_REVISION,
            action_taken=NASTY,
            files_modified=("a.py", "b.py"),
            next_step=f"Another attempt {NASTY}",
            implementation=Implementation(status=Made.PARTIAL, files_created=("a.py",), files_modified=("b.py",)),
        ),
        WorkerOutcome(
            run="T-1.1-1",
            worker=NASTY,
            status=Status.SUCCESS,
            action_taken="Read the changes",
            review_status=ReviewStatus.APPROVED,
        ),
    )
    async with console(desk) as visit:
        await visit.say("@overlord add login")
        page = await visit.get("/task/T-1")
        said = text_of(page.text)
        assert "What came of each attempt" in said and "T-1.1, attempt 1" in said
        assert "1 file new, 1 changed" in said and "approves Next: Another attempt" in said
        assert NASTY not in page.text and "SUCCESS" not in page.text and "NEEDS_REVISION" not in page.text


async def test_a_task_is_read_from_what_is_asked_to_what_happened() -> None:
    desk = ScriptedDesk()
    desk.workflow = Graph(nodes=(Node(id="pre_commit_type_check", label="a check", column=0),), arrows=(), text="w: a")
    desk.outcomes = (WorkerOutcome(run="T-1.1-1", worker="minion", status=Status.BLOCKED, action_taken="Gave up"),)
    desk.listed_runs = (RUN,)
    async with console(desk) as visit:
        await visit.say("@overlord add login")
        page = await visit.get("/task/T-1")
        titles = re.findall(
            r"<(?:h2|summary)[^>]*>([^<]+)</(?:h2|summary)>", page.text.partition("<main")[2].partition("</main")[0]
        )
        assert titles == [
            "Where it stands",
            "Waiting for a decision",
            "What came of each attempt",
            "How it goes, and where its subtasks are",
            "Models, time and cost of 1 run",
            "What happened",
        ]
        assert re.search(r"<details[^>]*>\s*<summary>Models, time", page.text), "what few ask for is folded"


@pytest.mark.parametrize("path", ["/c/nowhere", "/thread/console:general:none", "/task/T-99", "/nothing"])
async def test_what_is_not_there_is_said_kindly(path: str) -> None:
    async with console() as visit:
        page = await visit.get(path)
        assert page.status_code == 404
        assert "Go to the first channel" in page.text


async def test_nothing_people_or_models_write_becomes_markup() -> None:
    choice = plan_card(desk_with().open_task(HERE, "anything")).buttons[0].choice
    card = Card(
        title=NASTY,
        text=NASTY,
        rows=(Row(label=NASTY, value=NASTY),),
        lines=(NASTY,),
        footer=NASTY,
        until=START,
        until_what=NASTY,
        buttons=(Button(label=NASTY, choice=choice, asks=NASTY, confirm=NASTY),),
        more=(Button(label=NASTY, choice=choice, style=Style.DANGER),),
    )
    desk = desk_with(card)
    desk.write(HERE, "console:general", BEN, NASTY)
    desk.open_task(HERE, NASTY)
    opening = Opening(suggestions=(NASTY,), about=NASTY, notice=NASTY)
    async with console(desk, opening=opening, channels=("general", "empty")) as visit:
        for path in (f"/thread/{HERE}", "/c/general", "/c/empty", "/needs", "/tasks", "/task/T-1"):
            html = (await visit.get(path)).text
            assert "<script>" not in html
            assert "<img" not in html
            assert ">49<" not in html


async def test_addresses_in_text_stay_text() -> None:
    async with console(desk_with(Card(title="See https://example.com", text="https://example.com/x"))) as visit:
        page = await visit.get(f"/thread/{HERE}")
        assert "https://example.com/x" in page.text
        assert 'href="https' not in page.text


async def test_times_are_given_to_machines_and_in_utc_to_people() -> None:
    card = Card(title="Clock", rows=(Row(label="Due", at=START),), until=START, until_what="Ends")
    async with console(desk_with(card)) as visit:
        page = await visit.get(f"/thread/{HERE}")
        assert '<time datetime="2026-03-02T09:30:00Z" data-moment>2026-03-02 09:30 UTC</time>' in page.text
        assert 'data-until="2026-03-02T09:30:00Z"' in page.text


async def test_long_things_are_cut_with_a_count() -> None:
    card = Card(title="Long", text="word " * 2_000, lines=tuple(f"line {n}" for n in range(40)))
    async with console(desk_with(card)) as visit:
        page = await visit.get(f"/thread/{HERE}")
        assert "(28 more lines)" in page.text
        assert re.search(r"\([\d,]{5} more characters\)", page.text)
        assert page.text.count("word") >= 2_000


def test_a_cut_falls_between_words() -> None:
    shown, rest = cut("word " * 100, 52)
    assert shown.endswith("word")
    assert (shown + rest) == "word " * 100
    assert cut("short", 52) == ("short", "")
    assert cut("x" * 200, 50) == ("x" * 50, "x" * 150)


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=-5), "0 s"),
        (timedelta(seconds=59), "59 s"),
        (timedelta(minutes=3), "3 min"),
        (timedelta(hours=23, minutes=59), "23 h"),
        (timedelta(days=40), "40 d"),
    ],
)
def test_ages_in_words(passed: timedelta, words: str) -> None:
    assert ago(START, START + passed) == words


async def test_a_task_of_another_platform_is_decided_here_and_talked_about_there() -> None:
    desk = ScriptedDesk()
    there = Thread("slack:C1:17.0")
    desk.write(there, "slack:C1", Account("slack:T1:U1"), "add login")
    task = desk.open_task(there, "add login")
    desk.ask(task, plan_card(task))
    async with console(desk) as visit:
        for path in (f"/task/{task.id}", "/needs", f"/needs?pressed={there}&since=2026-03-02"):
            page = await visit.get(path)
            assert 'name="message" value=""' in page.text
            assert "/thread/" not in page.text, "there is no such page"


async def test_a_desk_in_trouble_says_so() -> None:
    async with console(TroubledDesk()) as visit:
        page = await visit.get("/tasks")
        assert page.status_code == 503
        assert "The database is locked" in page.text
        assert "Wait a moment." in page.text


class TroubledDesk(ScriptedDesk):
    async def count_needs(self, viewer: Account) -> int:
        raise OverlordError("The database is locked", next_step="Wait a moment.")


async def test_only_ones_own_messages_can_be_changed() -> None:
    desk = desk_with()
    desk.write(HERE, "console:general", BEN, "from Ben")
    async with console(desk) as visit:
        page = await visit.get(f"/thread/{HERE}")
        assert page.text.count('action="/edit"') == 1
