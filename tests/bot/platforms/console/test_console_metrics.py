"""The page of metrics: its tables with the best marked, its charts, and how far it looks back."""

import re
from dataclasses import replace
from datetime import timedelta

from agents.domain.metrics.figures import measure
from agents.domain.workflow.roles import EngineName
from bot.platforms.console.charts import TALL, TOP, WIDE, day_charts
from bot.queries.metrics_queries import EngineChoice
from tests.domain.metrics.rows import AT, run
from tests.domain.metrics.test_figures import measured
from tests.fakes.console import console, text_of
from tests.fakes.desk import ScriptedDesk


async def test_the_page_shows_what_was_counted_and_marks_the_best() -> None:
    desk = ScriptedDesk()
    desk.measured = measured()
    async with console(desk) as visit:
        raw = (await visit.get("/figures")).text
    page = text_of(raw)
    for words in ("67%", "3 of 4", "60 s", "$0.300", "0.3 a task", "50% merged with no work of a person", "4.0 h from"):
        assert words in page, words
    assert re.findall(r'class="number best">([^<]+)<', raw) == ["100% of 1 ✓ best"]
    assert "Claude Code, c" in page and "Codex, o" in page
    assert raw.count('class="bar well"') == 2 and raw.count('class="bar failed"') == 1
    assert '<a class="quiet" href="/figures" aria-current="page">' in raw


async def test_it_looks_back_as_far_as_it_is_asked() -> None:
    async with console(ScriptedDesk()) as visit:
        pages = [text_of((await visit.get(f"/figures{asked}")).text) for asked in ("", "?last=7d", "?last=many")]
    assert ["last 30 days" in pages[0], "last 7 days" in pages[1], "last 30 days" in pages[2]] == [True] * 3
    assert "Nothing has run yet." in pages[0]


def test_charts_stay_within_their_frame_and_end_today() -> None:
    rows = [run(at, timestamp=AT - timedelta(days=at * 3), cost=at, success=at % 2 == 0) for at in range(60)]
    found = measure(rows, (), AT - timedelta(days=365), AT)
    for chart in day_charts(found):
        assert all(column.x >= 0 and column.x + column.width <= WIDE + 4 for column in chart.columns)
        assert all(column.y >= TOP - 1e-6 and column.y + column.height <= TALL + TOP + 1e-6 for column in chart.columns)
        assert len(chart.ticks) <= 8
    assert (
        max(column.said for column in day_charts(found)[0].columns if column.x > WIDE - 8) == "1 Mar: 1 well, 0 failed"
    )


async def test_an_engine_that_was_chosen_is_shown_with_why_and_can_be_taken_back() -> None:
    desk = ScriptedDesk()
    chosen = EngineChoice(
        role="implementer",
        written=EngineName.BUILTIN,
        engine=EngineName.CODEX,
        at=AT,
        undone=False,
        why="Codex scored 0.63 over 20 runs",
    )
    desk.choices = (chosen, replace(chosen, role="trader", undone=True))
    async with console(desk) as visit:
        raw = (await visit.get("/figures")).text
    page = text_of(raw)
    assert "Codex instead of built-in" in page and "Codex scored 0.63 over 20 runs" in page
    assert "runs on what is written for it (built-in); Codex was taken back" in page
    assert "Undo for implementer" in page and "Choose again for trader" in page
    assert raw.count('<input type="hidden" name="part0" value="engines">') == 2
