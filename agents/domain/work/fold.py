"""What a fact of work changes in the present of its subtask: one table, one row a fact."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agents.domain.checks.evaluation import Evaluation, Score, overall
from agents.domain.checks.gates import COMMIT
from agents.domain.errors import IllegalMove
from agents.domain.fact import AboutWork
from agents.domain.work import facts as w
from agents.domain.work.work import SubtaskState, Work

S = SubtaskState
KEPT, CHANGES = 400, 30

# Where a subtask may be when a fact happens to it, and where that takes it.
SUBTASK_MOVES: dict[tuple[SubtaskState, type[AboutWork]], SubtaskState] = {
    **{(s, w.SubtaskReady): S.PENDING for s in (S.PENDING, S.EVALUATING, S.NEEDS_HUMAN, S.PAUSED, S.DONE)},
    **{(s, w.MinionStarted): S.RUNNING for s in (S.PENDING, S.RUNNING, S.PAUSED)},
    (S.RUNNING, w.MinionProgressed): S.RUNNING,
    (S.RUNNING, w.MinionAsked): S.NEEDS_HUMAN,
    (S.NEEDS_HUMAN, w.MinionAnswered): S.PENDING,
    (S.NEEDS_HUMAN, w.ScopeSettled): S.PENDING,
    **{(s, w.MinionStopped): S.PAUSED for s in (S.PENDING, S.RUNNING)},
    **{(s, w.MinionFailed): S.NEEDS_HUMAN for s in (S.PENDING, S.RUNNING)},
    **{(s, w.WorkHandedIn): S.EVALUATING for s in (S.PENDING, S.RUNNING, S.NEEDS_HUMAN)},
    (S.EVALUATING, w.WorkEvaluated): S.EVALUATING,
    (S.EVALUATING, w.GatePassed): S.EVALUATING,
    **{(s, w.SubtaskEscalated): S.NEEDS_HUMAN for s in (S.EVALUATING, S.NEEDS_HUMAN)},
    (S.NEEDS_HUMAN, w.SubtaskTaken): S.NEEDS_HUMAN,
    (S.NEEDS_HUMAN, w.BranchPublished): S.NEEDS_HUMAN,
    (S.EVALUATING, w.SubtaskDone): S.DONE,
    **{(s, w.SubtaskDropped): S.CANCELLED for s in (S.PENDING, S.NEEDS_HUMAN, S.PAUSED)},  # or as the fact says
}

_CHANGES: dict[type[AboutWork], Callable[[Work, Any], dict[str, Any]]] = {
    w.SubtaskReady: lambda work, fact: _ready(work, fact),
    w.MinionStarted: lambda work, fact: {
        "queued": False,
        "branch": fact.branch,
        "base": fact.base,
        "engine": fact.sandbox,
        "went_on": fact.went_on,
        "doing": "" if fact.attempt != work.attempt else work.doing,
    },
    w.MinionProgressed: lambda work, fact: {
        "turns": fact.turns,
        "seconds": fact.seconds,
        "doing": fact.doing,
        "changed": fact.changed,
        "heard": max(work.heard, fact.heard),
        "skills": tuple(dict.fromkeys((*work.skills, *fact.skills))),
    },
    w.MinionAsked: lambda work, fact: {
        "commit": fact.commit,
        "questions": work.questions + 1,
        "doing": fact.question,
        "answer": "",
    },
    w.MinionAnswered: lambda work, fact: {"answer": fact.answer, "queued": True},
    w.ScopeSettled: lambda work, fact: {"scope": fact.scope, "answer": fact.answer, "queued": True},
    w.MinionStopped: lambda work, fact: {"commit": fact.commit or work.commit, "queued": False},
    w.MinionFailed: lambda work, fact: {
        "problem": fact.problem,
        "commit": fact.commit or work.commit,
        "patch": fact.patch,
        "queued": False,
    },
    w.WorkHandedIn: lambda work, fact: {
        "commit": fact.commit,
        "base": fact.base or work.base,
        "note": fact.note,
        "doing": fact.summary,
        "attempt": fact.attempt,
        "queued": False,
        "problem": "",
    },
    w.WorkEvaluated: lambda work, fact: {
        "evaluation": _brief(fact.evaluation),
        "risk": fact.risk,
        "commit": fact.evaluation.commit,  # what was judged is what goes on, also where a person handed in a branch
        "trees": (*work.trees, _seen(fact.evaluation)),
    },
    w.GatePassed: lambda work, fact: {"by_time": fact.by_time},
    w.SubtaskEscalated: lambda work, fact: {"problem": fact.why, "patch": fact.patch or work.patch},
    w.SubtaskTaken: lambda work, fact: {"doing": "finished by hand"},
    w.SubtaskDropped: lambda work, fact: {"state": fact.outcome, "problem": fact.why, "queued": False},
}


def _ready(work: Work, fact: w.SubtaskReady) -> dict[str, Any]:
    """A new attempt begins with nothing of the last one but its branch and what was found wrong."""
    return {
        "queued": True,
        "attempt": fact.attempt,
        "tries": 1 if fact.afresh else work.tries + (fact.attempt > work.attempt),
        "scope": fact.scope,
        "feedback": fact.feedback,
        "questions": 0,
        "answer": "",
        "turns": 0,
        "seconds": 0.0,
        "doing": "",
        "went_on": "",
        "problem": "",
        "patch": "",
        "by_time": False,
        **({"branch": "", "base": "", "commit": "", "trees": ()} if fact.anew else {}),
    }


def _seen(evaluation: Evaluation) -> str:
    """The files that must not come again. Those that a gate refused for good may: a person has then widened the scope
    or mended what the gate runs on, and the files can be right as they are. So may those beside which something lay
    that could not be committed."""
    if any(gate.name == COMMIT for gate in evaluation.gates):
        return ""
    return "" if overall(gate.score for gate in evaluation.gates) is Score.FAIL else evaluation.tree


def _brief(evaluation: Evaluation) -> Evaluation:
    """The fact keeps all of it; the present of a task stays small."""
    gates = tuple(replace(gate, output=gate.output[-KEPT:]) for gate in evaluation.gates)
    return replace(evaluation, gates=gates, changes=evaluation.changes[:CHANGES])


def evolve(work: Work, fact: AboutWork) -> Work:
    """Apply one fact. Raises IllegalMove if it cannot follow from where the subtask is."""
    to = SUBTASK_MOVES.get((work.state, type(fact)))
    if to is None:
        raise IllegalMove(
            f"Subtask {fact.task}.{work.number} is {str(work.state).replace('_', ' ')}, so that cannot be now",
            next_step="Say `status` to see where it stands.",
        )
    more = _CHANGES.get(type(fact))
    return replace(work, **{"state": to, **(more(work, fact) if more else {})})
