"""A message that nothing came of yet, for tests of what it is taken for."""

from dataclasses import replace

from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.task.fold import evolve, replay
from agents.domain.task.task import Task
from tests.builders.steered import asked, moment


class Received:
    def __init__(self, text: str = "add login") -> None:
        self.task = replay(asked(text)[:2])
        self._count = 0

    def moment(self) -> Moment:
        self._count += 1
        return replace(moment(), cause=f"step-{self._count}")

    def then(self, facts: list[Event]) -> Task:
        for fact in facts:
            self.task = evolve(self.task, fact)
        return self.task
