"""From a wish for a skill to a draft that a person decides on, and from the approved one to the work on its file."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.domain import events as e
from agents.domain.checks.evaluation import SKILL, Change, RiskLevel
from agents.domain.checks.risk import Risk
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Option
from agents.domain.decisions.kind import Chosen, Facts, Moment, Question, Withdrawal, withdraw
from agents.domain.decisions.subject import OfSkill
from agents.domain.ids import PersonId
from agents.domain.planning.decomposition import Confidence, Decomposition, Subtask, with_closing
from agents.domain.planning.work_kind import SubtaskSize, WorkKind
from agents.domain.reason import Cause, Reason, Why
from agents.domain.skills.facts import SkillWork
from agents.domain.skills.scan import scan
from agents.domain.skills.spec import Known, SkillSpec, SkillState, clashes, faults_of
from agents.domain.task.task import Task, TaskState
from agents.domain.work.git_names import PLAIN, GitManners
from agents.domain.work.work import SubtaskState
from agents.domain.workflow.workflow import Workflow

LABEL = "skill-change"  # of its pull request


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Where the skills of a project are, and which there are."""

    folder: str
    known: tuple[Known, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDraft:
    """A draft as a model or a person wrote it, with what it will be approved under."""

    spec: SkillSpec
    shelf: Shelf
    into: str = ""
    workflow: Workflow | None = None
    manners: GitManners = PLAIN
    edited_by: PersonId | None = None
    why: Cause = ""
    rehearsal: bool = False


def find_faults(spec: SkillSpec, known: Sequence[Known], revises: str = "") -> tuple[tuple[str, str], ...]:
    """By field, what keeps it from being approved: it is incomplete, another skill has its triggers, or it says what
    no minion needs to be told."""
    others = [each for each in known if each.name != revises]
    found = [(each.field, each.what) for each in (*faults_of(spec), *clashes(spec, others))]
    if revises and spec.name != revises:
        found.append(("name", f"it revises `{revises}`, so it keeps that name"))
    texts = {"description": spec.description, "instructions": spec.instructions, "keywords": "\n".join(spec.keywords)}
    found += [(name, f"line {each.line}: {each.what}") for name, text in texts.items() for each in scan(text)]
    return tuple(found)


def after_draft(task: Task, draft: NewDraft, moment: Moment) -> Facts:
    """It is put to a person. One that has faults can be edited or rejected, and nothing else."""
    assert task.skill is not None
    found = find_faults(draft.spec, draft.shelf.known, task.skill.revises)
    faults = tuple(f"{field.replace('_', ' ')}: {what}" for field, what in found)
    drafted = e.SkillDrafted(
        task=task.id,
        at=moment.at,
        number=task.skill.number + 1,
        spec=draft.spec,
        folder=draft.shelf.folder,
        faults=faults,
        why=draft.why,
        edited_by=draft.edited_by,
        rehearsal=draft.rehearsal,
        into=draft.into,
        workflow=draft.workflow,
        manners=draft.manners,
    )
    old = withdraw([each for each in task.open if each.kind is Kind.SKILL_DRAFT], Withdrawal.EDITED, moment)
    return [*old, drafted]


def question_of(skill: SkillWork, options: tuple[Option, ...]) -> Question:
    """About exactly the draft that is shown."""
    return Question(
        kind=Kind.SKILL_DRAFT,
        options=options,
        text=skill.spec.name,
        evidence=skill.faults,
        subject=OfSkill(draft=skill.number, skill=skill.spec.hash),
        cause=f"skill:{skill.number}",
    )


def plan_of(skill: SkillWork, into: str) -> Decomposition:
    """One subtask that may write one file. Code alone says so: no model has a part in it."""
    name = skill.spec.name
    only = Subtask(
        number=1,
        title=f"Write the skill {name}",
        why=skill.spec.description or "a person approved it",
        kind=WorkKind.DOCS,
        size=SubtaskSize.SMALL,
        hours=0.5,
        review_minutes=5,
        confidence=Confidence.HIGH,
        files=(skill.path,),
        test=f"{skill.path} is a skill that `overlord skills` reads, and says what the approved draft says",
    )
    verb = "Revise" if skill.revises else "Add"
    plan = Decomposition(goal=f"{verb} the skill {name}", subtasks=(only,), into=into)
    return with_closing(plan)


def approve(task: Task, chosen: Chosen, moment: Moment) -> Facts:
    """What was shown is what a minion will write, under the workflow that was shown with it."""
    assert task.skill is not None
    plan, by = plan_of(task.skill, task.skill.into), chosen.person
    workflow = task.plan.proposed or moment.workflow(task)
    return [
        e.SkillApproved(task=task.id, at=moment.at, by=by, spec=task.skill.spec, plan=plan),
        e.PlanAccepted(task=task.id, at=moment.at, hash=plan.hash, by=chosen.by, workflow=workflow),
    ]


def makes_skill(task: Task) -> bool:
    """Whether a skill is all that the task is about."""
    return task.skill is not None and not task.is_question


def is_current(task: Task, subject: OfSkill) -> bool:
    skill = task.skill
    return skill is not None and (skill.number, skill.spec.hash) == (subject.draft, subject.skill)


def state_of(task: Task) -> SkillState:
    """How far the skill has come that the task makes."""
    assert task.skill is not None
    if task.state is TaskState.DONE:
        return SkillState.MERGED
    if task.has_ended or task.is_question:
        return SkillState.FAILED if task.skill.approved_by else SkillState.REJECTED
    if task.skill.approved_by is None:
        return SkillState.DRAFT
    if task.delivery.pull:
        return SkillState.IN_PR
    judged = (SubtaskState.EVALUATING, SubtaskState.DONE)
    if any(work.state in judged for work in task.work.subtasks):
        return SkillState.VALIDATING
    return SkillState.WRITING if task.work.branch else SkillState.APPROVED


def risk_of_change(task: Task, changes: Sequence[Change], risk: Risk) -> Risk:
    """One file that a person approved by name needs one approver more to come in; it is never of low risk. Whatever
    else changes with it is as risky as anywhere."""
    own = task.skill is not None and task.skill.approved_by is not None
    if own and task.skill and {change.path for change in changes} == {task.skill.path}:
        return Risk(level=RiskLevel.MEDIUM, why=(Reason(code=Why.SKILL_CHANGE),))
    if risk.level is RiskLevel.LOW and touches_skills(task):
        return Risk(level=RiskLevel.MEDIUM, why=(Reason(code=Why.SKILL_CHANGE),))
    return risk


def touches_skills(task: Task) -> bool:
    """Whether what is handed over changes what minions are told, whatever the task is about."""
    judged = (work.evaluation for work in task.work.subtasks if work.evaluation)
    return task.skill is not None or any(gate.name == SKILL for each in judged for gate in each.gates)
