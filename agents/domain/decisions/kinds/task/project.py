"""Which project a request is for. The options are the projects there are."""

import re

from agents.domain import events as e
from agents.domain.decisions.authority import ANSWER, Kind
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.task.task import Task


def apply_project(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    project = chosen.option.value
    return [e.ProjectChosen(task=task.id, at=moment.at, project=project, by=chosen.person, why="")]


def read_project(decision: Decision, text: str) -> Option | None:
    named = [o for o in decision.options if re.search(rf"(?<![\w-]){re.escape(o.value)}(?![\w-])", text, re.IGNORECASE)]
    return named[0] if len(named) == 1 else None


PROJECT: DecisionKind[None] = DecisionKind(name=Kind.PROJECT, rule=ANSWER, apply=apply_project, reads=read_project)
