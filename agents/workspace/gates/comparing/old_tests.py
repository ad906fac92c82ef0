"""What the tests said before counts: the old suite runs on the new code, and nothing of it may be missing or weaker."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agents.domain.checks.changed_tests import SHOWN_MOST
from agents.domain.checks.evaluation import GateRun, Rung, Score, Sign
from agents.domain.checks.python_tests import Compared, lost_tests, weaker_functions
from agents.domain.checks.suite import Results, cases, difference, fewer_cases, files_with, is_in, newly_skipped
from agents.domain.planning.work_kind import WorkKind
from agents.workspace.gates import scoring
from agents.workspace.gates.comparing.blind_files import overlooks
from agents.workspace.gates.comparing.blind_tests import blind_tests
from agents.workspace.gates.comparing.lines import new_lines
from agents.workspace.gates.comparing.suite_files import SuiteFiles
from agents.workspace.gates.comparing.suite_runs import SuiteRuns, results_of
from agents.workspace.gates.gate_runner import Outcome
from agents.workspace.gates.originals import few, many

ORIGINALS = "original tests"


async def judge_old_tests(suite: SuiteRuns, files: SuiteFiles) -> GateRun:
    """Tests as they were, on the code as it is now: what was edited to pass is seen."""
    back, name = files.as_before, suite.runner.title(ORIGINALS)
    examples = files.lost_examples
    if (not back.changes_anything and not examples) or files.are_first:
        if gone := await _left_out(suite):
            why = f"{many(len(gone), 'test')} not run any more, though no test was changed: {few(gone)}"
            return GateRun(name=name, score=Score.NEEDS_REVISION, why=why)
        why = "there were none before" if back.changes_anything else "none was changed"
        return GateRun(name=name, score=Score.PASS, why=why)
    if (suite.tested is None or suite.tested.row.exit_code is None) and not suite.runner.case.is_gone:
        return scoring.not_run(name, "the tests did not come to an end")
    outcome = await suite.runner.run(name, suite.command, restored=back)
    if outcome.row.score is Score.FAIL:
        return outcome.row
    outcome = await suite.read_on(name, outcome, back)
    failing = await _failing(suite, files, outcome)
    compared = files.comparison
    rungs = (Rung.OLD_TESTS, *files.rungs)
    signs = (Sign.CHANGED_TESTS,) if any(True for _ in files.differences(compared.changes)) else ()
    reasons = [*failing, *_Missing(suite=suite, files=files, compared=compared, outcome=outcome).words()]
    blind = None if reasons else await _blind(suite, files)
    rungs = rungs if blind is None else (*rungs, Rung.FAULTS)
    reasons = [*reasons, *([blind] if blind else [])]
    if not reasons:
        return replace(outcome.row, score=Score.PASS, why=_content(outcome, compared), signs=signs, rungs=rungs)
    row = replace(outcome.row, score=Score.NEEDS_REVISION, why="; ".join(reasons), signs=signs, rungs=rungs)
    return _for_a_person(row, suite, files, compared)


async def _blind(suite: SuiteRuns, files: SuiteFiles) -> str | None:
    """What speaks against the tests as they are; empty: nothing. None: no fault was tried."""
    blind = await blind_tests(suite, files)
    if blind:
        return f"{many(len(blind), 'test')} noticed planted faults as they were, and not as they are: {few(blind)}"
    missed = await overlooks(suite, files)
    if missed:
        return f"the tests noticed {many(missed, 'planted fault')} as they were, and not as they are"
    return None if blind is None and missed is None else ""


async def _left_out(suite: SuiteRuns) -> list[str]:
    """Tests in files that are there as they were, of which no case is run now."""
    had = await suite.ran_before()
    if had is None or not suite.now.all:
        return []
    case = suite.runner.case
    paths = [case.inside(path) for path in case.has if case.owns(path) and case.is_test(path)]
    now = cases((*suite.now.ran, *_unread(suite, had)))
    return sorted(name for name in cases(had.ran) if not now[name] and any(is_in(name, path) for path in paths))


def _unread(suite: SuiteRuns, had: Results) -> set[str]:
    """Of files that could not be read as handed in, which is told elsewhere."""
    return {name for name in cases(had.ran) if any(name.startswith(f"{each}.") for each in suite.now.failed)}


def _for_a_person(row: GateRun, suite: SuiteRuns, files: SuiteFiles, compared: Compared) -> GateRun:
    """Where the approved plan says that these tests change, a person may accept them as they are now."""
    candidate = suite.runner.case.candidate
    shown = tuple(files.differences(compared.changes))
    if not candidate.changes_tests or not shown:
        return row
    if all(each.key in candidate.accepted for each in shown):
        return replace(row, score=Score.PASS, why=f"{many(len(shown), 'changed test')} accepted: {row.why}")
    told = shown[:SHOWN_MOST]
    return replace(row, changed_tests=told, unshown=tuple(each.key for each in shown[SHOWN_MOST:]))


def _content(outcome: Outcome, compared: Compared) -> str:
    said = outcome.row.why if outcome.row.score is Score.PASS else "what fails now failed before, too"
    gone = [each.name for each in compared.changes if each.after is None and each.is_test]
    renamed = [old.rpartition(".")[2] for old in compared.moved]
    note = f"; renamed or gone: {few((*gone, *renamed))}" if gone or renamed else ""
    return f"{said}{note}"


async def _failing(suite: SuiteRuns, files: SuiteFiles, outcome: Outcome) -> list[str]:
    """What of the old suite fails on the new code and is not forgiven."""
    if outcome.row.score is Score.PASS:
        return []
    report = outcome.report
    if report is None or len(report.names) < report.failed or not report.names:
        return [] if await _said_before(suite, files, outcome) else [_unnamed(outcome, files)]
    found = difference(frozenset(report.names), await suite.before())
    still = [name for name in found.before if not _was_rewritten(name, suite, files)]
    counts = sorted(set((*found.newly, *found.before)) - set(still))
    again = counts if suite.tested is None or suite.tested.row.score is Score.PASS else []  # it is refused already
    chance = await suite.find_unsteady(again, files.as_before) if again else frozenset[str]()
    counts = [name for name in counts if name not in chance]
    return [f"{len(counts)} of the tests as they were fail on the new code: {few(counts)}"] if counts else []


def _was_rewritten(name: str, suite: SuiteRuns, files: SuiteFiles) -> bool:
    """A test that failed before is forgiven if it fails as handed in, too: else what was changed of the suite has it
    pass. Where work is about tests alone, only if it was changed itself."""
    if suite.runner.case.candidate.kind is WorkKind.TESTS:
        touched = [suite.runner.case.inside(each.change.path) for each in files.parts_changed]
        found = files_with([name], map(suite.runner.case.inside, suite.runner.case.had))
        if found and not any(is_in(name, path) for path in touched):
            return False
    return name not in suite.now.failed


async def _said_before(suite: SuiteRuns, files: SuiteFiles, outcome: Outcome) -> bool:
    """A runner that names no tests: whether all that it complains of it says of the base and of the work, too."""
    if outcome.row.exit_code is None or suite.by_name or suite.tested is None:
        return False
    before = await suite.on_base()
    if before.row.exit_code in (0, None) or suite.tested.row.exit_code == 0:
        return False
    others = (before.said, suite.tested.said)
    return not any(new_lines(outcome.said, other, all_of_them=False) for other in others)


def _unnamed(outcome: Outcome, files: SuiteFiles) -> str:
    back = files.as_before
    edited = [entry.path for entry in back.over] or back.without or tuple(back.texts)
    return f"the tests as they were do not pass ({outcome.row.why}): {few(edited)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Missing:
    """What the suite as handed in lacks of what it was."""

    suite: SuiteRuns
    files: SuiteFiles
    compared: Compared
    outcome: Outcome

    def words(self) -> Iterator[str]:
        gone = self._gone()
        if gone:
            yield f"{many(len(gone), 'test')} fewer than before (gone: {few(gone)})"
        yield from self._thinned()
        if weaker := [each.name for each in weaker_functions(self.compared.changes)]:
            yield f"{many(len(weaker), 'test')} or what they use cannot fail any more, or assert less: {few(weaker)}"
        if equal := self.files.equal_to_all:
            yield f"tests whose values are equal to anything: {few(equal)}"
        yield from self._by_run()
        yield from self._data()
        yield from self.files.weakening.words
        if asked := [each for lost in self.files.lost_examples.values() for each in lost]:
            yield f"{many(len(asked), 'example')} in the documentation changed or went: {few(asked)}"

    def _gone(self) -> list[str]:
        """By the syntax tree; and by the run those that are there and are not found any more."""
        lost = {each.known_as for each in lost_tests(self.compared.changes)}
        joined = {each.known_as for each in self.compared.changes if each.after is None} - lost
        had, has = results_of(self.outcome).ran, cases(self.suite.now.all)
        moved = self._moved
        found = {name for name in cases(had) if not has[moved.get(name, name)]} if self._is_told else set[str]()
        return sorted(lost | (found - joined - _unread(self.suite, results_of(self.outcome))))

    @property
    def _is_told(self) -> bool:
        whole = bool(self.suite.now.all) or self.suite.runner.case.is_gone
        return whole and bool(results_of(self.outcome).all)

    @property
    def _moved(self) -> dict[str, str]:
        return self.compared.moved_among(results_of(self.outcome).all)

    def _thinned(self) -> Iterator[str]:
        if not self._is_told:
            return
        fewer = fewer_cases(results_of(self.outcome).all, self.suite.now.all, self._moved)
        if fewer:
            told = [f"{name.rpartition('.')[2]} has {now} of {had}" for name, (had, now) in fewer.items()]
            yield f"fewer cases than before: {few(told)}"

    def _by_run(self) -> Iterator[str]:
        """What passes as it was and is now skipped."""
        if skipped := newly_skipped(results_of(self.outcome), self.suite.now, self._moved):
            yield f"{many(len(skipped), 'test')} that would pass and are skipped now: {few(_short(skipped))}"

    def _data(self) -> Iterator[str]:
        gone = [each.change.path for each in self.files.data if each.after is None]
        less = [each.change.path for each in self.files.data if each.after and each.change.removed > each.change.added]
        if gone:
            yield f"test data that is gone: {few(gone)}"
        if less:
            yield f"test data that is less than before: {few(less)}"


def _short(names: Sequence[str]) -> list[str]:
    return [name.rpartition(".")[2] for name in names]
