"""When two accounts become one person: both say yes, and the operator too where a right would move."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from agents.domain.errors import PressRefused
from agents.domain.ids import Account, DecisionId, Thread

OPERATOR_HAS = timedelta(days=7)


class LinkState(StrEnum):
    OPEN = "open"
    LINKED = "linked"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two accounts, and the direct message in which it is asked."""

    account: Account
    thread: Thread
    agreed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRequest:
    id: DecisionId  # what the buttons of its cards name
    one: Side  # made the code
    other: Side  # repeated it
    privileged: bool = False  # one of them was in a group when they were asked, so the operator confirms too
    state: LinkState = LinkState.OPEN
    until: datetime

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.one, self.other

    @property
    def is_agreed(self) -> bool:
        return self.one.agreed and self.other.agreed

    @property
    def waits_for_operator(self) -> bool:
        return self.state is LinkState.OPEN and self.is_agreed


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    by: Account
    yes: bool
    privileged: bool  # whether either account is in a group at this moment
    operator: bool = False  # pressed on the operator's card, by the operator
    at: datetime


def answer(request: LinkRequest, given: Answer) -> LinkRequest:
    """The request after somebody pressed. Raises PressRefused for what does not count."""
    if request.state is not LinkState.OPEN:
        raise PressRefused(f"This is decided already: {request.state}", next_step="Say `link` to begin anew.")
    if given.at > request.until:
        raise PressRefused("This question is too old", next_step="Say `link` to get a new code.")
    if not given.operator and given.by not in {side.account for side in request.sides}:
        raise PressRefused("This is not yours to decide", next_step="Only the two accounts themselves may.")
    if not given.yes:
        return replace(request, state=LinkState.REFUSED)
    return _operator_agrees(request) if given.operator else _side_agrees(request, given)


def _operator_agrees(request: LinkRequest) -> LinkRequest:
    if not request.is_agreed:
        raise PressRefused("Both accounts confirm first", next_step="Wait until they have.")
    return replace(request, state=LinkState.LINKED)


def _side_agrees(request: LinkRequest, given: Answer) -> LinkRequest:
    one, other = (replace(side, agreed=side.agreed or side.account == given.by) for side in request.sides)
    privileged = request.privileged or given.privileged
    now = replace(request, one=one, other=other, privileged=privileged)
    if not now.is_agreed:
        return now
    if now.privileged:
        return replace(now, until=given.at + OPERATOR_HAS)
    return replace(now, state=LinkState.LINKED)
