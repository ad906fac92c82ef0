"""How a plan comes about beyond the usual way: by what people answer, or as an outline that code wrote."""

from collections.abc import Sequence

from agents.domain import events as e
from agents.domain.decisions.kind import Chosen, Facts, Moment
from agents.domain.ids import PersonId
from agents.domain.planning.decomposition import (
    Assumption,
    Confidence,
    Decomposition,
    Level,
    Subtask,
    with_closing,
)
from agents.domain.planning.opening import with_opening
from agents.domain.planning.plan_reading import kind_of
from agents.domain.planning.points import points_of
from agents.domain.planning.work_kind import MAX_HOURS, MAX_REVIEW_MINUTES, SubtaskSize
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line

TODO = "TODO: "
BEGINS_WITH = "What is asked for now is a first part of a longer request, which took too much room"
# What the planner is told, by how changes were asked for.
WISHES: dict[str, str] = {
    "changes": "{words}",
    "narrow": "Do less: {words}",
    "send_back": "Start over, and heed this: {words}",
    "information": "Find this out before anything else, by a spike where the files do not tell: {words}",
}


def outline(request: str, heed: Sequence[str] = ()) -> Decomposition:
    """The request as one subtask. What a person has to say is marked; what they said already is in it."""
    said = f"; heed: {cut('; '.join(heed), 200)}" if heed else ""
    only = Subtask(
        number=1,
        title=one_line(request, 100),
        why=f"it is what was asked for{said}",
        kind=kind_of(None, ()),
        hours=MAX_HOURS,
        review_minutes=MAX_REVIEW_MINUTES,
        size=SubtaskSize.LARGE,
        confidence=Confidence.LOW,
        test=f"{TODO}say which command or which case shows that it works",
        assumed=("kind", "size"),
    )
    missing = (
        "split it, if it is more than one pull request",
        "name the files that may be written; you are asked before anything starts",
        "say which command or which case shows that it works",
    )
    return Decomposition(
        goal=one_line(request, 200),
        subtasks=(only,),
        summary="A one-step plan that no model had a part in.",
        assumptions=tuple(Assumption(what=f"{TODO}{each}") for each in missing),
    )


def choose_outline(task: Task, chosen: Chosen, moment: Moment) -> Facts:
    """Code writes down what is known; reviewers and a person judge it as any plan."""
    workflow = task.plan.proposed or moment.workflow(task)
    heed = (*(wish.words for wish in task.wishes), *task.plan.feedback)
    plan = with_opening(with_closing(outline(task.request.text, heed)), workflow)
    number, why = task.plan.number + 1, next(iter(chosen.decision.evidence), "")
    return [
        e.OutlineChosen(task=task.id, at=moment.at, by=chosen.person),
        e.DecompositionDrafted(
            task=task.id,
            at=moment.at,
            number=number,
            plan=plan,
            level=Level.MINIMAL,
            why=cut(why, 400) if isinstance(why, str) else why,
            workflow=workflow,
            manners=moment.manners(task),
        ),
    ]


def answer_planner(task: Task, question: str, chosen: Chosen, moment: Moment) -> e.ClarificationAnswered:
    answer = chosen.answer
    return e.ClarificationAnswered(task=task.id, at=moment.at, by=chosen.person, question=question, answer=answer)


def accept(task: Task, hash: str, by: tuple[PersonId, ...], moment: Moment) -> e.PlanAccepted:
    """With the workflow and the reviewers' points that were shown with the plan. Drafts of earlier versions name no
    workflow: then the one of now."""
    shown = task.plan.proposed or moment.workflow(task)
    points = points_of(task.plan.review)
    return e.PlanAccepted(task=task.id, at=moment.at, hash=hash, by=by, workflow=shown, points=points)


def send_back(task: Task, chosen: Chosen, moment: Moment) -> e.PlanChangeRequested:
    """With a person's words; the planner makes another plan."""
    words = WISHES[chosen.option.value].format(words=chosen.words)
    by, entitled = chosen.person, chosen.entitled
    return e.PlanChangeRequested(task=task.id, at=moment.at, by=by, words=words, entitled=entitled)


def ask_for_less(task: Task, chosen: Chosen, moment: Moment) -> Facts:
    """What is asked for first takes the place of the request; the rest can be asked for when that is done."""
    now = task.request
    corrected = e.RequestCorrected(
        task=task.id, at=moment.at, by=chosen.person, request=chosen.words, workflow=now.workflow, role=now.role
    )
    again = e.PlanChangeRequested(task=task.id, at=moment.at, by=chosen.person, words=BEGINS_WITH)
    return [corrected, again]
