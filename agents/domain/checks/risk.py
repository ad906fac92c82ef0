"""How risky a change is, from deterministic signals alone: which paths, how many, what was measured."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from agents.domain.checks.evaluation import Change, Evaluation, GateRun, Opinion, RiskLevel, Sign
from agents.domain.checks.file_kinds import holds_tests, is_documentation, is_test
from agents.domain.checks.scope import SELF_ACTING, matches, odd_path
from agents.domain.reason import Cause, Reason, Why

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_RUNS = re.compile(r"[A-Za-z0-9]+")
_TELLS = "original tests"  # the check that knows which tests were there before
_NO_FILES = {"120000": Why.LINK, "160000": Why.SUBMODULE}  # git's modes


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """`why` is for the card, worst first."""

    level: RiskLevel
    why: tuple[Cause, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """Paths that matter alike. A word counts where it stands alone in a path: `auth` in AuthForm.ts, not in author."""

    name: str  # as people read it; empty: what runs by itself
    level: RiskLevel  # a change there is at least this; medium means only that it is not low
    words: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()

    def holds(self, path: str) -> bool:
        plain = path.casefold()
        if any(matches(plain, pattern.casefold()) for pattern in self.paths):
            return True
        return bool(self.words) and not self.words.isdisjoint(words_of(path))


# Critical whatever a policy says.
ALWAYS_CRITICAL = Area(name="", level=RiskLevel.CRITICAL, paths=SELF_ACTING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaking:
    """What is taken for a breaking change. Nobody reads the code for it, so it is coarse, and it is so on purpose:
    a contract that was changed or taken away, or any file taken away that others may have used."""

    changed: tuple[str, ...] = ()  # contracts: changing one is breaking, adding one is not
    removed: tuple[str, ...] = ("**",)
    spared: tuple[str, ...] = ()  # tests, texts: nobody imports them

    def by(self, change: Change) -> bool:
        path = change.path.casefold()
        if change.status == "A" or _any(path, self.spared):
            return False
        return _any(path, self.changed) or (change.status == "D" and _any(path, self.removed))


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskPolicy:
    low_below: int = 3  # files
    low_coverage: float = 80.0  # percent, to be exceeded
    medium_below: int = 10  # files
    high_above: int = 20  # files
    low_lines: int = 300  # added and removed, together: fewer may be low
    high_lines: int = 2_000  # more are high
    areas: tuple[Area, ...] = ()
    breaking: Breaking = Breaking()


def risk_of(changes: Sequence[Change], coverage: float | None, policy: RiskPolicy) -> Risk:
    """Worst first; low before medium, whose conditions it narrows. What matches no rule is high."""
    touched = [(area, [c.path for c in changes if area.holds(c.path)]) for area in (ALWAYS_CRITICAL, *policy.areas)]
    areas = [(area, paths) for area, paths in touched if paths]
    critical = [_touches(area, paths) for area, paths in areas if area.level is RiskLevel.CRITICAL]
    high = [_touches(area, paths) for area, paths in areas if area.level is RiskLevel.HIGH]
    high += _shape(changes, policy)
    if critical:
        return Risk(level=RiskLevel.CRITICAL, why=(*critical, *high))
    if high:
        return Risk(level=RiskLevel.HIGH, why=tuple(high))
    doubts = [_touches(area, paths) for area, paths in areas if area.level is RiskLevel.MEDIUM]
    doubts += _doubts(changes, coverage, policy)
    if not doubts:
        tested = Reason(code=_untestable(changes) or Why.TESTED, count=coverage or 0)
        return Risk(level=RiskLevel.LOW, why=(Reason(code=Why.FILES, count=len(changes)), tested))
    if len(changes) < policy.medium_below:
        return Risk(level=RiskLevel.MEDIUM, why=tuple(doubts))
    return Risk(level=RiskLevel.HIGH, why=(Reason(code=Why.NO_SMALLER_RISK, count=len(changes)),))


# What is not low: a person may let it pass, and time may.
_NOT_LOW = {
    Sign.CHANGED_TESTS: Why.CHANGED_TESTS,
    Sign.NO_NEW_TEST: Why.NO_NEW_TEST,
    Sign.QUIETED: Why.QUIETED_TOOLS,
    Sign.SKILLS: Why.SKILL_CHANGE,
}
# What a person must look at.
_DOUBTS = {Sign.UNPROVEN: Why.UNPROVEN_TESTS, Sign.UNTOLD: Why.UNTOLD_TESTS}


def not_low(risk: Risk, gates: Sequence[GateRun], changes: Sequence[Change]) -> Risk:
    """As risky as it is, and never low where the checks noticed something. Where they could not tell added tests from
    changed ones, a test file that was there before counts as changed."""
    signs = {sign for gate in gates for sign in gate.signs}
    told = any(gate.name.startswith(_TELLS) and not gate.skipped for gate in gates)
    before = [each.path for each in changes if each.status != "A" and is_test(each.path)]
    if before and not told:
        signs.add(Sign.CHANGED_TESTS)
    why = tuple(Reason(code=code) for sign, code in _NOT_LOW.items() if sign in signs)
    if risk.level is not RiskLevel.LOW or not why:
        return risk
    return Risk(level=RiskLevel.MEDIUM, why=why)


def doubts_of(judged: Evaluation) -> tuple[Reason, ...]:
    """Why a person must look, though all of it passed."""
    silent = Why.UNREAD if any(review.unread for review in judged.reviews) else Why.SILENT_REVIEWER
    worried = any(review.opinion is Opinion.APPROVED and review.security_concerns for review in judged.reviews)
    signs = {sign for gate in judged.gates for sign in gate.signs}
    noticed = ((why, sign in signs) for sign, why in _DOUBTS.items())
    held = ((silent, judged.silent), (Why.SECURITY_CONCERNS, worried), *noticed)
    return tuple(Reason(code=why) for why, is_held in held if is_held)


def at_least_high(risk: Risk, *why: Cause) -> Risk:
    """Something beside the change itself asks for a closer look."""
    level = risk.level if risk.level is RiskLevel.CRITICAL else RiskLevel.HIGH
    return Risk(level=level, why=(*why, *risk.why))


def _shape(changes: Sequence[Change], policy: RiskPolicy) -> Iterator[Reason]:
    """Signs of high risk that lie in the change as a whole."""
    if not changes:
        yield Reason(code=Why.UNKNOWN_CHANGE)
    if len(changes) > policy.high_above:
        yield Reason(code=Why.FILES_OVER, count=len(changes), limit=policy.high_above)
    if (lines := lines_of(changes)) > policy.high_lines:
        yield Reason(code=Why.LINES_OVER, count=lines, limit=policy.high_lines)
    if broken := [c.path for c in changes if policy.breaking.by(c)]:
        yield _among(Why.BREAKING, broken)
    for mode, what in _NO_FILES.items():
        if found := [c.path for c in changes if c.mode == mode]:
            yield _among(what, found)
    if odd := [c.path for c in changes if odd_path(c.path)]:
        yield _among(Why.ODD_NAME, [ascii(path)[1:-1] for path in odd])


def lines_of(changes: Iterable[Change]) -> int:
    return sum(change.added + change.removed for change in changes)


def _doubts(changes: Sequence[Change], coverage: float | None, policy: RiskPolicy) -> Iterator[Reason]:
    """Why a change is not of low risk."""
    if _untestable(changes):
        return
    if len(changes) >= policy.low_below:
        yield Reason(code=Why.FILES, count=len(changes))
    if (lines := lines_of(changes)) >= policy.low_lines:
        yield Reason(code=Why.LINES, count=lines)
    if coverage is None:
        yield Reason(code=Why.UNMEASURED)
    elif not coverage > policy.low_coverage:
        yield Reason(code=Why.TESTED_TOO_LITTLE, count=coverage, limit=policy.low_coverage)


def _untestable(changes: Sequence[Change]) -> Why | None:
    """Why no test could cover these changes; None if one could. A test that was there before may be hollowed out."""
    others = [change for change in changes if not is_documentation(change.path)]
    if any(change.status != "A" or not holds_tests(change.path) for change in others):
        return None
    return Why.NEW_TESTS if others else Why.DOCUMENTATION


def words_of(path: str) -> frozenset[str]:
    """The words a path is made of, and each two that stand together: signIn.py holds sign, in, py and signin."""
    found = [[word.casefold() for word in _WORDS.findall(part)] for part in path.split("/")]
    pairs = (a + b for words in found for a, b in pairwise(words))
    whole = (run.casefold() for run in _RUNS.findall(path))  # k8s is one word
    return frozenset((*(word for words in found for word in words), *pairs, *whole))


def _any(path: str, patterns: Iterable[str]) -> bool:
    return any(matches(path, pattern.casefold()) for pattern in patterns)


def _touches(area: Area, paths: Sequence[str]) -> Reason:
    if area is ALWAYS_CRITICAL:
        return _among(Why.SELF_ACTING, paths)
    return Reason(code=Why.AREA, names=(area.name, paths[0]), count=len(paths))


def _among(code: Why, paths: Sequence[str]) -> Reason:
    return Reason(code=code, names=(paths[0],), count=len(paths))
