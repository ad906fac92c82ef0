"""Questions as jobs: read once, answered once, also when the program dies in between; and clumsy readings of them."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agents.domain.asking.meaning import RouteAnswer
from agents.domain.asking.names import Act, Route
from agents.domain.decisions import pressing
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Facts, Moment
from agents.domain.decisions.pressing import Press
from agents.domain.errors import BudgetReached
from agents.domain.events import CommandMeant
from agents.domain.ids import PersonId, TaskId
from agents.domain.task import decide
from agents.domain.task.decide import Wording
from agents.domain.task.task import Task, TaskState
from agents.ports import Found, Llm
from bot.intake.conversation import Command, understand
from bot.intake.meant_commands import command_words, say_meant
from bot.messages import Said
from bot.services import Services
from store.chat.deliveries import Received
from store.codec import Cause, shape
from store.running.jobs import Job
from store.transaction import Transaction
from tests.fakes.llm import ScriptedLlm
from tests.fakes.model_server import Fails, ModelServer, Says
from tests.fakes.reader import ScriptedReader
from tests.flows.planning import served
from tests.flows.world import ANA, Planning, planning
from tests.llm.rig import LOADED

ASKS = {"route": "question", "confidence": 0.9}


def scripted(llm: Llm) -> Callable[[Services], Callable[[Job], Llm]]:
    return lambda office: lambda job: llm


async def act(world: Planning, cause: str, decide: Callable[[Task, Moment], Facts]) -> None:
    """What a person did meanwhile."""

    def transaction(tx: Transaction) -> None:
        task = tx.log.task(world.task)
        at, thread = world.office.clock.now(), task.request.thread
        by, channel = "console:ana", task.request.channel
        tx.deliveries.keep(
            Received(key=cause, also="", kind="Pressed", body="{}", account=by, channel=channel, thread=thread, at=at)
        )
        facts = decide(task, world.office.moment(task.request.channel, cause))
        tx.log.append(task.id, facts, Cause(actor="console:ana", delivery=cause))

    await world.office.database.write(transaction)


def choose(kind: Kind, value: str, words: str = "") -> Callable[[Task, Moment], Facts]:
    def press(task: Task, moment: Moment) -> Facts:
        decision = task.of_kind(kind)
        assert decision
        letter = next(option.letter for option in decision.options if option.value == value)
        return pressing.press(task, Press(decision=decision.id, letter=letter, words=words), ANA, moment)

    return press


async def test_a_question_is_read_and_answered_and_nothing_is_planned(tmp_path: Path) -> None:
    async with planning(tmp_path, scripted(ScriptedLlm(route=[ASKS]))) as world:
        await world.run_next("intake", "answer")
        task = await world.now()
        assert task.state is TaskState.ANSWERED and task.talk.inquiries[0].answer
        assert await world.any_job() is None


async def test_a_run_that_dies_before_its_answer_is_recorded_answers_once(tmp_path: Path) -> None:
    """The job is claimed again; what is posted follows the one fact."""
    async with planning(tmp_path, scripted(ScriptedLlm(route=[ASKS]))) as world:
        world.workshop.reader = ScriptedReader(until=asyncio.Event())
        await world.run_next("intake")
        dying = asyncio.create_task(world.run(await world.next_job()))
        await asyncio.sleep(0.05)
        dying.cancel()
        await asyncio.gather(dying, return_exceptions=True)
        assert world.workshop.reader.until
        world.workshop.reader.until.set()
        await world.run_next("answer")
        assert (await world.facts()).count("QuestionAnswered") == 1
        assert await world.any_job() is None


async def test_an_answer_to_what_is_a_request_by_now_is_left(tmp_path: Path) -> None:
    async with planning(tmp_path, scripted(ScriptedLlm(route=[ASKS]))) as world:
        reader = world.workshop.reader = ScriptedReader(until=asyncio.Event())
        await world.run_next("intake")
        running = asyncio.create_task(world.run(await world.next_job()))
        await asyncio.sleep(0.05)
        await act(world, "turned", choose(Kind.REROUTE, "change", "let sessions last longer"))
        assert reader.until
        reader.until.set()
        await running
        task = await world.now()
        assert task.state is TaskState.DECOMPOSING and "QuestionAnswered" not in await world.facts()
        assert (await world.next_job()).flow == "decompose"


async def test_a_question_that_was_stopped_waits_and_is_answered_when_it_goes_on(tmp_path: Path) -> None:
    async with planning(tmp_path, scripted(ScriptedLlm(route=[ASKS]))) as world:
        await world.run_next("intake")
        claimed = await world.next_job()
        await act(world, "stop", lambda task, moment: pressing.stop(task, ANA, "", moment))
        await world.run(claimed)
        assert (await world.now()).state is TaskState.PAUSED and world.workshop.reader.asked == []
        await act(world, "go on", choose(Kind.STOPPED, "resume"))
        async with asyncio.timeout(20):
            while (await world.now()).state is not TaskState.ANSWERED:
                if job := await world.any_job():
                    await world.run(job)
                await asyncio.sleep(0.01)
        assert (await world.facts()).count("QuestionAnswered") == 1


async def test_the_second_question_of_a_thread_waits_for_the_first(tmp_path: Path) -> None:
    answers = [Found(answer="First."), Found(answer="Second.")]
    async with planning(tmp_path, scripted(ScriptedLlm(route=[ASKS, ASKS]))) as world:
        world.workshop.reader = ScriptedReader(answers=answers)
        await world.run_next("intake")
        await world.next_job()  # its holder dies
        await world.remark("and where is that tested?")
        async with asyncio.timeout(20):
            while len((await world.now()).talk.inquiries) < 2 or (await world.now()).talk.open_inquiries:
                if job := await world.any_job():
                    await world.run(job)
                await asyncio.sleep(0.01)
        assert [each.answer for each in (await world.now()).talk.inquiries] == ["First.", "Second."]


async def test_a_budget_that_is_used_up_is_no_route(tmp_path: Path) -> None:
    broke = BudgetReached("task T-1", limit=1, spent=1, wanted=1)
    async with planning(tmp_path, scripted(ScriptedLlm(route=[broke]))) as world:
        with pytest.raises(BudgetReached):
            await world.run_next("intake")
        assert (await world.now()).state is TaskState.RECEIVED


CLUMSY: dict[str, Any] = {
    "prose": Says(text="This looks like a question about the code to me."),
    "two routes": Says(text='{"route": "change"} {"route": "question"}'),
    "empty": Says(text=""),
    "a wrong enum": {"route": "delete_everything", "confidence": 1.0},
    "a command that names none": {"route": "steer", "confidence": 1.0},
    "not sure": {"route": "change", "confidence": 0.5},
    "cut off": Says(text='{"route": "cha', finish="length"),
    "down": Fails(status=500),
}


@pytest.mark.parametrize("said", CLUMSY)
async def test_a_clumsy_reading_is_a_question_with_buttons(tmp_path: Path, said: str) -> None:
    await LOADED.warm()
    async with ModelServer() as server, planning(tmp_path, served(server)) as world:
        server.answers("route", CLUMSY[said])
        await world.run_next("intake")
        task = await world.now()
        assert task.state is TaskState.RECEIVED and task.of_kind(Kind.ROUTE)
        assert await world.any_job() is None, "nothing is begun"
        await act(world, "answer", choose(Kind.ROUTE, "answer"))
        await world.run_next("intake", "answer")
        assert (await world.now()).state is TaskState.ANSWERED


async def test_the_reader_of_a_message_is_shown_what_stands_around_it(tmp_path: Path) -> None:
    llm = ScriptedLlm(route=[{"route": "steer", "confidence": 0.9, "act": "stop", "task": "T-77"}])
    async with planning(tmp_path, scripted(llm)) as world:
        await world.run_next("intake")
        about = llm.asked[0].about
        assert about["said"] == "add a login page" and about["projects"] == ["shop"] and about["known"] == []
        assert "T-77" not in str(await world.now()), "a task that it was not shown is not steered"


async def test_a_command_that_names_several_tasks_is_asked_about(tmp_path: Path) -> None:
    llm = ScriptedLlm(route=[{"route": "steer", "confidence": 1.0, "act": "stop", "task": "T-1"}])
    async with planning(tmp_path, scripted(llm)) as world:
        await act(world, "edit", lambda task, moment: correct(task, moment, "stop T-1 and T-2"))
        await world.run_next("intake")
        task = await world.now()
        assert task.of_kind(Kind.ROUTE) and "CommandMeant" not in await world.facts()


def correct(task: Task, moment: Moment, text: str) -> Facts:
    return decide.correct(task, Wording(text=text), ANA, moment)


async def test_a_command_is_said_once_with_the_rights_of_its_author(tmp_path: Path) -> None:
    llm = ScriptedLlm(route=[{"route": "steer", "confidence": 0.9, "act": "stop"}])
    async with planning(tmp_path, scripted(llm)) as world:
        await world.run_next("intake")
        database, now = world.office.database, world.office.clock.now()
        for _ in range(2):
            await database.write(lambda tx: say_meant(tx, now))
        [received] = await database.read(lambda tx: tx.deliveries.to_settle())
        said = shape(Said).validate_json(received.body)
        assert said.text == "stop" and said.thread.startswith("console:general") and said.mentions_bot
        assert said.memberships == (), "what brought the words is not kept, so no right hangs on it"


@pytest.mark.parametrize("act_", Act)
def test_every_command_can_be_said(act_: Act) -> None:
    now, person = datetime(2026, 1, 2, tzinfo=UTC), PersonId("ana")
    meant = CommandMeant(task=TaskId("T-1"), at=now, by=person, act=act_, about=TaskId("T-3"))
    assert isinstance(understand(command_words(meant)), Command)


def test_every_route_is_named_to_the_model() -> None:
    told = str(RouteAnswer.model_json_schema()["properties"]["route"])
    assert all(f"{route}:" in told for route in Route)
