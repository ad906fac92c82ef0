"""Figures against a count by hand of the same rows."""

from datetime import timedelta

import pytest
from hypothesis import given, strategies as st

from agents.domain.ids import TaskId
from agents.domain.metrics.figures import Figures, Metrics, OfTasks, OfWorkflow, TaskEnd, measure
from agents.domain.metrics.run_row import PLANNING, REVIEWING, Run
from agents.domain.workflow.roles import EngineName
from tests.domain.metrics.rows import AT, run

CLAUDE, CODEX = "Claude Code 2.1.197, bubblewrap", "Codex, bubblewrap"
# T-1: planned, done at the second attempt by Claude, reviewed. T-2: done at once by Codex, taken over. T-3: under way.
ROWS = (
    run(1, step="plan", subtask=0, role="planner", engine="", model="p", task_type="", cost=0.2, seconds=40.0),
    run(1, engine=CLAUDE, model="c", success=False, cost=0.3, seconds=100.0, error="LOGIC"),
    run(1, engine=CLAUDE, model="c", attempt=2, retries=1, cost=0.5, seconds=60.0, timestamp=AT + timedelta(days=1)),
    run(1, step="review", attempt=2, role="critic", engine="", model="p", cost=0.02, seconds=5.0),
    run(2, engine=CODEX, model="o", cost=0.1, seconds=20.0, workflow="mvp"),
    run(3, engine=CODEX, model="o", success=None, cost=0.4, seconds=7.0, workflow="mvp"),
    run(9, cost=99.0, timestamp=AT - timedelta(days=31)),  # before the while that is looked at
)
ENDS = (
    TaskEnd(task=TaskId("T-1"), merged=True, ended=True, hours=3.0),
    TaskEnd(task=TaskId("T-2"), merged=True, ended=True, by_hand=True, hours=5.0),
    TaskEnd(task=TaskId("T-3")),
)


def measured(rows: tuple[Run, ...] = ROWS, ends: tuple[TaskEnd, ...] = ENDS) -> Metrics:
    return measure(rows, ends, AT - timedelta(days=30), AT + timedelta(days=2))


def test_each_role_is_counted() -> None:
    roles = {each.role: each.figures for each in measured().roles}
    assert list(roles) == ["critic", "implementer", "planner"]
    assert roles["implementer"] == Figures(
        runs=4, judged=3, well=2, tasks=3, retries=1, success=2 / 3, seconds=60.0, cost=0.3, tokens=1000,
        retry_rate=1 / 3,
    )  # fmt: skip
    assert roles["planner"].success == 1.0 and roles["critic"].seconds == 5.0


def test_engines_are_compared_at_the_same_kind_of_work_and_the_best_is_marked() -> None:
    kinds = {(each.kind, each.engine, each.model): each for each in measured().kinds}
    claude, codex = kinds["fix", EngineName.CLAUDE, "c"], kinds["fix", EngineName.CODEX, "o"]
    assert (claude.figures.success, codex.figures.success) == (0.5, 1.0)
    assert claude.score == pytest.approx(0.7 * 0.5 + 0.3 * 0)  # it was the dearest
    assert codex.score == pytest.approx(0.7 + 0.3 * (1 - 0.1 / 0.4))
    assert codex.best and not claude.best
    alone = [each for each in kinds.values() if each.kind in (PLANNING, REVIEWING)]
    assert len(alone) == 2 and not any(each.best for each in alone), "nothing to compare them with"


def test_an_engine_stands_once_for_a_model_whoever_asked_it() -> None:
    rows = (
        run(1, engine=CODEX, model="openai/gpt-5.4"),
        run(2, engine=CODEX, model="gpt-5.4"),
        run(3, step="review", engine="", model="codex-cli/gpt-5.4", task_type=""),
        run(4, model="openai/gpt-5.4"),
    )
    found = {(each.kind, each.engine, each.model): each.figures.runs for each in measured(rows, ()).kinds}
    assert found == {
        ("fix", EngineName.BUILTIN, "openai/gpt-5.4"): 1,
        ("fix", EngineName.CODEX, "gpt-5.4"): 2,
        (REVIEWING, EngineName.CODEX, "gpt-5.4"): 1,
    }


def test_workflows_and_tasks_are_counted() -> None:
    found = measured()
    assert found.workflows == (
        OfWorkflow(workflow="mvp", tasks=2, success=1.0, steps=1.0, retry_rate=0.0),
        OfWorkflow(workflow="simple", tasks=1, success=1.0, steps=4.0, retry_rate=1.0),
    )
    assert found.tasks == OfTasks(
        tasks=3, merged=2, autonomous=1, autonomy=0.5, cycle_hours=4.0, cost_of_merged=1.12 / 2,
        sent_back=1 / 3,
    )  # fmt: skip


def test_days_have_what_was_spent_on_them() -> None:
    first, second = measured().days
    assert (first.runs, first.judged, first.well) == (5, 4, 3)
    assert first.cost == pytest.approx(1.02) and second.cost == 0.5


def test_of_nothing_there_is_nothing() -> None:
    found = measured((), ())
    assert not (found.roles or found.kinds or found.workflows or found.days)
    assert found.tasks.autonomy is None and found.tasks.sent_back is None


@given(st.lists(st.tuples(st.sampled_from([True, False, None]), st.floats(0, 9), st.integers(1, 4)), max_size=20))
def test_nothing_is_counted_twice_or_lost(drawn: list[tuple[bool | None, float, int]]) -> None:
    rows = tuple(run(task, success=success, cost=cost) for success, cost, task in drawn)
    found = measured(rows, ())
    assert sum(each.figures.runs for each in found.roles) == len(rows) == sum(day.runs for day in found.days)
    assert sum(each.figures.judged for each in found.kinds) == sum(success is not None for success, *_ in drawn)
    assert all(0 <= each.score <= 1 + 1e-9 for each in found.kinds)


@pytest.mark.parametrize(
    ("of", "engine"),
    [
        (run(engine="built-in, bubblewrap"), EngineName.BUILTIN),
        (run(engine="Claude Code 2.1.197, bubblewrap"), EngineName.CLAUDE),
        (run(engine="Gemini CLI, no sandbox yet"), EngineName.GEMINI),
        (run(engine="", model="codex-cli/gpt-5.4"), EngineName.CODEX),
        (run(engine="", model="other-cli/gpt-5.4"), EngineName.BUILTIN),
        (run(engine="", model="anthropic/claude-sonnet-5"), EngineName.BUILTIN),
    ],
)
def test_a_row_says_what_it_ran_on(of: Run, engine: EngineName) -> None:
    assert of.ran_on is engine


def test_a_run_is_named_by_what_it_was_for() -> None:
    assert run(subtask=2, attempt=1).name == "T-1.2-1 implement"
    assert run(subtask=0, step="plan_review", attempt=2).name == "T-1 plan review 2"
