"""What a workflow says of a step reaches whoever does it."""

from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import Workshop
from tests.scenarios.conftest import BY_TURNS, Opened
from tests.scenarios.working import at_work, given

STAGES = BY_TURNS


async def test_under_mvp_nobody_demands_new_tests(opened: Opened) -> None:
    work = Workshop()
    scene = given(work, "workflow: {{template: mvp}}\n")
    play, thread = await at_work(opened, scene)
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert {brief.step.config["skip_edge_cases"] for brief in work.minions.briefs} == {True}
    assert isinstance(scene.llm, ScriptedLlm)
    reviews = [asked for asked in scene.llm.asked if asked.question == "code_review"]
    assert reviews and not any(asked.about["require_tests"] for asked in reviews)


SCOPED = """
contexts:
  only_diff: {{token_budget: 9000, priority_order: [task, target], inputs: {{diff: 90000}}}}
workflow: {{steps: {{review: {{context_scope: only_diff}}}}}}
"""


async def test_a_reviewer_reads_by_the_context_that_its_step_names(opened: Opened) -> None:
    work = Workshop()
    play, thread = await at_work(opened, given(work, SCOPED))
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert set(work.packs.read) == {("reviewer", "only_diff")}
