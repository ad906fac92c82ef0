"""One question on its way: tried by policy, answered by a fallback, never paid twice."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from agents.domain.errors import NoAnswer
from agents.domain.limits import Limits
from agents.domain.models.failure import ErrorClass
from store.database import Database
from tests.fakes.model_server import LARGE, SMALL, Answer, Fails, ModelServer, Says, Seen, last_words, too_many
from tests.fakes.reader import PlayedLook
from tests.llm.rig import Rig, asked, rigged

PATIENCE = 60.0  # seconds; machines are shared, and waiting costs only who fails
OK = {"verdict": "ok"}


class Verdict(BaseModel):
    verdict: str


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with rigged(tmp_path) as made:
        made.server.answers("custodiet", OK)
        yield made


def by_model(**answers: Answer) -> Answer:
    return lambda seen: answers[seen.model.removeprefix("fake-")]


def gaps(server: ModelServer, scale: float) -> list[float]:
    """Seconds between two requests, on the program's clock."""
    return [(b.at - a.at) * scale for a, b in zip(server.seen, server.seen[1:], strict=False)]


async def test_an_answer_says_what_it_took(rig: Rig) -> None:
    value, spent = await rig.job().ask(asked(), Verdict)
    assert value == Verdict(verdict="ok")
    assert (spent.model, spent.attempts, spent.degraded, spent.rehearsal) == (f"hosted_vllm/{LARGE}", 1, "", False)
    assert spent.tokens_in == rig.server.seen[0].tokens > 1000
    assert spent.tokens_out > 0
    assert spent.seconds > 0


async def test_what_the_provider_kept_is_counted(rig: Rig) -> None:
    await rig.job("one").ask(asked(), Verdict)
    _, spent = await rig.job("two").ask(asked(), Verdict)
    assert spent.cached_tokens > 0.9 * spent.tokens_in - 128


async def test_a_bad_answer_is_sent_back_with_what_is_wrong_behind_all_that_was_said(rig: Rig) -> None:
    rig.server.answers("custodiet", Says(text="Looks fine to me!"), {"verdict": True}, OK)
    _, spent = await rig.job().ask(asked(), Verdict)
    first, second, third = (seen.body["messages"] for seen in rig.server.seen)
    assert second[: len(first)] == first
    assert third[: len(second)] == second
    assert [message["role"] for message in third] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert "Looks fine" not in str(third[2]["content"]), "who reads its own words says them again"
    assert "could not be read: it has no JSON object, and begins with “Looks fine to me!”" in third[3]["content"]
    assert "did not fit the schema: verdict: Input should be a valid string" in last_words(rig.server.seen[2])
    assert spent.attempts == 3
    assert spent.tokens_in == sum(seen.tokens for seen in rig.server.seen), "bad answers are paid too"


async def test_the_same_bad_answer_twice_is_a_loop_that_ends(rig: Rig) -> None:
    rig.server.answers("custodiet", Says(text="It looks fine"), Says(text=" It looks  fine\n"))
    with pytest.raises(NoAnswer, match=r"asked 2 times .*, the same one twice: it has no JSON object"):
        await rig.job().ask(asked(policy="aggressive"), Verdict)
    assert rig.server.count() == 2


@pytest.mark.parametrize("policy", ["default", "conservative"])
async def test_whoever_judges_has_three_tries_to_be_read_and_one_more_to_answer_in_time(rig: Rig, policy: str) -> None:
    rig.limits = Limits(model_step=60)  # 0.3 real seconds
    late, bad = Says(value=OK, wait=600), [Says(text=f"It looks fine to {who}") for who in ("me", "us", "all")]
    rig.server.answers("custodiet", *bad, OK)
    with pytest.raises(NoAnswer, match="asked 3 times"):
        await rig.job("unread").ask(asked(policy=policy), Verdict)
    with pytest.raises(NoAnswer, match="asked 2 times"):
        rig.server.answers("custodiet", late)
        await rig.job("late").ask(asked(policy=policy), Verdict)
    rig.server.answers("custodiet", bad[0], late, bad[1], OK)
    value, spent = await rig.job("both").ask(asked(policy=policy), Verdict)
    assert value.verdict == "ok" and spent.attempts == 4, "each kind of fault has tries of its own"
    rig.server.answers("custodiet", Fails(status=503), late, OK)
    assert (await rig.job("busy").ask(asked(policy=policy), Verdict))[1].attempts == 3, "so has one that is too busy"


async def test_what_is_only_advice_has_the_tries_of_its_policy(rig: Rig) -> None:
    rig.server.answers("intent", *(Says(text=f"It means {what}") for what in "abc"))
    with pytest.raises(NoAnswer, match="asked 2 times"):
        await rig.job().ask(asked("intent", policy="conservative"), Verdict)


@pytest.mark.parametrize(("policy", "calls"), [("default", 3), ("aggressive", 4), ("conservative", 2)])
async def test_a_step_makes_the_calls_of_its_policy_under_the_ceiling(rig: Rig, policy: str, calls: int) -> None:
    rig.server.answers("custodiet", Fails(status=503))
    with pytest.raises(NoAnswer) as failed:
        await rig.job().ask(asked(policy=policy), Verdict)
    assert rig.server.count() == calls
    assert failed.value.error == ErrorClass.NETWORK
    assert f"asked {calls} times and gave no answer" in failed.value.what


async def test_between_two_tries_it_waits_as_its_policy_says(rig: Rig) -> None:
    rig.server.answers("custodiet", Fails(status=503), Fails(status=503), OK)
    await rig.job().ask(asked(), Verdict)
    first, second = gaps(rig.server, 200.0)
    assert first >= 1.9
    assert second >= 3.9


async def test_it_waits_as_long_as_the_provider_asks_but_never_longer_than_the_policy(rig: Rig) -> None:
    rig.server.answers("custodiet", too_many("20"), OK)
    await rig.job().ask(asked(), Verdict)
    assert gaps(rig.server, 200.0)[0] >= 19
    rig.server.answers("critic", too_many("31"))
    with pytest.raises(NoAnswer, match="Rate limit"):
        await rig.job().ask(asked("critic"), Verdict)
    assert rig.server.count("critic") == 1


async def test_a_provider_that_says_come_back_tomorrow_holds_nobody(rig: Rig) -> None:
    """Attack 71."""
    rig.server.answers("custodiet", by_model(large=too_many("86400"), small=OK))
    began = time.monotonic()
    with pytest.raises(NoAnswer):
        await rig.job("one").ask(asked(), Verdict)
    assert time.monotonic() - began < PATIENCE
    with pytest.raises(NoAnswer, match="rests until"):
        await rig.job("two").ask(asked(), Verdict)
    assert rig.server.count(model=LARGE) == 1, "its circuit opened at once"
    rig.models = (SMALL,)
    assert (await rig.job("three").ask(asked(), Verdict))[0].verdict == "ok"


@pytest.mark.parametrize(
    "fault", [Fails(status=503), Fails(status=401), too_many("86400"), Fails(status=500, reset=True)]
)
async def test_where_the_first_model_fails_the_next_is_asked_at_once(rig: Rig, fault: Fails) -> None:
    rig.models = (LARGE, SMALL)
    rig.server.answers("custodiet", by_model(large=fault, small=OK))
    began = time.monotonic()
    _, spent = await rig.job().ask(asked(policy="conservative"), Verdict)
    assert time.monotonic() - began < PATIENCE
    assert [seen.model for seen in rig.server.seen] == [LARGE, SMALL]
    assert spent.model == f"hosted_vllm/{SMALL}"
    assert spent.degraded.startswith(f"hosted_vllm/{LARGE} did not answer: ")


async def test_a_bad_answer_goes_back_to_the_model_that_gave_it(rig: Rig) -> None:
    rig.models = (LARGE, SMALL)
    rig.server.answers("custodiet", Says(text="hm"), OK)
    _, spent = await rig.job().ask(asked(), Verdict)
    assert [seen.model for seen in rig.server.seen] == [LARGE, LARGE]
    assert spent.degraded == ""


async def test_all_models_together_make_no_more_calls_than_the_policy(rig: Rig) -> None:
    rig.models = (LARGE, SMALL)
    rig.server.answers("custodiet", Fails(status=503))
    with pytest.raises(NoAnswer):
        await rig.job().ask(asked(), Verdict)
    assert [seen.model for seen in rig.server.seen] == [LARGE, SMALL, SMALL]


async def test_a_finished_step_is_never_paid_twice(rig: Rig, tmp_path: Path) -> None:
    """Promise 5: the process died after the answer was kept and before the flow recorded what follows from it."""
    value, spent = await rig.job().ask(asked(), Verdict)
    rig.server.answers("custodiet", {"verdict": "another"})
    rig.database.close()
    rig.database = Database(f"sqlite:///{tmp_path / 'overlord.db'}")
    again, told = await rig.job().ask(asked(), Verdict)
    assert (again, told) == (value, spent)
    assert rig.server.count() == 1


async def test_another_step_another_job_and_another_shape_are_asked_anew(rig: Rig) -> None:
    class Other(BaseModel):
        verdict: str
        why: str = ""

    await rig.job().ask(asked(), Verdict)
    await rig.job().ask(asked(step="again"), Verdict)
    await rig.job("job-2").ask(asked(), Verdict)
    await rig.job().ask(asked(), Other)
    assert rig.server.count() == 4


async def test_a_step_that_died_in_flight_is_repeated_once(rig: Rig) -> None:
    rig.server.answers("custodiet", Says(value=OK, wait=5), OK)
    dying = asyncio.create_task(rig.job().ask(asked(), Verdict))
    await rig.server.asked.wait()
    dying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await dying
    _, spent = await rig.job().ask(asked(), Verdict)
    assert (rig.server.count(), spent.attempts) == (2, 2)


async def test_two_questions_of_one_job_are_asked_side_by_side(rig: Rig) -> None:
    rig.server.answers("custodiet", OK)
    rig.server.answers("critic", OK)
    rig.server.meeting = asyncio.Barrier(2)
    job = rig.job()
    await asyncio.gather(job.ask(asked("custodiet"), Verdict), job.ask(asked("critic"), Verdict))
    assert rig.server.count() == 2


async def test_the_deadline_of_a_call_holds_whatever_the_provider_does(rig: Rig) -> None:
    rig.limits = Limits(model_step=60)  # 0.3 real seconds
    rig.server.answers("custodiet", Says(value=OK, wait=600))
    began = time.monotonic()
    with pytest.raises(NoAnswer) as failed:
        await rig.job().ask(asked(policy="conservative"), Verdict)
    assert time.monotonic() - began < PATIENCE
    assert failed.value.error == ErrorClass.NETWORK
    assert rig.server.count() == 2


async def test_a_wrong_key_is_asked_once_and_says_what_to_do(rig: Rig) -> None:
    rig.key = "sk-wrong-wrong-wrong"
    with pytest.raises(NoAnswer) as failed:
        await rig.job().ask(asked(), Verdict)
    assert rig.server.count() == 1
    assert "Check key, quota and name" in failed.value.next_step
    assert "sk-wrong" not in str(failed.value)


@pytest.mark.parametrize("route", ["hosted_vllm", "openai"])
async def test_both_routes_send_only_what_the_provider_knows(rig: Rig, route: str) -> None:
    rig.route = route
    await rig.job().ask(asked(), Verdict)
    assert rig.server.statuses == {200: 1}


async def test_a_known_model_is_asked_for_json_with_a_bound(rig: Rig) -> None:
    rig.route, rig.models, rig.server.models = "openai", ("gpt-4.1",), ("gpt-4.1",)
    await rig.job().ask(asked(), Verdict)
    body = rig.server.seen[0].body
    bound = body["response_format"]["json_schema"]
    assert bound["strict"] and bound["schema"]["required"] == ["answer_to", "verdict"]
    assert body["max_tokens"] == 16_000


async def test_no_answer_of_another_question_is_taken(rig: Rig) -> None:
    """Attack 24: whoever wrote text into the prompt cannot know the tag, and a tag is good for one question."""
    stolen: list[str] = []

    def replay(seen: Seen) -> Answer:
        stolen.append(seen.text.rpartition('`answer_to` is "')[2][:16])
        return Says(text=f'{{"verdict": "ok", "answer_to": "{stolen[0]}"}}')

    rig.server.answers("custodiet", replay)
    await rig.job("one").ask(asked(), Verdict)
    with pytest.raises(NoAnswer, match="does not repeat the tag"):
        await rig.job("two").ask(asked(), Verdict)


READS = Says(calls=(("read_file", '{"path": "src/login.py"}'),), finish="tool_calls")


async def test_a_question_may_be_answered_after_a_look_and_no_turn_is_paid_twice(rig: Rig) -> None:
    rig.server.answers("custodiet", READS, READS, OK)
    look = PlayedLook()
    value, _ = await rig.job().ask(asked(look=look), Verdict)
    assert value == Verdict(verdict="ok") and look.turns == 2
    first, second, third = (seen.body["messages"] for seen in rig.server.seen)
    assert second[: len(first)] == first and third[: len(second)] == second, "what was said stays as it was"
    assert [message["role"] for message in third[len(first) :]] == ["assistant", "tool"] * 2
    assert all(seen.body["tools"][0]["function"]["name"] == "read_file" for seen in rig.server.seen)
    again, _ = await rig.job().ask(asked(look=PlayedLook()), Verdict)
    assert again == value and len(rig.server.seen) == 3, "the same job after a crash"


async def test_whoever_looks_on_and_on_is_told_to_answer(rig: Rig) -> None:
    rig.server.answers("custodiet", READS, READS, OK)
    look = PlayedLook(most=1)
    value, spent = await rig.job().ask(asked(look=look), Verdict)
    assert value == Verdict(verdict="ok") and look.turns == 1 and spent.attempts == 2
    assert "no turns left to look" in last_words(rig.server.seen[-1])
