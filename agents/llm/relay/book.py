"""A book of calls that no task pays for: what trying an engine costs is told, and counted nowhere else."""

from dataclasses import dataclass, field

from agents.domain.errors import NoAnswer
from agents.ports import Admitted, Answered, Call, Spent, Tried


@dataclass(slots=True)
class TrialBook:
    """Implements agents.ports.CallBook. `most`: calls that are let through, so that a trial has an end."""

    most: int = 4
    ended: list[Tried] = field(default_factory=list)
    _begun: int = 0

    @property
    def cost(self) -> float:
        return sum(tried.cost for tried in self.ended)

    @property
    def tokens(self) -> int:
        return sum(tried.tokens_in + tried.tokens_out for tried in self.ended)

    async def begin(self, call: Call) -> Admitted | Answered:
        self._begun += 1
        if self._begun > self.most:
            raise NoAnswer("the trial is over", next_step="Try it again.")
        return Admitted(model=next(iter(call.models)))

    async def record_try(self, call: Call, tried: Tried) -> None:
        self.ended.append(tried)

    async def finish(self, call: Call, tried: Tried, answer: str, degraded: str) -> Spent:
        self.ended.append(tried)
        return Spent(model=tried.model, cost=tried.cost)
