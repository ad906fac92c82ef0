"""What became of the tests that were there before: which are put back for another run, and what is missing of them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from agents.domain.checks.file_kinds import is_test
from agents.domain.text.sanitize import clean, one_line
from agents.workspace.gates.detect import MAKEFILES, PYTEST_INI, Look, Way, cargo_settings, pytest_settings
from agents.workspace.git.objects import Differing, Entry

NAMED_MOST, NAME_MOST = 6, 90
# Python loads these by itself, or in place of the tool that was meant.
_LOADED = re.compile(r"(^|/)((site|user)customize|pytest|_pytest|coverage|pluggy)(\.py|/.*)$|\.pth$")
_SETS = re.compile(
    r"^((jest|vitest|karma|playwright)\.config\.\w+|\.mocharc\.\w+|noxfile\.py|\.npmrc|rust-toolchain(\.toml)?)$"
    r"|^(node_modules|\.cargo)/"
)

_CHECKS = re.compile(
    r"(?i)(^|/)(\.?ruff\.toml|pyproject\.toml|setup\.cfg|tox\.ini|\.flake8|\.?mypy\.ini|\.?pylintrc(\.toml)?|\.bandit"
    r"|pyrightconfig\.json|tsconfig[\w.-]*\.json|package\.json|biome\.jsonc?|\.stylelintrc(\.\w+)?"
    r"|eslint\.config\.\w+|\.eslintrc(\.\w+)?|\.(eslint|prettier|git)?ignore|\.golangci\.\w+|\.?(clippy|rustfmt)\.toml"
    r"|(gnu)?makefile)$"
)

_TESTS = re.compile(
    r"(?m)^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*)[ \t]*\(|^func[ \t]+(Test\w+)[ \t]*\("
    r"|\bx?(?:it|test)(?:\.(?:skip|todo))?[ \t]*\([ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|`([^`\n]+)`)"
    r"|#\[(?:\w+::)?test\]\s*(?:async\s+)?fn\s+(\w+)"
)
_ASSERTS = re.compile(
    r"(?m)^[ \t]*assert\b|\bself\.(?:assert|fail)\w*[ \t]*\(|\bpytest\.(?:raises|warns|approx)\b"
    r"|\bexpect[ \t]*\(|\bassert\w*!?[.(]|\bt\.(?:Error|Fatal|Fail)\w*[ \t]*\("
)
_SKIPS = re.compile(
    r"\bmark\.(?:skip|skipif|xfail)\b|\bpytest\.(?:skip|xfail|importorskip)\b|\bunittest\.(?:skip\w*|expectedFailure)\b"
    r"|@skip\w*\b|\bself\.skipTest\b|\b(?:it|test|describe)\.(?:skip|todo)\b|\bx(?:it|describe|test)[ \t]*\("
    r"|\bt\.Skip\w*\(|#\[ignore\b|\bcollect_ignore\w*|__test__[ \t]*=[ \t]*False"
    r"|\{\s*(?:skip|todo)\s*:\s*(?!false\b)|#\[cfg\((?:any\(\)|FALSE|false)\)\]|\b\w+\.(?:skip|todo)\(\)"
)
# What leaves a test before it says anything, or takes a failure for none.
_EMPTIES = re.compile(
    r"(?:=>|\bfunction\s*+\w*+\s*+\([^)\n]*\)|\bfn\s+\w+\(\)(?:\s*->[^{\n]*)?|^func\s+Test\w+\([^)\n]*\))\s*\{\s*return\s*[;\n}]"
    r"|\bcatch\s*(?:\([^)\n]*\)\s*)?\{\s*\}|\brecover\(\)|\bcatch_unwind\b|\.catch\(\s*\([^)\n]*\)\s*=>\s*(?:\{\s*\}|null|undefined)\s*\)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """How to lay out the new code with the original tests."""

    over: tuple[Entry, ...]  # as they were
    without: tuple[str, ...]  # what was added to them
    texts: Mapping[str, bytes] = field(default_factory=dict)  # files that are in no commit

    def lay_over(self, there: Mapping[str, Entry]) -> tuple[Entry, ...]:
        added = frozenset(self.without)
        kept = {path: entry for path, entry in there.items() if path not in added}
        laid = kept | {entry.path: entry for entry in self.over}
        own = {path: replace(laid[path], blob=sha256(text).hexdigest()) for path, text in self.texts.items()}
        return tuple((laid | own).values())

    @property
    def names(self) -> tuple[str, ...]:
        return (*(entry.path for entry in self.over), *self.without)

    @property
    def changes_anything(self) -> bool:
        """A test that was only added counts too: while it is loaded it can change what others test."""
        return bool(self.over or self.without or self.texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weakened:
    gone: tuple[str, ...] = ()  # names of tests
    fewer_tests: int = 0
    fewer_asserts: int = 0
    more_skips: int = 0
    more_empty: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """What must be mended. Tests that were renamed or joined are not counted as lost."""
        named = few(self.gone)
        said = []
        if self.fewer_tests:
            said.append(f"{many(self.fewer_tests, 'test')} fewer than before" + (f" (gone: {named})" if named else ""))
        if self.fewer_asserts:
            said.append(f"{many(self.fewer_asserts, 'assertion')} fewer in the tests that were changed")
        if self.more_skips:
            said.append(f"{many(self.more_skips, 'mark')} added that skip a test or expect it to fail")
        if self.more_empty:
            said.append(f"{many(self.more_empty, 'place')} more where a test ends early or catches its own failure")
        return tuple(said)


def restore_originals(
    differing: Sequence[Differing], before: Look, after: Look, way: Way | None, package: str = ""
) -> Restored:
    """`package`: the folder whose tests are meant, in a repository of several."""
    start = f"{package}/" if package else ""

    def is_restored(path: str) -> bool:
        own = path.removeprefix(start)
        return is_test(path) or _steers(own) or _says_how(own, before, after, way)

    return put_back(differing, is_restored)


def check_settings(differing: Sequence[Differing]) -> Restored:
    """What tells linters and type checkers how to look, or which files to leave out."""
    return put_back(differing, lambda path: _CHECKS.search(path) is not None)


def put_back(differing: Sequence[Differing], wanted: Callable[[str], bool]) -> Restored:
    over, without = [], []
    for each in differing:
        path = each.change.path
        if not wanted(path):
            continue
        if each.before is None:
            without.append(path)
        elif each.after is None or (each.before.blob, each.before.mode) != (each.after.blob, each.after.mode):
            over.append(each.before)
    return Restored(over=tuple(over), without=tuple(without))


def _steers(path: str) -> bool:
    """Changes how tests run by being there."""
    name = path.rpartition("/")[2]
    return name == "conftest.py" or _LOADED.search(path) is not None or path in PYTEST_INI or bool(_SETS.match(path))


def _says_how(path: str, before: Look, after: Look, way: Way | None) -> bool:
    if path == "pyproject.toml":
        return way is Way.PYTEST and _said(pytest_settings, before) != _said(pytest_settings, after)
    if path == "Cargo.toml":
        return way is Way.CARGO and _said(cargo_settings, before) != _said(cargo_settings, after)
    if path == "package.json":
        return way is Way.NPM and _said(_scripts, before) != _said(_scripts, after)
    return way is Way.MAKE and path in MAKEFILES


def _scripts(look: Look) -> object:
    return look.json().get("scripts")


def _said(read: Callable[[Look], object], look: Look) -> tuple[object, object]:
    """By the package, and by what it lies in."""
    return read(look), read(look.above) if look.above else None


def find_weakening(before: Mapping[str, str], after: Mapping[str, str]) -> Weakened:
    """Texts of the test files that differ, by path: as they were, and as they are with those that were added."""
    had, has = _names(before.values()), _names(after.values())
    return Weakened(
        gone=tuple(sorted((had - has).keys())),
        fewer_tests=max(0, had.total() - has.total()),
        fewer_asserts=max(0, _count(_ASSERTS, before) - _count(_ASSERTS, after)),
        more_skips=max(0, _count(_SKIPS, _known_parts(after, before)) - _count(_SKIPS, before)),
        more_empty=max(0, _count(_EMPTIES, _known_parts(after, before)) - _count(_EMPTIES, before)),
    )


def _known_parts(after: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
    """Without tests that are new: those may skip themselves. Of a new file only tests that were elsewhere are left."""
    had = _names(before.values())
    return {path: _without_new(text, had, whole=path in before) for path, text in after.items()}


def _without_new(text: str, had: Mapping[str, int], *, whole: bool) -> str:
    """`whole`: with what stands outside of tests."""
    found = [(_begins(text, each.start()), next(filter(None, each.groups()))) for each in _TESTS.finditer(text)]
    ends = (*(start for start, _ in found[1:]), len(text))
    known = [text[start:end] for (start, name), end in zip(found, ends, strict=False) if name in had]
    outside = text[: found[0][0]] if found else text
    return "".join((outside if whole or known else "", *known))


def _begins(text: str, at: int) -> int:
    """Where a test begins, with its marks: lines right above it."""
    start = at = text.rfind("\n", 0, at) + 1
    while at > 0:
        above = text.rfind("\n", 0, at - 1) + 1
        line = text[above:at].strip()
        if not line:
            break
        at = above
        if line.startswith(("@", "#[")):
            start = at
    return start


def _names(texts: Iterable[str]) -> Counter[str]:
    return Counter(next(filter(None, found.groups())) for text in texts for found in _TESTS.finditer(text))


def _count(pattern: re.Pattern[str], texts: Mapping[str, str]) -> int:
    return sum(1 for text in texts.values() for _ in pattern.finditer(text))


def few(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED_MOST} more" if len(names) > NAMED_MOST else ""
    return ", ".join(one_line(clean(name), NAME_MOST) for name in names[:NAMED_MOST]) + more


def many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
