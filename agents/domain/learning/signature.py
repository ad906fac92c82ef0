"""What kind of failure something was, so that the same failure in another task is known again, in whatever words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from agents.domain.checks.evaluation import Evaluation, GateRun, Score
from agents.domain.ids import TaskId, fingerprint

MOST = 6  # names that a message keeps
READ = 6_000  # characters of a message, from its end: what is said last is why it ended
BLOCKED = "blocked"  # the check of a worker that says that it cannot go on


class Obstacle(StrEnum):
    """What is in the way, where its words say so."""

    MISSING_COMMAND = "missing_command"
    MISSING_MODULE = "missing_module"
    MISSING_FILE = "missing_file"
    MISSING_VARIABLE = "missing_variable"
    NO_PERMISSION = "no_permission"
    NO_NETWORK = "no_network"
    NO_SPACE = "no_space"
    TIMEOUT = "timeout"
    RULES = "rules"  # of a linter or a type checker, by their codes
    TESTS = "tests"  # by their names
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Two failures are the same if check, error, obstacle, names and area are."""

    check: str
    error: str = ""  # an ErrorClass, where it came to no result
    obstacle: Obstacle = Obstacle.OTHER
    names: tuple[str, ...] = ()  # of what is in the way: a command, a rule, a test; sorted
    area: str = ""  # the folder at the top that it is in; empty: all over, or nowhere
    role: str = ""
    engine: str = ""

    @property
    def key(self) -> str:
        """Who met it does not count: the next one would, too."""
        return fingerprint(self.check, self.error, self.obstacle, self.area, *self.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A failure that more than one task met."""

    signature: Signature
    tasks: tuple[TaskId, ...]  # the oldest first


_NAME = r"[`'\"“‘]?\b([\w@][\w@./+-]{0,80}?)[`'\"”’]?"
_OBSTACLES = (  # as text: compiled when a failure is read, not by whoever loads this
    (Obstacle.MISSING_MODULE, rf"no module named {_NAME}(?:\s|$|[;,.:)])"),
    (Obstacle.MISSING_MODULE, rf"cannot find (?:module|package) {_NAME}(?:\s|$|[;,.:)])"),
    (Obstacle.MISSING_MODULE, rf"(?:module|package|crate) {_NAME} (?:is|was|could)? ?(?:not|missing|n.t)"),
    (Obstacle.MISSING_COMMAND, rf"{_NAME}: (?:command )?not found\b"),
    (Obstacle.MISSING_COMMAND, rf"command not found: {_NAME}(?:\s|$|[;,.)])"),
    (
        Obstacle.MISSING_COMMAND,
        rf"(?:command|program|tool|executable) {_NAME} (?:is|was|could)? ?(?:not|missing|n.t)",
    ),
    (Obstacle.MISSING_COMMAND, rf"{_NAME} (?:is not installed|is missing from the path|is not (?:on|in) the path)"),
    (Obstacle.MISSING_VARIABLE, r"\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b[^\n]{0,40}\b(?:not set|unset|missing|required)"),
    (Obstacle.MISSING_VARIABLE, r"\b(?:KeyError|variable|set)\b[^\n]{0,20}\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b"),
    (Obstacle.NO_PERMISSION, rf"(?:permission denied|not permitted|read-only file system)[^\n]*?:? {_NAME}\s*$"),
    (Obstacle.NO_PERMISSION, r"()permission denied|not permitted|read-only file system"),
    (Obstacle.MISSING_FILE, rf"no such file or directory[^\n]*?:? {_NAME}\s*$"),
    (Obstacle.MISSING_FILE, rf"{_NAME}: no such file or directory"),
    (Obstacle.NO_NETWORK, rf"could(?:n.t| not) (?:resolve|connect to)(?: host)?:? {_NAME}(?:\s|$|[;,:)])"),
    (Obstacle.NO_NETWORK, r"()network is unreachable|connection refused|temporary failure in name resolution"),
    (Obstacle.NO_NETWORK, r"()(?:no|without) (?:internet|network)(?: access)?\b"),
    (Obstacle.NO_SPACE, r"()no space left|disk (?:is )?full|out of memory|cannot allocate memory"),
    (Obstacle.TIMEOUT, r"()timed? ?out\b"),
)
_FAILED = re.compile(
    r"^(?:FAILED|ERROR) (\S+)|^not ok \d+ -? ?(.+?)(?: #.*)?$|^\s*--- FAIL: (\S+)|^test (\S+) \.\.\. FAILED", re.M
)
_CODES = re.compile(
    r"(?<![\w-])([A-Z]{1,4}\d{2,4}|TS\d{4}|E\d{4})(?![\w-])|\[([a-z]+(?:-[a-z]+)+)\]\s*$|\(([a-z]+/[a-z-]+)\)$", re.M
)
_RAISED = re.compile(r"^(?:E\s+)?([A-Za-z_.]*(?:Error|Exception|Warning))\b", re.M)
_QUOTED = re.compile(r"[`“‘]([^`”’\n]{1,80})[`”’]|\"([^\"\n]{1,80})\"|'([^'\n]{1,80})'")
_THINGS = re.compile(
    r"\b[\w-]+\.\w{1,5}\b|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\b[a-z]+_[a-z_]+\b|\b[A-Z][a-z]+(?:[A-Z]\w+)+\b"
)
_PASSING = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{7,64}\b|\d+|/(?:tmp|var/tmp|run|proc)/\S*", re.I)
_WORD = re.compile(r"[a-z]{3,}")
_SMALL = re.compile(
    r"the|and|for|was|were|are|not|but|with|that|this|from|have|has|had|can|cannot|could|would|should|"
    r"there|here|its|because|which|when|then|than|into|any|all|our|been|being|does|did|done|will|just|"
    r"only|also|please|some|such|very|unable|able|fails|failed|failing|need|needs|needed|still|blocked|"
    r"blocker|task|subtask|work"
)


def of_evaluation(judged: Evaluation, role: str = "", engine: str = "") -> Sequence[Signature]:
    """Of each check that said no. A reviewer's words are an opinion of this work, and no pattern by themselves."""
    bad = (gate for gate in judged.gates if gate.score is not Score.PASS and gate.ran and not gate.skipped)
    paths = [change.path for change in judged.changes]
    found = (of_gate(gate, paths, role, engine) for gate in bad)
    return list({signature.key: signature for signature in found}.values())


def of_gate(gate: GateRun, paths: Iterable[str] = (), role: str = "", engine: str = "") -> Signature:
    said = gate.output or gate.why
    obstacle, names = _read(said)
    if obstacle is Obstacle.OTHER and not names:
        names = _plain_words(gate.why)
    area = _area(names) if obstacle is Obstacle.TESTS else _area(paths) if obstacle is Obstacle.OTHER else ""
    check = gate.name.partition(" (")[0]  # of several packages each has its own
    return Signature(check=check, error=gate.error, obstacle=obstacle, names=names, area=area, role=role, engine=engine)


def of_blocker(said: str, role: str = "", engine: str = "") -> Signature:
    obstacle, names = _read(said)
    return Signature(check=BLOCKED, obstacle=obstacle, names=names or _plain_words(said), role=role, engine=engine)


def _read(said: str) -> tuple[Obstacle, tuple[str, ...]]:
    """What stands in the way comes first, for where it does, tests and rules fail only for that reason."""
    said = said[-READ:]
    for obstacle, words in _OBSTACLES:
        if found := re.search(words, said, re.I | re.M):
            return obstacle, tuple(name.casefold() for name in _bare(found.groups()))
    if tests := _names(_FAILED, said):
        return Obstacle.TESTS, tests
    if codes := _names(_CODES, said):
        return Obstacle.RULES, codes
    raised = _names(_RAISED, said)
    things = {_PASSING.sub("", name).strip() for pattern in (_QUOTED, _THINGS) for name in _names(pattern, said)}
    return Obstacle.OTHER, tuple(sorted({*raised, *(thing.casefold() for thing in things if thing)})[:MOST])


def _names(pattern: "re.Pattern[str]", said: str) -> tuple[str, ...]:
    return tuple(sorted({name for found in pattern.finditer(said) for name in _bare(found.groups())})[:MOST])


def _bare(groups: Iterable[str | None]) -> list[str]:
    """Of a path its last part: where a tool lies differs from one machine to the next."""
    return [name if "::" in name else name.rstrip("/").rpartition("/")[2] for name in groups if name]


def _plain_words(said: str) -> tuple[str, ...]:
    words = set(_WORD.findall(_PASSING.sub(" ", said[-READ:].casefold())))
    return tuple(sorted(word for word in words if not _SMALL.fullmatch(word))[: 2 * MOST])


def _area(paths: Iterable[str]) -> str:
    tops = {path.partition("/")[0] if "/" in path else "" for path in paths}
    return tops.pop() if len(tops) == 1 else ""
