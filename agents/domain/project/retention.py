"""How long what was said and done is kept."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Days. None, the default of each: nothing of it is ever removed."""

    messages: int | None = None  # our copies of what was said in threads
    deliveries: int | None = None  # what platforms sent and what became of it
    turns: int | None = None  # talks of minions whose task has ended
    branches: int | None = None  # of tasks that have ended

    def before(self, name: str, now: datetime) -> datetime | None:
        """What is older than this goes; None: nothing does."""
        days: int | None = getattr(self, name)
        return None if days is None else now - timedelta(days=days)
