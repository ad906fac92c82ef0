"""Making proposals, and what follows when a person decides on one. Each trigger has a function here."""

from dataclasses import replace

from agents.domain import events as e
from agents.domain.decisions.asking import REASON, Chosen, Facts, Moment, Question, ask
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option, lettered
from agents.domain.ids import project_id
from agents.domain.learning.proposal import Level, Proposal, ProposalType, Rationale, Trigger, likeness, proposal_id
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from agents.domain.work.dispatching import dependents
from agents.domain.work.work import Work

PROPOSAL_OPTIONS = lettered(
    Option(value="approve", approves=True),
    Option(value="reject"),
    Option(value="reject_because", asks=REASON),
)
MOST = 600  # characters of a blocker


def propose(task: Task, proposal: Proposal, moment: Moment) -> Facts:
    """M038: it is put to a person and waits. One like it that is open, under way or turned down does not come back."""
    if task.ended or moment.is_proposed(proposal.likeness):
        return []
    project = project_id(proposal.project)
    question = Question(
        kind=Kind.PROPOSAL,
        options=PROPOSAL_OPTIONS,
        text=proposal.title,
        subject=f"{proposal.id}:{proposal.hash}",
        project=project,
    )
    made = e.ProposalMade(task=task.id, project=project, at=moment.at, proposal=proposal)
    return [made, *ask(task, question, replace(moment, cause=f"{moment.cause}:{proposal.id}"))]


def after_blocker(task: Task, work: Work, blocker: str, moment: Moment) -> Facts:
    """M040: what a minion could not remove may be worth a task of its own. No model is asked.

    A rehearsed minion is blocked where its script ends, and that is worth none.
    """
    if task.plan.rehearsal:
        return []
    title, said = task.plan.subtask(work.number).title, cut(blocker.strip(), MOST)
    name, project = f"{task.id}.{work.number}", task.project or ""
    proposal = Proposal(
        id=proposal_id(task.id, f"{moment.cause}:{name}"),
        type=ProposalType.TOOL_FIX,  # by what gave rise to it: the minion's words do not choose its kind
        title=f"Remove what blocked “{one_line(title, 80)}”",
        rationale=Rationale(trigger=Trigger.BLOCKER, evidence=(f"{name} ({title}) reports: {said}",)),
        proposed_action=f"A task of its own that removes what blocked “{title}”: {said}",
        estimated_impact=Level.HIGH if any(dependents(task, work.number)) else Level.MEDIUM,
        risk=Level.MEDIUM,  # nobody knows before it is planned
        project=project,
        likeness=likeness(project, Trigger.BLOCKER, said),
        related_tasks=(task.id,),
        related_issues=(task.request.origin.number,) if task.request.origin else (),
        created_at=moment.at,
    )
    return propose(task, proposal, moment)


def decided(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    """P9: only a person's choice comes here, for silence never decides on a proposal."""
    proposal = proposed(task, decision)
    if proposal is None:
        return []
    by, on = chosen.by[0], decision.project
    if chosen.option.value == "approve":
        return [e.ProposalApproved(task=task.id, project=on, at=moment.at, proposal=proposal.id, by=by)]
    reason = chosen.words
    return [e.ProposalRejected(task=task.id, project=on, at=moment.at, proposal=proposal.id, by=by, reason=reason)]


def proposed(task: Task, decision: Decision) -> Proposal | None:
    """What is decided on, while that is open and as it was shown."""
    return next((p for p in task.proposals if decision.subject == f"{p.id}:{p.hash}"), None)
