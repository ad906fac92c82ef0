"""Making proposals. Each trigger has a function here."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import shorten
from typing import Any

from agents.domain import events as e
from agents.domain.checks.evaluation import CodeReview, Systemic
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Follows, Moment, Question
from agents.domain.decisions.kinds.learning.proposal import about
from agents.domain.ids import fingerprint, project_id
from agents.domain.learning.proposal import (
    Level,
    Proposal,
    ProposalType,
    Rationale,
    Trigger,
    is_like,
    likeness,
    proposal_id,
)
from agents.domain.learning.signature import Obstacle, Pattern, Signature, of_blocker, of_flag
from agents.domain.metrics.retry_rate import Retried
from agents.domain.skills.fared import Fared
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from agents.domain.work.work import Work

MOST = 600  # characters of a blocker
MOST_TASKS = 5  # that a proposal names


def propose(task: Task, proposal: Proposal, moment: Moment) -> Follows:
    """It is put to a person and waits. One like it that is open, under way or turned down does not come back."""
    if task.has_ended or moment.is_proposed(proposal):
        return []
    project = project_id(proposal.project)
    made = e.ProposalMade(task=task.id, project=project, at=moment.at, proposal=proposal)
    subject, cause = about(proposal), proposal.id
    return [made, Question(kind=Kind.PROPOSAL, text=proposal.title, subject=subject, project=project, cause=cause)]


# What would be changed, and how risky that is, by what was in the way: words choose neither.
_REMEDY: dict[Obstacle, tuple[ProposalType, Level]] = {
    Obstacle.MISSING_COMMAND: (ProposalType.TOOL_FIX, Level.MEDIUM),
    Obstacle.MISSING_MODULE: (ProposalType.TOOL_FIX, Level.MEDIUM),
    Obstacle.MISSING_FILE: (ProposalType.TOOL_FIX, Level.MEDIUM),
    Obstacle.MISSING_VARIABLE: (ProposalType.CONFIG_CHANGE, Level.MEDIUM),
    Obstacle.NO_PERMISSION: (ProposalType.CONFIG_CHANGE, Level.HIGH),
    Obstacle.NO_NETWORK: (ProposalType.CONFIG_CHANGE, Level.HIGH),
    Obstacle.NO_SPACE: (ProposalType.CONFIG_CHANGE, Level.MEDIUM),
    Obstacle.NO_MEMORY: (ProposalType.CONFIG_CHANGE, Level.MEDIUM),
    Obstacle.TIMEOUT: (ProposalType.CONFIG_CHANGE, Level.MEDIUM),
    Obstacle.RULES: (ProposalType.NEW_SKILL, Level.LOW),
    Obstacle.TESTS: (ProposalType.TOOL_FIX, Level.MEDIUM),
    Obstacle.OTHER: (ProposalType.WORKFLOW_IMPROVEMENT, Level.MEDIUM),
}


def look_for_patterns(task: Task, fresh: Sequence[Signature], moment: Moment) -> Follows:
    """What is worth a proposal, wherever work comes to a natural break: at an escalation, at the end of a task, after
    supervisors. No model is asked: what this task met and others met before it, what reviewers of its work flagged,
    and skills that helped it as little as others."""
    found = [_of_flag(task, review.known_as, flag, moment) for review, flag in _flags(task)]
    if not task.plan.rehearsal:  # what a script fails on is no pattern; what it flags, it flags on purpose
        found += [_of_pattern(task, pattern, moment) for pattern in moment.repeated(task, fresh)]
        found += [_of_retries(task, role, of, moment) for role, of in moment.retried(task).items()]
        found += [_of_skill(task, name, fared, moment) for name, fared in moment.skills_fared(task).items()]
    unlike = list[Proposal]()
    for proposal in found:
        unlike = [*(other for other in unlike if not is_like(proposal, other)), proposal]
    return [follows for proposal in unlike for follows in propose(task, proposal, moment)]


def _flags(task: Task) -> Iterator[tuple[CodeReview, Systemic]]:
    judged = (work.evaluation for work in task.work.subtasks if work.evaluation)
    return ((review, flag) for each in judged for review in each.reviews for flag in review.systemic)


# How risky each kind is, by rule: words choose neither.
_RISK: dict[ProposalType, Level] = {
    ProposalType.NEW_SKILL: Level.LOW,
    ProposalType.TOOL_FIX: Level.MEDIUM,
    ProposalType.CONFIG_CHANGE: Level.HIGH,
    ProposalType.WORKFLOW_IMPROVEMENT: Level.MEDIUM,
}


def _of_flag(task: Task, by: str, flag: Systemic, moment: Moment) -> Proposal:
    type, said = ProposalType(flag.kind), cut(flag.what.strip(), MOST)
    signature = of_flag(flag.what)
    key = signature.key
    return _proposal(
        task,
        f"{moment.cause}:flag:{key}",
        type=type,
        title=f"Fix project-wide: {shorten(said, 100, placeholder=' …')}",
        rationale=Rationale(
            trigger=Trigger.REVIEW, evidence=(f"The {by} of {task.id} says: {said}",), signature=signature
        ),
        proposed_action=cut(flag.action.strip(), MOST) or said,
        estimated_impact=Level.MEDIUM,
        risk=_RISK[type],
        likeness=fingerprint(task.project or "", Trigger.REVIEW, key),
        moment=moment,
    )


def _of_skill(task: Task, name: str, fared: Fared, moment: Moment) -> Proposal:
    said = f"Of the last {fared.tasks} tasks that used the skill {name}, {fared.passed} were merged"
    return _proposal(
        task,
        f"{moment.cause}:skill:{name}",
        type=ProposalType.NEW_SKILL,
        title=f"Revise the skill {name}",
        rationale=Rationale(trigger=Trigger.REPEATED, evidence=(said,)),
        proposed_action=f"A better version of the skill {name}. {said}; say what it leaves out or gets wrong.",
        estimated_impact=Level.MEDIUM,
        risk=_RISK[ProposalType.NEW_SKILL],
        likeness=fingerprint(task.project or "", "skill", name),
        revises=name,
        moment=moment,
    )


def _of_retries(task: Task, role: str, of: Retried, moment: Moment) -> Proposal:
    said = f"The role {role} needed {of.rate:.1f} retries a task over {of.tasks} tasks ({of.judged} runs judged)"
    return _proposal(
        task,
        f"{moment.cause}:retries:{role}",
        type=ProposalType.WORKFLOW_IMPROVEMENT,
        title=f"Give {role} more context or simpler prompts",
        rationale=Rationale(trigger=Trigger.REPEATED, evidence=(said,)),
        proposed_action=f"Show the role {role} more of what it needs to know, or ask it for less at once. {said}.",
        estimated_impact=Level.MEDIUM,
        risk=_RISK[ProposalType.WORKFLOW_IMPROVEMENT],
        likeness=fingerprint(task.project or "", "retries", role),
        moment=moment,
    )


def _proposal(task: Task, cause: str, *, moment: Moment, **said: Any) -> Proposal:
    return Proposal(
        id=proposal_id(task.id, cause),
        project=task.project or "",
        related_tasks=(task.id,),
        related_issues=(task.request.origin.number,) if task.request.origin else (),
        created_at=moment.at,
        **said,
    )


def _of_pattern(task: Task, pattern: Pattern, moment: Moment) -> Proposal:
    signature, project = pattern.signature, task.project or ""
    type, risk = _REMEDY[signature.obstacle]
    names = ", ".join(signature.names) or signature.obstacle.replace("_", " ")
    what = one_line(f"{signature.check}: {names}", 80)
    where = f" in `{signature.area}`" if signature.area else ""
    return Proposal(
        id=proposal_id(task.id, f"{moment.cause}:{signature.key}"),
        type=type,
        title=f"Remove what {len(pattern.tasks)} tasks failed on ({what})",
        rationale=Rationale(
            trigger=Trigger.REPEATED,
            evidence=tuple(f"{each} met it{where}: {what}" for each in pattern.tasks[-MOST_TASKS:]),
            signature=signature,
        ),
        proposed_action=f"A task of its own that removes the cause, so that no other task meets it{where}: {what}",
        estimated_impact=Level.HIGH if len(pattern.tasks) > 2 else Level.MEDIUM,
        risk=risk,
        project=project,
        likeness=fingerprint(project, signature.key),
        related_tasks=pattern.tasks[-MOST_TASKS:],
        related_issues=(task.request.origin.number,) if task.request.origin else (),
        created_at=moment.at,
    )


def after_blocker(task: Task, work: Work, blocker: str, moment: Moment) -> Follows:
    """What a minion could not remove may be worth a task of its own. No model is asked.

    A rehearsed minion is blocked where its script ends, and that is worth none.
    """
    if task.plan.rehearsal:
        return []
    title, said = task.plan.subtask(work.number).title, cut(blocker.strip(), MOST)
    name, project, signature = f"{task.id}.{work.number}", task.project or "", of_blocker(blocker)
    proposal = Proposal(
        id=proposal_id(task.id, f"{moment.cause}:{name}"),
        type=ProposalType.TOOL_FIX,  # by what gave rise to it: the minion's words do not choose its kind
        title=f"Remove what blocked “{one_line(title, 80)}”",
        rationale=Rationale(
            trigger=Trigger.BLOCKER, evidence=(f"{name} ({title}) reports: {said}",), signature=signature
        ),
        proposed_action=f"A task of its own that removes what blocked “{title}”: {said}",
        estimated_impact=Level.HIGH if task.plan.draft and task.plan.draft.dependents(work.number) else Level.MEDIUM,
        risk=Level.MEDIUM,  # nobody knows before it is planned
        project=project,
        likeness=fingerprint(project, signature.key),
        related_tasks=(task.id,),
        related_issues=(task.request.origin.number,) if task.request.origin else (),
        created_at=moment.at,
    )
    earlier = replace(proposal, likeness=likeness(project, Trigger.BLOCKER, said))  # as older versions told them apart
    return [] if moment.is_proposed(earlier) else propose(task, proposal, moment)
