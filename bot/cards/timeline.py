"""A fact in words, for a task's timeline."""

from collections.abc import Callable
from typing import Any

from agents.domain import events as e
from agents.domain.decision import Decision, NameOf
from agents.domain.events import Event
from agents.domain.ids import DecisionId
from bot.cards import words

Decisions = Callable[[DecisionId], Decision | None]


def in_words(event: Event, name: NameOf, decisions: Decisions) -> str:
    if isinstance(event, e.AboutDecision):
        known = decisions(event.decision)
        what = words.KIND[known.kind] if known else "a decision"
        return _ABOUT[type(event)](event, what, known)
    return _PLAIN[type(event)](event, name)


_PLAIN: dict[type[Event], Callable[[Any, NameOf], str]] = {
    e.TaskRequested: lambda f, name: f"Asked for: {f.request}",
    e.ProjectChosen: lambda f, name: f"Project: {f.project or 'none'}{f' ({f.why})' if f.why else ''}",
    e.RemarkMade: lambda f, name: f"Remarked: {f.text}",
    e.RequestCorrected: lambda f, name: f"Corrected the request: {f.request}",
    e.TaskStopped: lambda f, name: "Stopped the task",
    e.TaskResumed: lambda f, name: "Resumed the task",
    e.TaskBackburnered: lambda f, name: "Laid the task aside",
    e.TaskCancelled: lambda f, name: f"Cancelled the task: {f.reason}",
    e.TaskMuted: lambda f, name: "Muted reminders" if f.muted else "Unmuted reminders",
    e.JobParked: lambda f, name: f"Gave up on {words.FLOW.get(f.flow, f.flow)}: {f.problem}",
    e.JobRetried: lambda f, name: "Asked to try the stuck step again",
    e.DecompositionDrafted: lambda f, name: f"Drafted plan {f.number}: {len(f.plan.subtasks)} subtasks",
    e.DecompositionSentBack: lambda f, name: f"Sent plan {f.number} back: {'; '.join(f.reasons)}",
    e.ReviewersDisagreed: lambda f, name: (
        f"The reviewers disagree: critic {f.review.critic.verdict}, custodiet {f.review.custodiet.verdict}"
    ),
    e.DecompositionApproved: lambda f, name: f"The reviewers let plan {f.number} through",
    e.DecompositionBlocked: lambda f, name: f"A reviewer blocked plan {f.number}: {'; '.join(f.review.reasons)}",
    e.DecompositionEscalated: lambda f, name: f"Took the plan to a person: {f.why}",
    e.ClarificationAnswered: lambda f, name: f"Answered “{f.question}”: {f.answer}",
    e.PlanAccepted: lambda f, name: "Accepted the plan" if f.by else "The channel's policy accepted the plan",
    e.PlanChangeRequested: lambda f, name: f"Asked for changes: {f.words}",
    e.ApprovalOffered: lambda f, name: f"Offered {name(f.by)} the button, as words do not approve",
    e.TaskAskedAbout: lambda f, name: f"Asked about the task ({f.about})",
    e.BudgetWarned: lambda f, name: f"80 % of the budget of {f.budget} is used (${f.spent:.2f} of ${f.limit:.2f})",
    e.BudgetReached: lambda f, name: f"The budget of {f.budget} is used up (${f.limit:.2f})",
    e.BudgetRaised: lambda f, name: f"Raised the budget to ${f.limit:.2f}",
    e.DecisionOpened: lambda f, name: f"Asked {name(f.decision.put_to)} to decide {words.KIND[f.decision.kind]}",
}

_ABOUT: dict[type[Event], Callable[[Any, str, Decision | None], str]] = {
    e.DecisionVoted: lambda f, what, d: f"Approved {what}; more people are needed",
    e.DecisionMade: lambda f, what, d: f"Decided {what}: {words.chosen(d) if d else f.option}",
    e.DecisionHeld: lambda f, what, d: f"Paused the clock of {what}",
    e.DecisionReminded: lambda f, what, d: f"Reminded about {what} (number {f.number})",
    e.DecisionExpired: lambda f, what, d: f"Nobody decided {what} in time",
    e.DecisionSuperseded: lambda f, what, d: f"A newer card replaced the one about {what}",
    e.DecisionWithdrawn: lambda f, what, d: f"No longer needed: {what} ({f.why})",
}
IN_WORDS = _PLAIN.keys() | _ABOUT.keys()
