"""Models that say what the test tells them to, at the port."""

import asyncio
import json
from collections import defaultdict, deque
from typing import Any

from agents.domain.errors import BudgetReached, NoAnswer
from agents.ports import Ask, Shape, Spent


def no_answer(what: str = "the model is down") -> NoAnswer:
    return NoAnswer(what, next_step="Ask again later.", error="network")


class ThinkingLlm:
    """Never comes up with a plan: it is still thinking. What it is asked beside that, it does not know."""

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]:
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
        self._always = always or {}
        self.asked: list[Ask] = []

    def count(self, question: str) -> int:
        return sum(asked.question == question for asked in self.asked)

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]:
        self.asked.append(asked)
        script = self._scripts[asked.question]
        assert script or asked.question in self._always, f"the test gave no further answer to {asked.question!r}"
        answer = script.popleft() if script else self._always[asked.question]
        if callable(answer):
            answer = await answer(asked)
        if isinstance(answer, NoAnswer | BudgetReached):
            raise answer
        return shape.model_validate_json(json.dumps(answer)), Spent(model="scripted", cost=0.01)
