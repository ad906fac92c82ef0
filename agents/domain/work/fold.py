"""What facts of work change: in the present of their subtask, in the work as a whole, and in its delivery."""

from dataclasses import replace

from agents.domain.checks.evaluation import COMMIT, Checked, Evaluation, Score, overall
from agents.domain.errors import IllegalMove
from agents.domain.fact import AboutWork, Fold
from agents.domain.phases.facts import PhaseRestarted, PhaseRevertWanted
from agents.domain.text.sanitize import cut
from agents.domain.work import facts as w, remote_facts as r
from agents.domain.work.work import (
    AcceptedTests,
    Awaited,
    DeliveryState,
    ShownTests,
    SubtaskState,
    Waiver,
    Work,
    WorkState,
)

S = SubtaskState
KEPT, CHANGES, TESTS, SUMMARY = 400, 30, 6, 1_000

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
    **{(S.EVALUATING, fact): S.EVALUATING for fact in (w.StepDue, w.StepPassed, w.StepRefused, w.WorkEvaluated)},
    **{(S.EVALUATING, fact): S.EVALUATING for fact in (r.DraftDue, r.ChecksAwaited, r.ChecksSeen, w.ChecksWaived)},
    **{(S.EVALUATING, fact): S.EVALUATING for fact in (w.TestsShown, w.TestsAccepted)},
    (S.EVALUATING, w.GatePassed): S.EVALUATING,
    **{(s, w.SubtaskEscalated): S.NEEDS_HUMAN for s in (S.EVALUATING, S.NEEDS_HUMAN)},
    **{(S.NEEDS_HUMAN, fact): S.EVALUATING for fact in (w.ChecksResumed, w.ChecksWaived)},
    (S.NEEDS_HUMAN, w.SubtaskTaken): S.NEEDS_HUMAN,
    (S.NEEDS_HUMAN, w.BranchPublished): S.NEEDS_HUMAN,
    (S.EVALUATING, w.SubtaskDone): S.DONE,
    **{(s, w.SubtaskDropped): S.CANCELLED for s in (S.PENDING, S.NEEDS_HUMAN, S.PAUSED)},  # or as the fact says
}

fold_subtask = Fold[Work]()
fold_subtask.on(w.ScopeSettled)(
    lambda work, fact: replace(
        work, scope=fact.scope, answer=fact.answer, queued=True, opened=(*work.opened, *fact.opened)
    )
)
fold_subtask.on(w.MinionStopped)(lambda work, fact: replace(work, commit=fact.commit or work.commit, queued=False))
fold_subtask.on(w.GatePassed)(lambda work, fact: replace(work, by_time=fact.by_time, joins=True))
fold_subtask.on(w.SubtaskTaken)(lambda work, fact: replace(work, doing="finished by hand"))


@fold_subtask.on(w.SubtaskReady)
def _(work: Work, fact: w.SubtaskReady) -> Work:
    """A new attempt begins with nothing of the last one but its branch and what was found wrong."""
    if fact.anew:
        work = replace(work, branch="", base="", commit="", trees=())
    worker = fact.step or work.worker
    return replace(
        work,
        queued=True,
        attempt=fact.attempt,
        onward=(*work.onward, fact.attempt) if fact.onward and fact.attempt > work.attempt else work.onward,
        tries=1 if fact.afresh else work.tries + (fact.attempt > work.attempt and not fact.onward),
        worker=worker,
        step=worker,
        visits={} if fact.afresh else work.visits,
        scope=fact.scope,
        feedback=fact.feedback,
        questions=0,
        answer="",
        turns=0,
        seconds=0.0,
        doing="",
        went_on="",
        problem="",
        patch="",
        by_time=False,
        joins=False,
        waived=(),
        degraded=fact.degraded or work.degraded,
        awaits=None,
        tests_shown=None,
    )


@fold_subtask.on(w.MinionStarted)
def _(work: Work, fact: w.MinionStarted) -> Work:
    return replace(
        work,
        queued=False,
        branch=fact.branch,
        base=fact.base,
        engine=fact.sandbox,
        went_on=fact.went_on,
        notes=tuple(dict.fromkeys((*work.notes, *fact.notes))),
        doing="" if fact.attempt != work.attempt else work.doing,
    )


@fold_subtask.on(w.MinionProgressed)
def _(work: Work, fact: w.MinionProgressed) -> Work:
    return replace(
        work,
        turns=fact.turns,
        seconds=fact.seconds,
        doing=fact.doing,
        changed=fact.changed,
        heard=max(work.heard, fact.heard),
        skills=tuple(dict.fromkeys((*work.skills, *fact.skills))),
    )


@fold_subtask.on(w.MinionAsked)
def _(work: Work, fact: w.MinionAsked) -> Work:
    return replace(work, commit=fact.commit, questions=work.questions + 1, doing=fact.question, answer="")


@fold_subtask.on(w.MinionAnswered)
def _(work: Work, fact: w.MinionAnswered) -> Work:
    """What people answer is among their wishes; what holds by silence is kept here."""
    by_silence = () if fact.by else (f"{work.doing} {fact.answer}",)
    return replace(work, answer=fact.answer, queued=True, settled=(*work.settled, *by_silence))


@fold_subtask.on(w.MinionFailed)
def _(work: Work, fact: w.MinionFailed) -> Work:
    return replace(work, problem=fact.problem, commit=fact.commit or work.commit, patch=fact.patch, queued=False)


@fold_subtask.on(w.WorkHandedIn)
def _(work: Work, fact: w.WorkHandedIn) -> Work:
    return replace(
        work,
        commit=fact.commit,
        base=fact.base or work.base,
        note=fact.note,
        doing=fact.summary,
        summary=cut(fact.summary, SUMMARY),
        attempt=fact.attempt,
        queued=False,
        problem="",
        checked=Checked(),
        uncommitted=fact.problem,
        awaits=None,
    )


@fold_subtask.on(r.ChecksAwaited)
def _(work: Work, fact: r.ChecksAwaited) -> Work:
    return replace(work, awaits=Awaited(step=fact.step, commit=fact.commit, since=fact.at, checked=fact.checked))


@fold_subtask.on(r.ChecksSeen)
def _(work: Work, fact: r.ChecksSeen) -> Work:
    if work.awaits is None:
        return work
    seen = replace(work.awaits, waiting=fact.waiting, ended=fact.ended, problem=fact.problem)
    return replace(work, awaits=seen)


@fold_subtask.on(w.StepDue)
def _(work: Work, fact: w.StepDue) -> Work:
    return replace(work, step=fact.step, visits={**work.visits, fact.step: fact.visit})


@fold_subtask.on(w.StepPassed)
def _(work: Work, fact: w.StepPassed) -> Work:
    checked = work.checked.plus(fact.checked)
    joined = _joined(work) if work.joins else work.joined
    passed = replace(work, step=fact.step, commit=fact.commit, checked=checked, awaits=None)
    return replace(passed, joins=False, joined=joined)


@fold_subtask.on(w.SubtaskDone)
def _(work: Work, fact: w.SubtaskDone) -> Work:
    return replace(work, joins=False, joined=_joined(work) if work.joins else work.joined)


def _joined(work: Work) -> tuple[tuple[str, str], ...]:
    return (*work.joined, (work.commit, work.base))


# What a refused step found is in the judgement; should it look again, only what passed before it still counts.
fold_subtask.on(w.StepRefused)(lambda work, fact: replace(work, step=fact.step, commit=fact.commit, awaits=None))
fold_subtask.on(w.ChecksResumed)(lambda work, fact: replace(work, step=fact.step, problem=""))


@fold_subtask.on(w.ChecksWaived)
def _(work: Work, fact: w.ChecksWaived) -> Work:
    waived = (Waiver(step=fact.step, check=check, by=fact.by, why=fact.why) for check in fact.checks)
    return replace(work, step=fact.step, problem="", waived=(*work.waived, *waived))


@fold_subtask.on(w.TestsShown)
def _(work: Work, fact: w.TestsShown) -> Work:
    tests = tuple(replace(each, before=cut(each.before, KEPT), after=cut(each.after, KEPT)) for each in fact.tests)
    names = tuple(each.name for each in fact.tests)
    shown = ShownTests(step=fact.step, commit=fact.commit, tests=tests[:TESTS], names=names, keys=fact.keys)
    return replace(work, step=fact.step, commit=fact.commit, tests_shown=shown)


@fold_subtask.on(w.TestsAccepted)
def _(work: Work, fact: w.TestsAccepted) -> Work:
    accepted = AcceptedTests(names=fact.names, keys=fact.keys, by=fact.by)
    return replace(work, step=fact.step, tests_shown=None, tests_accepted=(*work.tests_accepted, accepted))


@fold_subtask.on(w.WorkEvaluated)
def _(work: Work, fact: w.WorkEvaluated) -> Work:
    # what was judged is what goes on, also where a person handed in a branch
    return replace(
        work,
        evaluation=_brief(fact.evaluation),
        risk=fact.risk,
        commit=fact.evaluation.commit,
        trees=(*work.trees, _seen(fact.evaluation)),
    )


@fold_subtask.on(w.SubtaskEscalated)
def _(work: Work, fact: w.SubtaskEscalated) -> Work:
    return replace(work, problem=fact.why, patch=fact.patch or work.patch, joins=False)


@fold_subtask.on(w.SubtaskDropped)
def _(work: Work, fact: w.SubtaskDropped) -> Work:
    return replace(work, state=fact.outcome, problem=fact.why, queued=False)


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
    return fold_subtask(replace(work, state=to), fact)


fold_work = Fold[WorkState]()


@fold_work.on(w.WorkBegun)
def _(work: WorkState, fact: w.WorkBegun) -> WorkState:
    begun = replace(work, branch=fact.branch, base=fact.base, into=fact.into)
    return replace(begun, co_author=fact.co_author, style=fact.style)


fold_work.on(w.PullOpened)(lambda work, fact: replace(work, into=fact.into or work.into))
fold_delivery = Fold[DeliveryState]()
fold_delivery.on(PhaseRestarted, PhaseRevertWanted)(lambda delivery, fact: replace(delivery, anew=True))
fold_delivery.on(w.OutsideReviewEnded, w.MergeApproved)(lambda delivery, fact: replace(delivery, draft=False))


@fold_delivery.on(w.Merged)
def _(delivery: DeliveryState, fact: w.Merged) -> DeliveryState:
    return replace(delivery, head=fact.commit, merged_into=fact.into, advice=fact.advice)


@fold_delivery.on(r.DraftOpened)
def _(delivery: DeliveryState, fact: r.DraftOpened) -> DeliveryState:
    return replace(delivery, pull=fact.number, url=fact.url, draft=True, early=fact.head)


@fold_delivery.on(w.PullOpened)
def _(delivery: DeliveryState, fact: w.PullOpened) -> DeliveryState:
    return replace(
        delivery,
        pull=fact.number,
        url=fact.url,
        head=fact.head,
        draft=fact.draft,
        notes=fact.notes,
        early="",
        anew=False,
        rounds=delivery.rounds + 1,
    )
