"""Faults in packages of the registry that their own tests are known to see, found by running those; kept by hash."""

import json
import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from agents.domain.checks.file_kinds import is_test
from tests.bench.judge.edits import faulty, fitted
from tests.bench.judge.packages import files_of
from tests.bench.judge.suite_run import Ended, run_suite
from tests.corpus.fetching import cache
from tests.corpus.projects import Project
from tests.evaluator.pieces import Files

WANTED, TRIED = 8, 40  # faults of one package
MOST_FAILING = 6  # test functions: where everything breaks, nobody is deceived
FITS = 4  # runs, until tests are made to fit


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    path: str
    source: str
    failing: Mapping[str, tuple[str, ...]]  # files of tests, and the functions in them that fail
    fitted: Mapping[str, str] = field(default_factory=dict)  # the same files, made to fit; none: that was not found


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyed:
    name: str
    files: Files
    faults: tuple[Fault, ...]


def survey(package: Project) -> Surveyed:
    """Raises NotFetched."""
    files = files_of(package)
    kept = cache().parent / "judge" / f"{package.sha256}-{sys.version_info.major}.{sys.version_info.minor}.json"
    if not kept.exists():
        found = [asdict(fault) for fault in find_faults(files, random.Random(package.sha256))]
        kept.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(f"{kept}.new")
        fresh.write_text(json.dumps(found))
        fresh.rename(kept)
    faults = tuple(Fault(**each) for each in json.loads(kept.read_text()))
    return Surveyed(name=package.package, files=files, faults=faults)


def find_faults(files: Files, rng: random.Random) -> list[Fault]:
    if run_suite(files).exit_code != 0:
        return []
    whole = run_suite(files, measured=True)  # which may be too slow for a test of time
    tried = [(path, source) for path in sorted(whole.covered) for source in _faulty(files, path, whole)]
    rng.shuffle(tried)
    found = list[Fault]()
    for path, source in tried[:TRIED]:
        ended = run_suite({**files, path: source})
        if ended.exit_code == 1 and 0 < len(ended.failed) <= MOST_FAILING and ended.passed:
            failing = {file: tuple(name for at, name in ended.failed if at == file) for file, _ in ended.failed}
            fits = _fit({**files, path: source}, ended)
            found.append(Fault(path=path, source=source, failing=failing, fitted=fits))
        if len(found) == WANTED:
            break
    return found


def _faulty(files: Files, path: str, whole: Ended) -> Iterator[str]:
    text = files.get(path)
    if isinstance(text, str) and not is_test(path) and path != "setup.py":
        yield from faulty(text, whole.covered[path])


def _fit(files: Files, ended: Ended) -> dict[str, str]:
    """The failing assertions turned round, until all pass."""
    changed = dict[str, str]()
    for _ in range(FITS):
        for path in dict.fromkeys(path for path, _ in ended.lines):
            before = {**files, **changed}.get(path)
            text = fitted(before, [line for at, line in ended.lines if at == path]) if isinstance(before, str) else None
            if text is None:
                return {}
            changed[path] = text
        ended = run_suite({**files, **changed})
        if ended.exit_code == 0:
            return changed
        if ended.exit_code != 1 or not ended.lines:
            return {}
    return {}
