"""When supervisors run and how far what they ask for may go: `supervisors:` in overlord.yaml."""

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import StrictBool

from agents.domain.knowledge.owners import Supervisor
from agents.domain.text.sanitize import Between

MOST = 10_000
Interval = Annotated[int, Between(0, MOST)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorTuning:
    """`interval`: finished subtasks after which it is due, beside other occasions; 0: these alone."""

    enabled: StrictBool = True
    interval: Interval | None = None  # None: as it comes with the program


INTERVALS: dict[Supervisor, int] = {Supervisor.CODE_STYLE: 5, Supervisor.DESIGN: 0, Supervisor.INTERNALISER: 3}
ASSESSOR = 5  # finished subtasks between two looks at whether the work still leads to what was asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorSettings:
    enabled: StrictBool | None = None  # None: where a model is named for the role `supervisor`
    code_style: SupervisorTuning = field(default_factory=SupervisorTuning)
    design: SupervisorTuning = field(default_factory=SupervisorTuning)
    internaliser: SupervisorTuning = field(default_factory=SupervisorTuning)
    assessor: SupervisorTuning = field(default_factory=SupervisorTuning)
    wait: Annotated[float, Between(0, 600)] = 60  # seconds that the next subtasks wait for supervisors at most
    cleanup_age: Annotated[int, Between(1, MOST)] = 15  # finished subtasks after which an unused cleanup is dropped
    cleanup_cap: Annotated[int, Between(1, 100)] = 10  # cleanups that wait at once; the oldest is dropped
    polish_subtasks: Annotated[int, Between(0, 50)] = 10  # of one polishing phase at most

    def watches(self, supervisor: Supervisor) -> bool:
        return self._of(supervisor).enabled

    def interval(self, supervisor: Supervisor) -> int:
        """Finished subtasks after which it is due; 0: it is due on other occasions alone."""
        own = self._of(supervisor).interval
        return INTERVALS[supervisor] if own is None else own

    @property
    def assessor_interval(self) -> int:
        return ASSESSOR if self.assessor.interval is None else self.assessor.interval

    def _of(self, supervisor: Supervisor) -> SupervisorTuning:
        tuned = {
            Supervisor.CODE_STYLE: self.code_style,
            Supervisor.DESIGN: self.design,
            Supervisor.INTERNALISER: self.internaliser,
        }
        return tuned[supervisor]


OFF = SupervisorSettings(enabled=False)
