"""What projects need installed, played: nothing is run, and what would be is kept."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from agents.domain.project.environment import Environment
from agents.ports import Ground, SetUpEnded, Show, show_nothing


@dataclass
class PlayedGrounds:
    """A project that needs `environment`; set-up is played."""

    environment: Environment = field(default_factory=lambda: Environment(setup=("npm ci",)))
    ready: bool = False
    ended: SetUpEnded = field(default_factory=lambda: SetUpEnded(key="k", log="setup-shop-k", seconds=3))
    ran: list[tuple[str, ...]] = field(default_factory=list)

    clues: dict[str, str] = field(default_factory=dict)
    meanwhile: Callable[[], Awaitable[None]] | None = None  # done while a set-up runs

    async def find(self, project: str, commit: str, proposed: tuple[str, ...] = ()) -> Ground:
        clue = "-".join(self.clues.values())
        if self.clues and not proposed:
            return Ground(environment=Environment(), clues=self.clues, clue=clue)
        if proposed:
            self.environment = Environment(setup=proposed, proposed=tuple(self.clues))
        return Ground(environment=self.environment, key="k", ready=self.ready, clues=self.clues, clue=clue)

    async def set_up(
        self, project: str, commit: str, show: Show = show_nothing, proposed: tuple[str, ...] = ()
    ) -> SetUpEnded:
        self.ran.append(proposed or self.environment.setup)
        if self.meanwhile:
            await self.meanwhile()
        self.ready = not self.ended.problem
        return self.ended
