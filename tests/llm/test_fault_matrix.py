"""Promise 17: a broken answer never becomes a verdict. Every fault, every question, exactly the policy's calls."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from agents.domain.errors import NoAnswer
from agents.domain.limits import Limits
from agents.domain.models.failure import POLICIES
from agents.llm.prompts import JUDGING
from tests.fakes.model_server import Answer, Seen, tag_of
from tests.llm.fault_table import BAD_ANSWERS, CLUMSY_ANSWERS, FAULTS, ONCE, SAY_NOTHING, Make
from tests.llm.questions import QUESTIONS, Question
from tests.llm.rig import Rig, asked, rigged


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with rigged(tmp_path, scale=2000.0) as made:
        made.limits = Limits(model_step=20_000)  # ten real seconds
        yield made


def script(rig: Rig, question: Question, make: Make) -> None:
    def answer(seen: Seen) -> Answer:
        return make(question.good, tag_of(seen.text))

    rig.server.answers(question.name, answer)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)
async def test_a_good_answer_is_taken(rig: Rig, question: Question) -> None:
    rig.server.answers(question.name, question.good)
    value, spent = await rig.job().ask(asked(question.name, policy=question.policy), question.shape)
    assert isinstance(value, question.shape)
    assert (spent.attempts, rig.server.count()) == (1, 1)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)
@pytest.mark.parametrize("fault", FAULTS)
async def test_no_broken_answer_becomes_a_value(rig: Rig, question: Question, fault: str) -> None:
    script(rig, question, FAULTS[fault])
    with pytest.raises(NoAnswer) as failed:
        await rig.job().ask(asked(question.name, policy=question.policy), question.shape)
    assert rig.server.count() == calls(fault, question, rig.limits), failed.value
    assert failed.value.next_step
    assert failed.value.error


def calls(fault: str, question: Question, limits: Limits) -> int:
    attempts = 1 if fault in ONCE else POLICIES[question.policy].under(limits).attempts
    if fault not in BAD_ANSWERS or fault in ONCE:
        return attempts
    return 2 if fault not in SAY_NOTHING else 3 if question.name in JUDGING else attempts


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)
@pytest.mark.parametrize("form", CLUMSY_ANSWERS)
async def test_what_is_plainly_meant_is_taken_at_once(rig: Rig, question: Question, form: str) -> None:
    script(rig, question, CLUMSY_ANSWERS[form])
    value, _ = await rig.job().ask(asked(question.name, policy=question.policy), question.shape)
    assert isinstance(value, question.shape) and rig.server.count() == 1


def test_the_matrix_is_as_large_as_was_promised() -> None:
    assert len(BAD_ANSWERS) >= 20
    assert len(QUESTIONS) == 5
    assert all(issubclass(question.shape, BaseModel) for question in QUESTIONS)
