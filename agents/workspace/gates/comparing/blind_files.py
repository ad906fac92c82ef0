"""Tests in other languages that were changed: the suite must notice the planted faults that it noticed before.

Runners that name no tests are asked by their exit code, so the suite is tried as a whole: as it is now, and, where it
says nothing, as it was.
"""

from collections.abc import Iterator
from dataclasses import replace

from agents.domain.checks.file_kinds import is_code
from agents.domain.checks.inline_tests import take_apart, with_tests_of
from agents.domain.checks.text_faults import faults_in_text
from agents.workspace.gates.comparing.suite_files import SuiteFiles
from agents.workspace.gates.comparing.suite_runs import SuiteRuns
from agents.workspace.gates.detect import Way
from agents.workspace.gates.gate_runner import AS_COMMITTED
from agents.workspace.gates.originals import Restored
from agents.workspace.git import objects

FAULTS_MOST, SOURCES_MOST, LARGEST = 6, 12, 200_000
SECONDS = 60.0  # of one run
MISSED_MOST = 1  # that it noticed as it was
_JS = (".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".mts", ".cts")
_SUFFIXES = {Way.NPM: _JS, Way.GO: (".go",), Way.CARGO: (".rs",)}
Planted = tuple[str, str]  # a path, and the text with a fault in it


async def overlooks(suite: SuiteRuns, files: SuiteFiles) -> int | None:
    """How many faults it noticed before and does not now, if those are too many. None: none was tried."""
    changed = _changed_tests(files)
    if suite.by_name or files.way not in _SUFFIXES or not changed:
        return None
    faults = _spread(await _sources(files, changed))
    noticed = missed = tried = 0
    for path, text in faults:
        if tried == FAULTS_MOST:
            break
        now = await _exit_code(suite, AS_COMMITTED, path, text)
        was = 1 if now else await _exit_code(suite, files.as_before, path, _as_it_was(files, path, text))
        tried += now is not None and was is not None
        noticed += bool(now)
        missed += now == 0 and bool(was)
    if not tried:
        return None
    return missed if missed > MISSED_MOST or missed > noticed else 0


def _changed_tests(files: SuiteFiles) -> dict[str, str]:
    """What they were, by path."""
    case, endings = files.case, _SUFFIXES.get(files.way or Way.PYTEST, ())
    there = (each.change.path for each in files.parts_changed if each.before is not None and each.after is not None)
    found = {path: case.former.get(path, b"").decode(errors="replace") for path in there if path.endswith(endings)}
    return {**found, **{path: take_apart(old).tests for path, (old, _) in files.inline.items()}}


async def _sources(files: SuiteFiles, changed: dict[str, str]) -> dict[str, str]:
    """Of the program; what the tests name goes first, and alone if there is any."""
    case, endings = files.case, _SUFFIXES[files.way or Way.NPM]
    own = [entry for path, entry in case.has.items() if case.owns(path) and path.endswith(endings)]
    mine = [each for each in own if is_code(each.path) and not files.holds(each.path) and each.size <= LARGEST]
    said = "\n".join(changed.values())
    named = [each for each in mine if each.path in changed or _stem(each.path) in said]
    found = await objects.blobs(case.repository, (named or mine)[:SOURCES_MOST])
    return {path: content.decode(errors="replace") for path, content in found.items()}


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _spread(texts: dict[str, str]) -> Iterator[Planted]:
    """One fault of each file, then the next of each."""
    left = {path: _planted(path, text) for path, text in texts.items()}
    while left:
        for path in tuple(left):
            if (text := next(left[path], None)) is None:
                del left[path]
            else:
                yield path, text


def _planted(path: str, text: str) -> Iterator[str]:
    """Not in tests that stand in the same file."""
    parts, typed = take_apart(text), not path.endswith(_JS)
    return (f"{above}{parts.tests}{parts.below}" for above in faults_in_text(parts.above, is_typed=typed))


def _as_it_was(files: SuiteFiles, path: str, text: str) -> str:
    return with_tests_of(text, files.inline[path][0]) if path in files.inline else text


async def _exit_code(suite: SuiteRuns, back: Restored, path: str, text: str) -> int | None:
    planted = replace(back, texts={**back.texts, path: text.encode()})
    command = replace(suite.command, plants=None, seconds=SECONDS)
    return (await suite.runner.run("a planted fault", command, restored=planted, again=True)).row.exit_code
