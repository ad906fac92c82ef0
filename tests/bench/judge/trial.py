"""Has one piece of the corpus judged as a workflow would: rules, the baseline, every check, and a person's word."""

import asyncio
import shutil
import time
from dataclasses import dataclass, replace
from pathlib import Path

from agents.domain.checks.evaluation import GateRun, Score, overall, sum_up
from agents.ports import Candidate
from agents.workspace.gates.judge import SandboxGates
from tests.bench.judge.work import Work
from tests.evaluator.pieces import ANYTHING, PASS, Piece
from tests.evaluator.yard import Shelf, gates_for, judge_steps, repository_of

SECONDS = 120  # of one run of a suite: other things may run on the machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    accepted: bool
    why: str  # of the first check that says no
    seconds: float


def try_work(work: Work, home: Path) -> Verdict:
    """`home` is the judge's: what it knows of a base there is not measured again."""
    return asyncio.run(_try_work(work, home))


async def _try_work(work: Work, home: Path) -> Verdict:
    began = time.monotonic()
    repository = home / "repository"
    base, commit = await asyncio.to_thread(repository_of, repository, work.base, work.work)
    try:
        piece = Piece(name="piece", base=work.base, work=work.work, verdict=PASS, reruns=5, seconds=SECONDS)
        gates = gates_for(repository, home, piece, Shelf())
        candidate = Candidate(
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
    finally:
        await asyncio.to_thread(shutil.rmtree, repository)
    no = next((f"{row.name}: {row.why}" for row in rows if row.score is not Score.PASS), "")
    return Verdict(accepted=sum_up(rows)[0] is Score.PASS, why=no, seconds=time.monotonic() - began)


async def _rows(gates: SandboxGates, candidate: Candidate, *, accepted: bool) -> tuple[GateRun, ...]:
    """Where a person would be asked for the changed tests, and would accept them, it is judged with that."""
    rows = (await judge_steps(gates, candidate)).gates
    changed = [test.key for row in rows for test in row.changed_tests]
    keys = frozenset((*changed, *(key for row in rows for key in row.unshown)))
    if not accepted or not keys or overall(row.score for row in rows) is Score.PASS:
        return rows
    return (await judge_steps(gates, replace(candidate, accepted=keys))).gates
