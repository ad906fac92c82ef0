"""What people say is heeded by everybody who comes after, in the very prompts that reach a model. The real client."""

import re

from agents.domain.ids import TaskId
from agents.domain.task.wishes import Source, Standing
from agents.llm.prompts import Prompts
from agents.minions.engines.builtin.transcript import opening
from agents.ports import Asked, Brief, Outcome, Watch
from tests.fakes.llm import NOTHING_AGAINST
from tests.fakes.model_server import KEY, ModelServer
from tests.fakes.work import ScriptedMinions, Workshop, failing, finishes, never_ends, says
from tests.llm.rig import files
from tests.scenarios.conftest import BY_TURNS, THREE, Given, Opened, Play, on
from tests.scenarios.plans import GO, OK, REVISE, WARN, means
from tests.scenarios.slack_stage import SlackStage
from tests.scenarios.stage import until
from tests.scenarios.working import APPROVED, ONE, THREE_SUBTASKS

STAGES = BY_TURNS
MODEL = "gpt-4.1"
SERVED = """
models:
  primary: {{model: openai/gpt-4.1, base_url: "%s", api_key_env: FAKE_KEY}}
"""
QUESTION = {"status": "NEEDS_REFINEMENT", "question": "Which database?", "options": ["sqlite", "postgres"]}
FENCED = re.compile(r"<(data-\w+) name=.*?</\1>", re.DOTALL)


def script(server: ModelServer) -> None:
    server.answers("decompose", ONE)
    server.answers("critic", GO)
    server.answers("custodiet", OK)
    server.answers("code_review", APPROVED)
    server.answers("intent", means("other"))
    server.answers("wish", NOTHING_AGAINST)


def given(server: ModelServer, work: Workshop) -> Given:
    return Given(config=SERVED % server.url, environ={"FAKE_KEY": KEY}, work=work)


def told(brief: Brief) -> str:
    """What the built-in engine opens the talk with."""
    return opening(Prompts(b"secret", files=files).text, brief, "", ())[1]


def outside(text: str) -> str:
    """Without what stands in fences."""
    return FENCED.sub("", text)


async def asked_for(play: Play, thread: str) -> None:
    await play.sees("lead", thread, "please look at the plan", offers="Approve plan")
    await play.stage.press("lead", thread, "Approve plan")


@on(*THREE)
async def test_nothing_that_was_said_is_lost_on_the_way_to_the_merge(opened: Opened) -> None:
    """A clarification and a plan sent back; an answer and a second attempt; a wish at the merge and a failing check."""
    minions = ScriptedMinions(scripts={1: [says(Asked(question="Which hash?", options=("bcrypt",)))]})
    work = Workshop(minions=minions)
    work.gates.says = {"T-1.1-1": (failing(),), "T-1.2-2": (failing("lint"),)}
    async with ModelServer(models=(MODEL,)) as server:
        script(server)
        server.answers("decompose", QUESTION, ONE)
        server.answers("critic", REVISE, GO)
        server.answers("custodiet", WARN, OK)
        play = await opened(given(server, work))
        thread = await play.stage.say("ana", "add a login page", mention=True)
        await play.sees("ana", thread, "Which database?")
        await play.stage.say("ana", "the one in docker", thread=thread)
        await asked_for(play, thread)
        planner = [seen.text for seen in server.seen if seen.question == "decompose"]
        assert len(planner) == 3 and "the one in docker" not in planner[0]
        for text in planner[1:]:
            assert "> the one in docker" in outside(text) and "Which database?" in text
            assert "Which database?" not in outside(text), "a model wrote that"
        assert "Add a test" in planner[2] and "Add a test" not in outside(planner[2]), "what was found stays apart"
        reviewers = [seen.text for seen in server.seen if seen.question in ("critic", "custodiet")]
        assert len(reviewers) == 4 and all("> the one in docker" in outside(text) for text in reviewers)

        await play.sees("ana", thread, "T-1.1 asks: Which hash?")
        await play.stage.say("ana", "argon2, three rounds", thread=thread)
        await play.sees("lead", thread, "T-1 is ready to merge", offers="Merge it")
        first, _, second = (brief for brief in minions.briefs if brief.subtask.number == 1)
        assert second.work.attempt == 2 and "test_login" in told(second), "what the check found"
        assert "> argon2, three rounds" not in told(first)
        assert all(f"> {line}" in outside(told(second)) for line in ("the one in docker", "argon2, three rounds"))

        await play.stage.press("lead", thread, "Request changes", words="call it sign in")
        await play.sees("lead", thread, "T-1 is ready to merge", "Changes requested by", gone="Merge it")
        await play.sees("ana", thread, "attempt 3")
        await play.sees("lead", thread, "T-1 is ready to merge", offers="Merge it")
        whole = [brief for brief in minions.briefs if brief.subtask.number == 2]
        assert [brief.work.attempt for brief in whole] == [2, 3]
        for brief in whole:
            text = outside(told(brief))
            assert all(f"> {line}" in text for line in ("the one in docker", "argon2, three rounds", "call it sign in"))
            assert "whoever asked for the task answered a minion, on subtask 1" in text
            assert re.search(
                r"3\. \d{4}-\d\d-\d\d \d\d:\d\d UTC, person \S+ read the whole and asked for changes", text
            )
        assert "lint" in told(whole[1]), "and what was found since"
        last = [seen.text for seen in server.seen if seen.question == "code_review"][-1]
        assert "> call it sign in" in outside(last) and "> the one in docker" in outside(last)
        assert "add a login page" in last and "the accepted plan and what people said since" in last
        await play.stage.press("lead", thread, "Merge it")
        await play.sees("ana", thread, "T-1 is merged")
    assert [wish.words for wish in (await play.task()).wishes] == [
        "the one in docker",
        "argon2, three rounds",
        "call it sign in",
    ]


async def follows(brief: Brief, watch: Watch) -> Outcome:
    """A minion that works until it is told that a wish goes before the plan."""
    chosen = any(wish.standing is Standing.FIRST for wish in brief.task.wishes)
    return await (finishes() if chosen else never_ends)(brief, watch)


async def test_a_wish_against_the_plan_is_said_and_offered_as_a_change(opened: Opened) -> None:
    work = Workshop(minions=ScriptedMinions(scripts={1: [follows] * 4}))
    async with ModelServer(models=(MODEL,)) as server:
        script(server)
        server.answers("wish", {"contradicts": True, "what": "Subtask 1 writes a form", "confidence": 0.9})
        play = await opened(given(server, work))
        thread = await play.stage.say("ana", "add a login page", mention=True)
        await asked_for(play, thread)
        await play.sees("ana", thread, "reading the code")
        await play.stage.say("ana", "no form, use a link by mail", thread=thread, mention=True)
        card = await play.sees(
            "ana", thread, "contradicts the approved plan", "link by mail", "Subtask 1 writes a form", "It is kept"
        )
        assert set(card.buttons) >= {"Follow the wish", "Keep the plan"}

        async def told_of_the_wish() -> bool:  # a played minion hears nothing while it is being started
            return len(work.minions.briefs) > 1

        await until(told_of_the_wish, "the minion that was told of the wish")
        await play.stage.press("ana", thread, "Follow the wish")
        await play.whispered("ana", thread, "This is not yours to decide")
        await play.stage.press("lead", thread, "Follow the wish")
        await play.sees("lead", thread, "Wish put before the plan by", gone="Keep the plan")
        await play.sees("lead", thread, "T-1 is ready to merge")
    last = [brief for brief in work.minions.briefs if brief.subtask.number == 1][-1]
    assert "where this and the accepted plan differ, this holds" in outside(told(last))


async def test_without_a_model_a_wish_is_kept_and_that_is_said(opened: Opened) -> None:
    async with ModelServer(models=(MODEL,)) as server:
        script(server)
        server.answers("wish", {"contradicts": False, "confidence": 0.2})
        play = await opened(given(server, Workshop(minions=ScriptedMinions(always=never_ends))))
        thread = await play.stage.say("ana", "add a login page", mention=True)
        await asked_for(play, thread)
        await play.sees("ana", thread, "reading the code")
        await play.stage.say("ana", "make it blue", thread=thread)
        await play.sees("ana", thread, "Wishes kept", "not compared with the plan")
        assert TaskId("T-1") == (await play.task()).id and len((await play.task()).wishes) == 1


@on(*THREE)
async def test_a_plan_edited_by_hand_is_a_version_and_outlives_a_send_back(opened: Opened) -> None:
    """One that grew is read again, and sent back; one that did not is a version that nobody reads but who approves."""
    async with ModelServer(models=(MODEL,)) as server:
        script(server)
        server.answers("decompose", THREE_SUBTASKS, ONE)
        server.answers("critic", GO, REVISE, GO)
        server.answers("custodiet", OK, WARN, OK)
        play = await opened(given(server, Workshop()))
        thread = await play.stage.say("ana", "add a login page", mention=True)
        card = await play.sees("ana", thread, "please look at the plan", "Put both together")
        assert "Edit plan" in card.buttons
        await play.stage.press("mallory", thread, "Edit plan", words="1")
        await play.whispered("mallory", thread, "This is not yours to decide")
        wrong = "1\n2 | | | | ../../etc/passwd"
        await play.stage.press("ana", thread, "Edit plan", words=wrong)
        if isinstance(play.stage, SlackStage):  # its form stays open, with the reason beside the field
            (place, reason), *others = play.stage.form_errors.items()
            assert place == "2.files" and "not a path inside the project" in reason and not others
        else:
            await play.whispered("ana", thread, "Your edit was not taken", "The plan is as it was", "etc/passwd")
        await play.stage.press("ana", thread, "Edit plan", words="1\n2 | | | | password.py, app.py")
        await play.sees("ana", thread, "T-1: plan edited", "Plan edited by", gone="Approve plan")
        await play.sees("lead", thread, "please look at the plan, version 3", offers="Approve plan")
        assert [server.count(name) for name in ("decompose", "critic", "custodiet")] == [2, 3, 3]
        last = [seen.text for seen in server.seen if seen.question == "decompose"][-1]
        assert "whoever asked for the task changed the plan by hand" in outside(last)
        assert "> dropped 3 (Put both together); let 2 write app.py" in outside(last) and "Add a test" in last

        await play.stage.press("lead", thread, "Edit plan", words="1 | Draw the form")
        card = await play.sees(
            "lead", thread, "please look at the plan, version 4", "Draw the form", offers="Approve plan"
        )
        assert "renamed 1 from" in card.text, "what is different"
        assert server.count("critic") == 3, "it did not grow, so nobody reads it again"
        await play.stage.press("lead", thread, "Approve plan")
        await play.sees("lead", thread, "T-1 is ready to merge")
        task = await play.task()
        assert task.plan.draft and task.plan.accepted == task.plan.draft.hash
        assert [wish.source for wish in task.wishes] == [Source.EDIT, Source.EDIT]
