"""The map of phases and subtasks on a task's page: in a real browser, wide and on a phone."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import expect

from agents.domain.planning.decomposition import PlanPhase, with_closing
from agents.domain.task.task import Task, TaskState
from agents.domain.work.work import SubtaskState as S, Work
from bot.cards.planning.phase_map import map_of
from tests.browser.judge import ask_judge
from tests.browser.window import ANA, DESKTOP, GENERAL, HERE, PHONE, Window
from tests.builders.decompositions import plan, subtask

pytestmark = pytest.mark.asyncio(loop_scope="session")
STATES = (S.DONE, S.CANCELLED, S.RUNNING, S.NEEDS_HUMAN, S.PENDING, S.PENDING)


def at_work(task: Task) -> Task:
    parts = (subtask(n, phase=1 + (n > 2) + (n > 4), title=f"Part {n} of what people asked for") for n in range(1, 6))
    phases = (PlanPhase(number=1, title="Interfaces"), PlanPhase(number=2, title="Parts"), PlanPhase(number=3))
    draft = with_closing(replace(plan(*parts), phases=phases))
    works = tuple(Work(number=number, state=state) for number, state in enumerate(STATES, 1))
    return replace(task, plan=replace(task.plan, draft=draft), work=replace(task.work, subtasks=works, branch="ai/t-1"))


async def test_each_phase_holds_its_subtasks_and_says_in_words_how_they_stand(window: Window) -> None:
    window.desk.write(HERE, GENERAL, ANA, "add login")
    task = window.desk.open_task(HERE, "add login", state=TaskState.RUNNING)
    window.desk.open_tasks[task.id] = at_work(task)
    await window.page.emulate_media(reduced_motion="reduce")
    await window.go("/task/T-1")
    rows = window.page.locator(".map > li")
    await expect(rows).to_have_count(3)
    await expect(rows.nth(0)).to_contain_text("Phase 1 Interfaces ✓ done, 2 of 2 · T1-PH1")
    await expect(rows.nth(1)).to_contain_text("needs you")
    assert await ask_judge(window.page, "structure") == []
    for size in (DESKTOP, PHONE):
        await window.page.set_viewport_size(size)
        for question in ("names", "contrast", "overflow", "targets"):
            assert await ask_judge(window.page, question) == [], (question, size)
        if folder := os.environ.get("OVERLORD_PICTURES"):
            await window.page.screenshot(path=Path(folder) / f"map-{size['width']}.png", full_page=True)


async def test_one_phase_alone_has_no_map(window: Window) -> None:
    window.desk.write(HERE, GENERAL, ANA, "add login")
    task = at_work(window.desk.open_task(HERE, "add login", state=TaskState.RUNNING))
    assert task.plan.draft
    flat = tuple(replace(each, phase=1) for each in task.plan.draft.subtasks)
    assert map_of(replace(task, plan=replace(task.plan, draft=replace(task.plan.draft, subtasks=flat)))) == ()
    assert [place.words for place in map_of(task)[1].subtasks] == ["running", "needs you"]
