"""Runs one gate's command on fresh files of the commit, and keeps what it said."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from agents.domain.checks.evaluation import GateCommands, GateRun, Score
from agents.domain.text.redact import Redact, Redactor
from agents.ports import Artefacts, EndedBy, Profile, Ran, Sandbox, Show
from agents.workspace.environments.tree_environment import Environment
from agents.workspace.gates import scoring
from agents.workspace.gates.gate_commands import NICE, Command
from agents.workspace.gates.originals import Restored, few
from agents.workspace.gates.passed_runs import PassedRun, PassedRuns
from agents.workspace.gates.planted.belief import Belief, Heard
from agents.workspace.gates.planted.overwritten import marks_of, overwritten
from agents.workspace.gates.planted.planting import Planting, planting
from agents.workspace.gates.rules import Case
from agents.workspace.gates.scoring import Report
from agents.workspace.git.clean_checkout import CleanCheckout
from agents.workspace.git.objects import Entry
from agents.workspace.sandbox.walls import GATE

TOP = "top folder"  # of a repository with packages beneath it
AS_COMMITTED = Restored(over=(), without=())
RERUNS = 5
SAME = "Not run again: it passed on the very same files, in the same environment. This is what it said then."
_SILENT = (Belief.MUTE, Belief.PARTLY)
LEFT_OUT = "tests that ran before the change do not run any more"  # perhaps by mistake
NOTHING = Heard()
IS_TEST, _EQUAL = "::", ".__eq__"
TAMPERED = "the test runner was tampered with"
UNHEARD = "its runner of tests was not heard to its end, twice: this machine is too busy. Check again when it is not"


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
    belief: Belief = Belief.UNKNOWN  # whether its runner reports planted tests as they are
    measured: str = ""  # what coverage wrote
    heard: Heard = NOTHING


class _Files(NamedTuple):
    """What is laid out: files of commits, and some that are in none."""

    entries: Sequence[Entry]
    texts: Mapping[str, bytes]


class _Run(NamedTuple):
    ran: Ran
    report: Report | None
    measured: str  # what coverage wrote
    belief: Belief
    doubt: str = ""  # why it is not believed
    heard: Heard = NOTHING


def _how_replaced(names: Sequence[str]) -> str:
    equal = [name.removesuffix(_EQUAL) for name in names if name.endswith(_EQUAL)]
    others = [name for name in names if not name.endswith(_EQUAL)]
    said = [f"{few(others)} stood for something else while they ran"] if others else []
    return "; ".join((*said, *([f"{few(equal)} is equal to anything"] if equal else [])))


def _as_before(run: PassedRun) -> _Run:
    ran = Ran(ended_by=EndedBy.EXIT, exit_code=0, output=run.output, cut=0, seconds=0.0)
    return _Run(
        ran,
        run.report,
        run.coverage,
        run.belief,
        heard=Heard(reads=run.reads, starts=run.starts, replaced=run.replaced),
    )


def _to_keep(said: str, command: Command, run: _Run) -> PassedRun:
    return PassedRun(
        output=said,
        report=run.report,
        measured=command.measured,
        coverage=run.measured,
        belief=run.belief,
        reads=run.heard.reads,
        starts=run.heard.starts,
        replaced=run.heard.replaced,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRunner:
    """What the gates of one candidate share."""

    case: Case
    commands: GateCommands
    environment: Environment
    checkout: CleanCheckout
    passed: PassedRuns
    sandbox: Sandbox
    tools: GateTools
    show: Show
    reruns: int = RERUNS  # at most, of what newly fails
    out: str = field(default_factory=lambda: f".gate-{os.urandom(6).hex()}")  # nobody could have put it there

    async def run(
        self,
        name: str,
        command: Command,
        *,
        restored: Restored = AS_COMMITTED,
        base: bool = False,
        again: bool = False,
    ) -> Outcome:
        """On the commit's files; with `base` on the base's, only to compare with, so nothing is kept.

        `again`: though it is known how it ended before on the same files.
        """
        entries = restored.lay_over(self.case.had if base else self.case.has)
        wanted = _Files([entry for entry in entries if entry.path not in restored.texts], restored.texts)
        key = await asyncio.to_thread(self._key, entries, command)
        before = None if again else await asyncio.to_thread(self.passed.find, key, command.measured)
        run = _as_before(before) if before else await self._run_heard(name, command, wanted)
        if run.belief in _SILENT and not before:
            heard_out = self._without_plants if base else self._hear_out
            run = await heard_out(name, command, wanted, run)
        row = _score(name, command, run, self.tools.profile)
        if why := await self._why_refused(name, command, run, row, base=base):
            row = replace(row, score=Score.NEEDS_REVISION if why == LEFT_OUT else Score.FAIL, why=why)
        said = await asyncio.to_thread(self.tools.redact, run.ran.output)
        if before:
            row = replace(row, why=f"{row.why}, as before on the same files")
        elif row.score is Score.PASS:
            await asyncio.to_thread(self.passed.keep, key, _to_keep(said, command, run))
        whole = f"{SAME}\n\n{said}" if before else said
        row = replace(row, output=scoring.tail(said), log="" if base else await self._kept(name, command, whole))
        return self._outcome(row, said, command, run)

    def _outcome(self, row: GateRun, said: str, command: Command, run: _Run) -> Outcome:
        changed = set(self.case.changed_files).intersection(command.measured)
        lines = {self.case.inside(path): self.case.lines(path) for path in changed}
        return Outcome(
            row=row,
            said=said,
            report=run.report,
            coverage=scoring.coverage(run.measured, lines) if run.report and lines else None,
            belief=run.belief,
            measured=run.measured,
            heard=run.heard,
        )

    async def find_passed(self, command: Command, *, base: bool) -> Report | None:
        """What is known of a run that passed; nothing is run."""
        wanted = AS_COMMITTED.lay_over(self.case.had if base else self.case.has)
        key = await asyncio.to_thread(self._key, wanted, command)
        found = await asyncio.to_thread(self.passed.find, key, command.measured)
        return found.report if found else None

    async def _hear_out(self, name: str, command: Command, wanted: _Files, run: _Run) -> _Run:
        """What a project has may not bear planted tests, without the change either: then it is run without them."""
        before = await self.run(f"{name} of the base", command, base=True)
        if before.belief in _SILENT:
            return await self._run(name, replace(command, plants=None), wanted)
        if run.ran.exit_code != 0:
            return run
        again = await self._run(name, command, wanted)  # a busy machine may have swallowed it
        return again._replace(doubt="it was not heard while it ran") if again.belief in _SILENT else again

    async def _without_plants(self, name: str, command: Command, wanted: _Files, run: _Run) -> _Run:
        """How the base ends by itself: perhaps it was what we planted that broke it."""
        if run.ran.exit_code == 0:
            return run
        return (await self._run(name, replace(command, plants=None), wanted))._replace(belief=run.belief)

    async def _why_refused(self, name: str, command: Command, run: _Run, row: GateRun, *, base: bool) -> str:
        """Whatever its runner says. Empty: it is taken at its word."""
        if run.doubt and not base and not await self._doubted_before(name, command):
            return LEFT_OUT if run.belief is Belief.PARTLY else f"{TAMPERED}: {run.doubt}"
        if not base and (replaced := await self._newly_replaced(name, command, run)):
            return f"{TAMPERED}: {_how_replaced(replaced)}"
        return UNHEARD if run.belief is Belief.UNHEARD and row.score is Score.PASS else ""

    async def _newly_replaced(self, name: str, command: Command, run: _Run) -> list[str]:
        """Of what tests are judged by: some projects have their own ways, without the change too."""
        if not run.heard.replaced:
            return []
        before = await self.run(f"{name} of the base", command, base=True)
        known = set(before.heard.replaced)
        wraps = any(IS_TEST in name for name in known)  # it has its own way with tests, so with new ones too
        return sorted(name for name in set(run.heard.replaced) - known if not (wraps and IS_TEST in name))

    async def _doubted_before(self, name: str, command: Command) -> bool:
        """Where planted tests are not reported right without the change either, they tell nothing."""
        before = await self.run(f"{name} of the base", command, base=True)
        return before.belief is Belief.DOUBTED

    def title(self, check: str) -> str:
        """A check's name among those of all packages: who goes on without one goes on without no other."""
        return f"{check} ({self.case.package or TOP})" if self.case.is_part else check

    def _key(self, wanted: Sequence[Entry], command: Command) -> str:
        where = (self.case.candidate.project, self.sandbox.name, *self.environment.identity)
        return self.passed.key(where, wanted, command, self.out)

    async def _run_heard(self, name: str, command: Command, wanted: _Files) -> _Run:
        """Once more, where a busy machine kept us from hearing how it ended."""
        run = await self._run(name, command, wanted)
        return await self._run(name, command, wanted) if run.belief is Belief.UNHEARD else run

    async def _run(self, name: str, command: Command, wanted: _Files) -> _Run:
        async with self.checkout.write_tree(self.case.repository, *wanted) as folder, AsyncExitStack() as held:
            (folder / self.out).mkdir()
            await asyncio.to_thread(self.environment.furnish, folder)
            planted = await held.enter_async_context(self._planting(folder, command))
            marks = await asyncio.to_thread(
                marks_of, folder, [entry.path for entry in wanted.entries], self.case.own_tests
            )
            ran = await self._shown(name, command, folder, planted)
            await held.aclose()
            touched = await asyncio.to_thread(overwritten, folder, marks, planted.began if planted else None)
            if command.after:
                workspace = replace(self.environment.workspace_for(folder), first=())
                await self.sandbox.once(
                    workspace, self.tools.profile, (*NICE, *replace(command, argv=command.after).line)
                )
            found, measured = await asyncio.to_thread(self._reports, folder, command)
        belief, doubt, heard = Belief.UNKNOWN, "", NOTHING
        if planted and command.plants:
            heard, ran = planted.hear(ran)
            tests = found.tests - found.unread if found else None
            belief, doubt = planted.weigh_run(heard, ran, tests, found.failed if found else 0)
            ran = planted.end_without(heard, ran)
        if touched and command.is_suite and not doubt:
            belief, doubt = Belief.DOUBTED, f"{few(touched)} was written over while the tests ran"
        here = str(folder)
        ran = replace(ran, output=ran.output.replace(here, "."))
        return _Run(ran, found, measured, belief, doubt.replace(f"{here}/", ""), heard)

    @asynccontextmanager
    async def _planting(self, folder: Path, command: Command) -> AsyncIterator[Planting | None]:
        if command.plants is None:
            yield None
            return
        async with planting(folder, self.out, command.plants, command.folder) as planted:
            yield planted

    async def _shown(self, name: str, command: Command, folder: Path, planted: Planting | None) -> Ran:
        workspace, profile = self.environment.workspace_for(folder), self.tools.profile
        if command.seconds:
            profile = replace(profile, seconds=min(profile.seconds, command.seconds))
        if planted:
            workspace = planted.shown_in(workspace)
            command = replace(command, argv=(*command.argv, *planted.options))
        with self.show(command.words, name) as heard:
            return await self.sandbox.once(
                workspace,
                profile,
                (*NICE, *command.line),
                lambda last: heard(last.replace(str(folder), ".")),
            )

    def _reports(self, folder: Path, command: Command) -> tuple[Report | None, str]:
        found = scoring.tests(folder, command.report) if command.report else None
        return found, scoring.read_report(folder, f"{self.out}/coverage.json") if found and command.measured else ""

    async def _kept(self, name: str, command: Command, said: str) -> str:
        candidate = self.case.candidate
        begins = candidate.log or candidate.commit[:12]
        slug = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")
        return await self.tools.artefacts.keep(f"{begins}-{slug}", f"$ {command.words}\n{said}")


def _score(name: str, command: Command, run: _Run, profile: Profile) -> GateRun:
    row = scoring.score_run(name, command, run.ran, profile)
    if command.report:
        score, why = scoring.pytest_words(row, run.report)
        return replace(row, score=score, why=why)
    if command.is_suite and row.score is Score.PASS and not (command.plants and run.belief is Belief.BELIEVED):
        return replace(row, why=f"{row.why}, by its exit code alone")
    return row
