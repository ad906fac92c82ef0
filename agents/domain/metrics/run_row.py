"""One run of a minion, planner or reviewer, and whose it is."""

from dataclasses import dataclass
from datetime import datetime

from agents.domain.ids import TaskId
from agents.domain.work.work import run_key
from agents.domain.workflow.roles import TITLES, EngineName

REHEARSAL = "rehearsal/"  # how models that are played are named
BY_PROGRAM = "-cli"  # how a provider is named that is an engine, for planners and reviewers: codex-cli/gpt-5.4
PLANNING, REVIEWING, SUPERVISING, WORK = "planning", "review", "supervision", "work"
_OF_STEP = {"plan": PLANNING, "supervise": SUPERVISING}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run as people and programs are shown it."""

    task: TaskId
    step: str
    subtask: int  # 0: the whole task
    attempt: int
    role: str
    engine: str  # as its card names it, with its version and sandbox; empty: no minion's
    model: str
    task_type: str  # empty: the plan does not say
    workflow: str  # empty: no plan was accepted yet
    success: bool | None  # None: it is under way, or was not judged
    retries: int
    calls: int  # to models
    tokens_in: int
    tokens_out: int
    cached_tokens: int
    cost: float  # dollars
    seconds: float
    error: str
    timestamp: datetime  # when it began

    @property
    def name(self) -> str:
        """Such as "T-1.2-1 implement" or "T-1 plan 2"."""
        if self.subtask:
            return f"{run_key(self.task, self.subtask, self.attempt)} {self.step}"
        return f"{self.task} {self.step.replace('_', ' ')} {self.attempt}"

    @property
    def outcome(self) -> str:
        return {True: "well", False: "failed", None: "not yet"}[self.success]

    @property
    def kind(self) -> str:
        """A minion's work by the kind of its subtask; else planning, review or supervision."""
        if self.engine:
            return self.task_type or WORK
        return _OF_STEP.get(self.step, REVIEWING)

    @property
    def ran_on(self) -> EngineName:
        """Rows name an engine as people read it; planners and reviewers name it with their model."""
        provider = self.model.partition("/")[0]
        if provider.endswith(BY_PROGRAM) and (named := provider.removesuffix(BY_PROGRAM)) in list(EngineName):
            return EngineName(named)
        found = (name for name, title in TITLES.items() if self.engine.startswith(title))
        return next(found, EngineName.BUILTIN)

    @property
    def model_asked(self) -> str:
        """The model, named alike whoever asked it: rows of minions name its provider, those of planners the engine."""
        return self.model if self.ran_on is EngineName.BUILTIN else self.model.partition("/")[2] or self.model

    @property
    def is_rehearsal(self) -> bool:
        return self.model.startswith(REHEARSAL)
