"""Judges a commit: rules first, then commands in the gate sandbox, each on fresh files of the commit."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from agents.domain.checks.evaluation import (
    INTERFACES,
    PARTS_OF_TESTS,
    PROJECT,
    RULES,
    ExtraGate,
    GateCommands,
    GateRun,
    Score,
)
from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.errors import OverlordError
from agents.domain.project.ground import Baseline
from agents.domain.text.sanitize import one_line
from agents.ports import Candidate, Judged, Show, Trial, show_nothing
from agents.workspace.environments.tree_environment import BARE, Attached, Environment, environment
from agents.workspace.gates import baselines, detect, gate_commands, gate_steps, rules
from agents.workspace.gates.comparing import first_reading
from agents.workspace.gates.comparing.new_tests import NEW_TESTS
from agents.workspace.gates.detect import Way
from agents.workspace.gates.gate_commands import Command, Place
from agents.workspace.gates.gate_runner import RERUNS, GateRunner, GateTools
from agents.workspace.gates.gate_sequence import Wanted, cannot_run, left_out, run_all, why_stopped
from agents.workspace.gates.package_folders import Package, find_packages
from agents.workspace.gates.passed_runs import PassedRuns
from agents.workspace.gates.rules import Case
from agents.workspace.git import objects
from agents.workspace.git.clean_checkout import CleanCheckout
from agents.workspace.skill_files import Shelf

_LONGEST = 600  # characters of a reason
CHANGELOG = "changelog"
_CHANGELOG = re.compile(r"(change_?log|changes|news|history)(\.(md|rst|txt))?", re.IGNORECASE)
OF_TESTS: Wanted = {gate_steps.ORIGINALS: None, NEW_TESTS: None}  # what is asked of the tests themselves
Attach = Callable[[str, str], Awaitable[Attached]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateConfig:
    """Where a project's commits are, and what it says about its gates."""

    repository: Path
    commands: GateCommands = field(default_factory=GateCommands)
    measured: bool = True  # whether its checks are tried before any work; those of the sample are known to pass
    reruns: int = RERUNS  # of what newly fails
    checkout: Path | None = None  # where its own .venv or node_modules lies, if not in the repository's folder

    shelf: Shelf | None = None  # where its skills are, and how they are read

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
        return {gate_steps.TESTS: None, gate_steps.LINT: None, **extra, **OF_TESTS}

    def checks(self, candidate: Candidate) -> Wanted:
        """What a step of the workflow wants to be run; nothing, where the project has no such check."""
        name = candidate.check
        if candidate.command:
            return {name: ExtraGate(name=name, command=candidate.command)}
        if name == PROJECT:
            return self._project
        if name == gate_steps.TESTS:
            return {gate_steps.TESTS: None, **OF_TESTS}
        own = self.commands.of(name)
        if own:
            return {name: ExtraGate(name=name, command=own)}
        if name in PARTS_OF_TESTS:
            return self.checks(replace(candidate, check=gate_steps.TESTS))
        known = {**self._project, CHANGELOG: None, INTERFACES: None}
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
            return Judged(gates=(cannot_run("changes", unknown),))
        config = config.with_gates(self._of_role(candidate.role))
        without = candidate.without | (OF_TESTS.keys() if gate_steps.TESTS in candidate.without else set())
        wanted = {name: gate for name, gate in config.checks(candidate).items() if name not in without}
        if not wanted and candidate.check != RULES:
            return Judged(gates=())
        try:
            case = await rules.read(candidate, config.repository, config.commands.tests)
            if candidate.check == RULES:
                return await self._by_rule(case, config)
        except OverlordError as problem:
            return Judged(gates=(cannot_run("changes", problem),))
        if CHANGELOG in wanted:
            return Judged(gates=(_changelog(case),))
        if case.empty:
            return Judged(gates=tuple(left_out(name, "") for name in wanted))
        return await self._run(case, config, wanted, show)

    async def _by_rule(self, case: Case, config: GateConfig) -> Judged:
        """What is left out because the rules say no for good is told, too."""
        rows = await rules.by_rule(case, self._tools.redact, config.shelf)
        because = why_stopped(rows)
        left = config.names if because else ()
        return Judged(gates=(*rows, *(left_out(name, because) for name in left)))

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
            case = await rules.read(whole, config.repository, config.commands.tests)
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
        return Trial(argv=("env", *settings, *command.line), shown=command.words)

    async def lint_trial(self, project: str, base: str, folder: Path, changed: Sequence[str]) -> Trial | None:
        """The same for the linter on these files. None: it would not be told what it said of them before."""
        config = self._projects.get(project)
        if config is None or config.commands.lint:
            return None
        try:
            around = await self._around(project, base, config)
            look = await detect.look(config.repository, base)
            there = [path for path in changed if (folder / path).is_file() and not (folder / path).is_symlink()]
            command = gate_commands.lint_python(look, around, there)
        except OverlordError:
            return None  # the gate says so, with what to do
        if command is None:
            return None
        return Trial(argv=command.line, shown=command.words, before=gate_commands.lint_before(command, base, there))

    async def read_tests(self, project: str, base: str, folder: Path, *, changes_tests: bool) -> str:
        """What speaks against the tests in a minion's folder, by reading alone; empty: nothing."""
        config = self._projects.get(project)
        if config is None:
            return ""
        try:
            before = await first_reading.read_before(config.repository, base)
            now = await asyncio.to_thread(first_reading.read_now, folder)
        except (OverlordError, OSError):
            return ""  # the gate says so, with what to do
        found = await asyncio.to_thread(first_reading.findings, before, now, changes_tests=changes_tests)
        return self._tools.redact(f"the tests would be sent back: {'; '.join(found)}.") if found else ""

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
            reruns=config.reruns,
        )

    async def _run(self, case: Case, config: GateConfig, wanted: Wanted, show: Show) -> Judged:
        try:
            runner = await self._runner(case, config, show)
        except OverlordError as problem:
            first, *others = wanted
            left = [left_out(name, f"{first} cannot be run") for name in others]
            return Judged(gates=(cannot_run(first, problem), *left))
        gates, coverage = await run_all(runner, wanted)
        told = (replace(gate, why=one_line(self._tools.redact(gate.why), _LONGEST)) for gate in gates)
        return Judged(gates=tuple(told), coverage=coverage, sandbox=runner.sandbox.name)


async def _tests_of(config: GateConfig, base: str, around: Environment) -> Command | None:
    if own := config.commands.tests:
        return None if around.modules is not None else gate_commands.shell(own)  # nobody knows whether it needs them
    packages = find_packages(await detect.look(config.repository, base), config.commands.packages)
    found = (_tests_in(each, config.commands, around) for each in packages)
    return gate_commands.one_after_another([command for command in found if command])


def _tests_in(package: Package, commands: GateCommands, around: Environment) -> Command | None:
    if own := commands.package(package.folder).tests:
        return None if around.modules is not None else replace(gate_commands.shell(own), folder=package.folder)
    if package.tests is None or (package.tests is Way.NPM and around.modules is not None):
        return None
    return gate_commands.tests(package.tests, around, "/tmp", (), Place(folder=package.folder, others=package.others))


def _changelog(case: Case) -> GateRun:
    """Everything together must add to the project's change log, if it has one."""
    logs = [path for path in case.has if _CHANGELOG.fullmatch(path.rpartition("/")[2])]
    touched = [each.change.path for each in case.differing if each.change.path in logs and each.change.added]
    if touched:
        return GateRun(name=CHANGELOG, score=Score.PASS, why=f"{touched[0]} says what changed")
    if not logs:
        return GateRun(name=CHANGELOG, score=Score.PASS, why="the project has no change log", skipped=True)
    return GateRun(name=CHANGELOG, score=Score.NEEDS_REVISION, why=f"add a line to {logs[0]} that says what changed")
