"""Runs one gate's command on fresh files of the commit, and keeps what it said."""

import asyncio
import os
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from agents.domain.checks.evaluation import GateRun
from agents.domain.checks.gates import GateCommands
from agents.domain.text.redact import Redact, Redactor
from agents.ports import Artefacts, Profile, Ran, Sandbox, Show
from agents.workspace.gates import report, scoring
from agents.workspace.gates.case_reader import Case
from agents.workspace.gates.clean_checkout import CleanCheckout
from agents.workspace.gates.commands import NICE, Command
from agents.workspace.gates.environment import Environment
from agents.workspace.gates.originals import Restored
from agents.workspace.gates.report import Report
from agents.workspace.sandbox.walls.profile import GATE

AS_COMMITTED = Restored(over=(), without=())


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTools:
    """What commands are run with. `sandbox` raises SandboxUnusable where there is none."""

    sandbox: Callable[[], Awaitable[Sandbox]]
    artefacts: Artefacts
    redact: Redact = field(default_factory=Redactor)
    profile: Profile = GATE
    venv: Path | None = None  # for projects that have none; ours if it is not given


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    row: GateRun
    said: str = ""
    report: Report | None = None
    coverage: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRunner:
    """What the gates of one candidate share."""

    case: Case
    commands: GateCommands
    environment: Environment
    checkout: CleanCheckout
    sandbox: Sandbox
    tools: GateTools
    show: Show
    out: str = field(default_factory=lambda: f".gate-{os.urandom(6).hex()}")  # nobody could have put it there

    async def run(
        self, name: str, command: Command, *, restored: Restored = AS_COMMITTED, base: bool = False
    ) -> Outcome:
        """On the commit's files; with `base` on the base's, only to compare with, so nothing is kept."""
        wanted = restored.laid_over(self.case.had if base else self.case.has)
        async with self.checkout.write_tree(self.case.repository, wanted) as folder:
            (folder / self.out).mkdir()
            self.environment.link(folder)
            ran = await self._shown(name, command, folder)
            found, coverage = await asyncio.to_thread(self._reports, folder, command)
        row = scoring.score_run(name, command, ran, self.tools.profile)
        if command.report:
            score, why = scoring.pytest_words(row, found)
            row = replace(row, score=score, why=why)
        said = await asyncio.to_thread(self.tools.redact, ran.output.replace(str(folder), "."))
        row = replace(row, output=scoring.tail(said), log="" if base else await self._kept(name, command, said))
        return Outcome(row=row, said=said, report=found, coverage=coverage)

    async def _shown(self, name: str, command: Command, folder: Path) -> Ran:
        workspace = self.environment.workspace_for(folder)
        with self.show(command.shown, name) as heard:
            return await self.sandbox.once(
                workspace,
                self.tools.profile,
                (*NICE, *command.argv),
                lambda last: heard(last.replace(str(folder), ".")),
            )

    def _reports(self, folder: Path, command: Command) -> tuple[Report | None, float | None]:
        measured = {path: self.case.lines(path) for path in command.measured}
        found = report.tests(folder, command.report) if command.report else None
        if found is None or not measured:
            return found, None
        return found, report.coverage(folder, f"{self.out}/coverage.json", measured)

    async def _kept(self, name: str, command: Command, said: str) -> str:
        candidate = self.case.candidate
        begins = candidate.log or candidate.commit[:12]
        slug = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")
        return await self.tools.artefacts.keep(f"{begins}-{slug}", f"$ {command.shown}\n{said}")
