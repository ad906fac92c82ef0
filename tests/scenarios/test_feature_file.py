"""A feature file is the plan: reviewed like any, approved by a person, and worked on as it says."""

import uuid
from datetime import UTC, datetime

from agents.domain.ids import Thread
from agents.ports import Ask
from bot.messages import Said
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import Workshop
from tests.scenarios.conftest import Opened, Play
from tests.scenarios.plans import GO, OK, REVISE, WARN, Says
from tests.scenarios.stage import OPERATOR, until
from tests.scenarios.test_enterprise_family import to_merge
from tests.scenarios.test_workflow_templates import under
from tests.scenarios.working import given

STAGES = ("console",)
FEATURE = """
feature:
  id: P1T5
  title: People sign in
  phases:
    - id: backend
      components:
        - {id: user_model, files: [user.py]}
        - {id: sign_in, files: [sign_in.py], depends_on: [user_model]}
      interfaces:
        - {name: Users, type: python_protocol, definition: "class Users(Protocol): ..."}
    - id: frontend
      start_after: interfaces_locked
      components:
        - {id: form, files: [form.ts]}
"""


async def bring(play: Play, words: str, file: str) -> str:
    """As `overlord tasks start --plan FILE` sends it; returns the thread."""
    channel, number = play.stage.channel, uuid.uuid4().hex
    said = Said(
        key=f"cli:{number}",
        thread=Thread(f"{channel}:{number}"),
        channel=channel,
        message=number,
        by=OPERATOR,
        text=words,
        mentions_bot=True,
        plan=file,
        at=datetime.now(UTC),
    )
    await play.program.inbox.accept(said)
    return said.thread


def planned(scene: object) -> list[str]:
    llm = getattr(scene, "llm")  # noqa: B009
    assert isinstance(llm, ScriptedLlm)
    return [asked.task.request.whole for asked in llm.asked if asked.question == "decompose"]


async def test_it_is_approved_as_it_stands_and_merged(opened: Opened) -> None:
    work = Workshop()
    scene = given(work, f"{under('enterprise')}limits: {{{{side_by_side: 1}}}}\n")
    play = await opened(scene)
    thread = await bring(play, "task: People sign in", FEATURE)
    card = await play.sees("lead", thread, "please look at the plan", offers="Approve plan")
    assert "P1T5-PH1-C2" in card.text and "Phase 2 (P1T5-PH2)" in card.text, card.text
    assert "begins as soon as interfaces are locked" in card.text and "Users (python protocol)" in card.text
    assert planned(scene) == [], "no planner was asked"
    await play.stage.press("lead", thread, "Approve plan")
    await to_merge(play, thread)
    lead = next(brief for brief in work.minions.briefs if brief.step.role == "tech_lead")
    assert lead.task.plan.draft and "class Users(Protocol)" in lead.task.plan.draft.phases[0].agreements[0]
    task = await play.task()
    assert task.plan.draft and set(task.plan.draft.blocking()[4]) == {1}, "the form waits for the interfaces alone"


async def test_what_reviewers_send_back_is_planned_anew_from_the_file(opened: Opened) -> None:
    first = {"critic": REVISE, "custodiet": WARN}

    async def review(asked: Ask) -> Says:
        return first.pop(asked.question, {"critic": GO, "custodiet": OK}[asked.question])

    scene = given(Workshop(), critic=review, custodiet=review)
    play = await opened(scene)
    thread = await bring(play, "task: People sign in", FEATURE)
    await play.sees("lead", thread, "please look at the plan", offers="Approve plan")
    [asked] = planned(scene)
    assert (await play.task()).request.text == "People sign in"
    assert "user_model, files: [user.py]" in asked


async def test_a_broken_one_is_refused_whole(opened: Opened) -> None:
    play = await opened(given(Workshop()))
    thread = await bring(play, "task: People sign in", FEATURE.replace("[user_model]", "[user_modle]"))

    async def refused() -> bool:
        told = await play.program.services.database.read(lambda tx: tx.deliveries.to_settle())
        return not told

    await until(refused, "the delivery to be settled")
    assert not await play.program.queries.tasks(OPERATOR, ended=True), thread
