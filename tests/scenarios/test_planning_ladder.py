"""Where a plan cannot be made the usual way: a smaller question, then a bare outline. Judgement never shrinks."""

from agents.domain.decisions.authority import Kind
from agents.domain.planning.decomposition import Level
from agents.domain.task.task import TaskState
from tests.fakes.llm import DeadLlm, ScriptedLlm
from tests.fakes.model_server import KEY, Fails, ModelServer, Says, Seen
from tests.scenarios.conftest import THREE, Given, Opened
from tests.scenarios.plans import GO, OK, REVISE, plan

STAGES = THREE

REQUEST = "add a login page"
SERVED = """
models:
  primary: {{model: hosted_vllm/fake-large, base_url: "%s", api_key_env: FAKE_KEY}}
"""
TOO_LARGE = Fails(
    status=400,
    message="This model's maximum context length is 4096 tokens, however you requested 6000 tokens.",
    code="context_length_exceeded",
    kind="invalid_request_error",
)


def in_brief(seen: Seen) -> bool:
    return "Plan in short" in seen.text


async def test_a_planner_that_cannot_finish_is_asked_for_less_and_the_card_says_so(opened: Opened) -> None:
    async with ModelServer() as server:
        cut_off = Says(value=plan("Too", "long"), finish="length")
        server.answers("decompose", lambda seen: plan("Show a form") if in_brief(seen) else cut_off)
        server.answers("critic", GO)
        server.answers("custodiet", OK)
        policy = "channels: {{'{channel}': {{plan: auto}}}}"
        play = await opened(Given(config=SERVED % server.url + policy, environ={"FAKE_KEY": KEY}))
        thread = await play.stage.say("ana", REQUEST, mention=True)
        card = await play.sees("ana", thread, "please look at the plan", "Simplified plan", "cut off")
        assert "Approve plan" in card.buttons, "though this channel lets an ordinary plan of one subtask through"
        assert [in_brief(seen) for seen in server.seen if seen.question == "decompose"] == [False] * 2 + [True], (
            "the same answer twice is a loop"
        )
        task = await play.task()
        assert (task.plan.level, task.state) == (Level.SIMPLIFIED, TaskState.AWAITING_APPROVAL)
        await play.stage.press("lead", thread, "Approve plan")
        await play.sees("ana", thread, "Running", "simplified, from less")


async def test_where_no_model_can_plan_an_approver_may_go_on_with_a_bare_outline(opened: Opened) -> None:
    """A window that is too small for either question; the reviewers are down as well, so a person judges."""
    async with ModelServer() as server:
        for question in ("decompose", "critic", "custodiet"):
            server.answers(question, TOO_LARGE)
        play = await opened(Given(config=SERVED % server.url, environ={"FAKE_KEY": KEY}))
        thread = await play.stage.say("ana", REQUEST, mention=True)
        card = await play.sees("ana", thread, "T-1 got stuck", "longer than the model takes", "Asked again with less")
        assert "needs more room than its model has" in card.text
        assert set(card.buttons) == {"Retry step", "Ask for less", "Continue with a one-step plan", "Cancel task"}
        asked = [in_brief(seen) for seen in server.seen if seen.question != "route"]
        assert asked == [False, True], "each once: nothing here mends by itself"
        assert "PlanAccepted" not in await play.facts()

        await play.stage.press("ana", thread, "Continue with a one-step plan")
        await play.sees("ana", thread, "This is not yours to decide", "an approver")
        await play.stage.press("lead", thread, "Continue with a one-step plan")
        card = await play.sees("ana", thread, "the plan needs your judgement", "No model could plan this")
        assert "One-step plan" in card.text and "TODO" in card.text and "longer than the model takes" in card.text
        assert "No verdict from the critic and the scope guard" in card.text, "who judges is not made simpler"
        assert not (await play.task()).plan.accepted
        await play.stage.press("lead", thread, "Proceed as proposed")
        await play.sees("ana", thread, "Running", "a one-step plan")
        await play.sees("ana", thread, "what may it write?", "T-1.1")
        assert (await play.task()).plan.level is Level.MINIMAL


async def test_of_a_request_that_is_too_long_a_first_part_takes_its_place(opened: Opened) -> None:
    async with ModelServer() as server:
        fits = plan("Show a form")
        server.answers("decompose", lambda seen: TOO_LARGE if "lines and lines" in seen.text else fits)
        server.answers("critic", GO)
        server.answers("custodiet", OK)
        play = await opened(Given(config=SERVED % server.url, environ={"FAKE_KEY": KEY}))
        thread = await play.stage.say("ana", f"{REQUEST}, here is the log: {'lines and lines ' * 60}", mention=True)
        await play.sees("ana", thread, "T-1 got stuck", "needs more room than its model has")
        await play.stage.press("ana", thread, "Ask for less", words="show a form for the name")
        card = await play.sees("ana", thread, "please look at the plan", "Show a form")
        assert "lines and lines" not in card.text
        assert (await play.task()).request.text == "show a form for the name"


async def test_an_outline_that_reviewers_want_changed_goes_to_a_person_and_retry_is_still_there(opened: Opened) -> None:
    """With the model down throughout: nobody plans behind an outline, and words of people go to the planner."""
    llm = DeadLlm(then=ScriptedLlm(decompose=[plan("Show a form")], critic=[REVISE, GO], custodiet=[OK, OK]))
    play = await opened(Given(config="limits: {{debate_rounds: 0}}", llm=llm))
    thread = await play.stage.say("ana", REQUEST, mention=True)
    await play.sees("ana", thread, "I could not read it: the model is down", offers="Change something")
    await play.stage.press("ana", thread, "Change something")
    await play.sees("ana", thread, "T-1 got stuck", "the model is down")
    llm.alive = True
    await play.stage.press("lead", thread, "Continue with a one-step plan")
    await play.sees(
        "ana", thread, "the plan needs your judgement", "no planner is there to make them", "Nothing is tes"
    )
    assert llm.then.count("decompose") == 0
    await play.stage.press("lead", thread, "Ask for more information", words="which page comes after it?")
    await play.sees(
        "ana", thread, "please look at the plan, version 2", "Show a form", gone="Continue with a one-step plan"
    )
    task = await play.task()
    assert (task.plan.level, task.plan.number) == (Level.PRIMARY, 2)


async def test_three_plans_that_do_not_hold_leave_the_same_way_open(opened: Opened) -> None:
    circle = plan("One", "Two")
    circle["subtasks"][0]["needs"] = [{"number": 2}]
    llm = ScriptedLlm(decompose=[circle, circle, circle], critic=[GO], custodiet=[OK])
    play = await opened(Given(config="channels: {{'{channel}': {{plan: auto}}}}", llm=llm))
    thread = await play.stage.say("ana", REQUEST, mention=True)
    card = await play.sees("ana", thread, "I could not make a plan", "in a circle")
    assert (
        set(card.buttons) == {"Continue with a one-step plan", "Cancel task"}
        and "“Continue with a one-step plan”: an approver" in card.text
    )
    await play.stage.press("lead", thread, "Continue with a one-step plan")
    await play.sees("ana", thread, "please look at the plan", "One-step plan", "none held")
    task = await play.task()
    assert task.of_kind(Kind.PLAN) and not task.plan.accepted, "an outline is never waved through"
