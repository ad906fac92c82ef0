"""A draft of a skill: approve it, edit it, or reject it. Silence never decides on one."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVERS, STEERING, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Follows, Moment, cancel_task
from agents.domain.decisions.subject import OfSkill
from agents.domain.skills.drafting import approve, is_current
from agents.domain.skills.spec import read_form
from agents.domain.task.task import Task


class SkillOption(StrEnum):
    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"


def apply_skill(task: Task, subject: OfSkill, chosen: Chosen, moment: Moment) -> Follows:
    if task.skill is None or not is_current(task, subject):
        return []
    match chosen.option.value:
        case SkillOption.APPROVE if not task.skill.faults:
            return approve(task, chosen, moment)
        case SkillOption.APPROVE:
            return []
        case SkillOption.EDIT:
            spec = read_form(chosen.words, task.skill.spec)
            return [e.SkillEdited(task=task.id, at=moment.at, by=chosen.person, spec=spec)]
        case _:
            gone = e.SkillRejected(task=task.id, at=moment.at, by=chosen.person, reason=chosen.words)
            return [gone, *cancel_task(task, chosen, moment)]


SKILL_DRAFT = DecisionKind(
    name=Kind.SKILL_DRAFT,
    subject=OfSkill,
    rule=Rule(who=APPROVERS),
    apply=apply_skill,
    options=SkillOption,
    approves=frozenset({SkillOption.APPROVE}),
    needs_words=frozenset({SkillOption.EDIT, SkillOption.REJECT}),
    wider={SkillOption.EDIT: STEERING},
)
