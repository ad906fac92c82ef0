"""The hour of a digest and quiet hours, in a person's own zone, also where clocks are set."""

from datetime import UTC, datetime

import pytest

from agents.domain.hours import Hours, NoSuchHours, read_hours

NONE = Hours()


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("digest on", Hours(digest=540)),
        ("digest on 9", Hours(digest=540)),
        ("Digest  on at 18:30", Hours(digest=1110)),
        ("digest on 7:05 Europe/Vienna", Hours(digest=425, zone="Europe/Vienna")),
        ("digest off", NONE),
        ("quiet 18:00-8:00", Hours(quiet=(1080, 480))),
        ("quiet hours 22 to 6", Hours(quiet=(1320, 360))),
        ("quiet 24:00-6:00", Hours(quiet=(0, 360))),
        ("quiet off", NONE),
        ("digest the logs", NONE),
    ],
)
def test_what_people_write(said: str, then: Hours) -> None:
    assert read_hours(said, NONE) == then


@pytest.mark.parametrize("said", ["digest on 25:00", "digest on 9:75", "digest on 9 Nowhere/Town", "quiet 9-31"])
def test_no_time_and_no_zone_are_said(said: str) -> None:
    with pytest.raises(NoSuchHours):
        read_hours(said, NONE)


def test_what_was_set_stays_until_it_is_set_anew() -> None:
    mine = read_hours("quiet 18-8", read_hours("digest on 9:30 Europe/Vienna", NONE))
    assert mine == Hours(digest=570, zone="Europe/Vienna", quiet=(1080, 480))
    assert read_hours("digest on", read_hours("digest off", mine)).zone == "Europe/Vienna"


@pytest.mark.parametrize(
    ("now", "due"),
    [
        ("2026-01-10T07:59", "2026-01-10T08:00"),  # nine o'clock in winter
        ("2026-01-10T08:00", "2026-01-11T08:00"),
        ("2026-07-10T06:59", "2026-07-10T07:00"),  # and in summer
        ("2026-03-28T23:00", "2026-03-29T07:00"),  # the night in which an hour is left out
        ("2026-10-24T23:00", "2026-10-25T08:00"),  # and in which one comes twice
    ],
)
def test_a_digest_comes_by_the_clock_on_the_wall(now: str, due: str) -> None:
    assert Hours(digest=540, zone="Europe/Vienna").next_digest(at(now)) == at(due)


def test_quiet_hours_go_over_midnight_and_hold_the_digest() -> None:
    mine = Hours(digest=7 * 60, quiet=(18 * 60, 8 * 60), zone="UTC")
    assert mine.quiet_until(at("2026-01-10T17:59")) is None
    assert mine.quiet_until(at("2026-01-10T18:00")) == at("2026-01-11T08:00")
    assert mine.quiet_until(at("2026-01-11T03:00")) == at("2026-01-11T08:00")
    assert mine.next_digest(at("2026-01-11T03:00")) == at("2026-01-11T08:00")
    noon = Hours(quiet=(12 * 60, 13 * 60))
    assert (
        noon.quiet_until(at("2026-01-10T12:30")) == at("2026-01-10T13:00")
        and Hours().quiet_until(at("2026-01-10T12:30")) is None
    )
    assert noon.next_digest(at("2026-01-10T12:30")) is None


def test_a_day_is_the_persons_own() -> None:
    assert Hours(zone="Pacific/Auckland").day(at("2026-01-10T20:00")) == "2026-01-11"
