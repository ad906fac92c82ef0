"""What a model takes a message for, read strictly; and the command that free words are."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field

from agents.domain import events as e
from agents.domain.asking.names import Act, Route
from agents.domain.decisions.kind import Facts, Moment
from agents.domain.ids import PersonId, TaskId
from agents.domain.task.task import Task

SURE = 0.7  # below it, a model's reading of words is not acted upon
Confident = Annotated[
    float, Field(ge=0, le=1, description="how sure you are, from 0 to 1; below 0.7 the person is asked")
]
_TASK = re.compile(r"(?<![\w-])T-(\d{1,9})(?![\w-])", re.IGNORECASE)
COMMANDS = (Route.ABOUT_TASK, Route.STEER)


_ROUTES = (
    "change: it asks for a change to a project; skill: it asks for a skill, reusable instructions for minions; "
    "question: it wants to know something about a project's code; "
    "about_task: it asks how a task stands, or about the bot itself; steer: it wants a task or the queue stopped, "
    "resumed, cancelled, retried, snoozed; remark: it tells something and asks for nothing; nothing: not for the bot"
)
_ACTS = "of about_task and steer: the command that does it; else null"
_WHICH = "of about_task and steer: the task that is meant, such as T-3; empty if none is named"


class RouteAnswer(BaseModel):
    """What a model takes a message for."""

    route: Route = Field(description=_ROUTES)
    confidence: Confident
    act: Act | None = Field(default=None, description=_ACTS)
    task: str = Field(default="", max_length=200, description=_WHICH)

    def contradiction(self) -> str:
        """Why it is no answer, though it has the shape of one."""
        missing = self.route in COMMANDS and self.act is None
        return f"it is `{self.route}`, and `act` does not say which command" if missing else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """What a message is taken for."""

    route: Route
    confidence: float = 1.0
    act: Act | None = None  # the command, where it is one
    about: TaskId | None = None  # the task that is meant, where one is
    unclear: str = ""  # why nobody could tell

    @property
    def sure(self) -> bool:
        """Sure enough to act on; a command that nobody can name is none."""
        return self.confidence >= SURE and not self.unclear and (self.route not in COMMANDS or self.act is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Words and who said them."""

    by: PersonId
    text: str
    delivery: str = ""


def named_tasks(text: str) -> set[str]:
    return {f"T-{int(number)}" for number in _TASK.findall(text)}


def task_meant(written: str, text: str, shown: Collection[str]) -> TaskId | None:
    """The task that the words name; else the one that a model names, if it was shown it. Never one out of the air."""
    if named := named_tasks(text):
        return TaskId(named.pop()) if len(named) == 1 else None
    found = _TASK.fullmatch(written.strip())
    meant = f"T-{int(found[1])}" if found else ""
    return TaskId(meant) if meant in shown else None


def command_meant(task: Task, said: Message, routed: Routed, moment: Moment) -> Facts:
    """Of a remark in a task's own thread."""
    return [command_of(task, said, routed, moment)] if routed.sure and routed.act else []


def in_words(command: e.CommandMeant) -> str:
    return f"{command.act.replace('_', ' ')} {command.about or ''}".strip()


def command_of(task: Task, said: Message, routed: Routed, moment: Moment) -> e.CommandMeant:
    assert routed.act is not None
    about, act = routed.about, routed.act
    return e.CommandMeant(
        task=task.id, at=moment.at, by=said.by, act=act, about=about, words=said.text, delivery=said.delivery
    )
