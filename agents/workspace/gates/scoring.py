"""What the end of a command means. The exit code decides; a report is evidence that a program may have forged."""

import html
import json
import re
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from agents.domain.checks.evaluation import NOT_RUN, GateRun, OnFail, Score
from agents.domain.checks.suite import Results
from agents.domain.models.program_end import CANNOT_RUN, ERROR_OF_END
from agents.ports import EndedBy, Profile, Ran
from agents.workspace.files.safe_open import NotThere, Tree
from agents.workspace.gates.gate_commands import Command
from agents.workspace.gates.originals import few

LARGEST = 64 << 20
_SUITE = re.compile(r"<testsuite\b[^>]*>")
_COUNT = re.compile(r'\b(errors|failures|skipped|tests)="(\d{1,9})"')
_CASE = re.compile(r'classname="([^"]*)" name="([^"]*)"')
_UNREAD = re.compile(r'<testcase classname="" name="[^"]*"[^>]*>\s*<(?:error|skipped)\b')
_ENDED_BADLY = re.compile(r"<(failure|error|skipped)\b")
TOLD = 2_000  # characters of output on a card and in feedback
_MB = 1 << 20
CANNOT_COLLECT = (2, 3, 4)
_PROGRAM = r"[`'\"‘]?([\w./@+-]{1,80})[`'\"’]?"
# As shells, env and make say it.
_MISSING = re.compile(rf"(?:^|[\s:]){_PROGRAM}: (?:command )?not found\b|: {_PROGRAM}: No such file or directory", re.M)
_PYTEST = {
    1: "tests failed",
    2: "tests could not be collected",
    3: "pytest broke down",
    4: "pytest could not start",
    5: "no tests were found",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    tests: int
    failed: int  # errors among them
    skipped: int
    names: tuple[str, ...] = ()  # of those that failed
    passed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()  # skipped, or expected to fail
    unread: int = 0  # files that could not be read, or were skipped whole: they are told like tests, and none ran

    @property
    def ran(self) -> int:
        return self.tests - self.skipped

    @property
    def results(self) -> Results:
        failed = frozenset(self.names)
        passed, skipped = frozenset(self.passed) - failed, frozenset(self.left_out) - failed
        return Results(passed=passed - skipped, failed=failed, skipped=skipped)


def tests(folder: Path, at: str) -> Report | None:
    """None: pytest did not come to its end."""
    text = read_report(folder, at)
    suite = _SUITE.search(text)
    if suite is None or "</testsuite>" not in text[-200:]:
        return None
    counts = {name: int(number) for name, number in _COUNT.findall(suite[0])}
    failed = counts.get("errors", 0) + counts.get("failures", 0)
    names = _names(text)
    return Report(
        tests=counts.get("tests", 0),
        failed=failed,
        skipped=counts.get("skipped", 0),
        names=tuple((*names["failure"], *names["error"])),
        passed=tuple(names[""]),
        left_out=tuple(names["skipped"]),
        unread=sum(1 for _ in _UNREAD.finditer(text)),
    )


def _names(text: str) -> dict[str, list[str]]:
    """Of the tests, by how they ended; what tests say is escaped there."""
    found = dict[str, list[str]]({"": [], "failure": [], "error": [], "skipped": []})
    for each in text.split("<testcase ")[1:]:
        if named := _CASE.match(each):
            badly = _ENDED_BADLY.search(each)
            found[badly[1] if badly else ""].append(html.unescape(".".join(named.groups())).strip("."))
    return found


def coverage(written: str, lines: dict[str, int]) -> float | None:
    """Percent of the changed files' lines. `lines` are their own counts, for files that no test touched."""
    try:
        measured = json.loads(written or "{}").get("files", {})
        seen = {path: _summary(measured.get(path)) for path in lines}
    except (ValueError, AttributeError, TypeError, RecursionError):
        return None
    covered = sum(found[0] for found in seen.values() if found)
    total = sum(found[1] if found else lines[path] for path, found in seen.items())
    return round(100 * covered / total, 1) if 0 <= covered <= total and total else None


def _summary(file: object) -> tuple[int, int] | None:
    if not isinstance(file, dict):
        return None
    summary = file["summary"] if isinstance(file.get("summary"), dict) else {}
    return int(summary.get("covered_lines", 0)), int(summary.get("num_statements", 0))


def read_report(folder: Path, at: str) -> str:
    """The folder belongs to whatever ran in it, so no link in it is followed."""
    try:
        with closing(Tree(folder)) as tree:
            return tree.read(at, LARGEST).decode(errors="replace")
    except (FileNotFoundError, NotThere):
        return ""


def score_run(name: str, command: Command, ran: Ran, profile: Profile) -> GateRun:
    score, why = _verdict(command, ran, profile)
    return GateRun(
        name=name,
        score=score,
        why=why,
        command=command.words,
        exit_code=ran.exit_code,
        seconds=round(ran.seconds, 2),
        error=_error(ran),
    )


def _error(ran: Ran) -> str:
    """Why the command says nothing about the work: its sandbox died under it, or what it names is not installed."""
    known = ERROR_OF_END[ran.ended_by] if ran.ended_by is EndedBy.KILLED else CANNOT_RUN.get(ran.exit_code or 0)
    return known.value if known else ""


def _verdict(command: Command, ran: Ran, profile: Profile) -> tuple[Score, str]:
    if ran.ended_by is not EndedBy.EXIT:
        return Score.NEEDS_REVISION, _ending(ran.ended_by, profile)
    if ran.exit_code == 0:
        return Score.PASS, "passed"
    if ran.exit_code in CANNOT_RUN:
        return Score.FAIL, f"it cannot be run here (exit code {ran.exit_code}): {_advice(command, ran.output)}"
    code = ran.exit_code or 0
    return Score.NEEDS_REVISION, f"ended by signal {code - 128}" if code > 128 else f"exit code {code}"


def _advice(command: Command, said: str) -> str:
    """A program that the command itself starts with has to be installed; any other one is the project's own."""
    found = _MISSING.search(said)
    missing = (found[1] or found[2]).rpartition("/")[2] if found else ""
    if not missing or missing == command.argv[0].rpartition("/")[2]:
        return f"install {command.needs or 'what it names'}"
    if missing == command.shown.partition(" ")[0]:
        return f"install {missing}, or correct the command"
    return f"{missing} was not found, which the project brings along: set up its environment, then check again"


def _ending(by: EndedBy, profile: Profile) -> str:
    said = {
        EndedBy.TIMEOUT: f"not done after {profile.seconds:g} s",
        EndedBy.MEMORY: f"it took more than {profile.memory // _MB:,} MB of memory",
        EndedBy.OUTPUT: f"it said more than {profile.output // _MB:,} MB",
        EndedBy.DISK: f"it wrote more than {profile.disk // _MB:,} MB",
    }
    return said.get(by, "it ended without a word")


def pytest_words(row: GateRun, report: Report | None) -> tuple[Score, str]:
    """An exit code of 0 counts only if pytest came to its end: a program may leave early, and seem content."""
    if row.exit_code is None or row.score is Score.FAIL:
        return row.score, row.why
    if row.exit_code == 0:
        if report is None:
            return Score.NEEDS_REVISION, "it ended before pytest had come to its end"
        if report.failed:
            return Score.NEEDS_REVISION, f"{report.failed} of {report.tests} failed, though pytest was made to say 0"
        skipped = f", {report.skipped} skipped" if report.skipped else ""
        return Score.PASS, f"{report.ran} passed{skipped}"
    if row.exit_code == 1 and report is not None:
        return Score.NEEDS_REVISION, f"{report.failed} of {report.tests} failed: {few(report.names)}"
    return Score.NEEDS_REVISION, _PYTEST.get(row.exit_code, row.why)


def not_run(name: str, because: str) -> GateRun:
    """No pass, for nobody looked; and nothing to mend either."""
    return GateRun(name=name, score=Score.NEEDS_REVISION, why=f"{NOT_RUN}: {because}")


def after(score: Score, on_fail: OnFail) -> Score:
    return Score.FAIL if score is Score.NEEDS_REVISION and on_fail is OnFail.BLOCK else score


def tail(text: str, most: int = TOLD) -> str:
    """The end, in whole lines."""
    if len(text) <= most:
        return text.strip()
    _, _, kept = text[-most + 2 :].partition("\n")
    return f"…\n{(kept or text[-most + 2 :]).strip()}"


def head(text: str, most: int = TOLD) -> str:
    if len(text) <= most:
        return text.strip()
    kept, _, _ = text[: most - 2].rpartition("\n")
    return f"{(kept or text[: most - 2]).strip()}\n…"
