"""A task at work, for tests of what follows from one subtask's state."""

from collections.abc import Sequence
from dataclasses import replace

from agents.domain import events as e
from agents.domain.decisions import pressing
from agents.domain.decisions.authority import Kind, Presser
from agents.domain.decisions.kind import Question
from agents.domain.decisions.subject import Subject
from agents.domain.decisions.table import ask, open_questions
from agents.domain.events import Event
from agents.domain.planning.review import Critic, Custodiet
from agents.domain.reason import Cause
from agents.domain.task.task import Task
from agents.domain.work import dispatching
from agents.domain.work.work import Work
from tests.builders.planned import Planned
from tests.builders.steered import APPROVER, on


class Working(Planned):
    """Its plan of two subtasks is approved, and the first has begun."""

    def __init__(self) -> None:
        super().__init__()
        self.draft()
        self.review(Critic.PROCEED, Custodiet.OK)
        self.press(Kind.PLAN, "approve")
        moment = self.moment()
        task = self.then([e.WorkBegun(task=self.task.id, at=moment.at, branch="ai/t-1", base="b" * 40, into="main")])
        self.then(open_questions(task, dispatching.start_next(task, moment), moment))

    @property
    def first(self) -> Work:
        return self.task.work.on(1)

    def set(self, number: int = 1, **changes: object) -> Task:
        """With a subtask as it would be later."""
        works = tuple(
            replace(work, **changes) if work.number == number else work  # type: ignore[arg-type]
            for work in self.task.work.subtasks
        )
        self.task = replace(self.task, work=replace(self.task.work, subtasks=works))
        return self.task

    def ask(self, kind: Kind, subject: Subject | None, *evidence: Cause) -> None:
        question = Question(kind=kind, subject=subject, evidence=evidence)
        self.then(ask(self.task, question, self.moment()))

    def follows(self, kind: Kind, value: str, words: str = "", by: Presser = APPROVER) -> Sequence[Event]:
        """What comes of a press, after the fact that it was made."""
        facts = pressing.press(self.task, on(self.task, kind, value, words), by, self.moment())
        return [fact for fact in facts if not isinstance(fact, e.DecisionMade)]
