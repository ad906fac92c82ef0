"""Whether a phase begins anew or is taken back: what that means for its subtasks, and for those that need them."""

from collections.abc import Iterator, Sequence

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kinds.phases.phase_change import PhaseOption
from agents.domain.decisions.subject import OfPhase, PhaseAct
from agents.domain.phases.changing import change_of, phases_of
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from agents.domain.work.work import SubtaskState
from bot.cards.kinds.kind_card import CANCEL_TASK, KindCard, Label, no_lines
from bot.cards.scene import Bill, rows_of
from bot.messages import Row, Style

S = SubtaskState
STANDS: dict[SubtaskState, str] = {
    S.PENDING: "not begun",
    S.RUNNING: "a minion works on it",
    S.EVALUATING: "its checks run",
    S.DONE: "done",
    S.NEEDS_HUMAN: "waits for a person",
    S.PAUSED: "stopped",
    S.FAILED: "dropped",
    S.BLOCKED: "dropped",
    S.CANCELLED: "dropped",
}
_ALL_OF_IT = "is checked again when all subtasks are done, and its merge is asked for again"


def _subject(decision: Decision) -> OfPhase:
    assert isinstance(decision.subject, OfPhase)
    return decision.subject


def _is_revert(decision: Decision) -> bool:
    return _subject(decision).act is PhaseAct.REVERT


def _title(task: Task, decision: Decision) -> str:
    phase = _subject(decision).phase
    named = task.plan.draft.phase(phase).title if task.plan.draft else ""
    verb = "Revert" if _is_revert(decision) else "Restart"
    return f"{verb} phase {phase} of {task.id}{f' ({one_line(named, 60)})' if named else ''}?"


def _text(task: Task, decision: Decision) -> str:
    if _is_revert(decision):
        return (
            "What it brought is taken back by new commits on the task's branch; the history stays as it is. "
            "No subtask starts meanwhile. Restart the phase afterwards if it is to be done again."
        )
    return (
        "Its subtasks begin anew from the task's branch as it is now, with all their attempts. "
        "What is on the branch stays there: revert the phase first if it should not."
    )


def _rows(task: Task, decision: Decision, bill: Bill) -> Iterator[Row]:
    subject = _subject(decision)
    if subject.phase not in phases_of(task):
        return
    change = change_of(task, subject.act, subject.phase)
    if _is_revert(decision):
        brought = [number for number in change.members if task.work.on(number).contribution]
        ended = [number for number in change.members if not task.work.on(number).contribution]
        yield from rows_of(
            ("Taken back", _named(task, brought, commits=True) or "nothing: none of it is on the branch yet"),
            ("Ends, with nothing to take back", _named(task, ended)),
            ("Goes with it, for it needs it", _named(task, change.dropped)),
        )
    else:
        yield from rows_of(
            ("Begins anew", _named(task, change.members)),
            ("Comes back, for it was dropped with it", _named(task, change.back)),
        )
    yield from rows_of(
        ("Stays, though it needs what changes", _named(task, change.stay)),
        ("Of later phases, stays", _named(task, change.later)),
        ("The whole", _ALL_OF_IT),
        ("If nobody answers", "it waits, and the work goes on as it is"),
    )


def _named(task: Task, numbers: Sequence[int], *, commits: bool = False) -> str:
    return "; ".join(_one(task, number, commits) for number in numbers)


def _one(task: Task, number: int, commits: bool) -> str:
    work = task.work.on(number)
    told = ", ".join(commit[:10] for commit, _ in work.contribution) if commits else STANDS[work.state]
    return f"{task.id}.{number} {one_line(task.plan.subtask(number).title, 60)} ({told})"


def _go(decision: Decision, option: Option) -> Label:
    phase = _subject(decision).phase
    if _is_revert(decision):
        return Label(f"Revert phase {phase}", f"Phase {phase} reverted", Style.PRIMARY)
    return Label(f"Restart phase {phase}", f"Phase {phase} restarted", Style.PRIMARY)


CARD = KindCard(
    kind=Kind.PHASE,
    name="whether a phase begins anew or is taken back",
    title=_title,
    text=_text,
    labels={PhaseOption.KEEP: Label("Leave it as it is", "Left as it is"), PhaseOption.CANCEL: CANCEL_TASK},
    other=_go,
    rows=_rows,
    lines=no_lines,
)
