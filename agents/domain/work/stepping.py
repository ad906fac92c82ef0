"""Where a subtask stands in its workflow, and what follows when one of its steps has ended."""

from dataclasses import dataclass, replace

from agents.domain import events as e
from agents.domain.checks.evaluation import Checked, Evaluation, RiskLevel, Score, failed_checks, overall
from agents.domain.checks.risk import Risk, at_least_high, doubts_of
from agents.domain.checks.scope import pattern_of, widen
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Facts, Moment, Question
from agents.domain.decisions.kinds.work.escalation import what_next
from agents.domain.decisions.kinds.work.gate import GateOption
from agents.domain.decisions.subject import OfStep
from agents.domain.decisions.table import ask, open_questions
from agents.domain.learning.proposing import look_for_patterns
from agents.domain.learning.signature import of_evaluation
from agents.domain.planning.opening import files_of
from agents.domain.reason import Reason, Why
from agents.domain.supervision.calling import after_finish, after_refusal
from agents.domain.task.fold import evolve
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, evolve_all, hand_on, run_again, start_next
from agents.domain.work.work import SubtaskState, Work
from agents.domain.workflow.steps import HUMAN, JOIN, PULL, RULES, WORKER, Drafts, Predicate, Step
from agents.domain.workflow.workflow import DEFAULT, Back, Done, Go, Move, Part, Stuck, Workflow, follow

FOUND_OUT = Risk(level=RiskLevel.LOW, why=(Reason(code=Why.FOUND_OUT),))


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """What a step found, and the judgement of the work with it."""

    step: Step
    checked: Checked  # by this step alone
    evaluation: Evaluation  # by all steps since the work was handed in
    risk: Risk

    @property
    def score(self) -> Score:
        """Rules that said nothing let nothing pass; a gate that the project does not have is no obstacle."""
        if self.checked.reviews:
            return _review_score(self.step, self.checked)
        if not self.checked.gates and self.step.type != "rules":
            return Score.PASS
        return overall(gate.score for gate in self.checked.gates)


def _review_score(step: Step, checked: Checked) -> Score:
    """A reviewer without a verdict counts neither way: a person is asked before the work is joined."""
    scores = [review.score for review in checked.reviews if review.score is not None]
    worst = overall(scores) if scores else Score.PASS
    concerned = any(review.security_concerns for review in checked.reviews)
    if worst is Score.PASS and concerned and step.gate == Predicate.SECURITY_PASSED:
        return Score.NEEDS_REVISION
    return worst


def workflow_pinned(task: Task) -> Workflow:
    """The one that its plan was accepted under."""
    return task.plan.workflow or DEFAULT


def part_of(task: Task, number: int) -> Part:
    return task.plan.part(number)


def worker_of(task: Task, work: Work) -> Step:
    """The step whose minion works on a subtask, or worked last."""
    workflow = workflow_pinned(task)
    return workflow.step(work.worker) if work.worker else workflow.worker(part_of(task, work.number))


def role_of(task: Task, work: Work) -> str:
    """That works on a subtask: the one that the approved plan names for it, else that of the step."""
    step = worker_of(task, work)
    named = task.plan.subtask(work.number).role if step.name == workflow_pinned(task).implement.name else ""
    return named or step.role


def join_of(task: Task, work: Work) -> Step:
    """The step that brings a subtask's work onto the task's branch."""
    return next(step for step in workflow_pinned(task).part(part_of(task, work.number)) if step.type == JOIN.name)


def stands_at(task: Task, work: Work) -> Step | None:
    """The step that a subtask is at; none before it begins and once it is settled."""
    if work.is_settled or (work.state is SubtaskState.PENDING and not work.queued):
        return None
    steps = workflow_pinned(task).part(part_of(task, work.number))
    step = next((step for step in steps if step.name == work.step), worker_of(task, work))
    judged = work.evaluation is not None and work.evaluation.attempt == work.attempt
    if work.state is SubtaskState.EVALUATING and judged and step is not steps[-1]:
        after = steps[steps.index(step) + 1]
        return after if after.type in (HUMAN.name, JOIN.name) else step  # it passed, and waits for its turn or a person
    return step


def begin_checks(task: Task, work: Work, moment: Moment) -> Facts:
    """The work was handed in: the first step that looks at it is due."""
    steps = workflow_pinned(task).part(part_of(task, work.number))
    worker = worker_of(task, work)
    return [_due(task, work, steps[steps.index(worker) + 1], moment)]


def judged_before(task: Task, work: Work, tree: str) -> Evaluation | None:
    """The judgement of the very same change as the work of one subtask: where that is all there is. One that left
    doubts is made anew."""
    found = (
        other.evaluation
        for other in task.work.subtasks
        if other.number != work.number and other.state is SubtaskState.DONE and other.base == work.base
    )
    clear = (each for each in found if each and each.overall is Score.PASS and not doubts_of(each))
    return next((each for each in clear if tree == each.tree), None)


def take_over(task: Task, work: Work, before: Evaluation, moment: Moment) -> Facts:
    """The same change is not judged twice: on to where a person may be asked, or it is joined."""
    steps = workflow_pinned(task).part(part_of(task, work.number))
    join = steps.index(join_of(task, work))
    last = [step for step in steps[:join] if step.type != HUMAN.name][-1]
    evaluation = replace(before, subtask=work.number, attempt=work.attempt, commit=work.commit)
    level = task.work.on(before.subtask).risk or RiskLevel.CRITICAL
    risk = Risk(level=level, why=(Reason(code=Why.SAME_CHANGE, names=(f"{task.id}.{before.subtask}",)),))
    checked = Checked(coverage=before.coverage, sandbox=before.sandbox)
    result = StepResult(step=last, checked=checked, evaluation=evaluation, risk=risk)
    passed = e.StepPassed(**about_run(task, work, moment.at), step=last.name, commit=work.commit)
    return [passed, *_enter(evolve(task, passed), steps[join], result, moment)]


def _due(task: Task, work: Work, step: Step, moment: Moment) -> e.StepDue:
    return e.StepDue(**about_run(task, work, moment.at), step=step.name, visit=work.visits.get(step.name, 0) + 1)


def move_after(task: Task, work: Work, result: StepResult) -> Move:
    done = Done(attempts=work.tries, visits=work.visits)
    return follow(workflow_pinned(task), part_of(task, work.number), result.step.name, result.score, done)


def after_step(task: Task, work: Work, result: StepResult, moment: Moment) -> Facts:
    """On to the next step, back to a worker, or to a person."""
    if task.plan.subtask(work.number).spike and not result.evaluation.changes:
        result = replace(result, risk=FOUND_OUT)
    if asked := _ask_about_tests(task, work, result, moment):
        return asked
    about, move = about_run(task, work, moment.at), move_after(task, work, result)
    step, commit, checked = result.step.name, result.evaluation.commit, result.checked
    if isinstance(move, Go):
        ran = any(not gate.skipped for gate in checked.gates) or bool(checked.reviews)
        passed = e.StepPassed(**about, step=step, commit=commit, checked=checked, ran=ran)
        return [
            passed,
            *_show_early(task, work, result, moment),
            *_enter(evolve(task, passed), move.step, result, moment),
        ]
    refused = e.StepRefused(**about, step=step, commit=commit, checked=checked, score=result.score)
    facts = [refused, _judgement(task, work, result, moment), *after_refusal(task, work, moment.watching(task))]
    if isinstance(move, Back):
        found = failed_checks(result.evaluation) if move.step.is_blind else result.evaluation.feedback
        return [*facts, replace(run_again(task, work, found, moment.at), step=move.step.name)]
    judged = evolve_all(task, facts)
    stuck = replace(judged.work.on(work.number), patch=work.patch)
    return [*facts, *_give_up(judged, stuck, move.why, result.evaluation, moment)]


def is_for_a_person(checked: Checked) -> bool:
    """Whether nothing but changed tests is in the way, which the approved plan lets a person accept."""
    bad = [gate for gate in checked.gates if gate.score is not Score.PASS]
    return bool(bad) and all(gate.score is Score.NEEDS_REVISION and gate.changed_tests for gate in bad)


def _ask_about_tests(task: Task, work: Work, result: StepResult, moment: Moment) -> Facts:
    if not is_for_a_person(result.checked):
        return []
    about, step, commit = about_run(task, work, moment.at), result.step.name, result.evaluation.commit
    tests = tuple(each for gate in result.checked.gates for each in gate.changed_tests)
    more = tuple(key for gate in result.checked.gates for key in gate.unshown)
    shown = e.TestsShown(**about, step=step, commit=commit, tests=tests, keys=(*(t.key for t in tests), *more))
    why = tuple(gate.why for gate in result.checked.gates if gate.changed_tests)
    question = Question(
        kind=Kind.ACCEPT_TESTS,
        evidence=why,
        subject=OfStep(subtask=work.number, attempt=work.attempt, commit=commit, risk=result.risk.level),
        cause=f"tests:{work.number}:{commit}",
    )
    return [shown, *ask(evolve(task, shown), question, moment)]


def _show_early(task: Task, work: Work, result: StepResult, moment: Moment) -> Facts:
    """Once the rules passed on the whole it may be seen as a draft, where its workflow says so. What a person approved
    with the plan covers that; where time let something pass, a person must let it leave first."""
    whole = task.plan.is_closing(work.number) or len(task.work.subtasks) == 2  # the only one, and the closing one
    wanted = workflow_pinned(task).drafts is Drafts.EARLY and result.step.type == RULES.name
    covered = bool(task.plan.approved_by) and not any(each.by_time for each in task.work.subtasks)
    if not whole or not wanted or (moment.leaves and not covered):
        return []
    return [e.DraftDue(**about_run(task, work, moment.at), commit=result.evaluation.commit)]


def _judgement(task: Task, work: Work, result: StepResult, moment: Moment) -> e.WorkEvaluated:
    about = about_run(task, work, moment.at)
    return e.WorkEvaluated(**about, evaluation=result.evaluation, risk=result.risk.level, why=result.risk.why)


def _give_up(task: Task, work: Work, stuck: Stuck, evaluation: Evaluation, moment: Moment) -> Facts:
    hopeless = Reason(code=Why.HOPELESS)
    why = hopeless if stuck is Stuck.HOPELESS else Reason(code=Why.ATTEMPTS_FAILED, count=work.tries)
    said = replace(why, details=evaluation.feedback[:2])
    escalated = e.SubtaskEscalated(**about_run(task, work, moment.at), why=said, patch=work.patch)
    repeated = look_for_patterns(task, of_evaluation(evaluation), moment)
    return open_questions(task, [escalated, what_next(task, work, why), *repeated], moment)


def _enter(task: Task, step: Step | None, result: StepResult, moment: Moment) -> Facts:
    """Begin the next step of a subtask; none is left where it is None."""
    work = task.work.on(result.evaluation.subtask)
    if step is None or step.type == PULL.name:  # the closing subtask: the whole is handed over next
        found = result.checked.gates or result.checked.reviews
        told = [_judgement(task, work, result, moment)] if found else []
        return [*told, *finish_subtask(task, work, result.evaluation.commit, moment)]
    if step.type in (HUMAN.name, JOIN.name):
        judged = _judgement(task, work, result, moment)
        return [judged, *_ask_by_risk(task, result, moment, looked_at=step.type == HUMAN.name)]
    if step.type == WORKER.name:
        more = widen(work.scope, tuple(map(pattern_of, files_of(step))))  # what its workflow lets it add
        return [replace(hand_on(task, work, step.name, moment.at), scope=more)]
    return [_due(task, work, step, moment)]


def after_join(task: Task, work: Work, tip: str, moment: Moment) -> Facts:
    """The work is on the task's branch. After the closing subtask the task's own last steps come."""
    steps = workflow_pinned(task).part(part_of(task, work.number))
    at = steps.index(join_of(task, work))
    after = steps[at + 1] if at + 1 < len(steps) else None
    if after is None or after.type == PULL.name:
        return finish_subtask(task, work, tip, moment)
    passed = e.StepPassed(**about_run(task, work, moment.at), step=steps[at].name, commit=tip)
    return [passed, _due(task, work, after, moment)]


def finish_subtask(task: Task, work: Work, tip: str, moment: Moment) -> Facts:
    """Its work is on the task's branch; what waited for it may start."""
    settled = e.SubtaskDone(task=task.id, at=moment.at, subtask=work.number, attempt=work.attempt, commit=tip)
    after = evolve(task, settled)
    called = after_finish(after, after.work.on(work.number), moment.watching(after))
    return open_questions(task, [settled, *called, *start_next(evolve_all(after, called), moment)], moment)


def most_attempts(task: Task) -> int:
    """The first, and as many revisions as the workflow allows that its plan was approved under."""
    return 1 + workflow_pinned(task).implement.max_retries


def _ask_by_risk(task: Task, result: StepResult, moment: Moment, *, looked_at: bool) -> Facts:
    """Low risk passes by itself, unless the workflow wants a person to look; a reviewer who said nothing is never taken
    for a yes."""
    work, evaluation, risk = task.work.on(result.evaluation.subtask), result.evaluation, result.risk
    doubts = doubts_of(evaluation)
    held = at_least_high(risk, *doubts) if doubts else risk
    unseen = _unseen_but_leaving(task, moment) if task.plan.is_closing(work.number) else ()
    level, why = held.level, held.why
    if level is RiskLevel.LOW or _is_let_pass(task, work, evaluation, held):
        level, why = RiskLevel.MEDIUM, ()
        if not unseen and not looked_at:
            return [e.GatePassed(**about_run(task, work, moment.at))]
    by_time = level is RiskLevel.MEDIUM and not looked_at and not _leaves_next(task, work, moment)
    asked = Question(
        kind=Kind.GATE,
        evidence=why,
        subject=OfStep(subtask=work.number, attempt=work.attempt, commit=evaluation.commit, risk=level, unseen=unseen),
        default=GateOption.PASS if by_time else "",
        cause=f"gate:{work.number}",
    )
    return ask(task, asked, moment)


def _is_let_pass(task: Task, work: Work, evaluation: Evaluation, risk: Risk) -> bool:
    """The very same change, no riskier, passed its own gate already: where one subtask is all there is."""
    return any(
        other.evaluation is not None
        and other.number != work.number
        and other.state is SubtaskState.DONE
        and (other.base, other.evaluation.tree) == (work.base, evaluation.tree)
        and other.risk is not None
        and other.risk is risk.level
        for other in task.work.subtasks
    )


def _leaves_next(task: Task, work: Work, moment: Moment) -> bool:
    """Time lets nothing leave the machine: after the closing subtask the whole is pushed."""
    return moment.leaves and task.plan.is_closing(work.number)


def _was_handed_over(task: Task) -> bool:
    """What was let out as an early draft covers nothing that comes later."""
    return bool(task.delivery.pull) and not task.delivery.early


def _unseen_but_leaving(task: Task, moment: Moment) -> tuple[int, ...]:
    """Time may let a step pass, but nothing leaves the machine on the strength of that."""
    if not moment.leaves or _was_handed_over(task):
        return ()
    return tuple(work.number for work in task.work.subtasks if work.by_time)
