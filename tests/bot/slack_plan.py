"""Helpers that the tests of slack gateway share with others."""

from agents.domain.ids import DecisionId, Thread
from bot.messages import Button, Card, Choice, Style
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.slack.listening import Listening
from tests.fakes.slack.people import MENTION
from tests.fakes.slack.world import TEAM

ANA, BO = "U0ANA", "U0BO"


DECISION = DecisionId("d" * 22)


HERE = f"slack:{TEAM}:{CHANNEL}"


def button(label: str, letter: str = "a", **more: object) -> Button:
    return Button(label=label, choice=Choice(decision=DECISION, letter=letter), **more)  # type: ignore[arg-type]


PLAN = Card(
    title="Plan for T-1",
    buttons=(
        button("Approve plan", style=Style.PRIMARY),
        button("Request changes", "b", asks="What should change?"),
        button("Drop plan", "c", style=Style.DANGER, confirm="Really?"),
    ),
    more=(button("Snooze", "d"), button("Cancel task", "e", confirm="Cancel this task?")),
    decision=DECISION,
    fingerprint="f" * 32,
)


async def plan_in(here: Listening) -> tuple[str, str]:
    """A thread of Ana's with a plan in it: its ts, and the plan's."""
    thread = here.fake.say(ANA, CHANNEL, f"{MENTION} add login")
    await here.fake.deliveries.settled()
    here.fake.world.channels[CHANNEL].members.add(BO)
    return thread, await here.platform.post(Thread(f"{HERE}:{thread}"), "decision:1", PLAN)
