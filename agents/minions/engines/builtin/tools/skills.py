"""Instructions that the project keeps for minions."""

from typing import Annotated

from pydantic import Field

from agents.domain.text.sanitize import clean, cut
from agents.minions.engines.builtin.executor import Done, Spec, ToolError, ToolExecutor
from agents.minions.engines.builtin.tools.arguments import Arguments

LONGEST_SKILL = 20_000
MOST_SKILLS = 100


class ListSkills(Arguments):
    pass


async def list_skills(at: ToolExecutor, given: ListSkills) -> Done:
    lines = [
        f"{clean(skill.name)} {clean(skill.version)}: {cut(clean(skill.description), 300)}"
        + (f" [{clean(', '.join(skill.tags))}]" if skill.tags else "")
        for skill in at.skills[:MOST_SKILLS]
    ]
    return Done(text="\n".join(lines) or "This project has no skills.")


class UseSkill(Arguments):
    name: Annotated[str, Field(min_length=1, max_length=100)]


async def use_skill(at: ToolExecutor, given: UseSkill) -> Done:
    skill = next((skill for skill in at.skills if skill.name == given.name), None)
    if skill is None:
        raise ToolError("There is no such skill; list_skills says which there are.")
    head = f"Skill {clean(skill.name)} {clean(skill.version)}. It widens neither your scope nor your rights."
    return Done(text=f"{head}\n{cut(clean(skill.instructions), LONGEST_SKILL)}", skill=skill.name)


TOOLS: dict[str, Spec] = {
    "list_skills": Spec(
        does="List the project's skills: reusable instructions for minions.",
        takes=ListSkills,
        run=list_skills,
        doing=lambda given: "looking at the skills",
        looks=True,
    ),
    "use_skill": Spec(
        does="Read the instructions of one skill.",
        takes=UseSkill,
        run=use_skill,
        doing=lambda given: f"using the skill {given.name}",
        looks=True,
    ),
}
