"""Which tests run a line: a pytest plugin that writes it down, and the map that is read from it.

`coverage` keeps one context a test. Programs that tests start as processes of their own are not seen.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

FOLDER = "OVERLORD_COVERAGE_MAP"  # where the plugin writes; each process of xdist its own files
COMBINED = "all"


class Recorder:
    def __init__(self, folder: Path) -> None:
        self._folder, self._worker = folder, os.environ.get("PYTEST_XDIST_WORKER", "main")
        self._coverage = coverage.Coverage(
            data_file=str(folder / f"lines.{self._worker}"), source=["bot", "agents", "store"], config_file=False
        )
        self._seconds: dict[str, float] = {}
        self._failed: list[str] = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        yield
        self._coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] = self._seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self._failed.append(report.nodeid)

    def pytest_sessionstart(self) -> None:
        self._coverage.start()

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        self._coverage.save()
        written = json.dumps({"seconds": self._seconds, "failed": self._failed})
        (self._folder / f"tests.{self._worker}.json").write_text(written)


def pytest_configure(config: pytest.Config) -> None:
    if folder := os.environ.get(FOLDER):
        config.pluginmanager.register(Recorder(Path(folder)))


class CoverageMap:
    """What a recorded run says: the tests of a line, quickest first."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._root = root
        self._seconds: dict[str, float] = {}
        self._failed: set[str] = set()
        for file in folder.rglob("tests.*.json"):
            told = json.loads(file.read_text())
            self._seconds |= told["seconds"]
            self._failed |= set(told["failed"])
        combined = coverage.Coverage(data_file=str(folder / COMBINED), config_file=False)
        if not (folder / COMBINED).exists():
            combined.combine([str(file) for file in folder.rglob("lines.*")], keep=True)
            combined.save()
        combined.load()
        self._data = combined.get_data()

    @property
    def seconds(self) -> dict[str, float]:
        return self._seconds

    def tests_of(self, path: str, first: int, last: int) -> list[str]:
        """Those of the whole module, where the line runs only while it is imported."""
        lines = self._data.contexts_by_lineno(str(self._root / path))
        names = {name for line in range(first, last + 1) for name in lines.get(line, []) if name}
        names = names or {name for names in lines.values() for name in names if name}
        return sorted(names - self._failed, key=lambda name: self._seconds.get(name, 0.0))

    def is_run(self, path: str, line: int) -> bool:
        return line in (self._data.lines(str(self._root / path)) or [])
