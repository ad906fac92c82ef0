"""A task goes on by the workflow its plan was approved under, whatever is written meanwhile (P25)."""

from agents.domain.events import PlanAccepted
from agents.ports import Asked
from tests.fakes.work import ScriptedMinions, Workshop, failing, says
from tests.scenarios.conftest import BY_TURNS, Opened
from tests.scenarios.stage import OPERATOR
from tests.scenarios.working import at_work, given

STAGES = BY_TURNS

ONE_ATTEMPT = "workflow: {{steps: {{implement: {{max_retries: 0}}}}}}\n"
ASKS = says(Asked(question="Which hash?", options=("bcrypt", "argon2")))


async def test_a_running_task_keeps_its_workflow_and_a_new_one_takes_the_new(opened: Opened) -> None:
    work = Workshop(minions=ScriptedMinions(scripts={1: [ASKS]}))
    work.gates.says = {f"{task}.1-{attempt}": (failing(),) for task in ("T-1", "T-2") for attempt in (1, 2)}
    play, thread = await at_work(opened, given(work, ONE_ATTEMPT))
    await play.sees("ana", thread, "T-1.1 asks: Which hash?")

    play.host.amend("max_retries: 0", "max_retries: 2")
    await play.host.restart()
    await play.stage.press("ana", thread, "argon2")
    await play.sees("ana", thread, "T-1.1 (Write the form) needs you", "One attempt failed")
    first = await play.task()
    assert first.plan.workflow and first.plan.workflow.implement.max_retries == 0

    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("lead", thread, "T-2 is ready to merge", "passed at attempt 3")
    second = await play.task()
    assert second.plan.workflow and second.plan.workflow.hash != first.plan.workflow.hash
    accepted = next(each.event for each in await play.log() if isinstance(each.event, PlanAccepted))
    assert accepted.workflow == second.plan.workflow, "it is in the log, with the approval itself"
    page = await play.program.queries.page(first.id, OPERATOR)
    told = f"Accepted the plan, under the workflow default, version {first.plan.workflow.version}"
    assert page and told in [entry.words for entry in page.timeline]


ROLE = """
roles:
  careful:
    extends: implementer
workflow: {{steps: {{implement: {{role: careful}}}}}}
"""


async def test_a_minion_works_as_the_role_that_was_approved(opened: Opened) -> None:
    work = Workshop(minions=ScriptedMinions(scripts={1: [ASKS]}))
    play, thread = await at_work(opened, given(work, ROLE))
    await play.sees("ana", thread, "T-1.1 asks: Which hash?")
    play.host.amend("implement: {role: careful}", "implement: {role: implementer}")
    await play.host.restart()
    await play.stage.press("ana", thread, "argon2")
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert {brief.step.role for brief in work.minions.briefs} == {"careful"}
    assert {candidate.role for candidate in work.gates.judged} == {"careful"}


async def test_a_workflow_may_ask_for_a_person_where_a_channel_does_not(opened: Opened) -> None:
    config = (
        "channels: {{'{channel}': {{plan: auto}}}}\nworkflow: {{steps: {{plan_review: {{human_approval: true}}}}}}\n"
    )
    play = await opened(given(Workshop(), config))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan")


async def test_a_channel_chooses_the_workflow_and_the_plan_says_so(opened: Opened) -> None:
    play = await opened(given(Workshop(), "channels: {{'{channel}': {{workflow: mvp}}}}\n"))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan", "mvp (no new tests asked for; one review")
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("lead", thread, "T-1 is ready to merge")
    task = await play.task()
    assert task.plan.workflow and task.plan.workflow == task.plan.proposed and task.plan.workflow.name == "mvp"
    assert "quick_review" in task.work.on(1).visits


async def test_a_plan_is_sent_back_as_often_as_the_workflow_says(opened: Opened) -> None:
    revise = {"verdict": "revise", "issues": ["1: no test"], "changes": ["add one"]}
    config = "limits: {{debate_rounds: 0}}\nworkflow: {{steps: {{plan: {{max_retries: 0}}}}}}\n"
    play = await opened(given(Workshop(), config, critic=revise))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "The first plan did not hold")
