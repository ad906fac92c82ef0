"""The five questions whose answers become verdicts or plans, each with a shape and a good answer."""

from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel, Field

from agents.flows.plan_answer import PlanSays
from agents.flows.review_answers import CriticAnswer, CustodietAnswer, DebateAnswer


class Meaning(StrEnum):
    NEW_TASK = "new_task"
    ANSWER = "answer"
    OTHER = "other"


class IntentAnswer(BaseModel):
    intent: Meaning
    confidence: float = Field(ge=0, le=1)
    question: str = ""


@dataclass(frozen=True)
class Question:
    name: str
    shape: type[BaseModel]
    good: dict[str, object]
    policy: str


_SUBTASK = {
    "title": "Count attempts",
    "why": "without counting nothing can be limited",
    "files": ["src/login.py"],
    "hours": 2.0,
    "review_minutes": 10,
    "confidence": "high",
    "test": "pytest tests/test_login.py",
}
QUESTIONS = (
    Question(
        "decompose", PlanSays, {"status": "COMPLETE", "goal": "limited logins", "subtasks": [_SUBTASK]}, "default"
    ),
    Question("critic", CriticAnswer, {"verdict": "proceed"}, "conservative"),
    Question("custodiet", CustodietAnswer, {"verdict": "ok"}, "conservative"),
    Question("debate", DebateAnswer, {"position": "maintain", "point": "it was asked for"}, "conservative"),
    Question("intent", IntentAnswer, {"intent": "new_task", "confidence": 0.9}, "default"),
)
