"""What pytest and coverage wrote down beside their exit codes. A program of the project could have written it, too."""

import html
import json
import re
from dataclasses import dataclass
from pathlib import Path

from agents.workspace.files.safe_open import NotThere, Tree

LARGEST = 64 << 20
_SUITE = re.compile(r"<testsuite\b[^>]*>")
_COUNT = re.compile(r'\b(errors|failures|skipped|tests)="(\d{1,9})"')
_FAILED = re.compile(r'<testcase classname="([^"]*)" name="([^"]*)"[^>]*>\s*<(?:failure|error)\b')


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    tests: int
    failed: int  # errors among them
    skipped: int
    names: tuple[str, ...] = ()  # of those that failed


def tests(folder: Path, at: str) -> Report | None:
    """None: pytest did not come to its end."""
    text = _read(folder, at)
    suite = _SUITE.search(text)
    if suite is None or "</testsuite>" not in text[-200:]:
        return None
    counts = {name: int(number) for name, number in _COUNT.findall(suite[0])}
    failed = counts.get("errors", 0) + counts.get("failures", 0)
    names = tuple(html.unescape(".".join(found)).strip(".") for found in _FAILED.findall(text))
    return Report(tests=counts.get("tests", 0), failed=failed, skipped=counts.get("skipped", 0), names=names)


def coverage(folder: Path, at: str, lines: dict[str, int]) -> float | None:
    """Percent of the changed files' lines. `lines` are their own counts, for files that no test touched."""
    try:
        measured = json.loads(_read(folder, at) or "{}").get("files", {})
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


def _read(folder: Path, at: str) -> str:
    """The folder belongs to whatever ran in it, so no link in it is followed."""
    tree = Tree(folder)
    try:
        return tree.read(at, LARGEST).decode(errors="replace")
    except (FileNotFoundError, NotThere):
        return ""
    finally:
        tree.close()
