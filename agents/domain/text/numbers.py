"""Numbers that come from outside: within bounds that a database keeps and a person would wait for, or not at all."""

import math
from dataclasses import dataclass
from typing import Any

MOST = 999_999_999  # fits into 32 bits, which is what PostgreSQL's integers have
LONGEST_WAIT = 86_400.0  # seconds


def small_number(written: str) -> int | None:
    """A plain whole number; None for anything else, and for one that no honest sender would write."""
    plain = written.isascii() and written.isdecimal() and len(written) <= len(str(MOST))
    return int(written) if plain else None


def count_of(told: object) -> int:
    """How many of something another program says there were."""
    return max(0, min(told, MOST)) if isinstance(told, int) else 0


def seconds_to_wait(told: object, otherwise: float) -> float:
    """For how long another program asks us to wait, at most a day; `otherwise` where it does not say."""
    try:
        seconds = float(told) if isinstance(told, str | int | float) else math.nan
    except (ValueError, OverflowError):
        seconds = math.nan
    return otherwise if math.isnan(seconds) else min(max(0.1, seconds), LONGEST_WAIT)


@dataclass(frozen=True, slots=True)
class Between:
    """Bounds of a number that people write, as in `Annotated[int, Between(1, 100)]`. Python would take true for 1."""

    least: float
    most: float
    write: str = "a number"

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(
            self._refuse_flags, {**handler(source), "ge": self.least, "le": self.most}
        )

    def _refuse_flags(self, written: object) -> object:
        if isinstance(written, bool):
            raise ValueError(f"`{str(written).lower()}` is not a number. Write {self.write}.")
        return written
