"""What follows from a decision once it is made. A stage that opens a new kind of decision adds its row here."""

from collections.abc import Callable
from dataclasses import replace

from agents.domain import events as e
from agents.domain.decisions import work_consequences
from agents.domain.decisions.asking import REASON, Chosen, Facts, Moment, Question, ask, ending_with, withdraw
from agents.domain.decisions.authority import LEAVES_THE_MACHINE, Kind
from agents.domain.decisions.decision import Decision, Option, lettered, refuse_if_late
from agents.domain.errors import PressRefused
from agents.domain.ids import DecisionId, PersonId
from agents.domain.learning import proposing
from agents.domain.planning import planning
from agents.domain.task.task import Task
from agents.domain.work.work import SubtaskState

ENTITLED = "entitled"  # the subject of a decision about words of somebody whom minions heed
Consequence = Callable[[Task, Decision, Chosen, Moment], Facts]

RESUME_OR_CANCEL = lettered(Option(value="resume"), Option(value="cancel", asks=REASON))
RESUME_OR_TAKE = lettered(Option(value="resume"), Option(value="hand_over"), Option(value="cancel", asks=REASON))


def project(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    value, by = chosen.option.value, chosen.by[0]
    return [e.ProjectChosen(task=task.id, at=moment.at, project=value, by=by, why="")]


def take_or_not(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    """Nothing of what somebody outside wrote is read by a planner before a person takes it on."""
    if chosen.option.value == "cancel":
        return cancelled(task, decision, chosen, moment)
    return [e.RequestVouched(task=task.id, at=moment.at, by=chosen.by[0])]


def cancelled(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    reason = chosen.words or decision.question
    ended = e.TaskCancelled(task=task.id, at=moment.at, by=chosen.by[0], reason=reason)
    return [ended, *withdraw(ending_with(task, but=decision.id), "the task was cancelled", moment)]


def keep_or_cancel(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    return [] if chosen.option.value == "keep" else cancelled(task, decision, chosen, moment)


def resume_or_cancel(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    if chosen.option.value == "cancel":
        return cancelled(task, decision, chosen, moment)
    if chosen.option.value == "hand_over":
        return work_consequences.hand_over(task, decision, chosen, moment)
    return [e.TaskResumed(task=task.id, at=moment.at, by=chosen.by[0])]


def mend_or_cancel(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    """A job that was given up, or work that the rules could not settle."""
    if chosen.option.value == "cancel":
        return cancelled(task, decision, chosen, moment)
    if chosen.option.right is Kind.PLAN:
        return planning.outlined(task, decision, chosen, moment)
    if decision.subject.partition(":")[0] in ("work", "merge"):
        return work_consequences.escalation(task, decision, chosen, moment)
    return _retried(task, chosen, moment)


def merge_or_cancel(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    if chosen.option.value == "cancel":
        return cancelled(task, decision, chosen, moment)
    return work_consequences.merge(task, decision, chosen, moment)


def raise_or_cancel(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    if chosen.option.value == "cancel":
        return cancelled(task, decision, chosen, moment)
    name = decision.subject.rpartition(":")[0]
    shared = "" if name == f"task {task.id}" else name
    limit = float(chosen.option.value)
    raised = e.BudgetRaised(task=task.id, at=moment.at, by=chosen.by[0], limit=limit, budget=shared)
    return [raised, *_retried(task, chosen, moment)]


def answered(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    """The planner's question, or ours about a remark that was not understood."""
    if decision.subject:
        return change_plan(task, chosen.by[0], decision.subject, moment) if chosen.option.value == "yes" else []
    if chosen.option.value == "cancel" and chosen.option.asks:
        return cancelled(task, decision, chosen, moment)
    if chosen.option.right is Kind.PLAN:
        return planning.outlined(task, decision, chosen, moment)
    answer = chosen.words or chosen.option.label or chosen.option.value
    by, question = chosen.by[0], decision.question
    return [e.ClarificationAnswered(task=task.id, at=moment.at, by=by, question=question, answer=answer)]


def accept_or_change(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    """The plan was accepted as shown, goes back to the planner with a person's words, or rests, or ends."""
    match chosen.option.value:
        case "approve":
            return [planning.accepted(task, decision.subject, chosen.by, moment)]
        case "cancel":
            return cancelled(task, decision, chosen, moment)
        case "backburner":
            laid = e.TaskBackburnered(task=task.id, at=moment.at, by=chosen.by[0])
            return [laid, *ask(task, Question(kind=Kind.BACKBURNER, options=RESUME_OR_CANCEL), moment)]
        case how:
            words = _WISHES[how].format(words=chosen.words)
            return [e.PlanChangeRequested(task=task.id, at=moment.at, by=chosen.by[0], words=words)]


def change_plan(task: Task, by: PersonId, words: str, moment: Moment) -> Facts:
    """Anybody who is heard may ask for changes; it grants nothing, so it needs no right (C37)."""
    shown = [d for d in task.open if d.kind in (Kind.PLAN, Kind.DEBATE)]
    if not shown:
        return []
    asked = e.PlanChangeRequested(task=task.id, at=moment.at, by=by, words=words)
    return [*withdraw(shown, "changes were asked for", moment), asked]


def change_or_keep(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    """An edit of the request after its approval: at the merge the whole is worked on again, before minions are told."""
    if chosen.option.value == "keep" or not task.in_work:
        return []
    words = f"The request was edited after the plan was approved. It now says: {decision.question}"
    if merge := next((d for d in task.open if d.kind in LEAVES_THE_MACHINE), None):
        again = work_consequences.merge(
            task, merge, replace(chosen, option=Option(value="changes"), words=words), moment
        )
        return [*withdraw([merge], "changes were asked for", moment), *again]
    match task.work.subtasks[-1].state:
        case SubtaskState.EVALUATING:
            return _check_no_further(task, words, moment)
        case SubtaskState.DONE:
            raise PressRefused(
                f"{task.id} is on its way to the merge just now",
                next_step="Nothing was changed. Press again when its next card is here: changes can be asked for then.",
            )
    told = e.RemarkMade(task=task.id, at=moment.at, by=chosen.by[0], text=words, entitled=True, urgent=True)
    return [told]


def _check_no_further(task: Task, words: str, moment: Moment) -> Facts:
    """Only checks are left, which no minion hears: the whole is worked on again instead."""
    about = f"gate:{task.work.subtasks[-1].number}:"
    gates = [d for d in task.open if d.subject.startswith(about)]
    return [
        *withdraw(gates, "changes were asked for", moment),
        *work_consequences.work_again_on_the_whole(task, words, moment),
    ]


def second(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    """A task of its own is begun by bot/running/thread_tasks.py; a remark of somebody entitled reaches minions now."""
    if chosen.option.value != "remark" or decision.subject != ENTITLED:
        return []
    by = chosen.by[0]
    said = e.RemarkMade(task=task.id, at=moment.at, by=by, text=decision.question, entitled=True, urgent=True)
    return [said]


def meant(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    """Words that could answer several questions, or that approve: a person pressed what they are."""
    words, by = decision.subject, chosen.by[0]
    if chosen.option.value == "remark":
        said = e.RemarkMade(task=task.id, at=moment.at, by=decision.put_to, text=words, entitled=True)
        return [said]
    id, _, letter = chosen.option.value.partition(".")
    about = task.decision(DecisionId(id))
    if about is None:
        raise PressRefused("That was decided meanwhile", next_step="Your words are kept: press what else they are.")
    refuse_if_late(about, moment.at)
    option = about.option(letter) if letter else Option(value="")
    answer = Chosen(option=option, by=(by,), words=words if option.asks or not letter else "")
    without = replace(task, open=tuple(d for d in task.open if d.id != decision.id))
    return conclude(without, about, answer, moment)


def conclude(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    """The decision is made, and what follows from it. What only asked about it is no longer needed."""
    made = e.DecisionMade(
        task=task.id,
        project=decision.project,
        at=moment.at,
        decision=decision.id,
        option=chosen.option.letter,
        by=chosen.by,
        words=chosen.words,
    )
    consequence = CONSEQUENCES.get(decision.kind)
    follows = consequence(task, decision, chosen, moment) if consequence else []
    closed = {fact.decision for fact in (made, *follows) if isinstance(fact, e.AboutDecision)}
    open = {d.id for d in task.open} - closed
    stale = [d for d in task.open if d.kind is Kind.MEANT and d.id not in closed and not open & _asked_about(d)]
    return [made, *follows, *withdraw(stale, "what it was about is decided", moment)]


def _asked_about(decision: Decision) -> set[DecisionId]:
    return {DecisionId(option.value.partition(".")[0]) for option in decision.options}


def _retried(task: Task, chosen: Chosen, moment: Moment) -> Facts:
    return [e.JobRetried(task=task.id, at=moment.at, by=chosen.by[0], job=job) for job in task.parked]


_WISHES: dict[str, str] = {
    "changes": "{words}",
    "narrow": "Do less: {words}",
    "send_back": "Start over, and heed this: {words}",
    "information": "Find this out before anything else, by a spike where the files do not tell: {words}",
}

CONSEQUENCES: dict[Kind, Consequence] = {
    Kind.INTAKE: take_or_not,
    Kind.PROJECT: project,
    Kind.CLARIFICATION: answered,
    Kind.MEANT: meant,
    Kind.SECOND: second,
    Kind.CORRECTION: change_or_keep,
    Kind.PLAN: accept_or_change,
    Kind.DEBATE: accept_or_change,
    Kind.BUDGET: raise_or_cancel,
    Kind.CANCEL: keep_or_cancel,
    Kind.STOPPED: resume_or_cancel,
    Kind.BACKBURNER: resume_or_cancel,
    Kind.ESCALATION: mend_or_cancel,
    Kind.QUESTION: work_consequences.question,
    Kind.SCOPE: work_consequences.scope,
    Kind.GATE_MEDIUM: work_consequences.gate,
    Kind.GATE_HIGH: work_consequences.gate,
    Kind.GATE_CRITICAL: work_consequences.gate,
    Kind.MERGE: merge_or_cancel,
    Kind.MERGE_HIGH: merge_or_cancel,
    Kind.MERGE_CRITICAL: merge_or_cancel,
    Kind.PROPOSAL: proposing.decided,
}
