"""What follows from a minion's run, from judging its work, and from the last pull request."""

from dataclasses import dataclass, replace

from agents.domain import events as e
from agents.domain.checks.evaluation import Change, Evaluation, RiskLevel, Score
from agents.domain.checks.risk import Risk, at_least_high
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Facts, Moment, Question, Withdrawal, ending_with, withdraw
from agents.domain.decisions.kinds.delivery import GateOption
from agents.domain.decisions.kinds.work import answers, what_next
from agents.domain.decisions.subject import OfHead, OfRun, OfStep
from agents.domain.decisions.table import ask, open_questions
from agents.domain.learning import proposing
from agents.domain.task.fold import evolve
from agents.domain.task.task import Task, TaskState
from agents.domain.work.dispatching import about_run, continue_run, key_of, run_again, start_next
from agents.domain.work.work import Ending, SubtaskState, Work
from agents.domain.workflow.workflow import DEFAULT

FOUND_OUT = Risk(level=RiskLevel.LOW, why=("it finds something out and changed nothing",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a minion asks a person for, as its run leaves it."""

    question: str
    options: tuple[str, ...] = ()
    default: str = ""
    why: str = ""  # it matters
    paths: tuple[str, ...] = ()  # more scope, if any


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A run that came to nothing, and what was kept of it."""

    ending: Ending
    problem: str
    commit: str = ""
    patch: str = ""
    changes: tuple[Change, ...] = ()


def is_current(task: Task, fact: e.AboutWork) -> bool:
    """The run a job is for is still the one that counts."""
    work = task.work.on(fact.subtask)
    return task.in_work and work.attempt == fact.attempt and work.state in (SubtaskState.PENDING, SubtaskState.RUNNING)


def note_stop(task: Task, work: Work, commit: str, moment: Moment, changes: tuple[Change, ...] = ()) -> Facts:
    if task.ended or work.state not in (SubtaskState.PENDING, SubtaskState.RUNNING):
        return []
    rests = e.MinionStopped(**about_run(task, work, moment.at), commit=commit, doing=work.doing, changes=changes)
    if task.state is TaskState.RUNNING:  # it was resumed before this run had ended: nobody else would start it again
        return [rests, continue_run(task, work, moment.at)]
    return [rests]


def ask_person(task: Task, work: Work, wanted: Wanted, commit: str, moment: Moment) -> Facts:
    """A question of its own, or one for more scope: bound to this run and to these very paths."""
    pause = e.MinionAsked(**about_run(task, work, moment.at), commit=commit, question=wanted.question)
    return open_questions(task, [pause, _question(task, work, wanted)], moment)


def _question(task: Task, work: Work, wanted: Wanted) -> Question:
    name, run = f"{task.id}.{work.number}", OfRun(subtask=work.number, attempt=work.attempt)
    cause = f"{key_of(task, work)}:{work.questions}"
    if wanted.paths:
        text = f"{name} wants to write more than the plan names: {wanted.question}"
        return Question(kind=Kind.SCOPE, text=text, evidence=wanted.paths, subject=run, cause=cause)
    return Question(
        kind=Kind.QUESTION,
        options=answers(wanted.options, wanted.default),
        text=f"{name} asks: {wanted.question}",
        evidence=(wanted.why,) if wanted.why else (),
        subject=run,
        default=wanted.default,
        cause=cause,
    )


def note_failure(task: Task, work: Work, ended: Ended, moment: Moment) -> Facts:
    """A run that came to nothing goes to a person, with what was kept. A blocker may become a proposal."""
    fact = e.MinionFailed(
        **about_run(task, work, moment.at),
        ending=ended.ending,
        problem=ended.problem,
        commit=ended.commit,
        patch=ended.patch,
        changes=ended.changes,
    )
    proposal = proposing.after_blocker(task, work, ended.problem, moment) if ended.ending is Ending.BLOCKED else []
    asked = what_next(task, replace(work, patch=ended.patch), ended.problem)
    return open_questions(task, [fact, asked, *proposal], moment)


def after_evaluation(task: Task, work: Work, evaluation: Evaluation, risk: Risk, moment: Moment) -> Facts:
    """Pass goes on to the step gate, what can be mended goes back, all else goes to a person."""
    about = about_run(task, work, moment.at)
    if task.plan.subtask(work.number).spike and not evaluation.changes:
        risk = FOUND_OUT
    judged = e.WorkEvaluated(**about, evaluation=evaluation, risk=risk.level, why=risk.said)
    if evaluation.overall is Score.PASS:
        return [judged, *_gate(task, work, evaluation, risk, moment)]
    if not needs_a_person(task, work, evaluation):
        return [judged, run_again(task, work, evaluation.feedback, moment.at)]
    hopeless = evaluation.overall is Score.FAIL
    tries = f"{work.tries} attempts" if work.tries != 1 else "One attempt"
    why = "Another attempt would not fix this" if hopeless else f"{tries} failed"
    said = f"{why}: {'; '.join(evaluation.feedback[:2])}"
    escalated = e.SubtaskEscalated(**about, why=said, patch=work.patch)
    return open_questions(task, [judged, escalated, what_next(task, work, why)], moment)


def most_attempts(task: Task) -> int:
    """The first, and as many revisions as the workflow allows that its plan was approved under."""
    return 1 + (task.plan.workflow or DEFAULT).implement.max_retries


def needs_a_person(task: Task, work: Work, evaluation: Evaluation) -> bool:
    """No other attempt is made by itself."""
    if evaluation.overall is Score.NEEDS_REVISION:
        return work.tries >= most_attempts(task)
    return evaluation.overall is Score.FAIL


def _gate(task: Task, work: Work, evaluation: Evaluation, risk: Risk, moment: Moment) -> Facts:
    """Low risk passes by itself; a reviewer who said nothing is never taken for a yes."""
    held = at_least_high(risk, "; ".join(evaluation.doubts)) if evaluation.doubts else risk
    unseen = _unseen_but_leaving(task, moment) if task.plan.is_closing(work.number) else ""
    level, said = held.level, held.said
    if level is RiskLevel.LOW or _is_let_pass(task, work, evaluation, held):
        level, said = RiskLevel.MEDIUM, ""
        if not unseen:
            return [e.GatePassed(**about_run(task, work, moment.at))]
    by_time = level is RiskLevel.MEDIUM and not _leaves_next(task, work, moment)
    asked = Question(
        kind=Kind.GATE,
        text=f"{task.id}.{work.number} passed its checks. {' '.join(part for part in (said, unseen) if part)}",
        subject=OfStep(subtask=work.number, attempt=work.attempt, commit=evaluation.commit, risk=level),
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
    return moment.leaves and not task.delivery.pull and task.plan.is_closing(work.number)


def _unseen_but_leaving(task: Task, moment: Moment) -> str:
    """Time may let a step pass, but nothing leaves the machine on the strength of that."""
    unseen = [f"{task.id}.{work.number}" for work in task.work.subtasks if work.by_time]
    if not unseen or not moment.leaves or task.delivery.pull:
        return ""
    which = f"{' and '.join(unseen)} passed only because the time ran out"
    return f"{which}, and next it leaves this machine as a pull request: a person must let it."


def finish(task: Task, work: Work, tip: str, moment: Moment) -> Facts:
    """Its work is on the task's branch; what waited for it may start."""
    settled = e.SubtaskDone(**about_run(task, work, moment.at), commit=tip)
    return open_questions(task, [settled, *start_next(evolve(task, settled), moment)], moment)


def open_merge(task: Task, opened: e.PullOpened, risk: Risk, changes: tuple[Change, ...], moment: Moment) -> Facts:
    """A merge is always a person's; whose, depends on the risk. It is bound to the very head that is shown."""
    return [opened, *ask_to_merge(task, opened.head, risk, changes, moment)]


def ask_to_merge(task: Task, head: str, risk: Risk, changes: tuple[Change, ...], moment: Moment) -> Facts:
    files = f"{len(changes)} file{'s' if len(changes) != 1 else ''}"
    lines = f"+{sum(c.added for c in changes)} −{sum(c.removed for c in changes)}"
    subject = OfHead(commit=head, risk=risk.level)
    return ask(task, Question(kind=Kind.MERGE, text=f"{files}, {lines}. {risk.said}", subject=subject), moment)


def note_unmerged(task: Task, problem: str, moment: Moment) -> Facts:
    evidence = problem, f"Kept: branch {task.work.branch}"
    question = Question(kind=Kind.UNMERGED, text=f"{task.id} could not be merged", evidence=evidence)
    return [e.MergeFailed(task=task.id, at=moment.at, problem=problem), *ask(task, question, moment)]


def close(task: Task, moment: Moment) -> Facts:
    """The task has ended well: nothing is left to decide but what it gave rise to."""
    return withdraw(ending_with(task), Withdrawal.DONE, moment)
