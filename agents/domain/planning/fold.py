"""What facts of planning do to the plan of a task."""

from dataclasses import replace

from agents.domain.fact import Fold
from agents.domain.planning import facts as f
from agents.domain.planning.debate import Debate
from agents.domain.planning.decomposition import Level
from agents.domain.planning.state import PlanState
from agents.domain.task.facts import JobParked

fold = Fold[PlanState]()


@fold.on(f.DecompositionDrafted)
def _(plan: PlanState, fact: f.DecompositionDrafted) -> PlanState:
    return replace(
        plan,
        draft=fact.plan,
        number=fact.number,
        previous=plan.previous if plan.tries else plan.draft,
        estimate=fact.estimate,
        rehearsal=fact.rehearsal,
        level=fact.level,
        level_why=fact.why,
        tries=plan.tries + 1,
        review=None,
        debate=None,
    )


@fold.on(f.PlanningSimplified)
def _(plan: PlanState, fact: f.PlanningSimplified) -> PlanState:
    return replace(plan, level=Level.SIMPLIFIED, level_why=fact.why)


@fold.on(f.GuidanceLeftOut)
def _(plan: PlanState, fact: f.GuidanceLeftOut) -> PlanState:
    return replace(plan, guidance_left_out=(*plan.guidance_left_out, (fact.file, fact.why)))


@fold.on(f.DecompositionSentBack)
def _(plan: PlanState, fact: f.DecompositionSentBack) -> PlanState:
    tries = plan.tries + (fact.number > plan.number)
    return replace(plan, feedback=fact.reasons, review=fact.review, debate=fact.debate, tries=tries)


@fold.on(f.ReviewersDisagreed)
def _(plan: PlanState, fact: f.ReviewersDisagreed) -> PlanState:
    return replace(plan, review=fact.review, debate=Debate(began=fact.review, now=fact.review, most=fact.rounds))


@fold.on(f.DecompositionApproved)
def _(plan: PlanState, fact: f.DecompositionApproved) -> PlanState:
    return replace(plan, review=fact.review, debate=fact.debate)


@fold.on(f.DecompositionBlocked)
def _(plan: PlanState, fact: f.DecompositionBlocked) -> PlanState:
    return replace(plan, review=fact.review)


@fold.on(f.DecompositionEscalated)
def _(plan: PlanState, fact: f.DecompositionEscalated) -> PlanState:
    return replace(plan, review=fact.review, debate=fact.debate)


@fold.on(f.ClarificationAnswered)
def _(plan: PlanState, fact: f.ClarificationAnswered) -> PlanState:
    return _at_first(replace(plan, feedback=(f"{fact.question} {fact.answer}",), tries=0))


@fold.on(f.PlanChangeRequested)
def _(plan: PlanState, fact: f.PlanChangeRequested) -> PlanState:
    return _at_first(replace(plan, feedback=(fact.words,), tries=0))


@fold.on(JobParked)
def _(plan: PlanState, fact: JobParked) -> PlanState:
    return _at_first(plan) if fact.flow == "decompose" else plan


@fold.on(f.PlanAccepted)
def _(plan: PlanState, fact: f.PlanAccepted) -> PlanState:
    return replace(plan, accepted=fact.hash, workflow=fact.workflow, feedback=())


def _at_first(plan: PlanState) -> PlanState:
    """Whoever has a word in it has it planned from all there is again."""
    return replace(plan, level=Level.PRIMARY, level_why="")
