"""What people say about a plan, and what it may and may not do; and whose word counts for how much."""

from agents.domain.decisions.authority import Kind
from agents.domain.task.task import TaskState
from tests.fakes.llm import ScriptedLlm, no_answer
from tests.scenarios.conftest import ALL, THREE, TWO_PROJECTS, Given, Opened, Play, on
from tests.scenarios.plans import GO, OK, means, plan
from tests.scenarios.stage import OPERATOR

STAGES = THREE

REQUEST = "add a login page"


def planner(*intent: object) -> ScriptedLlm:
    first, second = plan("Show a form", "Check the password"), plan("Show a form", "Send a code by mail")
    second["subtasks"][0]["test"] = "the form is there without a password field"
    return ScriptedLlm(decompose=[first, second], critic=[GO, GO], custodiet=[OK, OK], intent=list(intent))


async def planned(opened: Opened, llm: ScriptedLlm, config: str = "") -> tuple[Play, str]:
    play = await opened(Given(config=config, llm=llm))
    thread = await play.stage.say("ana", REQUEST, mention=True)
    await play.sees("ana", thread, "please look at the plan", "Check the password")
    return play, thread


async def test_a_wish_in_words_brings_a_marked_up_version_and_closes_the_old_card(opened: Opened) -> None:
    play, thread = await planned(opened, planner(means("change")))
    await play.stage.say("ana", "no passwords please, send a code by mail", thread=thread)
    card = await play.sees("ana", thread, "please look at the plan, version 2", "no passwords please")
    for words in ("New: Send a code by mail", "Changed: Show a form", "Gone: Check the password"):
        assert words in card.text.replace("*", ""), card.text
    closed = await play.sees("ana", thread, "No longer needed: changes were asked for", gone="Approve plan")
    assert "version 2" not in closed.text, "a closed card keeps the version that it was about"
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("ana", thread, "Running")
    task = await play.task()
    assert task.plan.draft and task.plan.accepted == task.plan.draft.hash and task.plan.number == 2


@on(*ALL)
async def test_words_never_approve_but_bring_the_button(opened: Opened) -> None:
    """By the grammar and by a model that reads consent."""
    play, thread = await planned(opened, planner(means("approve")))
    await play.stage.say("lead", "approve", thread=thread, mention=True)
    await play.sees("lead", thread, "One press to confirm", "Words alone never approve")
    await play.stage.say("lead", "yes, let us do exactly that", thread=thread, mention=True)
    await play.happened("ApprovalOffered")
    await play.silence("lead", thread)
    assert (await play.task()).state is TaskState.AWAITING_APPROVAL

    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("ana", thread, "T-1: plan approved", "Plan approved by")
    await play.sees("ana", thread, "Running")


async def test_a_wish_that_may_be_none_is_asked_about_once(opened: Opened) -> None:
    play, thread = await planned(opened, planner(means("change", 0.5), means("change", 0.6)))
    await play.stage.say("ana", "mail is nice too", thread=thread)
    card = await play.sees("ana", thread, "Should this change the plan", "mail is nice too")
    assert set(card.buttons) == {"Change the plan", "Keep the plan as it is"}
    await play.stage.say("ana", "hm, or a code by text", thread=thread)
    await play.sees("ana", thread, "Should this change the plan", "a code by text")
    await play.sees("ana", thread, "mail is nice too", gone="Change the plan")
    await play.stage.say("ana", "yes", thread=thread)
    await play.sees("ana", thread, "please look at the plan, version 2", "a code by text")


async def test_questions_about_a_task_are_answered_from_facts(opened: Opened) -> None:
    llm = planner(means("status"), means("why"), means("cost"), means("command", 0.5), means("other"), no_answer())
    play, thread = await planned(opened, llm)
    await play.stage.say("ana", "so how far are you with this", thread=thread)
    await play.sees("ana", thread, "T-1 · add a login page", "Waiting for approval")
    await play.stage.say("ana", "but what is the reason for the first step", thread=thread)
    await play.sees("ana", thread, "is there because without it nobody could show a form", "because of what waits")
    await play.stage.say("ana", "and how much did that eat", thread=thread)
    await play.sees("ana", thread, "T-1 has cost nothing so far")
    await play.stage.say("ana", "hm, should we hold this one", thread=thread)
    await play.sees("ana", thread, "Which command do you mean?", "left everything as it is")
    before = sum(m.by_bot for m in await play.silence("ana", thread))
    for talk in ("my cat likes it", "is anybody there at all"):  # the second meets a model that is down
        await play.stage.say("ana", talk, thread=thread)
    await play.sees("ana", thread, "Remarks noted", "6")
    assert sum(m.by_bot for m in await play.silence("ana", thread)) == before, "silence is an answer"
    assert (await play.task()).of_kind(Kind.PLAN), "and nothing changed"


@on(*ALL)
async def test_the_planner_asks_and_is_answered_in_words(opened: Opened) -> None:
    question = {"status": "NEEDS_REFINEMENT", "question": "Which database?", "options": ["sqlite", "postgres"]}
    llm = ScriptedLlm(decompose=[question, plan("Show a form")], critic=[GO], custodiet=[OK])
    play = await opened(Given(llm=llm))
    thread = await play.stage.say("ana", REQUEST, mention=True)
    card = await play.sees("ana", thread, "Which database?")
    assert set(card.buttons) == {"sqlite", "postgres"}
    await play.sees("ana", thread, "Waiting for an answer")
    await play.stage.say("ana", "the one in docker", thread=thread)
    await play.sees("ana", thread, "please look at the plan")
    assert [(wish.about, wish.words) for wish in llm.asked[2].task.wishes] == [("Which database?", "the one in docker")]


async def test_a_channel_may_let_a_single_subtask_through(opened: Opened) -> None:
    llm = ScriptedLlm(decompose=[plan("Show a form"), plan("One", "Two")], always={"critic": GO, "custodiet": OK})
    play = await opened(Given(config="channels: {{'{channel}': {{plan: auto}}}}", llm=llm))
    thread = await play.stage.say("ana", REQUEST, mention=True)
    await play.sees("ana", thread, "Running")
    accepted = [fact.event for fact in await play.log() if type(fact.event).__name__ == "PlanAccepted"]
    assert [event.by for event in accepted] == [()], "the policy, and no person"  # type: ignore[attr-defined]
    other = await play.stage.say("ana", "add a logout page", mention=True)
    await play.sees("ana", other, "please look at the plan")


async def test_the_requester_approves_alone_only_where_the_channel_lets_them(opened: Opened) -> None:
    forbidden = "channels: {{'{channel}': {{self_approval: false}}}}"
    play = await opened(Given(config=forbidden, llm=agreed()))
    thread = await play.stage.say("lead", REQUEST, mention=True)
    await play.sees("lead", thread, "please look at the plan")
    await play.stage.press("lead", thread, "Approve plan")
    refusal = await play.sees("lead", thread, "In this channel nobody approves their own request")
    assert refusal.private and (await play.task()).state is TaskState.AWAITING_APPROVAL


async def test_a_requester_who_approves_is_shown_as_such(opened: Opened) -> None:
    play = await opened(Given(llm=agreed()))
    thread = await play.stage.say("lead", REQUEST, mention=True)
    await play.sees("lead", thread, "please look at the plan")
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("lead", thread, "Plan approved by the requester, ")


async def test_a_project_is_inferred_where_a_model_is_sure_and_asked_for_where_not(opened: Opened) -> None:
    sure, unsure = {"project": "web", "confidence": 0.9}, {"project": "web", "confidence": 0.6}
    nowhere = {"project": "moon", "confidence": 1.0}
    llm = ScriptedLlm(
        project=[sure, unsure, nowhere, no_answer()], always={"decompose": no_answer(), "intent": no_answer()}
    )
    play = await opened(Given(config=TWO_PROJECTS, llm=llm))
    first = await play.stage.say("ana", "make the pages prettier", mention=True)
    await play.sees("ana", first, "Project", "web", "the request reads like it")
    for words in ("make it prettier", "fly there", "do something"):
        thread = await play.stage.say("ana", words, mention=True)
        card = await play.sees("ana", thread, "which project is this for?")
        assert card.buttons == ("api", "web")
    named = await play.stage.say("ana", "make the api faster", mention=True)
    await play.sees("ana", named, "Project", "api", "the request names it")
    assert llm.count("project") == 4, "where a rule knows, no model is asked"


async def test_small_talk_opens_no_task(opened: Opened) -> None:
    play = await opened(Given(llm=ScriptedLlm()))
    hello = await play.stage.say("ana", "hello!", mention=True)
    await play.sees("ana", hello, "Hello! Tell me in your own words")
    for words in ("thanks!", "ok", "👍", "Thank you so much"):
        quiet = await play.stage.say("ana", words, mention=True)
        assert sum(m.by_bot for m in await play.silence("ana", quiet)) == 0, words
    assert list(await play.program.queries.tasks(OPERATOR, ended=True)) == []


def agreed() -> ScriptedLlm:
    return ScriptedLlm(decompose=[plan("Show a form", "Check it")], critic=[GO], custodiet=[OK])
