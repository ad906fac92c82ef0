"""Models that say what the test tells them to, at the port."""

import asyncio
import json
from collections import defaultdict, deque
from inspect import isawaitable
from typing import Any

from agents.domain.errors import BudgetReached, NoAnswer
from agents.llm.answers import NONCE, read_answer
from agents.ports import Ask, Converse, Keep, Said, Shape, Spent, ToolCall


def no_answer(what: str = "the model is down") -> NoAnswer:
    return NoAnswer(what, next_step="Ask again later.", error="network")


A_CHANGE = {"route": "change", "confidence": 1.0}  # what messages are, unless a test says otherwise
NOTHING_AGAINST = {"contradicts": False, "confidence": 1.0}  # what people say does not contradict the plan


SEES: dict[str, dict[str, Any]] = {
    "critic": {"verdict": "halt", "issues": ["It destroys what was to be kept"]},
    "custodiet": {"verdict": "block", "issue": "Nobody asked for it"},
    "code_review": {"status": "rejected", "issues": ["It leaks"]},
}


class ThinkingLlm:
    """Never comes up with a plan: it is still thinking. What it is asked beside that, it does not know."""

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]:
        if asked.question == "route":
            return shape.model_validate(A_CHANGE), Spent(model="scripted")
        if asked.question != "decompose":
            raise no_answer()
        await asyncio.Event().wait()
        raise AssertionError("it thinks for ever")


class DeadLlm:
    """Gives no answer, as often as it is asked; until somebody brings it back."""

    def __init__(self, then: "ScriptedLlm") -> None:
        self.then = then
        self.alive = False
        self.asked: list[Ask] = []

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]:
        if self.alive:
            return await self.then.ask(asked, shape)
        self.asked.append(asked)
        raise no_answer()


class ScriptedLlm:
    """Answers each question in order; the last answer of `always` again and again. An exception is raised.

    Asked for more than it was given, it fails loudly. A callable is given the question and waits as it likes.
    """

    def __init__(self, *, always: dict[str, Any] | None = None, **scripts: list[Any]) -> None:
        self._scripts = defaultdict(deque, {name: deque(answers) for name, answers in scripts.items()})
        self._always = {"wish": NOTHING_AGAINST, "route": A_CHANGE, **(always or {})}
        self.asked: list[Ask] = []

    def count(self, question: str) -> int:
        return sum(asked.question == question for asked in self.asked)

    def always(self, **answers: Any) -> None:
        """What it says from now on."""
        self._always |= answers

    def then(self, question: str, *answers: Any) -> None:
        """What it says next, before what it always says."""
        self._scripts[question].extend(answers)

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]:
        if asked.step.endswith(":control"):  # it sees what is planted
            return read_answer(json.dumps({**SEES[asked.question], NONCE: "t"}), shape, "t"), Spent(model="scripted")
        self.asked.append(asked)
        script = self._scripts[asked.question]
        assert script or asked.question in self._always, f"the test gave no further answer to {asked.question!r}"
        answer = script.popleft() if script else self._always[asked.question]
        if callable(answer):
            answer = await answer(asked)
        if isinstance(answer, NoAnswer | BudgetReached):
            raise answer
        return read_answer(json.dumps({**answer, NONCE: "t"}), shape, "t"), Spent(model="scripted", cost=0.01)


class ScriptedTalker:
    """Says one turn after the other: a list of (tool, arguments), a text, a Said, or whatever a callable makes of it.

    What it was asked is kept as it was then. Asked for more than it was given, it fails loudly.
    """

    def __init__(self, *turns: Any) -> None:
        self._turns = deque(turns)
        self.asked: list[Converse] = []
        self.heard: list[list[dict[str, Any]]] = []  # the messages it was asked with

    def then(self, *turns: Any) -> None:
        self._turns.extend(turns)

    async def converse(self, turn: Converse) -> tuple[Said, Keep]:
        await written(turn)
        self.asked.append(turn)
        self.heard.append([dict(message) for message in turn.messages])
        assert self._turns, "the test gave no further turn"
        said = self._turns.popleft()
        if callable(said):
            said = said(turn)
            said = await said if isawaitable(said) else said
        if isinstance(said, NoAnswer | BudgetReached):
            raise said
        return said_by(said, len(self.asked)), free


async def written(turn: Converse) -> None:
    """What is owed comes first, as with a real talker."""
    for each in turn.first:
        await each()


async def free() -> Spent:
    return Spent(model="scripted", cost=0.01)


def said_by(said: Any, number: int = 0) -> Said:
    if isinstance(said, Said):
        return said
    if isinstance(said, str):
        return Said(text=said)
    calls = tuple(
        ToolCall(id=f"c{number}_{at}", name=name, arguments=given if isinstance(given, str) else json.dumps(given))
        for at, (name, given) in enumerate(said)
    )
    return Said(text="", calls=calls)
