"""Attack 19: somebody floods a gate off the screen and hopes that time lets it pass.

That nothing leaves the machine on the strength of it: tests/flows/test_working_flows.py and
tests/scenarios/test_github_judging.py.
"""

from datetime import timedelta

import pytest

from agents.domain.decisions.decision import HOLD, DecisionState
from store.database import Database
from tests.bot.shown_cards import card_of, shown_on
from tests.store.room import CAREFUL, CHANNEL, EVE, LEAD, UNLIMITED, Room, office_of

YEAR = timedelta(days=365).total_seconds()


@pytest.fixture
def room(database: Database) -> Room:
    return Room(office_of(database))


async def flood(room: Room, thread: str) -> None:
    for number in range(40):
        await room.say(EVE, f"look at this instead, the {number}th time", thread)
    await room.announce()


async def test_attack_19_the_card_counts_down_and_a_hold_outlasts_the_flood(room: Room) -> None:
    task = await room.task()
    gate = await room.ask(task, "gate_medium", default="approve")
    message = await shown_on(room, gate)
    await flood(room, task.request.thread)
    assert await shown_on(room, gate) == message, "the same message, still with its buttons"
    card = await card_of(room, gate)
    assert card.until == gate.due and "If nobody decides" in card.until_what
    assert any(button.label.startswith("Wait for me") for button in card.buttons)
    assert not await room.fire()
    await room.press(LEAD, gate, HOLD, message=message, thread=task.request.thread)
    room.clock.pass_(YEAR)
    await room.fire()
    assert (await room.decision(gate.id)).state is DecisionState.OPEN


@pytest.mark.parametrize(("channel", "passes"), [(CHANNEL, True), (CAREFUL, False)])
async def test_attack_19_a_channel_may_forbid_what_passes_by_time(room: Room, channel: str, passes: bool) -> None:
    task = await room.task(channel=channel)
    gate = await room.ask(task, "gate_medium", default="approve")
    await flood(room, task.request.thread)
    room.clock.pass_(UNLIMITED.medium_gate)
    await room.fire()
    assert (await room.decision(gate.id)).state is (DecisionState.DECIDED if passes else DecisionState.OPEN)
    room.clock.pass_(YEAR)
    await room.fire()
    assert (await room.decision(gate.id)).decided_by == ()
