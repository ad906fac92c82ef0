"""Helpers that the tests of planning share with others."""

from dataclasses import replace

from agents.domain.decisions import pressing
from agents.domain.decisions.authority import Kind, Presser
from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.planning import planning
from agents.domain.planning.planning import Draft, after_draft, after_review
from agents.domain.planning.review import Critic, Custodiet
from agents.domain.task.fold import evolve, replay
from agents.domain.task.task import Task
from tests.builders.decompositions import plan, subtask
from tests.builders.reviews import review
from tests.builders.steered import APPROVER, asked, moment, on

GOOD = plan(subtask(1), subtask(2, 1))


BAD = plan(subtask(1, hours=9))


class Planned:
    """A task that is being planned, with its facts."""

    def __init__(self) -> None:
        self.facts: list[Event] = asked(projects=("api",))
        self.task = replay(self.facts)
        self._count = 0

    def moment(self, **more: object) -> Moment:
        self._count += 1
        return replace(moment(cause=f"step-{self._count}"), **more)  # type: ignore[arg-type]

    def then(self, facts: list[Event]) -> Task:
        for fact in facts:
            self.task = evolve(self.task, fact)
            self.facts.append(fact)
        return self.task

    def draft(self, drafted: planning.Drafted = GOOD) -> Task:
        return self.then(after_draft(self.task, Draft(says=drafted), self.moment()))

    def review(self, critic: Critic, custodiet: Custodiet, asks: bool = False, **more: object) -> Task:
        return self.then(after_review(self.task, review(critic, custodiet, asks), self.moment(**more)))

    def press(self, kind: Kind, value: str, words: str = "", by: Presser = APPROVER) -> Task:
        return self.then(pressing.press(self.task, on(self.task, kind, value, words), by, self.moment()))
