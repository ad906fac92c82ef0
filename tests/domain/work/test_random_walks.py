"""Whole tasks under random workflows with random outcomes: they end, pass the safe steps, and equal their replay."""

from collections import Counter
from dataclasses import replace

from hypothesis import HealthCheck, given, settings, strategies as st

from agents.domain import events as e
from agents.domain.checks.evaluation import Checked, Evaluation, GateRun, RiskLevel, Score
from agents.domain.checks.risk import Risk
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.table import open_questions
from agents.domain.planning.planning import Draft, after_draft
from agents.domain.planning.review import Critic, Custodiet
from agents.domain.task.fold import replay
from agents.domain.task.task import Task
from agents.domain.work import dispatching, stepping
from agents.domain.work.dispatching import about_run
from agents.domain.work.stepping import StepResult
from agents.domain.work.work import SubtaskState, Work
from agents.domain.workflow.steps import RULES, WORKER
from agents.domain.workflow.workflow import DEFAULT, Workflow
from tests.builders.planned import GOOD, Planned
from tests.domain.workflow.test_follow import workflows

MOST = 400  # facts of a walk; the longest that was seen has a quarter of them
LOW = Risk(level=RiskLevel.LOW, why=("few files",))


def begin(workflow: Workflow) -> Planned:
    planned = Planned()
    draft = Draft(says=GOOD, workflow=workflow)
    planned.then(after_draft(planned.task, draft, planned.moment()))
    planned.review(Critic.PROCEED, Custodiet.OK)
    planned.press(Kind.PLAN, "approve")
    moment = planned.moment()
    branch = e.WorkBegun(task=planned.task.id, at=moment.at, branch="ai/t-1", base="b" * 40, into="main")
    task = planned.then([branch])
    planned.then(open_questions(task, dispatching.start_next(task, moment), moment))
    return planned


def next_work(task: Task) -> Work | None:
    moving = (SubtaskState.PENDING, SubtaskState.RUNNING, SubtaskState.EVALUATING)
    return next((w for w in task.work.subtasks if w.state in moving and (w.queued or w.state != "pending")), None)


def go_on(planned: Planned, work: Work, score: Score) -> None:
    task, moment = planned.task, planned.moment()
    about = about_run(task, work, moment.at)
    if work.queued:
        commit = f"{work.number}{work.attempt}" * 5
        planned.then([e.WorkHandedIn(**about, commit=commit, base="b" * 40, summary="done")])
        planned.then(stepping.begin_checks(planned.task, planned.task.work.on(work.number), moment))
    elif isinstance(last := last_of(planned, work), e.StepDue):
        step = stepping.workflow_pinned(task).step(last.step)
        planned.then(stepping.after_step(task, work, result_of(work, last, score, step), moment))
    elif isinstance(last, e.GatePassed):
        planned.then(stepping.after_join(task, work, "c" * 40, moment))


def result_of(work: Work, due: e.StepDue, score: Score, step: object) -> StepResult:
    checked = Checked(gates=(GateRun(name=due.step, score=score, why="so it is"),))
    evaluation = Evaluation(
        subtask=work.number,
        attempt=work.attempt,
        commit=work.commit,
        tree=f"tree {work.number} {work.attempt}",
        overall=score,
        gates=checked.gates,
        feedback=() if score is Score.PASS else ("mend it",),
    )
    return StepResult(step=step, checked=checked, evaluation=evaluation, risk=LOW)  # type: ignore[arg-type]


def last_of(planned: Planned, work: Work) -> e.Event | None:
    kinds = (e.StepDue, e.StepPassed, e.StepRefused, e.GatePassed, e.WorkHandedIn)
    mine = [fact for fact in planned.facts if isinstance(fact, kinds) and fact.subtask == work.number]
    return mine[-1] if mine else None


def walk(planned: Planned, scores: list[Score]) -> None:
    """Steps come to `scores`, and pass when those are used up. What a person is asked, they drop or let pass."""
    outcomes = iter(scores)
    while len(planned.facts) < MOST and not planned.task.has_ended:
        if decision := next((d for d in planned.task.open if d.kind in (Kind.GATE, Kind.ESCALATION)), None):
            planned.press(decision.kind, "pass" if decision.kind is Kind.GATE else "drop")
        elif work := next_work(planned.task):
            before = len(planned.facts)
            go_on(planned, work, next(outcomes, Score.PASS))
            assert len(planned.facts) > before, f"{work} stands still"
        else:
            return


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(workflows(), st.lists(st.sampled_from(Score), max_size=60))
def test_a_task_ends_whatever_its_steps_come_to(workflow: Workflow, scores: list[Score]) -> None:
    planned = begin(workflow)
    walk(planned, scores)
    facts, task = planned.facts, planned.task
    assert len(facts) < MOST, "it never ends"
    assert task.has_ended or any(isinstance(fact, e.WorkCompleted) for fact in facts)
    assert replay(facts) == task, "what is stored is what the facts leave"
    most = 1 + max(step.max_retries for step in workflow.steps if step.type == WORKER.name)
    assert all(visits <= most for visits in counted(facts, e.StepDue).values())
    for (_, step), refusals in counted(facts, e.StepRefused).items():
        assert refusals <= 1 + workflow.step(step).max_retries
    for done in (fact for fact in facts if isinstance(fact, e.SubtaskDone)):
        safe(workflow, facts[: facts.index(done)], done)


def counted(facts: list[e.Event], kind: type[e.StepDue] | type[e.StepRefused]) -> Counter[tuple[int, str]]:
    """How often it happened to each step of each subtask; nobody has a word in it here but to drop it."""
    return Counter((fact.subtask, fact.step) for fact in facts if isinstance(fact, kind))


def safe(workflow: Workflow, before: list[e.Event], done: e.SubtaskDone) -> None:
    """Nothing is joined that rules did not pass since it was handed in, and the gate let through."""
    since = max(
        at for at, fact in enumerate(before) if isinstance(fact, e.WorkHandedIn) and fact.subtask == done.subtask
    )
    mine = [fact for fact in before[since:] if isinstance(fact, e.AboutWork) and fact.subtask == done.subtask]
    passed = [fact.step for fact in mine if isinstance(fact, e.StepPassed)]
    assert any(workflow.step(step).type == RULES.name for step in passed), passed
    assert any(isinstance(fact, e.GatePassed) for fact in mine)


def test_the_builder_is_no_shortcut() -> None:
    """A calm walk does every step of the workflow that looks at work, once for each subtask."""
    planned = begin(DEFAULT)
    walk(planned, [])
    due = Counter(fact.step for fact in planned.facts if isinstance(fact, e.StepDue))
    assert due == {"rules": 3, "test": 3, "review": 3, "ci": 1}
    assert replace(planned.task) == replay(planned.facts)
