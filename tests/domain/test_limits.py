"""Numbers that people may change, as times."""

from datetime import UTC, datetime, timedelta

from agents.domain.limits import Limits, Retention

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


def test_a_limit_is_read_as_a_time() -> None:
    assert Limits(reminder=90.5).within("reminder") == timedelta(seconds=90.5)


def test_only_what_has_days_set_gets_old() -> None:
    kept = Retention(turns=3)
    assert kept.before("turns", NOW) == NOW - timedelta(days=3)
    assert kept.before("messages", NOW) is None
