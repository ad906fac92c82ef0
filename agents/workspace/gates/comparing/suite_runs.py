"""Runs of the project's suite for one candidate: on the work, on the base, and of what fails again."""

from collections.abc import Collection, Set
from dataclasses import dataclass, field, replace

from agents.domain.checks.evaluation import GateRun, Score
from agents.domain.checks.suite import Before, Results, files_with
from agents.domain.project.ground import NAMES_MOST, CheckBaseline
from agents.workspace.gates import scoring
from agents.workspace.gates.gate_commands import Command
from agents.workspace.gates.gate_runner import AS_COMMITTED, GateRunner, Outcome
from agents.workspace.gates.originals import Restored

READ_ON = "--continue-on-collection-errors"  # for pytest: one file that cannot be read hides no other
AGAIN_MOST = 20  # tests that fail; where more do, they are run again once
NOTHING = Results()


@dataclass(slots=True, kw_only=True)
class SuiteRuns:
    """`command` is how the project is tested; what it said as handed in is `tested`, once it ran."""

    runner: GateRunner
    command: Command
    tested: Outcome | None = None
    unsteady: set[str] = field(default_factory=set)  # tests that were seen to change their mind
    _base: Outcome | None = None

    @property
    def by_name(self) -> bool:
        """Whether it is told test by test."""
        return bool(self.command.report)

    @property
    def now(self) -> Results:
        return results_of(self.tested)

    async def read_on(self, name: str, outcome: Outcome, back: Restored = AS_COMMITTED) -> Outcome:
        """Where files could not be read, what the others say."""
        if not self.by_name or outcome.row.exit_code not in scoring.CANNOT_COLLECT:
            return outcome
        more = await self.runner.run(f"{name} that can be read", with_options(self.command, READ_ON), restored=back)
        return replace(more, row=replace(more.row, name=name, exit_code=outcome.row.exit_code, why=outcome.row.why))

    async def on_base(self) -> Outcome:
        """Run once, when somebody asks."""
        if self._base is None:
            asked = with_options(self.command, READ_ON) if self.by_name else self.command
            self._base = await self.runner.run(self.runner.title("tests of the base"), asked, base=True)
        return self._base

    async def ran_before(self) -> Results | None:
        """What ran on the base, where that is known, or where as many may not run now. None: as many as before."""
        if not self.by_name or self.tested is None:
            return None
        if known := await self.runner.find_passed(self.command, base=True):
            return known.results
        measured = self._measured()
        if measured and (not measured.tests or measured.tests <= len(self.now.ran)):
            return None
        return results_of(await self.on_base())

    async def before(self) -> Before:
        """What fails on the base: as it was measured there before any work, else by a run of it."""
        measured = self._measured()
        unsteady = frozenset(measured.unsteady) if measured else frozenset()
        same = self.runner.case.candidate.known
        told = measured is not None and same is not None and same.tree == self.runner.case.trees[0]
        if measured and told and not measured.problem and len(measured.red) < NAMES_MOST:
            return Before(red=frozenset(measured.red), unsteady=unsteady)
        return Before(red=results_of(await self.on_base()).failed, unsteady=unsteady)

    def _measured(self) -> CheckBaseline | None:
        known = self.runner.case.candidate.known
        name = self.runner.title("tests")
        return next((check for check in known.checks if check.name == name), None) if known else None

    async def find_unsteady(self, names: Collection[str], back: Restored = AS_COMMITTED) -> frozenset[str]:
        """Those that pass when they are run again. What passes alone and fails with the others is no such one."""
        case = self.runner.case
        files = files_with(names, [case.inside(path) for path in (*case.has, *case.had) if case.owns(path)])
        alone = with_options(self.command, READ_ON, *files)
        left, found = set(names), set[str]()
        for _ in range(self.runner.reruns if len(left) <= AGAIN_MOST else min(1, self.runner.reruns)):
            outcome = await self.runner.run("tests again", alone, restored=back, again=True)
            found |= left & results_of(outcome).passed
            left -= found
            if not left:
                break
        found = await self._with_others(found, back)
        self.unsteady |= found
        return frozenset(found)

    async def _with_others(self, names: Set[str], back: Restored) -> set[str]:
        """Those of them that pass in a run of all tests, too."""
        whole, found = with_options(self.command, READ_ON), set[str]()
        for _ in range(self.runner.reruns):
            if found >= names:
                break
            outcome = await self.runner.run("tests again", whole, restored=back, again=True)
            found |= names & results_of(outcome).passed
        return found


def results_of(outcome: Outcome | None) -> Results:
    return outcome.report.results if outcome and outcome.report else NOTHING


def with_options(command: Command, *more: str) -> Command:
    """For pytest: with options, or with the files that are wanted alone."""
    return replace(command, argv=(*command.argv, *more))


def passes(row: GateRun, why: str) -> GateRun:
    return replace(row, score=Score.PASS, why=why)
