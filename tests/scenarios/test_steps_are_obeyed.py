"""What a workflow says of a step reaches whoever does it."""

from agents.ports import Finished
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import ScriptedMinions, Workshop, says
from tests.scenarios.conftest import BY_TURNS, Opened
from tests.scenarios.plans import Says
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


HANDED_ON = """
workflow:
  overrides:
    implement: {{outputs: [design]}}
    review: {{outputs: [first_look]}}
    polish: {{type: worker, role: implementer, position: after review}}
    test_again: {{type: gate, position: after polish, config: {{check: project}}}}
    look_again: {{type: review, role: reviewer, position: after test_again}}
"""
COMMENTED: Says = {"status": "approved", "suggestions": ["Name the form"]}


async def test_later_steps_are_given_what_earlier_ones_handed_in(opened: Opened) -> None:
    long = says(Finished(summary="A form with two fields", note="y" * 900))
    work = Workshop(minions=ScriptedMinions(scripts={1: [long]}))
    scene = given(work, HANDED_ON, code_review=COMMENTED)
    play, thread = await at_work(opened, scene)
    await play.sees("lead", thread, "T-1 is ready to merge")
    first, polish = [brief for brief in work.minions.briefs if brief.subtask.number == 1]
    assert (first.step.name, first.notes, polish.step.name) == ("implement", (), "polish")
    design, look = polish.notes
    begins = "design: A form with two fields\n\n"
    assert design.startswith(f"{begins}yyy") and len(design) == len(begins) + 500
    assert look.startswith("first_look: Critic: approved") and "Name the form" in look
    assert work.artefacts.kept["T-1.1.design"] == design.removeprefix("design: ")
    assert isinstance(scene.llm, ScriptedLlm)
    notes = {asked.step: asked.about["notes"] for asked in scene.llm.asked if ":critic:1:" in asked.step}
    assert notes == {"code_review:critic:1:1": [design], "code_review.look_again:critic:1:2": [design, look]}
