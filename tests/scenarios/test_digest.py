"""A digest by direct message: once a day at a person's own hour, with buttons, not in quiet hours, never empty."""

from datetime import UTC, datetime, timedelta

from agents.domain.hours import Hours
from tests.fakes.work import Workshop
from tests.scenarios.conftest import THREE, Opened, Play
from tests.scenarios.working import given

STAGES = THREE
HOUR = 3600.0


async def digests(play: Play, line: str) -> int:
    return sum("needs you" in m.text or "need you" in m.text for m in await play.stage.shown("lead", line) if m.by_bot)


def hours_until(hour: int) -> float:
    """Until a moment after that hour has struck, in UTC."""
    now = datetime.now(UTC)
    due = Hours(digest=hour * 60).next_digest(now)
    assert due
    return (due + timedelta(minutes=10) - now).total_seconds()


async def test_it_comes_once_a_day_with_buttons_and_outlives_a_crash(opened: Opened) -> None:
    play = await opened(given(Workshop()))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("lead", thread, "please look at the plan")
    line = await play.stage.say("lead", "digest on 9:00 UTC", direct=True)
    await play.sees("lead", line, "When I write to you", "every day at 9:00")

    await play.host.restart(later=hours_until(9))
    await play.sees("lead", line, "1 thing needs you", "add a login page")
    await play.sees("lead", line, "please look at the plan", offers="Approve plan")
    await play.host.restart(later=hours_until(9) + 60)
    await play.silence("lead", line)
    assert await digests(play, line) == 1, "it was sent for this day"

    await play.stage.press("lead", line, "Approve plan")
    await play.happened("PlanAccepted")
    await play.sees("lead", line, "plan approved", gone="Approve plan")


async def test_quiet_hours_hold_it_and_reminders_and_nothing_is_sent_where_nothing_waits(opened: Opened) -> None:
    play = await opened(given(Workshop()))
    line = await play.stage.say("lead", "digest on 9:00 UTC", direct=True)
    await play.sees("lead", line, "every day at 9:00")
    await play.host.restart(later=hours_until(9))
    await play.silence("lead", line)
    assert await digests(play, line) == 0, "nothing waits"

    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("lead", thread, "please look at the plan")
    await play.stage.say("ana", "quiet 0:00-24:00", thread=thread, mention=True)
    await play.whispered("ana", thread, "Quiet hours", "0:00 to 0:00")
    await play.stage.say("lead", "digest off", thread=line, direct=True)
    await play.sees("lead", line, "Digest", "off")
    await play.host.restart(later=hours_until(9) + 24 * HOUR)
    await play.silence("lead", line)
    assert await digests(play, line) == 0, "it is off"


async def test_elsewhere_it_says_where_to_say_it(opened: Opened) -> None:
    play = await opened(given(Workshop()))
    thread = await play.stage.say("lead", "digest on 25:00", mention=True)
    await play.sees("lead", thread, "I do not know 25:00")
    thread = await play.stage.say("lead", "digest on 9:00", mention=True)
    await play.sees("lead", thread, "Say it to me in a direct message")
