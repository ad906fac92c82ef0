"""Has one piece of the corpus judged as a workflow would: rules, the baseline, every check, and a person's word."""

import asyncio
import shutil
import time
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agents.domain.checks.evaluation import GateRun, Score, overall, sum_up
from agents.ports import Candidate
from agents.workspace.gates.judge import SandboxGates
from tests.bench.judge.classes import Work
from tests.evaluator.pieces import ANYTHING, PASS, Piece
from tests.evaluator.yard import Shelf, gates_for, judge_steps, repository_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    accepted: bool
    why: str  # of the first check that says no
    seconds: float


def try_work(work: Work) -> Verdict:
    with TemporaryDirectory(prefix="overlord-judge-", dir="/var/tmp") as made:
        Path(made).chmod(0o755)
        return asyncio.run(_try_work(work, Path(made)))


async def _try_work(work: Work, place: Path) -> Verdict:
    began = time.monotonic()
    repository = place / "repository"
    base, commit = await asyncio.to_thread(repository_of, repository, work.base, work.work)
    piece = Piece(name="piece", base=work.base, work=work.work, verdict=PASS)
    gates = gates_for(repository, place, piece, Shelf())
    candidate = candidate_of(
        project="shop",
        base=base,
        commit=commit,
        scope=ANYTHING,
        log="T-1",
        kind=work.kind,
        changes_tests=work.changes_tests,
        known=await gates.baseline("shop", base, "corpus"),
    )
    rows = await _rows(gates, candidate, accepted=work.accepted)
    seconds = time.monotonic() - began
    await asyncio.to_thread(shutil.rmtree, repository)
    no = next((f"{row.name}: {row.why}" for row in rows if row.score is not Score.PASS), "")
    return Verdict(accepted=sum_up(rows)[0] is Score.PASS, why=no, seconds=seconds)


async def _rows(gates: SandboxGates, candidate: Candidate, *, accepted: bool) -> tuple[GateRun, ...]:
    """Where a person would be asked for the changed tests, and would accept them, it is judged with that."""
    rows = (await judge_steps(gates, candidate)).gates
    changed = [test.key for row in rows for test in getattr(row, "changed_tests", ())]
    keys = frozenset((*changed, *(key for row in rows for key in getattr(row, "unshown", ()))))
    if not accepted or not keys or overall(row.score for row in rows) is Score.PASS:
        return rows
    told = {each.name: getattr(candidate, each.name) for each in fields(candidate)}
    return (await judge_steps(gates, candidate_of(**{**told, "accepted": keys}))).gates


def candidate_of(**told: Any) -> Candidate:
    """With as much of it as this judge can be told: the corpus is tried on older ones, too."""
    known = {each.name for each in fields(Candidate)}
    return Candidate(**{name: value for name, value in told.items() if name in known})
