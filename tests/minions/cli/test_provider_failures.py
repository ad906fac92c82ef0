"""What providers do to the real programs: errors that pass, errors that do not, broken and endless answers.

Run by `make bench ARGS="--only engines"`, which installs the programs.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from agents.domain.errors import NoAnswer
from agents.domain.limits import Limits
from agents.domain.models.failure import ErrorClass
from agents.domain.work.work import Ending
from agents.domain.workflow.roles import EngineName
from agents.ports import Finished, GaveUp, Outcome
from tests.conformance.cli_rig import WIRE, CliRig, is_here
from tests.conformance.minions_rig import Finish, Write, minions
from tests.fakes.model_server import Answer, Fails, Says, quota, too_many
from tests.minions.field import Field, laid_out

NEW = "shortlinks/new.py"
WHOLE = "OVERLORD_TEST_PROGRAMS"
TOO_LONG = {
    EngineName.CLAUDE: "prompt is too long: 250000 tokens > 200000 maximum",
    EngineName.CODEX: "Your input exceeds the context window of this model.",
    EngineName.GEMINI: "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
}
PASSING: dict[str, Answer] = {
    "too many": too_many("1"),
    "500": Fails(status=500),
    "503": Fails(status=503),
    "529": Fails(status=529, message="Overloaded", kind="overloaded_error"),
    "reset": Fails(status=500, reset=True),
    "cut": Says(text="Half of what it was about to", cut=True),
    "garbage": Fails(status=200, raw=b"<html>This is no model.</html>"),
    "nothing": Fails(status=200, raw=b""),
}
LASTING: dict[str, tuple[Answer, ErrorClass]] = {
    "401": (Fails(status=401, message="invalid x-api-key", kind="authentication_error"), ErrorClass.RESOURCE),
    "403": (Fails(status=403, message="not for you", kind="permission_error"), ErrorClass.RESOURCE),
    "404": (Fails(status=404, message="no such model", kind="not_found_error"), ErrorClass.RESOURCE),
    "quota": (quota(), ErrorClass.RESOURCE),
    "500 for ever": (Fails(status=500), ErrorClass.NETWORK),
}


@dataclass
class Ground:
    engine: EngineName
    place: Field
    rigs: list[CliRig] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)

    async def play(self, *acts: Any) -> tuple[Outcome, CliRig]:
        rig = CliRig(self.engine, acts)
        self.rigs.append(rig)
        run = minions(self.engine, rig, self.place)
        assert run.services.programs is not None
        programs = replace(run.services.programs, wait=self._wait)
        run = replace(run, services=replace(run.services, programs=programs))
        return await run.run(self.place.brief(), self.place.watch), rig

    async def _wait(self, seconds: float) -> None:
        self.waited.append(seconds)


@pytest.fixture(params=sorted(WIRE))
async def ground(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Ground]:
    if not is_here(request.param) or not os.environ.get(WHOLE):
        pytest.skip(f"runs on {request.param} in `make bench ARGS='--only engines'`")
    async with laid_out(tmp_path) as place:
        made = Ground(request.param, place)
        yield made
        for rig in made.rigs:
            await asyncio.to_thread(rig.close)


@pytest.mark.parametrize("name", PASSING)
async def test_what_passes_by_itself_is_tried_again_and_the_work_is_done(ground: Ground, name: str) -> None:
    outcome, rig = await ground.play(Write(NEW, "a = 1\n"), PASSING[name], Finish("It is done."))
    assert outcome == Finished(summary="It is done.", note="")
    assert (ground.place.root / NEW).read_text() == "a = 1\n"
    assert len(rig.book.begun) == len(rig.book.ended), "each call is settled once"
    assert len(rig.provider.server.seen) == len(rig.book.begun), "what was asked is what is counted"
    assert any(tried.failure for tried in rig.book.ended)


async def test_an_empty_answer_is_no_end_of_the_work(ground: Ground) -> None:
    outcome, _ = await ground.play(Write(NEW, "a = 1\n"), Says(text=""), Finish("It is done."))
    assert outcome == Finished(summary="It is done.", note="")


@pytest.mark.parametrize("name", LASTING)
async def test_what_does_not_pass_is_told_with_its_class_and_not_tried_for_long(ground: Ground, name: str) -> None:
    answer, error = LASTING[name]
    with pytest.raises(NoAnswer) as told:
        await ground.play(answer)
    assert told.value.error == error
    asked = len(ground.rigs[0].provider.server.seen)
    assert asked <= (12 if error is ErrorClass.NETWORK else 2), asked  # five starts, each may try twice
    assert str(told.value).startswith(("Claude Code", "Codex", "Gemini CLI")) and "sk-fake" not in str(told.value)


async def test_a_context_that_is_too_long_is_told_as_such(ground: Ground) -> None:
    said = TOO_LONG[ground.engine]
    code = "context_length_exceeded" if ground.engine is EngineName.CODEX else None
    with pytest.raises(NoAnswer) as told:
        await ground.play(Fails(status=400, message=said, code=code, kind="invalid_request_error"))
    assert told.value.error == ErrorClass.RESOURCE
    assert len(ground.rigs[0].provider.server.seen) <= 2


async def test_a_provider_that_never_answers_is_ended_with_the_time_of_the_run(ground: Ground) -> None:
    ground.place.limits = Limits(minion_seconds=6.0)
    began = asyncio.get_running_loop().time()
    outcome, _ = await ground.play(Says(text="too late", wait=60.0))
    assert isinstance(outcome, GaveUp) and outcome.ending is Ending.TIMEOUT
    assert asyncio.get_running_loop().time() - began < 20
