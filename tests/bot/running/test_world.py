"""What jobs work with is made from what the settings say."""

from dataclasses import replace
from pathlib import Path

from agents.catalog.library import load_catalog
from agents.domain.workflow.workflow import Workflow
from agents.workspace.projects import GitProjects
from bot.running.world import make_prompts
from tests.llm.prompt_texts import SCHEMA, TAG, fenced, whole
from tests.llm.rig import SECRET, asked


async def test_the_planner_is_shown_as_many_names_as_the_context_of_its_step_has_room_for() -> None:
    ours = load_catalog()
    few = replace(ours.contexts["planner_docset"], name="few", token_budget=7_000)
    workflow = ours.workflow
    plan = replace(workflow.plan, context_scope="few")
    scoped = replace(workflow, steps=(plan, *workflow.steps[1:]))
    files = [f"src/module_{number:04}.py" for number in range(1000)]

    catalog = replace(ours, contexts={**ours.contexts, "few": few})

    async def listed(chosen: Workflow) -> list[str]:
        prompts = make_prompts(SECRET, GitProjects({"shop": Path("nowhere")}), lambda: catalog, lambda task: chosen)
        prompt = await prompts.prompt(asked("decompose", about={"files": files}), SCHEMA, TAG)
        return fenced(whole(prompt), "files")[0].splitlines()

    assert await listed(workflow) == files
    assert len(await listed(scoped)) < 100
