"""Judges a commit: rules first, then commands in the gate sandbox, each on fresh files of the commit."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from agents.domain.checks.evaluation import ExtraGate, GateCommands, GateRun, Score
from agents.domain.errors import OverlordError
from agents.domain.text.sanitize import one_line
from agents.ports import Candidate, Judged, Show, Trial, show_nothing
from agents.workspace.gates import commands, detect, rules, scoring, steps
from agents.workspace.gates.commands import Command, Environment, environment
from agents.workspace.gates.detect import Way
from agents.workspace.gates.gate_runner import CleanCheckout, GateRunner, GateTools, Outcome
from agents.workspace.gates.rules import Case

_LONGEST = 600  # characters of a reason


@dataclass(frozen=True, slots=True, kw_only=True)
class GateConfig:
    """Where a project's commits are, and what it says about its gates."""

    repository: Path
    commands: GateCommands = field(default_factory=GateCommands)
    checkout: Path | None = None  # where its own .venv or node_modules lies, if not in the repository's folder

    @property
    def home(self) -> Path:
        return self.checkout or self.repository

    @property
    def names(self) -> tuple[str, ...]:
        """Of the gates that run something, in their order."""
        return (steps.TESTS, steps.LINT, *(gate.name for gate in self.commands.extra), steps.ORIGINALS)

    def with_gates(self, gates: Sequence[ExtraGate]) -> "GateConfig":
        """With the gates of a role; where both have one of a name, the project's own is the nearer."""
        known = {gate.name for gate in self.commands.extra}
        more = tuple(gate for gate in gates if gate.name not in known)
        return replace(self, commands=replace(self.commands, extra=(*self.commands.extra, *more))) if more else self


class SandboxGates:
    """Implements agents.ports.Gates."""

    def __init__(
        self,
        projects: Mapping[str, GateConfig],
        home: Path,
        tools: GateTools,
        of_role: Callable[[str], Sequence[ExtraGate]] = lambda role: (),
    ) -> None:
        self._projects = projects
        self._of_role = of_role
        self._tools = tools
        self._checkout = CleanCheckout(home / "gates")
        self.sweep = self._checkout.sweep  # removes what a kill left behind

    async def judge(self, candidate: Candidate, show: Show = show_nothing) -> Judged:
        config = self._projects.get(candidate.project)
        if config is None:
            return Judged(gates=(_cannot_run("changes", f"there is no project {candidate.project}"),))
        config = config.with_gates(self._of_role(candidate.role))
        try:
            case = await rules.read(candidate, config.repository)
            rows = await rules.by_rule(case, self._tools.redact)
        except OverlordError as problem:
            return Judged(gates=(_cannot_run("changes", problem),))
        because = _stopped(rows)
        if because or case.empty:
            return Judged(gates=(*rows, *(_left_out(name, because) for name in config.names)))
        return await self._run(case, config, rows, show)

    async def trial(self, project: str, base: str, folder: Path) -> Trial | None:
        """How the tests gate will test what is in a folder. None: it has no tests, or they cannot run there.

        Modules of Node are no part of a minion's folder, so tests that need them are left to the gate.
        """
        config = self._projects.get(project)
        if config is None:
            return None
        try:
            around = environment(config.home, config.commands, self._tools.venv)
            command = await _tests_of(config, base, around)
        except OverlordError:
            return None  # the gate says so, with what to do
        if command is None:
            return None
        told = await asyncio.to_thread(around.workspace_for, folder)
        settings = (f"{name}={value}" for name, value in told.environ.items())
        return Trial(argv=("env", *settings, *command.argv), shown=command.shown)

    async def _run(self, case: Case, config: GateConfig, rows: Sequence[GateRun], show: Show) -> Judged:
        try:
            runner = GateRunner(
                case=case,
                commands=config.commands,
                environment=environment(config.home, config.commands, self._tools.venv),
                checkout=self._checkout,
                sandbox=await self._tools.sandbox(),
                tools=self._tools,
                show=show,
            )
        except OverlordError as problem:
            first, *others = config.names
            left = [_left_out(name, f"{first} cannot be run") for name in others]
            return Judged(gates=(*rows, _cannot_run(first, problem), *left))
        gates, coverage = await _all(runner, config)
        told = (replace(gate, why=one_line(self._tools.redact(gate.why), _LONGEST)) for gate in gates)
        return Judged(gates=(*rows, *told), coverage=coverage, sandbox=runner.sandbox.name)


async def _tests_of(config: GateConfig, base: str, around: Environment) -> Command | None:
    if own := config.commands.tests:
        return None if around.modules is not None else commands.shell(own)  # nobody knows whether it needs them
    way = detect.tests(await detect.look(config.repository, base))
    if way is None or (way is Way.NPM and around.modules is not None):
        return None
    return commands.tests(way, around, out="/tmp")


async def _all(runner: GateRunner, config: GateConfig) -> tuple[list[GateRun], float | None]:
    """One after another, until one says no for good."""
    try:
        tested = await steps.tests(runner)
    except OverlordError as problem:
        tested = Outcome(row=_cannot_run(steps.TESTS, problem))
    gates = [tested.row]
    later = [
        partial(steps.lint, runner),
        *(partial(steps.extra, runner, gate) for gate in config.commands.extra),
        partial(steps.original_tests, runner, tested),
    ]
    for name, gate in zip(config.names[1:], later, strict=True):
        because = _stopped(gates)
        try:
            gates.append(_left_out(name, because) if because else await gate())
        except OverlordError as problem:
            gates.append(_cannot_run(name, problem))
    return gates, tested.coverage


def _stopped(rows: Sequence[GateRun]) -> str:
    """Why nothing more is run; empty if something is."""
    failed = next((row for row in rows if row.score is Score.FAIL), None)
    if failed is not None:
        return f"{failed.name} failed"
    return next(("nothing was changed" for row in rows if row.name == "loop" and row.score is not Score.PASS), "")


def _left_out(name: str, because: str) -> GateRun:
    if because:
        return scoring.not_run(name, because)
    return GateRun(name=name, score=Score.PASS, why="nothing was changed")


def _cannot_run(name: str, why: object) -> GateRun:
    """A gate that cannot run is a no, with what to do."""
    return GateRun(name=name, score=Score.FAIL, why=one_line(str(why), _LONGEST))
