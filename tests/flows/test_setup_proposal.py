"""A set-up that code cannot read: a model proposes it, a person consents, and without a model people are told."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.subject import OfSetup
from agents.domain.errors import NoAnswer
from agents.flows.setup_proposal import SetupSays
from bot.cards.kinds import CARDS
from bot.cards.planning.ground import ground_rows, setup_in_words
from bot.cards.scene import NO_BILL
from store.running.jobs import Job
from tests.fakes.grounds import PlayedGrounds
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import Workshop
from tests.flows.test_ground_flows import Shop
from tests.flows.work import APPROVED, PLAN
from tests.flows.world import planning
from tests.scenarios.plans import GO, OK

MAKES = {"commands": ["make setup", "make build"], "why": "the Makefile says so"}


@dataclass
class Clued(Shop):
    script: ScriptedLlm = field(default_factory=ScriptedLlm)


@pytest.fixture
async def shop(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Clued]:
    always = {"decompose": PLAN, "critic": GO, "custodiet": OK, "code_review": APPROVED}
    llm = ScriptedLlm(always=always, setup=[getattr(request, "param", MAKES)] * 2)
    async with planning(tmp_path, lambda office: lambda job: llm) as plan:
        grounds = PlayedGrounds(clues={"Makefile": "setup:\n\tpip install x\n"})
        yield Clued(plan.office, plan.llm, plan.task, workshop=Workshop(), grounds=grounds, script=llm)


async def test_proposed_commands_run_only_after_a_person_consents_to_them(shop: Clued) -> None:
    await shop.run_all()
    asked = (await shop.now()).of_kind(Kind.CONSENT)
    assert asked is not None and isinstance(asked.subject, OfSetup)
    assert (asked.subject.commands, asked.subject.proposed) == (("make setup", "make build"), ("Makefile",))
    card = CARDS[Kind.CONSENT]
    assert card.rows is not None
    shown = {row.label: row.value for row in card.rows(await shop.now(), asked, NO_BILL)}
    assert shown["Command 1"] == "`make setup`" and "a model proposes these commands" in shown["Read by a model"]
    assert shop.grounds.ran == []
    await shop.press(Kind.PLAN, "approve")
    await shop.run_all()
    assert shop.grounds.ran == [] and not (await shop.now()).work.branch, "work waits for the answer"
    await shop.press(Kind.CONSENT, "run")
    await shop.run_all()
    assert shop.grounds.ran == [("make setup", "make build")] and (await shop.now()).work.branch
    project = await shop.project()
    assert project is not None and project.proposed is not None and project.proposed.commands[0] == "make setup"


async def test_the_model_is_asked_once_for_the_same_files(shop: Clued) -> None:
    await shop.run_all()
    await shop.press(Kind.CONSENT, "run")
    await shop.press(Kind.PLAN, "approve")
    await shop.run_all()
    (asked,) = (each for each in shop.script.asked if each.question == "setup")
    assert asked.about["found"] == "==== Makefile\nsetup:\n\tpip install x\n"


@pytest.mark.parametrize("shop", [NoAnswer("no model answers", next_step="Name one.")], indirect=True)
async def test_without_a_model_the_plan_says_what_to_write(shop: Clued) -> None:
    await shop.run_all()
    task = await shop.now()
    assert task.of_kind(Kind.CONSENT) is None and task.ground.unread == ("Makefile",)
    said = next(row.value for row in ground_rows(task) if row.label == "Set-up")
    assert "Makefile may say how" in said and "`environment: setup:`" in said
    await shop.press(Kind.PLAN, "approve")
    await shop.run_all()
    assert (await shop.now()).work.branch and shop.grounds.ran == []


@pytest.mark.parametrize("shop", [{"commands": []}], indirect=True)
async def test_a_model_may_find_that_nothing_has_to_be_installed(shop: Clued) -> None:
    await shop.run_all()
    task = await shop.now()
    assert task.of_kind(Kind.CONSENT) is None and task.ground.unread == ()


@pytest.mark.parametrize("command", ["make\nrm -rf ~", "true \x1b[8m; curl evil", "  ", "a\u202eb"])
def test_a_command_that_does_not_show_all_of_itself_is_no_answer(command: str) -> None:
    assert SetupSays(commands=(command,)).contradiction()
    assert not SetupSays(commands=("make setup",)).contradiction()


async def test_the_status_card_says_that_a_set_up_runs_and_how_it_ended(shop: Clued) -> None:
    seen = list[str]()

    async def look() -> None:
        seen.append(setup_in_words(await shop.now()))

    shop.grounds.meanwhile = look
    await shop.run_all()
    await shop.press(Kind.CONSENT, "run")
    await shop.run_all()
    assert seen == ["the project is being set up (2 commands, in a sandbox); work and checks wait for it"]
    assert setup_in_words(await shop.now()) == "done in 3 s"


async def _plan_overtakes(shop: Clued) -> list[Job]:
    """The plan is approved while nobody has read yet how the project is set up; the jobs that would read it."""
    held = await shop.run_but("prepare_ground")
    await shop.press(Kind.PLAN, "approve")
    return [*held, *await shop.run_but("prepare_ground")]


async def test_work_waits_for_a_proposal_that_comes_after_the_plan_was_approved(shop: Clued) -> None:
    held = await _plan_overtakes(shop)
    task = await shop.now()
    assert task.in_work and not task.work.branch, "nobody knows yet what it needs"
    for job in held:
        await shop.run(job)
    await shop.run_all()
    asked = (await shop.now()).of_kind(Kind.CONSENT)
    assert asked is not None and isinstance(asked.subject, OfSetup) and asked.subject.proposed == ("Makefile",)
    assert not (await shop.now()).work.branch
    await shop.press(Kind.CONSENT, "run")
    await shop.run_all()
    assert shop.grounds.ran == [("make setup", "make build")] and (await shop.now()).work.branch


@pytest.mark.parametrize("shop", [NoAnswer("no model answers", next_step="Name one."), {"commands": []}], indirect=True)
async def test_work_goes_on_when_the_proposal_that_it_waited_for_is_none(shop: Clued) -> None:
    held = await _plan_overtakes(shop)
    assert not (await shop.now()).work.branch
    for job in held:
        await shop.run(job)
    await shop.run_all()
    assert (await shop.now()).work.branch and shop.grounds.ran == []
