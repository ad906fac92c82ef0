"""A project that needs something installed: the exact commands on a card, and the right person presses."""

from agents.domain.decisions.authority import Kind
from agents.domain.project.environment import Environment
from agents.domain.project.ground import Baseline, CheckBaseline
from agents.ports import SetUpEnded
from tests.fakes.grounds import PlayedGrounds
from tests.fakes.work import HEAD, Workshop
from tests.scenarios.conftest import THREE, Opened, on
from tests.scenarios.public_links import cards
from tests.scenarios.stage import until
from tests.scenarios.working import given

RED = CheckBaseline(name="tests", command="pytest -q", runs=3, failed=3, red=("test_a", "test_b", "test_c"), tests=9)
COMMANDS = ("npm ci", 'cd api && "$LAYER/venv/bin/python" -m pip install .')


@on(*THREE)
async def test_a_set_up_is_allowed_by_an_approver_who_sees_the_exact_commands(opened: Opened) -> None:
    work = Workshop(grounds=PlayedGrounds(environment=Environment(setup=COMMANDS, secrets=("SHOP_INDEX",))))
    assert work.grounds is not None
    work.gates.before = Baseline(tree=await work.checkouts.tree("shop", HEAD), key="k", checks=(RED,))
    play = await opened(given(work))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    card = await play.sees("lead", thread, "may I run these commands?", *COMMANDS, "SHOP_INDEX", offers="Run set-up")
    assert {"Run set-up", "Go on without it"} <= set(card.buttons)
    await play.stage.press("ana", thread, "Run set-up")
    await play.whispered("ana", thread, "not yours to decide")
    await play.sees("ana", thread, "please look at the plan", "not known yet, for the project is not set up")
    assert work.grounds.ran == [] and (await play.task()).of_kind(Kind.CONSENT), "nothing runs by a wrong press"

    work.grounds.ended = SetUpEnded(key="k", problem="`npm ci` ends with exit code 1: no such host", log="l")
    work.artefacts.kept["l"] = "$ npm ci\nno such host\n"
    await play.stage.press("lead", thread, "Run set-up")
    await play.sees("lead", thread, "may I run these commands again?", "no such host", offers="Run set-up")
    files, urls = (await cards(play, "may I run these commands again?"))[-1]
    linked = play.stage.name == "console"
    assert (files, urls) == (((), ("/task/T-1/kept/T-1-setup",)) if linked else (("T-1-setup",), ()))
    work.grounds.ended = SetUpEnded(key="k", log="setup-shop-k", seconds=7)
    work.artefacts.kept["setup-shop-k"] = "$ npm ci\nadded 3 packages\n"
    await play.stage.press("lead", thread, "Run set-up")
    await play.sees("ana", thread, "Set-up", "done in 7 s")
    if not linked:
        await play.sees("ana", thread, "sample is set up", "Its log is attached")
        assert (await cards(play, "sample is set up"))[-1][0] == ("T-1-setup",)
    await play.sees("ana", thread, "please look at the plan", "3 tests (test_a, test_b, test_c) fail before the change")
    plans = [each for each in await play.stage.shown("ana", thread) if "please look at the plan" in each.text]
    assert len(plans) == 1, "it is the same card"
    assert work.grounds.ran == [COMMANDS, COMMANDS] and work.artefacts.kept["T-1-setup"].startswith("$ npm ci")

    await play.stage.press("lead", thread, "Approve plan")

    async def begun() -> bool:
        return bool((await play.task()).work.branch)

    await until(begun, "work on the branch")


@on(*THREE)
async def test_a_task_goes_on_without_a_set_up_if_an_approver_says_so(opened: Opened) -> None:
    work = Workshop(grounds=PlayedGrounds(environment=Environment(setup=COMMANDS)))
    assert work.grounds is not None
    play = await opened(given(work))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("lead", thread, "may I run these commands?", offers="Go on without it")
    await play.stage.press("lead", thread, "Go on without it")
    await play.sees("lead", thread, "Going on without set-up")
    await play.sees("lead", thread, "please look at the plan", offers="Approve plan")
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert work.grounds.ran == []
