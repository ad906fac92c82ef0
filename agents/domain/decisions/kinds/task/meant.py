"""Words that could answer several questions, or that approve: a person presses what they are.

Every option but the last is an answer to another decision, which `table.conclude` then concludes.
"""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import OWNERS, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.decisions.subject import OfWords
from agents.domain.task.task import Task


class MeantOption(StrEnum):
    REMARK = "remark"


def apply_meant(task: Task, subject: OfWords, chosen: Chosen, moment: Moment) -> Facts:
    by = chosen.decision.put_to
    return [e.RemarkMade(task=task.id, at=moment.at, by=by, text=subject.words, entitled=True)]


MEANT = DecisionKind(
    name=Kind.MEANT, subject=OfWords, rule=Rule(who=OWNERS), apply=apply_meant, options=MeantOption, waits=False
)
