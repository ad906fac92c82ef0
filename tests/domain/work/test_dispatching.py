"""Which subtasks start when: what they wait for is done, and nobody else writes their files."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from agents.domain import events as e
from agents.domain.checks.evaluation import Checked, CodeReview, Evaluation, Opinion, RiskLevel, Score
from agents.domain.checks.risk import Risk
from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import Moment
from agents.domain.decisions.subject import OfStep
from agents.domain.decisions.table import open_questions
from agents.domain.ids import PersonId, TaskId, Thread
from agents.domain.limits import Limits
from agents.domain.planning.decomposition import Decomposition, Need, Subtask, with_closing
from agents.domain.planning.facts import PlanState
from agents.domain.planning.work_kind import WorkKind
from agents.domain.task.facts import Request
from agents.domain.task.fold import evolve
from agents.domain.task.task import Task, TaskState
from agents.domain.work import dispatching, stepping, working
from agents.domain.work.dispatching import about_run
from agents.domain.work.stepping import StepResult
from agents.domain.work.work import SubtaskState, Work, WorkState, phase_state
from agents.domain.workflow.workflow import DEFAULT

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
MOMENT = Moment(at=AT, cause="test")
NAMES = ("a.py", "b.py", "src/c.py", "src/", "src/*.py", "docs/d.md")


def start(task: Task, most: int = Limits().side_by_side) -> list[e.Event]:
    moment = replace(MOMENT, limits=replace(MOMENT.limits, side_by_side=most))
    return open_questions(task, dispatching.start_next(task, moment), moment)


def at_work(*subtasks: Subtask) -> Task:
    plan = with_closing(Decomposition(goal="It works", subtasks=subtasks))
    return Task(
        id=TaskId("T-1"),
        changed_at=AT,
        state=TaskState.RUNNING,
        project="shop",
        request=Request(
            text="make it work",
            by=PersonId("ana"),
            thread=Thread("console:general:1"),
            channel="console:general",
            at=AT,
        ),
        plan=PlanState(draft=plan),
        work=WorkState(branch="ai/t-1-it-works", subtasks=tuple(Work(number=s.number) for s in plan.subtasks)),
    )


def subtask(number: int, *needs: int, files: tuple[str, ...] = ("a.py",), **more: object) -> Subtask:
    made = Subtask(number=number, title=f"Step {number}", why="so", kind=WorkKind.FEATURE, files=files, test="it")
    return replace(made, needs=tuple(Need(number=each) for each in needs), **more)  # type: ignore[arg-type]


def played(task: Task, *facts: e.Event) -> Task:
    for fact in facts:
        task = evolve(task, fact)
    return task


def done(task: Task, number: int) -> Task:
    """What a run that goes well records."""
    about = {"task": task.id, "at": AT, "subtask": number, "attempt": 1}
    evaluation = Evaluation(subtask=number, attempt=1, commit="c", tree="t", overall=Score.PASS)
    return played(
        task,
        e.WorkHandedIn(**about, commit="c", summary=""),  # type: ignore[arg-type]
        e.WorkEvaluated(**about, evaluation=evaluation, risk=RiskLevel.LOW),  # type: ignore[arg-type]
        e.GatePassed(**about),  # type: ignore[arg-type]
        e.SubtaskDone(**about, commit="c"),  # type: ignore[arg-type]
    )


@st.composite
def plans(draw: st.DrawFn) -> Task:
    count = draw(st.integers(1, 7))
    made = []
    for number in range(1, count + 1):
        needs = draw(st.sets(st.integers(1, number - 1), max_size=2)) if number > 1 else set[int]()
        files = tuple(draw(st.sets(st.sampled_from(NAMES), max_size=2)))
        made.append(subtask(number, *needs, files=files, kind=WorkKind.FEATURE if files else WorkKind.SPIKE, phase=1))
    return at_work(*made)


@given(plans(), st.randoms())
def test_everything_is_done_once_in_order_and_never_beside_what_it_conflicts_with(task: Task, chance: object) -> None:
    active: list[int] = []
    order: list[int] = []
    while True:
        facts = start(task)
        if [type(fact) for fact in facts] == [e.WorkCompleted]:
            break
        task = played(task, *facts)
        active += [fact.subtask for fact in facts if isinstance(fact, e.SubtaskReady)]
        assert active, "something can always start, or runs"
        assert len(active) <= Limits().first_wave or order
        for one in active:
            assert set(task.plan.draft.blocking()[one]) <= set(order)  # type: ignore[union-attr]
            for other in active:
                assert one == other or not dispatching.conflict(task.plan.subtask(one), task.plan.subtask(other))
        finished = chance.choice(active)  # type: ignore[attr-defined]
        active.remove(finished)
        order.append(finished)
        task = done(task, finished)
    assert sorted(order) == [work.number for work in task.work.subtasks]


@given(plans(), st.integers(1, 3), st.randoms())
def test_no_more_work_side_by_side_than_the_setting_says(task: Task, most: int, chance: object) -> None:
    active: list[int] = []
    while not any(isinstance(fact, e.WorkCompleted) for fact in start(task, most)):
        facts = start(task, most)
        task = played(task, *facts)
        active += [fact.subtask for fact in facts if isinstance(fact, e.SubtaskReady)]
        assert 0 < len(active) <= most, "one too many would be seen here"
        finished = chance.choice(active)  # type: ignore[attr-defined]
        active.remove(finished)
        task = done(task, finished)


def test_unknown_files_conflict_with_everything_but_a_spike_with_nothing() -> None:
    unknown, known, spike = subtask(1, files=()), subtask(2), subtask(3, files=(), kind=WorkKind.SPIKE)
    assert dispatching.conflict(unknown, known) and dispatching.conflict(known, unknown)
    assert not dispatching.conflict(spike, unknown) and not dispatching.conflict(unknown, spike)


def test_of_two_that_write_the_same_file_one_starts() -> None:
    task = at_work(subtask(1), subtask(2), subtask(3, files=("b.py",)))
    assert [work.number for work in dispatching.startable(task, first_wave=9)] == [1, 3]
    assert [work.number for work in dispatching.startable(task, first_wave=1)] == [1]
    assert [work.number for work in dispatching.startable(task, first_wave=9, side_by_side=1)] == [1]


def test_a_folder_and_a_pattern_cover_what_lies_below() -> None:
    for wide in ("src/", "src/*.py", "src/**"):
        assert dispatching.conflict(subtask(1, files=(wide,)), subtask(2, files=("src/c.py",)))
        assert not dispatching.conflict(subtask(1, files=(wide,)), subtask(2, files=("source.py",)))


def test_a_subtask_whose_files_nobody_knows_asks_a_person_with_a_suggestion_once() -> None:
    task = at_work(subtask(1, files=()), subtask(2, 1, files=("src/c.py",)))
    facts = start(task)
    [opened] = facts
    assert isinstance(opened, e.DecisionOpened) and opened.decision.kind is Kind.START_SCOPE
    assert opened.decision.evidence == ("src/**",)
    assert {option.value for option in opened.decision.options} == {"allow", "unrestricted", "paths"}
    assert not dispatching.start_next(played(task, *facts), MOMENT)


def test_the_scope_of_a_subtask_is_its_own_list_and_a_spike_may_write_nothing() -> None:
    task = at_work(subtask(1, files=("a.py",)), subtask(2, files=("src/",)), subtask(3, files=(), kind=WorkKind.SPIKE))
    exact, folder, nothing = (dispatching.scope_of(task, s) for s in task.plan.draft.subtasks[:3])  # type: ignore[union-attr]
    assert exact and exact.mode is ScopeMode.EXPLICIT and exact.refuse("a.py") is None and exact.refuse("b.py")
    assert folder and folder.refuse("src/deep/x.py") is None and folder.refuse("other/x.py")
    assert nothing and nothing.refuse("a.py")


def test_the_whole_may_hold_what_people_allowed_its_parts_beyond_the_plan() -> None:
    task = at_work(subtask(1, files=("a.py",)))
    closing = task.plan.draft.subtasks[-1]  # type: ignore[union-attr]
    wider = Scope(mode=ScopeMode.EXPLICIT, patterns=("a.py", "b.py"))
    for state, refused in ((SubtaskState.DONE, False), (SubtaskState.CANCELLED, True)):
        part = Work(number=1, state=state, scope=wider)
        whole = dispatching.scope_of(
            replace(task, work=replace(task.work, subtasks=(part, *task.work.subtasks[1:]))), closing
        )
        assert whole and bool(whole.refuse("b.py")) is refused and not whole.refuse("a.py") and whole.refuse("c.py")
    part = Work(number=1, state=SubtaskState.DONE, scope=Scope(mode=ScopeMode.UNRESTRICTED))
    whole = dispatching.scope_of(
        replace(task, work=replace(task.work, subtasks=(part, *task.work.subtasks[1:]))), closing
    )
    assert whole and not whole.refuse("c.py") and whole.refuse(".github/workflows/x.yml")


def reviewed(task: Task, evaluation: Evaluation, risk: Risk) -> Sequence[e.Event]:
    """What follows when the last step that looks at a subtask has passed."""
    work = replace(task.work.on(evaluation.subtask), attempt=1, state=SubtaskState.EVALUATING)
    others = (other for other in task.work.subtasks if other.number != work.number)
    works = tuple(sorted((work, *others), key=lambda each: each.number))
    task = replace(task, work=replace(task.work, subtasks=works))
    approved = Checked(reviews=(CodeReview(reviewer="critic", opinion=Opinion.APPROVED),))
    result = StepResult(step=DEFAULT.review, checked=approved, evaluation=evaluation, risk=risk)
    return stepping.after_step(task, work, result, MOMENT)


def test_what_was_found_out_without_a_change_passes_and_what_changed_nothing_else_does_not() -> None:
    task = at_work(subtask(1, files=(), kind=WorkKind.SPIKE), subtask(2))
    unknown = Risk(level=RiskLevel.HIGH, why=("it is not known what changed",))
    for number, asked in ((1, False), (2, True)):
        judged = Evaluation(subtask=number, attempt=1, commit="c", tree="t", overall=Score.PASS)
        facts = reviewed(task, judged, unknown)
        assert any(isinstance(fact, e.DecisionOpened) for fact in facts) is asked
        assert any(isinstance(fact, e.GatePassed) for fact in facts) is not asked
    silent = Evaluation(subtask=1, attempt=1, commit="c", tree="t", overall=Score.PASS, silent=True)
    facts = reviewed(task, silent, unknown)
    assert not any(isinstance(fact, e.GatePassed) for fact in facts), "without a verdict a person looks"


def test_nothing_starts_while_the_task_rests_and_stopped_runs_go_on_with_the_same_attempt() -> None:
    task = at_work(subtask(1), subtask(2, files=("b.py",)))
    task = played(task, *start(task))
    about = {"task": task.id, "at": AT, "subtask": 1, "attempt": 1}
    task = played(
        task,
        e.MinionStarted(**about, branch="ai/t-1.1-step-1", base="b", engine="x"),  # type: ignore[arg-type]
        e.TaskStopped(task=task.id, at=AT, by=task.request.by),
        e.MinionStopped(**about, commit="c"),  # type: ignore[arg-type]
    )
    assert task.work.on(1).state is SubtaskState.PAUSED and not start(task)
    assert dispatching.resume(task, MOMENT) == []
    task = played(task, e.TaskResumed(task=task.id, at=AT, by=task.request.by))
    [again] = dispatching.resume(task, MOMENT)
    assert isinstance(again, e.SubtaskReady) and (again.subtask, again.attempt) == (1, 1)


def test_a_run_that_ends_after_its_task_was_resumed_starts_again_by_itself() -> None:
    task = at_work(subtask(1), subtask(2, files=("b.py",)))
    task = played(task, *start(task))
    facts = working.note_stop(task, task.work.on(1), "c", MOMENT)
    assert [type(fact) for fact in facts] == [e.MinionStopped, e.SubtaskReady]
    task = played(task, *facts)
    assert task.work.on(1).state is SubtaskState.PENDING and task.work.on(1).attempt == 1
    assert not working.note_stop(replace(task, state=TaskState.CANCELLED), task.work.on(1), "c", MOMENT), "it is over"
    at_rest = played(task, e.TaskStopped(task=task.id, at=AT, by=task.request.by))
    assert [type(fact) for fact in working.note_stop(at_rest, task.work.on(1), "c", MOMENT)] == [e.MinionStopped]


def test_what_was_left_out_of_the_plan_never_starts() -> None:
    task = at_work(subtask(1), subtask(2, files=("b.py",)))
    left_out = replace(task.work.subtasks[1], state=SubtaskState.CANCELLED)
    task = replace(task, work=replace(task.work, subtasks=(task.work.subtasks[0], left_out, *task.work.subtasks[2:])))
    assert [work.number for work in dispatching.startable(task, 5)] == [1]


def test_a_subtask_that_calls_itself_the_closing_one_gets_the_scope_that_it_names() -> None:
    task = at_work(subtask(1), subtask(2, 1, files=("b.py",), title="Verify: all of it"), subtask(3, files=()))
    assert dispatching.scope_of(task, task.plan.subtask(2)) == Scope(mode=ScopeMode.EXPLICIT, patterns=("b.py",))
    assert dispatching.scope_of(task, replace(task.plan.subtask(3), title="Verify: it")) is None, "a person is asked"
    assert dispatching.scope_of(task, task.plan.subtask(4)) == Scope(mode=ScopeMode.EXPLICIT, patterns=("a.py", "b.py"))


def test_a_spike_that_writes_conflicts_with_who_writes_the_same() -> None:
    assert dispatching.conflict(subtask(1, kind=WorkKind.SPIKE), subtask(2))
    assert not dispatching.conflict(subtask(1, kind=WorkKind.SPIKE, files=()), subtask(2))


def whole_judged(task: Task, level: RiskLevel, tree: str) -> Decision | None:
    """The gate that is asked for once the closing subtask was judged; None, if it passes by itself."""
    last = task.work.subtasks[-1].number
    about = about_run(task, replace(task.work.on(last), attempt=1), MOMENT.at)
    task = played(task, *start(task), e.WorkHandedIn(**about, commit="c", summary=""))
    evaluation = Evaluation(subtask=last, attempt=1, commit="c", tree=tree, overall=Score.PASS)
    risk = Risk(level=level, why=("many files",))
    facts = reviewed(task, evaluation, risk)
    assert any(isinstance(fact, e.GatePassed) for fact in facts) or isinstance(facts[-1], e.DecisionOpened)
    return next((fact.decision for fact in facts if isinstance(fact, e.DecisionOpened)), None)


def _risk(asked: Decision | None) -> RiskLevel | None:
    return asked.subject.risk if asked and isinstance(asked.subject, OfStep) else None


@pytest.mark.parametrize("level", RiskLevel)
def test_the_whole_waits_at_its_gate_like_any_other_step(level: RiskLevel) -> None:
    asked = whole_judged(done(done(at_work(subtask(1), subtask(2, 1)), 1), 2), level, "both")
    assert _risk(asked) is (None if level is RiskLevel.LOW else level)


@pytest.mark.parametrize("level", RiskLevel)
def test_the_same_change_waits_at_a_gate_of_its_risk_once(level: RiskLevel) -> None:
    """One subtask is all there is: the whole is the tree that its own gate let pass, at low risk here."""
    asked = whole_judged(done(at_work(subtask(1)), 1), level, "t")
    assert _risk(asked) is (None if level is RiskLevel.LOW else level), "only a gate as strict as this one counts"
    medium = done(at_work(subtask(1)), 1)
    medium = replace(
        medium,
        work=replace(
            medium.work, subtasks=(replace(medium.work.subtasks[0], risk=RiskLevel.MEDIUM), medium.work.subtasks[1])
        ),
    )
    assert whole_judged(medium, RiskLevel.MEDIUM, "t") is None
    assert whole_judged(medium, RiskLevel.MEDIUM, "another") and whole_judged(medium, RiskLevel.HIGH, "t")


@pytest.mark.parametrize(
    ("states", "phase"),
    [
        ("pending pending", "pending"),
        ("pending running", "running"),
        ("done pending", "running"),
        ("running needs_human", "needs_human"),
        ("evaluating done", "evaluating"),
        ("paused done", "paused"),
        ("done failed blocked", "done"),
        ("failed blocked", "failed"),
        ("blocked cancelled", "blocked"),
        ("cancelled", "cancelled"),
    ],
)
def test_a_phase_is_what_its_subtasks_come_to(states: str, phase: str) -> None:
    assert phase_state([SubtaskState(state) for state in states.split()]) == phase
