"""Each attempt at a subtask in one row: how it ended, what was checked, what it changed, and what comes next."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.domain.checks.evaluation import Score
from agents.domain.text.sanitize import one_line
from agents.domain.work.outcome import MINION, OVERLORD, PERSON, Implementation, ReviewStatus, WorkerOutcome
from agents.domain.work.work import run_key
from bot.cards.progress import SCORE
from bot.cards.reasons import put
from store.streams.projections import EvaluationResult

# None: no verdict.
_REVIEWED = {
    ReviewStatus.APPROVED: "approves",
    ReviewStatus.CHANGES_REQUESTED: "asks for changes",
    None: "gave no verdict",
}
_DID = 120  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """`name` is such as "T-1.2, attempt 1"."""

    name: str
    ended: str
    checks: tuple[str, ...] = ()
    changed: str = ""
    next: str = ""  # empty where it is over, or a later attempt went on from it


def attempts(outcomes: Sequence[WorkerOutcome], judged: Sequence[EvaluationResult]) -> list[AttemptRow]:
    """Those of one subtask below each other, in their order."""
    scores = {run_key(each.task, each.subtask, each.revision_number + 1): each for each in judged}
    by_run: dict[str, list[WorkerOutcome]] = {run: [] for run in (each.run for each in outcomes)}
    for each in outcomes:
        by_run[each.run].append(each)
    last = {_subtask(run): run for run in (*by_run, *scores)}
    return [
        _attempt(run, by_run.get(run, []), scores.get(run), latest=last[_subtask(run)] == run)
        for run in sorted(dict.fromkeys((*by_run, *scores)), key=_place)
    ]


def _attempt(run: str, told: list[WorkerOutcome], score: EvaluationResult | None, *, latest: bool) -> AttemptRow:
    worker = next((each for each in told if each.worker in (MINION, PERSON, OVERLORD)), None)
    reviewers = [each for each in told if each is not worker]
    made = worker.implementation if worker else None
    subtask, _, number = run.rpartition("-")
    return AttemptRow(
        name=f"{subtask}, attempt {number}",
        ended=_ended(worker, score),
        checks=(*_scores(score, reviewers), *(f"{each.worker} {_REVIEWED[each.review_status]}" for each in reviewers)),
        changed=in_numbers(made) if made else "",
        next=put(worker.next_step) if worker and latest else "",
    )


def in_numbers(made: Implementation) -> str:
    """Such as "2 files new, 1 changed, 1 with tests"; the status is said beside it."""
    counts = (("new", made.files_created), ("changed", made.files_modified), ("removed", made.files_removed))
    said = [(len(files), word) for word, files in (*counts, ("with tests", made.tests_written)) if files]
    if not said:
        return "no file"
    (first, word), *others = said
    files = f"{first} file{'s' if first != 1 else ''} {word}"
    return ", ".join((files, *(f"{count} {word}" for count, word in others)))


def _ended(worker: WorkerOutcome | None, score: EvaluationResult | None) -> str:
    """What was measured counts; before that, what it did last."""
    said = _word(score.overall) if score else one_line(put(worker.action_taken), _DID) if worker else ""
    by_hand = worker is not None and worker.worker == PERSON
    return f"{said or 'not checked yet'}{', finished by hand' if by_hand else ''}"


def _scores(score: EvaluationResult | None, reviewers: Sequence[WorkerOutcome]) -> list[str]:
    if score is None:
        return []
    named = [("tests", score.test_score), ("lint", score.lint_score)]
    if not reviewers:
        named.append(("review", score.review_score))
    return [f"{name}: {_word(found) or 'not run'}" for name, found in named]


def _word(score: str) -> str:
    return SCORE[Score(score)] if score in SCORE else score


def _place(run: str) -> tuple[int, ...]:
    """By the numbers in “T-1.2-1”."""
    return tuple(map(int, re.findall(r"\d+", run)))


def _subtask(run: str) -> str:
    return run.rpartition("-")[0]
