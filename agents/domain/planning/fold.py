"""What facts of planning change in a task, beside its state."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agents.domain import events as e
from agents.domain.events import Event
from agents.domain.planning.ladder import Level
from agents.domain.work.work import Work

if TYPE_CHECKING:
    from agents.domain.task.task import Task

# Whoever has a word in it has it planned from all there is again.
_AT_FIRST: dict[str, Any] = {"plan_level": Level.PRIMARY, "plan_level_why": ""}

CHANGES: "dict[type[Event], Callable[[Task, Any], dict[str, Any]]]" = {
    e.JobParked: lambda task, fact: {
        "parked": (*task.parked, fact.job),
        "problem": fact.problem,
        **(_AT_FIRST if fact.flow == "decompose" else {}),
    },
    e.DecompositionDrafted: lambda task, fact: {
        "plan": fact.plan,
        "plan_number": fact.number,
        "previous_plan": task.previous_plan if task.tries else task.plan,
        "estimate": fact.estimate,
        "rehearsal": fact.rehearsal,
        "plan_level": fact.level,
        "plan_level_why": fact.why,
        "tries": task.tries + 1,
        "review": None,
        "debate": None,
    },
    e.PlanningSimplified: lambda task, fact: {"plan_level": Level.SIMPLIFIED, "plan_level_why": fact.why},
    e.OutlineChosen: lambda task, fact: {"parked": (), "problem": ""},
    e.DecompositionSentBack: lambda task, fact: {
        "feedback": fact.reasons,
        "review": fact.review,
        "debate": fact.debate,
        "tries": task.tries + (fact.number > task.plan_number),
    },
    e.DecompositionApproved: lambda task, fact: {"review": fact.review, "debate": fact.debate},
    e.DecompositionBlocked: lambda task, fact: {"review": fact.review},
    e.DecompositionEscalated: lambda task, fact: {
        "review": fact.review,
        "debate": fact.debate,
        "problem": "" if fact.debate else fact.why,
    },
    e.ClarificationAnswered: lambda task, fact: {
        "feedback": (f"{fact.question} {fact.answer}",),
        "tries": 0,
        "problem": "",
        **_AT_FIRST,
    },
    e.PlanAccepted: lambda task, fact: {
        "accepted_plan": fact.hash,
        "workflow": fact.workflow,
        "feedback": (),
        "problem": "",
        "works": tuple(Work(number=s.number) for s in task.plan.subtasks) if task.plan else (),
    },
    e.PlanChangeRequested: lambda task, fact: {
        "feedback": (fact.words,),
        "tries": 0,
        "problem": "",
        "parked": (),
        **_AT_FIRST,
    },
}
