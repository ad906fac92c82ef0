"""Steps before the subtasks, walked to a merge: first the opening subtask, then those that wait for it."""

from agents.domain.decisions.authority import Kind
from agents.domain.events import StepPassed, StepRefused, SubtaskDone
from agents.domain.work.work import SubtaskState
from agents.ports import Asked
from tests.fakes.work import ScriptedMinions, Workshop, failing, finishes, says
from tests.scenarios.conftest import BY_TURNS, Opened, Play
from tests.scenarios.working import at_work, given

STAGES = BY_TURNS
DESIGN = """
workflow:
  overrides:
    design:
      type: worker
      level: task
      role: implementer
      position: after plan_review
      outputs: [design]
      config: {{files: docs/design/}}
    design_review: {{type: review, level: task, role: reviewer, position: after design}}
"""
ASKS = says(Asked(question="Which layers?", options=("two", "three")))


async def merge(play: Play, thread: str) -> None:
    await play.sees("lead", thread, "T-1 is ready to merge")
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")


async def test_a_design_comes_first_and_is_judged_and_joined_like_any_other(opened: Opened) -> None:
    work = Workshop(minions=ScriptedMinions(scripts={1: [finishes("two layers")]}))
    play, thread = await at_work(opened, given(work, DESIGN))
    await merge(play, thread)
    facts = [fact.event for fact in await play.log()]
    assert [fact.subtask for fact in facts if isinstance(fact, SubtaskDone)] == [1, 2, 3]
    passed = [fact.step for fact in facts if isinstance(fact, StepPassed) and fact.subtask == 1]
    assert passed == ["design_rules", "design_review"], "not the tests of ordinary subtasks"
    first, second = work.minions.briefs
    assert (first.subtask.title, first.step.name, first.subtask.opening) == ("Prepare: design", "design", True)
    assert first.work.scope.refuse("docs/design/parts.md") is None and first.work.scope.refuse("form.py")
    assert second.step.name == "implement" and second.notes == ("T-1.1: left by 1",)
    assert work.checkouts.joined[0].startswith("T-1.1: Prepare design")


async def test_what_the_review_of_a_design_refuses_is_done_again_before_anything_begins(opened: Opened) -> None:
    work = Workshop()
    work.gates.checks = {("rules", "T-1.1-1"): (failing("scope"),)}
    play, thread = await at_work(opened, given(work, DESIGN))
    await merge(play, thread)
    refused = [fact.event for fact in await play.log() if isinstance(fact.event, StepRefused)]
    assert [(each.step, each.subtask, each.attempt) for each in refused] == [("design_rules", 1, 1)]
    assert [(brief.subtask.number, brief.work.attempt) for brief in work.minions.briefs] == [(1, 1), (1, 2), (2, 1)]


async def test_a_restart_in_the_middle_of_a_design_loses_nothing(opened: Opened) -> None:
    work = Workshop(minions=ScriptedMinions(scripts={1: [ASKS]}))
    play, thread = await at_work(opened, given(work, DESIGN))
    await play.sees("ana", thread, "T-1.1 asks: Which layers?")
    task = await play.task()
    assert [each.state for each in task.work.subtasks[1:]] == [SubtaskState.PENDING] * 2
    play.host.amend("position: after plan_review", "position: after plan_review\n      max_retries: 0")
    await play.host.restart()
    await play.stage.press("ana", thread, "two")
    await merge(play, thread)
    facts = [fact.event for fact in await play.log()]
    assert [fact.subtask for fact in facts if isinstance(fact, SubtaskDone)] == [1, 2, 3]


async def test_without_files_a_person_says_what_a_design_may_write(opened: Opened) -> None:
    config = DESIGN.replace("      config: {{files: docs/design/}}\n", "")
    play, thread = await at_work(opened, given(Workshop(), config))
    await play.sees("lead", thread, "What may it write?")
    assert (await play.task()).of_kind(Kind.START_SCOPE)
