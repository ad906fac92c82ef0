"""A draft of a skill as people meet it: what it is for, when it is offered, and what it says."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.learning.skill_draft import SkillOption
from agents.domain.decisions.subject import OfSkill
from agents.domain.skills.drafting import find_faults
from agents.domain.skills.spec import SkillState, read_form, to_fields
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from bot.cards.kinds.kind_card import FieldsForm, KindCard, Label, request_in_short
from bot.cards.reasons import put
from bot.cards.scene import Bill
from bot.messages import FormField, Row, Style

STATE: dict[SkillState, str] = {
    SkillState.DRAFT: "waits for a person",
    SkillState.APPROVED: "approved",
    SkillState.WRITING: "a minion writes it",
    SkillState.VALIDATING: "being checked",
    SkillState.IN_PR: "waits for its merge",
    SkillState.MERGED: "merged, so minions may use it",
    SkillState.REJECTED: "rejected",
    SkillState.FAILED: "came to nothing",
}
SHOWN = 2_500  # characters of the instructions
_FIELDS = (
    FormField(name="name", label="Name", hint="small letters, digits and dashes"),
    FormField(name="description", label="What it is for"),
    FormField(name="keywords", label="Words that call for it", hint="one a line", long=True, optional=True),
    FormField(name="file_patterns", label="Files that call for it", hint="such as src/**/api.py, one a line",
              long=True, optional=True),
    FormField(name="instructions", label="Instructions, in outline", long=True),
)  # fmt: skip


def _fill(task: Task) -> dict[str, str]:
    return to_fields(task.skill.spec) if task.skill else {}


def _check(task: Task, words: str) -> dict[str, str]:
    """By field; what other skills there are is known once it is sent."""
    if task.skill is None:
        return {}
    found = find_faults(read_form(words, task.skill.spec), (), task.skill.revises)
    said = dict[str, str]()
    for field, what in found:
        said[field] = f"{said[field]}; {what}" if field in said else what
    return said


def _title(task: Task, decision: Decision) -> str:
    skill = task.skill
    number = decision.subject.draft if isinstance(decision.subject, OfSkill) else 1
    again = f", draft {number}" if number > 1 else ""
    named = f" “{skill.spec.name}”" if skill and skill.spec.name else ""
    verb = "a better version of the skill" if skill and skill.revises else "a skill"
    return f"{task.id}: please look at {verb}{named}{again}"


def _text(task: Task, decision: Decision) -> str:
    skill, said = task.skill, []
    if skill and skill.why:
        said.append(f"No model could draft it: {put(skill.why)} Press Edit skill and write it yourself.")
    if skill and skill.faults:
        said.append("It cannot be approved as it is. Press Edit skill, and fix what is listed below.")
    said.append(
        f"For “{request_in_short(task)}”. Nothing is written before it is approved. Then a minion writes one file, "
        "it is checked, and it counts once a person has merged it."
    )
    return "\n\n".join(said)


def _rows(task: Task, decision: Decision, bill: Bill) -> list[Row]:
    skill = task.skill
    if skill is None or not skill.number:
        return []
    spec = skill.spec
    rows = (
        ("What it is for", spec.description),
        ("Offered for the words", ", ".join(spec.keywords)),
        ("Offered for the files", ", ".join(spec.file_patterns)),
        ("Instructions, in outline", cut(spec.instructions, SHOWN)),
        ("File", f"`{skill.path}`" if spec.name else ""),
    )
    return [Row(label=label, value=value) for label, value in rows if value]


def _lines(decision: Decision) -> tuple[str, ...]:
    return decision.plain_evidence


CARD = KindCard(
    kind=Kind.SKILL_DRAFT,
    name="a skill",
    title=_title,
    closed_title=lambda task, d: f"{task.id}: the skill “{one_line(d.question, 60)}”",
    text=_text,
    labels={
        SkillOption.APPROVE: Label("Approve skill", "Skill approved", Style.PRIMARY),
        SkillOption.EDIT: Label("Edit skill", "Skill edited", asks="What should the skill say?", tells=False),
        SkillOption.REJECT: Label("Reject skill", "Skill rejected", Style.DANGER, "Why? The reason is kept."),
    },
    rows=_rows,
    lines=_lines,
    forms={SkillOption.EDIT: FieldsForm(fields=_FIELDS, fill=_fill, check=_check)},
)
