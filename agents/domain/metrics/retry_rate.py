"""When a role tries again too often."""

from dataclasses import dataclass

MOST_RETRIES = 2.0  # for each task, before a role is said to need more context or simpler work
LEAST_RUNS = 10  # judged ones that say so


@dataclass(frozen=True, slots=True, kw_only=True)
class Retried:
    """How often one role had to try again lately."""

    tasks: int
    judged: int
    retries: int

    @property
    def rate(self) -> float:
        return self.retries / max(1, self.tasks)

    @property
    def is_high(self) -> bool:
        return self.judged >= LEAST_RUNS and self.rate > MOST_RETRIES
