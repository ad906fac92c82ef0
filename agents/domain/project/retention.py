"""How long what was said and done is kept."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from agents.domain.text.sanitize import Between

Days = Annotated[int, Between(1, 36_500)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Days. None, the default of each: nothing of it is ever removed."""

    messages: Days | None = None  # our copies of what was said in threads
    deliveries: Days | None = None  # what platforms sent and what became of it
    turns: Days | None = None  # talks of minions whose task has ended
    branches: Days | None = None  # of tasks that have ended
    archived: Days | None = None  # tasks that have ended: they are moved into files

    def before(self, name: str, now: datetime) -> datetime | None:
        """What is older than this goes; None: nothing does."""
        days: int | None = getattr(self, name)
        return None if days is None else now - timedelta(days=days)
