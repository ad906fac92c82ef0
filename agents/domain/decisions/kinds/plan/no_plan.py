"""No plan could be made: say more, go on with a one-step plan that code writes, or cancel."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import OWNERS, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, cancel
from agents.domain.decisions.kinds.plan import clarification
from agents.domain.planning.decomposition import Level, with_closing
from agents.domain.planning.ladder import outline
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut

NO_PLAN_YET = "I could not make a plan"  # what the planner is reminded of


class NoPlanOption(StrEnum):
    OUTLINE = "outline"  # unless the planner itself says no
    CANCEL = "cancel"


def apply(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    match chosen.option.value:
        case NoPlanOption.CANCEL:
            return cancel(task, chosen, moment)
        case NoPlanOption.OUTLINE:
            return outline_plan(task, chosen, moment)
        case _:
            return [clarification.answered(task, NO_PLAN_YET, chosen, moment)]


def outline_plan(task: Task, chosen: Chosen, moment: Moment) -> Facts:
    """Code writes down what is known; reviewers and a person judge it as any plan."""
    plan = with_closing(outline(task.request.text, task.plan.feedback))
    number, why = task.plan.number + 1, cut(" ".join(chosen.decision.evidence[:1]), 400)
    return [
        e.OutlineChosen(task=task.id, at=moment.at, by=chosen.person),
        e.DecompositionDrafted(
            task=task.id, at=moment.at, number=number, plan=plan, estimate=0.0, level=Level.MINIMAL, why=why
        ),
    ]


NO_PLAN: DecisionKind[None] = DecisionKind(
    name=Kind.NO_PLAN,
    rule=Rule(who=OWNERS, reminders=1, by_words=True),
    apply=apply,
    options=NoPlanOption,
    needs_words=frozenset({NoPlanOption.CANCEL}),
    rights={NoPlanOption.OUTLINE: Kind.PLAN},
    reads=clarification.takes_any_words,
    answers=True,
)
