"""What people are asked and told about their accounts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.domain.ids import Account
from agents.domain.project.linking import LinkRequest, LinkState, Side
from bot.cards.scene import rows_of
from bot.config.platforms import find_platform
from bot.messages import Button, Card, Choice, Row, Style, Tone

YES, NO = "a", "b"
_COMMAND_LINE = "cli"


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """An account as somebody who has to judge it should see it. Its name is what it calls itself."""

    account: Account
    name: str
    groups: tuple[str, ...] = ()


def code_card(code: str, minutes: float) -> Card:
    return Card(
        title=f"Your code: {code}",
        text=f"Within {minutes:.0f} minutes, say `link {code}` to me directly from your other account.",
        footer="Give it to nobody. Both accounts are then asked to confirm.",
    )


def side_card(request: LinkRequest, side: Side, other: Described) -> Card:
    """What one of the two accounts sees of the other."""
    title, text, tone = _state_of(request, side)
    asking = request.state is LinkState.OPEN and not side.agreed
    return Card(
        title=title,
        text=text,
        rows=tuple(_rows(other)),
        buttons=_buttons(request, "Link this account", "This is not me") if asking else (),
        until=request.until if asking else None,
        until_what="Not linked unless both confirm by" if asking else "",
        tone=tone,
    )


def _state_of(request: LinkRequest, side: Side) -> tuple[str, str, Tone]:
    match request.state:
        case LinkState.LINKED:
            return "These accounts are one person now", "They count once, with the rights of both.", Tone.GOOD
        case LinkState.REFUSED:
            return "These accounts were not linked", "Somebody said no. Nothing has changed.", Tone.PLAIN
    calm = Tone.PLAIN
    if request.waits_for_operator:
        how = f"`overlord people link {request.one.account} {request.other.account}`"
        return "Waiting for the operator to confirm", f"One of the accounts has rights here, so {how} is needed.", calm
    if side.agreed:
        return "Waiting for the other account to confirm", "Nothing is linked yet.", calm
    text = "If you say yes, this account and yours become one person, and each gets the rights of the other."
    return "Is this account yours too?", text, Tone.ASKING


def operator_card(request: LinkRequest, sides: Sequence[Described], asking: bool) -> Card:
    rows = tuple(row for described in sides for row in _rows(described))
    return Card(
        title="Link two accounts?" if asking else f"Two accounts: {request.state}",
        text="Both say that they are one person, and one of them has rights here. Make sure before you confirm.",
        rows=rows,
        buttons=_buttons(request, "Link these accounts", "Do not link them") if asking else (),
        until=request.until if asking else None,
        until_what="Not linked unless you confirm by" if asking else "",
        tone=Tone.ASKING if asking else Tone.PLAIN,
    )


def linked_notice(one: Described, other: Described, at: datetime) -> Card:
    return Card(
        title="An account was linked with yours",
        text="They count as one person now, with the rights of both.",
        rows=(*_rows(one), *_rows(other), Row(label="When", at=at)),
        footer="If this is not right, tell the operator: `overlord people unlink` undoes it.",
    )


def _rows(described: Described) -> list[Row]:
    surface, _, rest = described.account.partition(":")
    workspace, _, _ = rest.rpartition(":")
    who = f"{described.name} ({described.account})"
    return rows_of((_title(surface), who), ("Workspace", workspace), ("Groups", ", ".join(described.groups)))


def _title(surface: str) -> str:
    if surface == _COMMAND_LINE:
        return "Command line"
    spec = find_platform(surface)
    return spec.title if spec else surface


def _buttons(request: LinkRequest, yes: str, no: str) -> tuple[Button, ...]:
    return (
        Button(label=yes, choice=Choice(decision=request.id, letter=YES), style=Style.PRIMARY),
        Button(label=no, choice=Choice(decision=request.id, letter=NO), style=Style.DANGER),
    )
