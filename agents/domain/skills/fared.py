"""How tasks fared that used a skill, and when that is too little."""

from dataclasses import dataclass

LATEST = 10  # tasks that a rate is about
FEWEST = 5  # tasks before anything is made of it
LOW = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Fared:
    """Tasks that used a skill and have ended, and those of them whose work was merged."""

    tasks: int = 0
    passed: int = 0

    @property
    def is_low(self) -> bool:
        return self.tasks >= FEWEST and self.passed / self.tasks < LOW
