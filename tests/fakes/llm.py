"""Models that say what the test tells them to, at the port."""

import asyncio
from collections import defaultdict, deque
from typing import Any

from agents.domain.errors import NoAnswer
from agents.ports import Ask, Shape, Spent


class ThinkingLlm:
    """Never answers: the question is still being thought about."""

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]:
        await asyncio.Event().wait()
        raise AssertionError("it thinks for ever")


class ScriptedLlm:
    """Answers each question in order, and fails loudly when asked for more. An exception in a script is raised."""

    def __init__(self, **scripts: list[Any]) -> None:
        self._scripts = defaultdict(deque, {name: deque(answers) for name, answers in scripts.items()})
        self.asked: list[Ask] = []

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]:
        self.asked.append(asked)
        script = self._scripts[asked.question]
        assert script, f"the test gave no further answer to {asked.question!r}"
        answer = script.popleft()
        if isinstance(answer, NoAnswer):
            raise answer
        return shape.model_validate(answer), Spent(model="scripted", cost=0.01)
