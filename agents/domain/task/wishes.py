"""What people asked for on the way: who, when and in which words, apart from what checks and reviewers found.

A wish holds until the task ends, or until a later wish of somebody entitled says otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from agents.domain.ids import PersonId
from agents.domain.reason import Cause

LONGEST, ALL = 8_000, 24_000  # characters that a model is shown of one wish, and of all


class Source(StrEnum):
    """Where it was said."""

    PLAN = "plan"  # changes to a plan were asked for
    EDIT = "edit"  # a plan was changed by hand
    CLARIFICATION = "clarification"  # an answer to the planner
    REMARK = "remark"
    ANSWER = "answer"  # to a minion's question
    SCOPE = "scope"  # beside a no to writing more
    INTERFACE = "interface"  # an interface that was agreed on may change
    HINT = "hint"  # for another try of what got stuck
    STEP = "step"  # a fix of finished work was asked for
    MERGE = "merge"  # changes to the whole were asked for
    CORRECTION = "correction"  # the request was edited
    SETTLED = "settled"  # somebody chose between an earlier wish and the accepted plan


class Standing(StrEnum):
    """How it stands to the accepted plan."""

    HOLDS = "holds"
    DISPUTED = "disputed"  # it contradicts the plan, and nobody has chosen yet: the plan holds where they differ
    FIRST = "first"  # it goes before the plan
    OVERRULED = "overruled"  # the plan was kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    number: int  # in its task, from 1
    by: PersonId
    at: datetime
    words: str
    source: Source
    about: str = ""  # the question that it answers
    subtask: int | None = None  # None: the whole task
    entitled: bool = True  # the owner or an approver said it
    urgent: bool = False  # minions at work are told before their next turn
    unweighed: bool = False  # nobody has compared it with the accepted plan yet
    unclear: Cause = ""  # why nobody could
    standing: Standing = Standing.HOLDS
    against: str = ""  # what of the plan it contradicts


def newer_than(wishes: Sequence[Wish], heard: int) -> tuple[Wish, ...]:
    """Those that somebody who has heard so many was not told yet."""
    return tuple(wish for wish in wishes if wish.number > heard)


def last_number(wishes: Sequence[Wish]) -> int:
    return wishes[-1].number if wishes else 0


def fit(wishes: Sequence[Wish], room: int = ALL) -> tuple[Sequence[Wish], int]:
    """The newest for which there is room, and how many older ones are left out."""
    kept = 0
    for wish in reversed(wishes):
        room -= min(len(wish.words), LONGEST) + len(wish.about)
        if room < 0:
            break
        kept += 1
    return wishes[len(wishes) - kept :], len(wishes) - kept


def for_prompt(wishes: Sequence[Wish], requester: PersonId, room: int = ALL) -> dict[str, object]:
    """As plain data for a template. People are told apart by the beginning of their id: anybody may choose a name."""
    shown, left_out = fit(wishes, room)
    longest = LONGEST if room <= ALL else room
    return {"wishes": [_row(wish, requester, longest) for wish in shown], "earlier": left_out}


def _row(wish: Wish, requester: PersonId, longest: int) -> dict[str, object]:
    return {
        "number": wish.number,
        "when": f"{wish.at:%Y-%m-%d %H:%M} UTC",
        "who": "" if wish.by == requester else wish.by[:6],
        "entitled": wish.entitled,
        "source": wish.source.value,
        "subtask": wish.subtask,
        "about": wish.about,
        "lines": wish.words[:longest].splitlines() or [""],
        "cut": max(0, len(wish.words) - longest),
        "standing": wish.standing.value,
        "against": wish.against,
    }
