"""When one person wants to be written to: the hour of their digest, and hours in which nothing is said."""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

NINE = 9 * 60
_TIME = r"(\d{1,2})(?:[:.](\d{2}))?"
_ON = re.compile(rf"digest\s+on(?:\s+(?:at\s+)?{_TIME})?(?:\s+([A-Za-z_]+(?:/[A-Za-z0-9_+-]+)*))?", re.IGNORECASE)
_LOUD = re.compile(r"quiet(?: hours)? off", re.IGNORECASE)
_QUIET = re.compile(rf"quiet\s+(?:hours\s+)?{_TIME}\s*(?:-|–|to|until)\s*{_TIME}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """Minutes are counted from midnight, in this person's zone."""

    digest: int | None = None  # None: no digest is wanted
    quiet: tuple[int, int] | None = None  # from, to; over midnight where the first is the later one
    zone: str = "UTC"

    @property
    def tz(self) -> tzinfo:
        return find_zone(self.zone) or UTC

    def quiet_until(self, now: datetime) -> datetime | None:
        """When the quiet hours end that it is in; None: it is in none."""
        if self.quiet is None or self.quiet[0] == self.quiet[1]:
            return None
        begin, end = self.quiet
        local = now.astimezone(self.tz)
        minute = local.hour * 60 + local.minute
        inside = begin <= minute < end if begin < end else minute >= begin or minute < end
        return _next(local, end).astimezone(UTC) if inside else None

    def next_digest(self, now: datetime) -> datetime | None:
        """The next one after this moment, not within quiet hours."""
        if self.digest is None:
            return None
        due = _next(now.astimezone(self.tz), self.digest).astimezone(UTC)
        return self.quiet_until(due) or due

    def day(self, at: datetime) -> str:
        """The person's own day."""
        return f"{at.astimezone(self.tz):%Y-%m-%d}"


def _next(local: datetime, minute: int) -> datetime:
    """The next time that the clock on the wall shows this."""
    hour, minutes = divmod(minute, 60)
    then = local.replace(hour=hour, minute=minutes, second=0, microsecond=0, fold=0)
    if then.astimezone(UTC) <= local.astimezone(UTC):
        then = (then + timedelta(days=1)).replace(hour=hour, minute=minutes)
    return then


def find_zone(name: str) -> tzinfo | None:
    if name.upper() in ("UTC", "GMT", "Z"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


class NoSuchHours(ValueError):
    """Words that name no time or no zone. The text says which."""


def read_hours(words: str, before: Hours) -> Hours:
    """`digest on 9:00 Europe/Vienna`, `digest off`, `quiet 18:00-8:00`, `quiet off`; anything else changes nothing."""
    said = " ".join(words.split())
    if said.casefold() == "digest off":
        return replace(before, digest=None)
    if _LOUD.fullmatch(said):
        return replace(before, quiet=None)
    if found := _ON.fullmatch(said):
        at = _minute(found[1], found[2]) if found[1] else before.digest if before.digest is not None else NINE
        if found[3] and find_zone(found[3]) is None:
            raise NoSuchHours(found[3])
        return replace(before, digest=at, zone=found[3] or before.zone)
    if found := _QUIET.fullmatch(said):
        return replace(before, quiet=(_minute(found[1], found[2]), _minute(found[3], found[4])))
    return before


def _minute(hour: str, minutes: str | None) -> int:
    if int(hour) > 24 or int(minutes or 0) > 59 or (int(hour) == 24 and int(minutes or 0)):
        raise NoSuchHours(f"{hour}:{minutes or '00'}")
    return int(hour) % 24 * 60 + int(minutes or 0)


def clock_face(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02}"
