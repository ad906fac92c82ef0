"""Making proposals. Each trigger has a function here."""

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Follows, Moment, Question
from agents.domain.decisions.kinds.work.proposal import about
from agents.domain.ids import project_id
from agents.domain.learning.proposal import Level, Proposal, ProposalType, Rationale, Trigger, likeness, proposal_id
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from agents.domain.work.work import Work

MOST = 600  # characters of a blocker


def propose(task: Task, proposal: Proposal, moment: Moment) -> Follows:
    """It is put to a person and waits. One like it that is open, under way or turned down does not come back."""
    if task.has_ended or moment.is_proposed(proposal.likeness):
        return []
    project = project_id(proposal.project)
    made = e.ProposalMade(task=task.id, project=project, at=moment.at, proposal=proposal)
    subject, cause = about(proposal), proposal.id
    return [made, Question(kind=Kind.PROPOSAL, text=proposal.title, subject=subject, project=project, cause=cause)]


def after_blocker(task: Task, work: Work, blocker: str, moment: Moment) -> Follows:
    """What a minion could not remove may be worth a task of its own. No model is asked.

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
        estimated_impact=Level.HIGH if task.plan.draft and task.plan.draft.dependents(work.number) else Level.MEDIUM,
        risk=Level.MEDIUM,  # nobody knows before it is planned
        project=project,
        likeness=likeness(project, Trigger.BLOCKER, said),
        related_tasks=(task.id,),
        related_issues=(task.request.origin.number,) if task.request.origin else (),
        created_at=moment.at,
    )
    return propose(task, proposal, moment)
