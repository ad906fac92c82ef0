"""Which engine a role should run on, by what came of its runs. Off unless switched on; what a person says wins."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import StrictBool

from agents.domain.metrics.figures import figures, score
from agents.domain.metrics.run_row import Run
from agents.domain.text.sanitize import Between
from agents.domain.workflow.roles import EngineName

WINDOW = timedelta(days=30)
MARGIN = 0.05  # by which another engine must be better than the one that is written
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptive:
    """`adaptive:` in overlord.yaml. `max_deviation_from_default`: the share of roles that may run on another engine
    than is written for them. A role that is locked runs on the engine of its lock."""

    enabled: StrictBool = False
    min_samples_before_adapt: Annotated[int, Between(1, 10_000)] = 10
    adaptation_interval_days: Annotated[int, Between(1, 365)] = 7
    max_deviation_from_default: Annotated[float, Between(0, 1)] = 0.2
    locked_assignments: Mapping[str, EngineName] = field(default_factory=dict)


NOT_ADAPTIVE = Adaptive()


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What was chosen for a role, and by whom. `undone`: a person took it back, so the role keeps what is written."""

    role: str
    engine: EngineName
    at: datetime
    by_rule: bool = True
    undone: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assigned:
    """One role that runs on engines: what is written for it, and what it runs on now."""

    role: str
    written: EngineName
    choice: Choice | None = None

    @property
    def now(self) -> EngineName:
        return self.choice.engine if self.choice and not self.choice.undone else self.written


class Ruling(StrEnum):
    """Why a role keeps its engine, or gets another."""

    LOCKED = "locked"
    UNDONE = "undone"  # a person took a choice back
    BY_HAND = "by_hand"  # a person chose
    WAITS = "waits"  # it was changed within the interval
    FEW = "few"  # too few samples of the engines to compare
    MARGIN = "margin"  # none is better by enough
    KEPT = "kept"  # the best is what it runs on
    FAR = "far"  # too many roles would run on another engine than is written
    CHANGED = "changed"
    BACK = "back"  # to what is written, which is as good


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """One role that was looked at. `scores`: of engines with enough samples."""

    role: str
    ruling: Ruling
    engine: EngineName  # that it runs on from now on
    scores: Mapping[EngineName, float] = field(default_factory=dict)
    samples: Mapping[EngineName, int] = field(default_factory=dict)

    @property
    def changes(self) -> bool:
        return self.ruling in (Ruling.CHANGED, Ruling.BACK)

    @property
    def gain(self) -> float:
        return self.scores.get(self.engine, 0.0)


def adapt(
    roles: Sequence[Assigned], runs: Sequence[Run], here: Collection[EngineName], settings: Adaptive, at: datetime
) -> list[Looked]:
    """Rule on every role; `here`: engines that can run now. Those that gain most come first, up to the deviation."""
    lately = [run for run in runs if at - WINDOW <= run.timestamp <= at and not run.is_rehearsal]
    looked = [_look(role, lately, here, settings, at) for role in roles]
    away = {each.role for each in roles if each.now is not each.written}
    away -= {each.role for each in looked if each.ruling is Ruling.BACK}
    most, written = settings.max_deviation_from_default * len(roles) + ROUNDING, {r.role: r.now for r in roles}
    ruled = dict[str, Looked]()
    for each in sorted(looked, key=lambda each: (-each.gain, each.role)):
        if each.ruling is Ruling.CHANGED and len(away | {each.role}) > most:
            each = Looked(
                role=each.role,
                ruling=Ruling.FAR,
                engine=written[each.role],
                scores=each.scores,
                samples=each.samples,
            )
        elif each.ruling is Ruling.CHANGED:
            away.add(each.role)
        ruled[each.role] = each
    return [ruled[role.role] for role in roles]


def _look(
    role: Assigned, runs: Sequence[Run], here: Collection[EngineName], settings: Adaptive, at: datetime
) -> Looked:
    if role.role in settings.locked_assignments:
        return Looked(role=role.role, ruling=Ruling.LOCKED, engine=settings.locked_assignments[role.role])
    if (choice := role.choice) and (choice.undone or not choice.by_rule):
        ruling = Ruling.UNDONE if choice.undone else Ruling.BY_HAND
        return Looked(role=role.role, ruling=ruling, engine=role.now)
    if role.choice and at - role.choice.at < timedelta(days=settings.adaptation_interval_days):
        return Looked(role=role.role, ruling=Ruling.WAITS, engine=role.now)
    scores, samples = _scores(role.role, runs, {*here, role.written}, settings.min_samples_before_adapt)
    ruling, engine = _rule(role, scores)
    return Looked(role=role.role, ruling=ruling, engine=engine, scores=scores, samples=samples)


def _rule(role: Assigned, scores: Mapping[EngineName, float]) -> tuple[Ruling, EngineName]:
    if role.written not in scores or len(scores) < 2:
        return Ruling.FEW, role.now
    best = max(scores, key=lambda engine: (scores[engine], engine is role.now, engine is role.written))
    if scores[best] - scores[role.written] < MARGIN - ROUNDING:
        return (Ruling.MARGIN, role.written) if role.now is role.written else (Ruling.BACK, role.written)
    return (Ruling.KEPT, role.now) if best is role.now else (Ruling.CHANGED, best)


def _scores(
    role: str, runs: Sequence[Run], here: Collection[EngineName], least: int
) -> tuple[dict[EngineName, float], dict[EngineName, int]]:
    found = {engine: figures([run for run in runs if run.role == role and run.ran_on is engine]) for engine in here}
    samples = {engine: of.judged for engine, of in found.items() if of.judged}
    known = {engine: of for engine, of in found.items() if of.judged >= least}
    dearest = max((of.cost for of in known.values()), default=0.0)
    return {engine: score(of, dearest) for engine, of in sorted(known.items())}, samples
