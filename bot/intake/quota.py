"""How much one person, and one channel, may ask for in a while. Presses and answers never count."""

from datetime import datetime, timedelta

from agents.domain.errors import OverlordError
from agents.domain.limits import Limits
from bot.intake.conversation import Command, Meaning, Verb

# Whoever wants work to stop, go on or be decided is heard at any time.
FREE = frozenset(
    {Verb.STOP, Verb.RESUME, Verb.CANCEL, Verb.APPROVE, Verb.RETRY, Verb.BACKBURNER, Verb.MUTE, Verb.UNMUTE}
)
MANY = 5_000  # names after which those that have asked for nothing lately are forgotten


class OverQuota(OverlordError):
    """More than is taken; `until` is when there is room again."""

    def __init__(self, whose: str, most: int, window: float, until: datetime) -> None:
        many = f"{most} request{'s' if most > 1 else ''}"
        super().__init__(
            f"I take at most {many} from one {whose} in {window:.0f} seconds, so I did not take this one",
            next_step="Send it again then. Buttons and answers to my questions work as always.",
        )
        self.whose, self.until = whose, until


def is_free(meaning: Meaning) -> bool:
    return isinstance(meaning, Command) and meaning.verb in FREE


class Quota:
    """Kept in memory: a restart forgets a minute, and no more. The same request twice counts once."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._taken: dict[tuple[str, str], dict[str, datetime]] = {}

    def take(self, key: str, person: str, channel: str, at: datetime) -> None:
        """Count a request, or raise OverQuota."""
        most = {("person", person): self._limits.quota_per_person, ("channel", channel): self._limits.quota_per_channel}
        taken = {name: self._recent(name, at) for name in most}
        for name, limit in most.items():
            if key not in taken[name] and len(taken[name]) >= limit:
                until = min(taken[name].values()) + self._window
                raise OverQuota(name[0], limit, self._limits.quota_window, until)
        for recent in taken.values():
            recent[key] = at

    @property
    def _window(self) -> timedelta:
        return self._limits.within("quota_window")

    def _recent(self, name: tuple[str, str], at: datetime) -> dict[str, datetime]:
        """What was asked for in the window around this moment: what was said long ago may be heard only now."""
        since = at - self._window
        if len(self._taken) > MANY:
            self._taken = {n: kept for n, kept in self._taken.items() if max(kept.values(), default=since) > since}
        recent = {key: when for key, when in self._taken.get(name, {}).items() if abs(when - at) < self._window}
        self._taken[name] = recent
        return recent
