"""Judges a commit: rules first, then commands in the gate sandbox, each on fresh files of the commit."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from agents.domain.checks.evaluation import PROJECT, RULES, ExtraGate, GateCommands, GateRun, Score
from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.errors import OverlordError
from agents.domain.models.failure import failure_of_step
from agents.domain.project.ground import Baseline
from agents.domain.text.sanitize import one_line
from agents.ports import Candidate, Judged, Show, Trial, show_nothing
from agents.workspace.gates import baselines, detect, gate_commands, gate_steps, rules, scoring
from agents.workspace.gates.detect import Way
from agents.workspace.gates.gate_commands import BARE, Attached, Command, Environment, environment
from agents.workspace.gates.gate_runner import CleanCheckout, GateRunner, GateTools, Outcome
from agents.workspace.gates.passed_runs import PassedRuns
from agents.workspace.gates.rules import Case
from agents.workspace.git import objects

_LONGEST = 600  # characters of a reason
CHANGELOG = "changelog"
_CHANGELOG = re.compile(r"(change_?log|changes|news|history)(\.(md|rst|txt))?", re.IGNORECASE)
Attach = Callable[[str, str], Awaitable[Attached]]
Wanted = Mapping[str, ExtraGate | None]  # gates in their order, and the command of those that are one


@dataclass(frozen=True, slots=True, kw_only=True)
class GateConfig:
    """Where a project's commits are, and what it says about its gates."""

    repository: Path
    commands: GateCommands = field(default_factory=GateCommands)
    measured: bool = True  # whether its checks are tried before any work; those of the sample are known to pass
    checkout: Path | None = None  # where its own .venv or node_modules lies, if not in the repository's folder

    @property
    def home(self) -> Path:
        return self.checkout or self.repository

    @property
    def names(self) -> tuple[str, ...]:
        """Of the gates that run something, in their order."""
        return tuple(self._project)

    @property
    def _project(self) -> Wanted:
        extra = {gate.name: gate for gate in self.commands.extra}
        return {gate_steps.TESTS: None, gate_steps.LINT: None, **extra, gate_steps.ORIGINALS: None}

    def checks(self, candidate: Candidate) -> Wanted:
        """What a step of the workflow wants to be run; nothing, where the project has no such check."""
        name = candidate.check
        if candidate.command:
            return {name: ExtraGate(name=name, command=candidate.command)}
        if name == PROJECT:
            return self._project
        if name == gate_steps.TESTS:
            return {gate_steps.TESTS: None, gate_steps.ORIGINALS: None}
        own = self.commands.of(name)
        if own:
            return {name: ExtraGate(name=name, command=own)}
        known = {**self._project, CHANGELOG: None}
        return {name: known[name]} if name in known else {}

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
        attach: Attach | None = None,
    ) -> None:
        """`attach`: what the environment of a project adds at a commit."""
        self._attach = attach
        self._projects = projects
        self._of_role = of_role
        self._tools = tools
        self._home = home
        self._checkout = CleanCheckout(home / "gates")
        self._passed = PassedRuns(home / "passed")
        self.sweep = self._checkout.sweep  # removes what a kill left behind

    async def judge(self, candidate: Candidate, show: Show = show_nothing) -> Judged:
        config = self._projects.get(candidate.project)
        if config is None:
            unknown = OverlordError(f"there is no project {candidate.project}", next_step="Name it under `projects:`.")
            return Judged(gates=(_cannot_run("changes", unknown),))
        config = config.with_gates(self._of_role(candidate.role))
        without = candidate.without | ({gate_steps.ORIGINALS} if gate_steps.TESTS in candidate.without else set())
        wanted = {name: gate for name, gate in config.checks(candidate).items() if name not in without}
        if not wanted and candidate.check != RULES:
            return Judged(gates=())
        try:
            case = await rules.read(candidate, config.repository)
            if candidate.check == RULES:
                return await self._by_rule(case, config)
        except OverlordError as problem:
            return Judged(gates=(_cannot_run("changes", problem),))
        if CHANGELOG in wanted:
            return Judged(gates=(_changelog(case),))
        if case.empty:
            return Judged(gates=tuple(_left_out(name, "") for name in wanted))
        return await self._run(case, config, wanted, show)

    async def _by_rule(self, case: Case, config: GateConfig) -> Judged:
        """What is left out because the rules say no for good is told, too."""
        rows = await rules.by_rule(case, self._tools.redact)
        because = _stopped(rows)
        left = config.names if because else ()
        return Judged(gates=(*rows, *(_left_out(name, because) for name in left)))

    def measures(self, project: str) -> bool:
        config = self._projects.get(project)
        return config is not None and config.measured

    async def baseline(self, project: str, commit: str, key: str, show: Show = show_nothing) -> Baseline | None:
        """Every check on a commit that nobody changed. Where it was measured before, that is read."""
        config = self._projects.get(project)
        if config is None or not config.measured:
            return None
        tree = await objects.tree_of(config.repository, commit)
        kept = baselines.Kept(self._home, project, tree, key, config.commands)
        if known := await asyncio.to_thread(kept.read):
            return known
        whole = Candidate(
            project=project, base=commit, commit=commit, scope=Scope(mode=ScopeMode.EXPLICIT), log=f"baseline-{project}"
        )
        try:
            case = await rules.read(whole, config.repository)
            runner = await self._runner(case, config, show)
        except OverlordError as problem:
            return Baseline(tree=tree, key=key, checks=(baselines.cannot_run("checks", problem),))
        measured = Baseline(tree=tree, key=key, checks=tuple(await baselines.measure(runner, config.commands)))
        await asyncio.to_thread(kept.write, measured)
        return measured

    async def trial(self, project: str, base: str, folder: Path) -> Trial | None:
        """How the tests gate will test what is in a folder. None: it has no tests, or they cannot run there.

        Modules of Node are no part of a minion's folder, so tests that need them are left to the gate.
        """
        config = self._projects.get(project)
        if config is None:
            return None
        try:
            around = await self._around(project, base, config)
            command = await _tests_of(config, base, around)
        except OverlordError:
            return None  # the gate says so, with what to do
        if command is None:
            return None
        told = await asyncio.to_thread(around.workspace_for, folder)
        settings = (f"{name}={value}" for name, value in told.environ.items())
        return Trial(argv=("env", *settings, *command.argv), shown=command.shown)

    async def _around(self, project: str, commit: str, config: GateConfig) -> Environment:
        attached = await self._attach(project, commit) if self._attach else BARE
        return environment(config.home, config.commands, self._tools.venv, attached)

    async def _runner(self, case: Case, config: GateConfig, show: Show) -> GateRunner:
        return GateRunner(
            case=case,
            commands=config.commands,
            environment=await self._around(case.candidate.project, case.candidate.base, config),
            checkout=self._checkout,
            passed=self._passed,
            sandbox=await self._tools.sandbox(),
            tools=self._tools,
            show=show,
        )

    async def _run(self, case: Case, config: GateConfig, wanted: Wanted, show: Show) -> Judged:
        try:
            runner = await self._runner(case, config, show)
        except OverlordError as problem:
            first, *others = wanted
            left = [_left_out(name, f"{first} cannot be run") for name in others]
            return Judged(gates=(_cannot_run(first, problem), *left))
        gates, coverage = await _all(runner, wanted)
        told = (replace(gate, why=one_line(self._tools.redact(gate.why), _LONGEST)) for gate in gates)
        return Judged(gates=tuple(told), coverage=coverage, sandbox=runner.sandbox.name)


async def _tests_of(config: GateConfig, base: str, around: Environment) -> Command | None:
    if own := config.commands.tests:
        return None if around.modules is not None else gate_commands.shell(own)  # nobody knows whether it needs them
    way = detect.tests(await detect.look(config.repository, base))
    if way is None or (way is Way.NPM and around.modules is not None):
        return None
    return gate_commands.tests(way, around, out="/tmp")


async def _all(runner: GateRunner, wanted: Wanted) -> tuple[list[GateRun], float | None]:
    """One after another, until one says no for good."""
    gates, tested = list[GateRun](), Outcome(row=_left_out(gate_steps.TESTS, ""))
    for name, gate in wanted.items():
        if because := _stopped(gates):
            gates.append(_left_out(name, because))
        elif name == gate_steps.TESTS:
            tested = await _tested(runner)
            gates.append(tested.row)
        elif gate is not None:
            gates.append(await _guarded(name, gate_steps.extra(runner, gate)))
        else:
            run = gate_steps.lint(runner) if name == gate_steps.LINT else gate_steps.original_tests(runner, tested)
            gates.append(await _guarded(name, run))
    return gates, tested.coverage


async def _tested(runner: GateRunner) -> Outcome:
    try:
        return await gate_steps.tests(runner)
    except OverlordError as problem:
        return Outcome(row=_cannot_run(gate_steps.TESTS, problem))


def _changelog(case: Case) -> GateRun:
    """Everything together must add to the project's change log, if it has one."""
    logs = [path for path in case.has if _CHANGELOG.fullmatch(path.rpartition("/")[2])]
    touched = [each.change.path for each in case.differing if each.change.path in logs and each.change.added]
    if touched:
        return GateRun(name=CHANGELOG, score=Score.PASS, why=f"{touched[0]} says what changed")
    if not logs:
        return GateRun(name=CHANGELOG, score=Score.PASS, why="the project has no change log", skipped=True)
    return GateRun(name=CHANGELOG, score=Score.NEEDS_REVISION, why=f"add a line to {logs[0]} that says what changed")


async def _guarded(name: str, gate: Awaitable[GateRun]) -> GateRun:
    """A gate that cannot run is a no, with what to do."""
    try:
        return await gate
    except OverlordError as problem:
        return _cannot_run(name, problem)


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


def _cannot_run(name: str, problem: OverlordError) -> GateRun:
    """A gate that cannot run is a no, with what to do."""
    error = failure_of_step(problem).error
    return GateRun(name=name, score=Score.FAIL, why=one_line(str(problem), _LONGEST), error=error.value)
