"""Work as people follow it: one line a subtask on the status card, one card a judgement."""

from collections.abc import Callable, Iterator

from agents.domain.checks.evaluation import Change, CodeReview, Evaluation, GateRun, Opinion, Score
from agents.domain.task.reports import summary_of
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from agents.domain.work.stepping import most_attempts
from agents.domain.work.surroundings import found_out
from agents.domain.work.work import Degraded, SubtaskState, Work
from bot.cards.reasons import put
from bot.cards.scene import rows_of
from bot.cards.work.rungs import rung_rows
from bot.messages import Card, Row, Tone

S = SubtaskState
LESS = {Degraded.CORE: "core only", Degraded.STUB: "a stub with TODOs"}
SCORE = {Score.PASS: "passed", Score.NEEDS_REVISION: "needs another try", Score.FAIL: "failed"}
_OPINION = {
    Opinion.APPROVED: "approves",
    Opinion.CHANGES_REQUESTED: "asks for changes",
    Opinion.REJECTED: "rejects it",
    Opinion.NO_VERDICT: "gave no verdict",
}
_WANTS = (Opinion.CHANGES_REQUESTED, Opinion.REJECTED)
_MOST_FILES, _MOST_LINES = 8, 8
_ROW, _PRINTED = 300, 600  # characters


def work_rows(task: Task) -> list[Row]:
    """Where each subtask is, in the order of the plan."""
    return [work_row(task, work) for work in task.work.subtasks]


def work_row(task: Task, work: Work) -> Row:
    title, more = one_line(_titled(task, work), 70), _DETAIL[work.state](task, work)
    label = f"{MARK[work.state]} {task.id}.{work.number}"
    return Row(label=label, value=f"{title}: {more}" if more else title)


def _titled(task: Task, work: Work) -> str:
    return "All of it together" if task.plan.is_closing(work.number) else task.plan.subtask(work.number).title


MARK: dict[SubtaskState, str] = {
    S.PENDING: "·",
    S.RUNNING: "▸",
    S.EVALUATING: "▸",
    S.DONE: "✓",
    S.NEEDS_HUMAN: "!",
    S.PAUSED: "‖",
    S.FAILED: "✕",
    S.BLOCKED: "!",
    S.CANCELLED: "✕",
}


def _pending(task: Task, work: Work) -> str:
    if work.queued:
        again = f"attempt {which} " if (which := work.attempt_of(work.attempt)) > 1 else ""
        return f"{again}is about to start" if work.tries <= most_attempts(task) else "is about to start"
    assert task.plan.draft is not None
    needs = [n for n in task.plan.draft.blocking()[work.number] if not task.work.on(n).is_settled]
    if task.plan.is_closing(work.number):
        return "when all others are done"
    return f"waits for {', '.join(f'{task.id}.{n}' for n in sorted(set(needs)))}" if needs else "waits for its turn"


def _running(task: Task, work: Work) -> str:
    if not work.turns:
        which = work.attempt_of(work.attempt)
        return "a minion has started" if which == 1 else f"attempt {which} has started"
    files = f", {work.changed} file{'s' if work.changed != 1 else ''} changed" if work.changed else ""
    went_on = f" ({work.went_on})" if work.went_on else ""
    return f"turn {work.turns}, {one_line(work.doing, 90)}{files}{went_on}"


def _done(task: Task, work: Work) -> str:
    if work.evaluation is None:
        return "done"
    passed = _passed(work, work.attempt)
    without = f" without {', '.join(waiver.check for waiver in work.waived)}" if work.waived else ""
    return f"{passed}{without}{f' ({LESS[work.degraded]})' if work.degraded else ''}"


def _passed(work: Work, run: int) -> str:
    which = work.attempt_of(run)
    return f"passed at attempt {which}" if which > 1 else "passed"


def _evaluating(work: Work) -> str:
    if awaited := work.awaits:
        named = one_line(", ".join(awaited.waiting), 80)
        unread = f"; {one_line(awaited.problem, 150)}" if awaited.problem else ""
        return f"waits for remote checks{f': {named}' if named else ''} ({awaited.ended} ended){unread}"
    return "I run the checks" if work.evaluation is None or _stale(work) else "passed; waits"


_DETAIL: dict[SubtaskState, Callable[[Task, Work], str]] = {
    S.PENDING: _pending,
    S.RUNNING: _running,
    S.EVALUATING: lambda task, work: _evaluating(work),
    S.DONE: _done,
    S.NEEDS_HUMAN: lambda task, work: "waits for you",
    S.PAUSED: lambda task, work: f"stopped after turn {work.turns}; its work is committed" if work.turns else "stopped",
    S.FAILED: lambda task, work: one_line(put(work.problem), 100) or "failed",
    S.BLOCKED: lambda task, work: one_line(put(work.problem), 100) or "blocked",
    S.CANCELLED: lambda task, work: put(work.problem) if work.was_reverted else "dropped",
}


def _stale(work: Work) -> bool:
    return work.evaluation is not None and work.evaluation.attempt != work.attempt


def evaluation_card(task: Task, work: Work, judged: Evaluation) -> Card:
    """One a task: the last judgement whole, and a line for each step that was judged before."""
    return Card(
        title=f"Checks of {task.id}: {task.id}.{work.number} {_verdict(work, judged)}",
        text=one_line(_titled(task, work), 200),
        rows=(*_summary(task, work, judged), *evaluation_rows(judged), *_judged_before(task, work.number)),
        lines=found_lines(judged),
        footer=_footer(judged),
        tone={Score.PASS: Tone.GOOD, Score.NEEDS_REVISION: Tone.PLAIN, Score.FAIL: Tone.BAD}[judged.overall],
    )


def _summary(task: Task, work: Work, judged: Evaluation) -> list[Row]:
    """Of the attempt that was judged, as its minion tells it."""
    said = summary_of(task, work.number) if work.attempt == judged.attempt else ""
    label = "What it found" if found_out(task, work) else "Minion's summary"
    return rows_of((label, one_line(said, _ROW)))


def sent_back_card(task: Task, work: Work, judged: Evaluation) -> Card:
    """A message of its own: work that comes back twice is worth a look before its last attempt."""
    return Card(
        title=f"{task.id}.{work.number} was sent back twice",
        text=f"“{one_line(_titled(task, work), 200)}” did not pass attempt {work.attempt_of(judged.attempt)} either. "
        f"Attempt {work.attempt_of(work.attempt)} begins by itself; reply in words to help it.",
        rows=tuple(evaluation_rows(judged)),
        lines=found_lines(judged),
    )


def _judged_before(task: Task, number: int) -> Iterator[Row]:
    for work in task.work.subtasks:
        if work.number != number and (judged := work.evaluation):
            checks = "; ".join(one_line(f"{gate.name}: {_said_of(gate)}", 60) for gate in judged.gates if gate.command)
            said = " · ".join(part for part in (_verdict(work, judged), checks) if part)
            mark = {Score.PASS: "✓", Score.NEEDS_REVISION: "↺", Score.FAIL: "✕"}[judged.overall]
            yield Row(label=f"{mark} {task.id}.{work.number}", value=f"{one_line(_titled(task, work), 70)}: {said}")
            yield from rows_of((f"{task.id}.{work.number} found", one_line(found_out(task, work), _ROW)))


def _verdict(work: Work, judged: Evaluation) -> str:
    if judged.overall is Score.PASS:
        if not judged.silent:
            return _passed(work, judged.attempt)
        return f"passed, but {'not all of it was read' if _half_read(judged) else 'nobody read it'}"
    if judged.overall is Score.NEEDS_REVISION and work.attempt > judged.attempt:
        return f"was sent back after attempt {work.attempt_of(judged.attempt)}"
    return "did not pass"


def _half_read(judged: Evaluation) -> bool:
    return any(review.unread for review in judged.reviews)


def evaluation_rows(judged: Evaluation) -> list[Row]:
    """A row a check that ran something; the rules are one row, unless one of them was broken."""
    plain = [gate for gate in judged.gates if not gate.command and not gate.remote and not gate.skipped]
    rules = [gate for gate in plain if gate.score is Score.PASS]
    rows = [Row(label=gate.name.capitalize(), value=_gate(gate)) for gate in judged.gates if gate not in rules]
    if rules:
        rows.append(Row(label="Policy checks", value=f"passed ({', '.join(gate.name for gate in rules)})"))
    rows += rung_rows(judged.gates)
    rows += [Row(label=review.known_as.capitalize(), value=_review(review)) for review in judged.reviews]
    rows.append(Row(label="Changed", value=changed_in_words(judged.changes, judged.files)))
    return rows


def found_lines(judged: Evaluation) -> tuple[str, ...]:
    """What the rows have no room for: what checks that failed printed, and long lists of a reviewer."""
    printed = [_printed(gate) for gate in judged.gates]
    asked = [
        f"{review.known_as.capitalize()}: {cut(each, _PRINTED)}"
        for review in judged.reviews
        for each in _listed(review)
    ]
    return tuple(line for line in (*printed, *asked) if line)[:_MOST_LINES]


def _printed(gate: GateRun) -> str:
    """Nothing, where it says no more than its row does."""
    said = gate.output.strip()
    if gate.score is Score.PASS or not gate.ran or not said or said in gate.why:
        return ""
    return f"{gate.name.capitalize()} said:\n{cut(said, _PRINTED)}"


def _listed(review: CodeReview) -> tuple[str, ...]:
    """What a reviewer wants changed, where it is too long for a row."""
    wanted = (*review.security_concerns, *review.issues)
    return wanted if review.opinion in _WANTS and len("; ".join(wanted)) > _ROW else ()


def _gate(gate: GateRun) -> str:
    parts = [_said_of(gate), f"exit {gate.exit_code}" if gate.exit_code is not None else ""]
    parts += [f"{gate.seconds:.1f} s" if gate.command else "", one_line(gate.command, 80), gate.url]
    return " · ".join(part for part in parts if part)


def _said_of(gate: GateRun) -> str:
    return f"not run: {gate.why}" if gate.skipped else gate.why or SCORE[gate.score]


def _review(review: CodeReview) -> str:
    if listed := _listed(review):
        return f"{_OPINION[review.opinion]}, for {len(listed)} reasons{_extent(review)}"
    said = (*review.security_concerns, *review.issues) or review.suggestions
    more = f": {one_line('; '.join(said), _ROW)}" if said else f": {review.why_none}" if review.why_none else ""
    return f"{_OPINION[review.opinion]}{more}{_extent(review)}"


def _extent(review: CodeReview) -> str:
    """How much of the change it was given to read."""
    if not review.lines and not review.unread:
        return ""
    parts = f" in {review.parts} parts" if review.parts > 1 else ""
    if not review.unread:
        return f" · read all {review.lines:,} changed line{'s' if review.lines != 1 else ''}{parts}"
    left = one_line(", ".join(review.unread), _ROW)
    return f" · read {review.read:,} of {review.lines:,} changed lines{parts}; not read: {left}"


def changed_in_words(changes: tuple[Change, ...], files: int = 0) -> str:
    """`files`: how many there are, where not all of them are at hand."""
    if not changes:
        return "nothing"
    count = max(files, len(changes))
    named = ", ".join(f"{c.path} (+{c.added} −{c.removed})" for c in changes[:_MOST_FILES])
    more = f" and {count - _MOST_FILES:,} more" if count > _MOST_FILES else ""
    return f"{named}{more}"


def _footer(judged: Evaluation) -> str:
    coverage = f", {judged.coverage:.0f} % of the changed lines covered" if judged.coverage is not None else ""
    cost = f", ${judged.cost:.2f}" if judged.cost else ""
    where = f" in {judged.sandbox}" if judged.sandbox else ""
    theirs = " Remote checks are the forge's own word." if any(gate.remote for gate in judged.gates) else ""
    ran = f"I ran these checks myself on commit {judged.commit[:10]}{where}, {judged.seconds:.0f} s{coverage}{cost}."
    return f"{ran}{theirs}"
