"""How much a model takes, whatever it says first: no question is cut without a word, and none is asked for ever."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agents.domain.decisions.kind import Moment
from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.ids import TaskId
from agents.domain.models.ability import THINKING, Ability, Lack, answer_room, lacks_for, reading_room
from agents.domain.models.failure import ErrorClass, Failure, Fault, fault_of
from agents.domain.models.money import Budgets, ModelAskedAgain, ModelLacks
from agents.domain.models.routing import Model, Size
from agents.flows.review_answers import SpecialistAnswer
from agents.llm.gateway import UNKNOWN_PRICE, CallFailed, Gateway, Request
from agents.llm.servers import is_near
from agents.minions.engines.builtin.tools import TOOLS
from agents.minions.engines.builtin.transcript import Talk, opening_row
from agents.ports import Converse, Decide
from bot.cards.reasons import FAULTS, LACKS, asked_again, lacking
from tests.fakes.model_server import KEY, Fails, ModelServer, Says
from tests.fakes.wires import WIRES
from tests.llm.rig import LOADED, Rig, asked, rigged, task

MANY = tuple(f"src/area_{n % 40}/part_{n % 7}/module_{n}.py" for n in range(4000))  # some 40,000 tokens
NOTHING: dict[str, object] = {"concerns": [], "suggestions": []}
REFUSING = [wire for wire in WIRES if wire != "ollama"]


@asynccontextmanager
async def serving(place: Path, wire: str, **able: Any) -> AsyncIterator[Rig]:
    server = ModelServer(wire=wire, models=(WIRES[wire].model,), **able)
    async with rigged(place, server=server) as made:
        server.answers("specialist", NOTHING)
        server.answers("any", Says(calls=(("read_file", '{"path": "a.py"}'),), finish="tool_calls"))
        yield replace(made, gateway=Gateway())


async def specialist(rig: Rig, files: Sequence[str] = MANY, job: str = "job-1") -> None:
    about = {"specialist": "security", "focus": "Who could abuse this.", "files": files}
    await rig.job(job).ask(asked("specialist", about=about), SpecialistAnswer)


def model(rig: Rig) -> Model:
    return rig.client().chosen["primary"].models[0]


@pytest.mark.parametrize("wire", REFUSING)
async def test_after_an_overflow_it_is_asked_once_more_with_less(wire: str, tmp_path: Path) -> None:
    """And the next question is within the window at once."""
    async with serving(tmp_path, wire, window=12_000) as rig:
        rig.gateway.note(model(rig), Ability())  # nothing is known but what the list says
        await specialist(rig)
        assert dict(rig.server.statuses) == {400: 1, 200: 1}
        assert rig.server.seen[-1].tokens <= 12_000
        await specialist(rig, job="job-2")
        assert dict(rig.server.statuses) == {400: 1, 200: 2}
        assert await rig.gateway.window(model(rig)) == 12_000


async def test_what_a_server_says_of_its_window_holds_from_the_first_question(tmp_path: Path) -> None:
    for wire in ("vllm", "llama.cpp", "ollama"):
        (tmp_path / wire).mkdir()
        async with serving(tmp_path / wire, wire, window=12_000) as rig:
            await specialist(rig)
            assert dict(rig.server.statuses) == {200: 1}, wire
            heard = rig.server.seen[0].heard
            assert heard and heard.most and rig.server.seen[0].tokens + heard.most <= 12_000, wire


async def test_ollama_is_told_how_much_to_take(tmp_path: Path) -> None:
    """Else it cuts off what was said first, and nobody is told."""
    async with serving(tmp_path, "ollama", window=131_072) as rig:
        await specialist(rig, MANY[:1500])
        seen = rig.server.seen[0]
        assert seen.body["options"]["num_ctx"] == 32_768 and seen.tokens > 8_000
        assert seen.question == "specialist" and seen.text.startswith("# Handbook")


async def test_a_talk_that_is_too_long_is_told_shorter(tmp_path: Path) -> None:
    async with serving(tmp_path, "chat", window=6_000) as rig:
        talk = Talk(window=100_000)
        talk.take(opening_row("You are a minion.", "Do it."))
        for turn in range(12):
            talk.take(turn_row(turn))
        said, keep = await rig.job().converse(converse(talk))
        assert said.calls and dict(rig.server.statuses) == {400: 1, 200: 1}
        await keep()
        assert rig.server.seen[-1].text.startswith("You are a minion."), "rules and task stay"


async def test_one_that_stays_too_long_ends_in_words_that_fit(tmp_path: Path) -> None:
    async with serving(tmp_path, "chat", window=300) as rig:
        with pytest.raises(NoAnswer, match="longer than the model takes at once") as none:
            await specialist(rig)
        assert "model that takes more" in none.value.next_step and none.value.simpler_may_do
        assert rig.server.count() == 2


def turn_row(turn: int) -> dict[str, Any]:
    call = {"id": f"c{turn}", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a"}'}}
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{turn}", "content": "word " * 800},
    ]
    return {"kind": "turn", "messages": messages, "seconds": 0, "errors": 0, "wrote": [], "ended": None, "doing": ""}


def converse(talk: Talk) -> Converse:
    return Converse(
        step="T-1.1-1:1",
        role="primary",
        task=task(),
        messages=talk.messages,
        shorter=talk.shorten_to,
        tools=tuple(TOOLS.values()),
    )


@pytest.mark.parametrize("wire", WIRES)
async def test_an_answer_has_a_bound_and_room_to_think(wire: str, tmp_path: Path) -> None:
    """Thinking models spend thousands of tokens before the first that people see."""
    async with serving(tmp_path, wire, thinking="hmm " * 4_000) as rig:
        rig.sizes = {"primary": Size(output=1_000)}
        unasked = wire not in ("anthropic", "openrouter")  # these think only where they are told to
        if not unasked:
            rig.server.wire.host = replace(rig.server.wire.host, thinking="")
        await specialist(rig, MANY[:10])
        heard = rig.server.seen[0].heard
        wanted = 1_000 + (THINKING if unasked else 0)
        assert heard and heard.most == (min(wanted, 8_192) if wire == "ollama" else wanted), "a quarter of the window"


async def test_calls_to_a_server_of_ones_own_wait_for_their_turn(tmp_path: Path) -> None:
    async with serving(tmp_path, "llama.cpp") as rig:
        rig.server.answers("specialist", Says(value=NOTHING, wait=0.2))
        asks = [asyncio.create_task(specialist(rig, MANY[:3], f"job-{n}")) for n in range(3)]
        await rig.server.asked.wait()
        await asyncio.sleep(0.05)
        assert rig.server.count() == 1, "the others are not sent yet, so their clocks stand"
        await asyncio.gather(*asks)
        assert rig.server.count() == 3


async def test_first_look_ups_side_by_side_leave_the_list_alone() -> None:
    """litellm walks over its price list while others look: what it walks over does not change."""
    gateway = Gateway()
    await gateway.warm()
    import litellm

    before, size = litellm.model_cost, len(litellm.model_cost)
    models = [Model(name=f"openai/somebodys-own-{n}", base_url="http://127.0.0.1:9/v1") for n in range(8)]
    assert set(await asyncio.gather(*(gateway.worst_case(each, 3000) for each in models))) == {0.0}
    assert len(before) == size and litellm.model_cost["openai/somebodys-own-7"]


async def test_a_server_that_drops_tools_is_noticed_before_a_run(tmp_path: Path) -> None:
    async with serving(tmp_path, "llama.cpp", tools=False) as rig:
        talk = Talk(window=10_000)
        talk.take(opening_row("You are a minion.", "Do it."))
        with pytest.raises(NoAnswer, match="takes no tools") as none:
            await rig.job().converse(converse(talk))
        assert "calls tools" in none.value.next_step and none.value.error == ErrorClass.RESOURCE
        assert not none.value.simpler_may_do and rig.server.count() == 0


async def test_answers_of_ones_own_server_are_bound_by_the_schema(tmp_path: Path) -> None:
    for wire in ("vllm", "llama.cpp", "ollama"):
        (tmp_path / wire).mkdir()
        async with serving(tmp_path / wire, wire) as rig:
            await specialist(rig, MANY[:3])
            heard = rig.server.seen[0].heard
            assert heard and heard.schema and heard.schema["properties"]["answer_to"]["enum"], wire


async def test_a_server_without_schemas_is_asked_without_one(tmp_path: Path) -> None:
    for wire in ("vllm", "llama.cpp"):
        (tmp_path / wire).mkdir()
        async with serving(tmp_path / wire, wire, json_mode=False) as rig:
            await specialist(rig, MANY[:3])
            await specialist(rig, MANY[:3], "job-2")
            assert dict(rig.server.statuses) == {400: 1, 200: 2}, "and it is remembered"


async def test_what_nobody_knows_the_price_of_is_dear() -> None:
    gateway = Gateway()
    far = Model(name="openai/somebodys", base_url="https://llm.example.com/v1")
    assert await gateway.worst_case(far, 3_000) >= UNKNOWN_PRICE[1] * 1_000
    assert await gateway.prices(far) == UNKNOWN_PRICE
    assert await gateway.worst_case(replace(far, price=(0.0, 0.0)), 3_000) == 0.0, "it is written that it is free"
    assert await gateway.worst_case(replace(far, base_url="http://10.0.0.7:8000/v1"), 3_000) == 0.0
    assert is_near(Model(name="ollama_chat/x")) and not is_near(Model(name="anthropic/claude-sonnet-5"))


async def test_a_budget_holds_for_a_price_that_is_written(tmp_path: Path) -> None:
    async with serving(tmp_path, "llama.cpp") as rig:
        rig.price, rig.budgets = (1e-6, 1e-6), Budgets(task=0.04)
        await specialist(rig, MANY[:3])
        with pytest.raises(BudgetReached):
            for number in range(20):
                await specialist(rig, MANY[:3], f"job-{number + 2}")
        assert 0 < rig.server.count() < 20


async def test_a_minutes_quota_passes_and_an_empty_purse_does_not() -> None:
    """Gemini says both in the same words; but of the one it says when."""
    told = "You exceeded your current quota, please check your plan and billing details."
    later = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}]
    for more, wanted in (({"details": later}, ErrorClass.NETWORK), ({}, ErrorClass.RESOURCE)):
        async with ModelServer(wire="gemini", models=("gemini-pro-latest",)) as server:
            server.answers("any", Fails(status=429, message=told, more=more))
            request = Request(
                model=Model(name=server.named(), base_url=server.url, api_key=KEY),
                messages=[{"role": "user", "content": "well, in json?"}],
                timeout=20.0,
            )
            with pytest.raises(CallFailed) as failed:
                await LOADED.ask(request)
            assert failed.value.failure.error is wanted


@pytest.mark.parametrize(
    ("window", "answer", "reads"),
    [(0, 24_000, 0), (8_192, 2_048, 5_529), (1_000_000, 24_000, 878_400), (400, 256, 129)],
)
def test_a_window_is_shared_by_question_and_answer(window: int, answer: int, reads: int) -> None:
    assert answer_room(window, 24_000) == answer
    assert reading_room(window, answer) == reads


def test_nothing_is_held_against_a_model_that_nobody_knows() -> None:
    assert not lacks_for("primary", Ability())
    assert lacks_for("primary", Ability(window=8_192, tagged=True)) and not lacks_for("critic", Ability(window=8_192))


async def test_people_are_told_while_it_is_asked_again(tmp_path: Path) -> None:
    """What it is asked for, for which time and why; and how the answer that does not count begins."""
    told = list[ModelAskedAgain]()

    async def note(id: TaskId, decide: Decide) -> None:
        moment = Moment(at=datetime(2026, 1, 2, tzinfo=UTC), cause="test")
        told.extend(fact for fact in decide(task(), moment) if isinstance(fact, ModelAskedAgain))

    async with serving(tmp_path, "llama.cpp") as rig:
        rig.server.answers(
            "specialist", Says(text="Sure, I will", finish="length"), Fails(status=503, message="busy"), NOTHING
        )
        about = {"specialist": "security", "focus": "Who could abuse this.", "files": MANY[:3]}
        await replace(rig.job(), note=note).ask(asked("specialist", about=about), SpecialistAnswer)
    assert [(fact.time, fact.fault, fact.said) for fact in told] == [
        (2, Fault.CUT_OFF, "Sure, I will"),
        (3, Fault.SILENT, ""),
    ]
    assert [asked_again(fact) for fact in told] == [
        "A specialist is asked a second time: its first answer was cut off",
        "A specialist is asked a third time: it gave no answer (busy)",
    ]


def test_every_fault_has_words() -> None:
    assert FAULTS.keys() == set(Fault) and LACKS.keys() == set(Lack)
    assert {fault_of(Failure(error=error, message="")) for error in ErrorClass} < set(Fault)


async def test_what_a_model_lacks_is_said_before_the_work_on_a_task_begins(tmp_path: Path) -> None:
    said, order = list[str](), list[int]()
    async with serving(tmp_path, "llama.cpp", tools=False, window=8_192) as rig:
        rig.server.answers("decompose", {"status": "IMPOSSIBLE", "why": "it is a test of models"})

        async def note(id: TaskId, decide: Decide) -> None:
            facts = decide(task(), Moment(at=datetime(2026, 1, 2, tzinfo=UTC), cause="test"))
            said.extend(lacking(fact) for fact in facts if isinstance(fact, ModelLacks))
            order.append(rig.server.count())

        with suppress(NoAnswer):  # what it answers is another matter
            await replace(rig.job(), note=note).ask(asked("decompose"), SpecialistAnswer)
    assert order[0] == 0
    assert said == [
        "openai/own may not do as primary: it calls no tools, it takes 8,192 tokens at once, and 16,000 are needed"
    ]
