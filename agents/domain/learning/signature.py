"""What kind of failure something was, so that the same failure in another task is known again, in whatever words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from agents.domain.checks.evaluation import Evaluation, GateRun, Score
from agents.domain.ids import TaskId, fingerprint
from agents.domain.learning.obstacle import Obstacle as Obstacle, codes_in, read_obstacle, tests_in
from agents.domain.learning.wording import are_alike, telling_lines, things_in, words_in

MOST = 6  # names that a message keeps
READ = 6_000  # characters of a message, from its end: what is said last is why it ended
BLOCKED = "blocked"  # the check of a worker that says that it cannot go on
FLAGGED = "flagged"  # and of a reviewer that looks beyond the work
OF_THE_WORK = (Obstacle.TESTS, Obstacle.RULES, Obstacle.OTHER)
NEED_NO_WORDS = (Obstacle.NO_NETWORK, Obstacle.NO_SPACE, Obstacle.NO_MEMORY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Two failures are the same if check, error, obstacle, names and area are."""

    check: str
    error: str = ""  # an ErrorClass, where it came to no result
    obstacle: Obstacle = Obstacle.OTHER
    names: tuple[str, ...] = ()  # of what is in the way: a command, a rule, a test; sorted
    words: tuple[str, ...] = ()  # that carry its meaning, where nothing else tells; sorted
    area: str = ""  # the folder at the top that it is in; empty: all over, or nowhere
    role: str = ""
    engine: str = ""

    @property
    def key(self) -> str:
        """Who met it does not count: the next one would, too."""
        return fingerprint(self.check, self.error, self.obstacle, self.area, *self.names, *self.words)

    @property
    def is_told_in_words(self) -> bool:
        """Whether another may say the same and have another key: in other words, or where another check met it."""
        return bool(self.words) or self.obstacle not in OF_THE_WORK

    def is_like(self, other: "Signature") -> bool:
        """Whether both are about the same. What the work has no part in is the same for whoever meets it; of what is
        told in words, two that name different things are not alike."""
        if self.key == other.key:
            return True
        if self.obstacle is not other.obstacle:
            return False
        if self.obstacle not in OF_THE_WORK and (self.names, self.words) == (other.names, other.words):
            return True
        same_check = (self.check, self.error) == (other.check, other.error)
        apart = bool(self.names and other.names) and not {*self.names} & {*other.names}
        return same_check and not apart and are_alike(self.words, other.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A failure that more than one task met."""

    signature: Signature
    tasks: tuple[TaskId, ...]  # the oldest first


def of_evaluation(judged: Evaluation, role: str = "", engine: str = "") -> Sequence[Signature]:
    """Of each check that said no. A reviewer's words are an opinion of this work, and no pattern by themselves."""
    bad = (gate for gate in judged.gates if gate.score is not Score.PASS and gate.ran and not gate.skipped)
    paths = [change.path for change in judged.changes]
    found = (of_gate(gate, paths, role, engine) for gate in bad)
    return list({signature.key: signature for signature in found}.values())


def of_gate(gate: GateRun, paths: Iterable[str] = (), role: str = "", engine: str = "") -> Signature:
    said = (gate.output or gate.why)[-READ:]
    obstacle, names = _read(said, prose=False)
    area = _area(names) if obstacle is Obstacle.TESTS else _area(paths) if obstacle is Obstacle.OTHER else ""
    return Signature(
        check=gate.name.partition(" (")[0],  # of several packages each has its own
        error=gate.error,
        obstacle=obstacle,
        names=names,
        words=words_in(f"{gate.why}\n{telling_lines(said)}") if obstacle is Obstacle.OTHER and _is_vague(names) else (),
        area=area,
        role=role,
        engine=engine,
    )


def of_blocker(said: str, role: str = "", engine: str = "") -> Signature:
    said = said[-READ:]
    obstacle, names = _read(said, prose=True)
    words = words_in(said) if obstacle is Obstacle.OTHER or not (names or obstacle in NEED_NO_WORDS) else ()
    return Signature(check=BLOCKED, obstacle=obstacle, names=names, words=words, role=role, engine=engine)


def of_flag(said: str) -> Signature:
    """Of what a reviewer finds wrong everywhere."""
    return replace(of_blocker(said), check=FLAGGED)


def _read(said: str, *, prose: bool) -> tuple[Obstacle, tuple[str, ...]]:
    """What stands in the way comes first, for where it does, tests and rules fail only for that reason."""
    if found := read_obstacle(said, prose=prose):
        return found
    for obstacle, names in ((Obstacle.TESTS, tests_in(said)), (Obstacle.RULES, codes_in(said))):
        if several := tuple(sorted(set(names))[:MOST]):
            return obstacle, several
    return Obstacle.OTHER, things_in(said)


def _is_vague(names: Iterable[str]) -> bool:
    """Whether they say of what kind the error is, and nothing more."""
    return all(name.endswith(("error", "exception", "warning")) for name in names)


def _area(paths: Iterable[str]) -> str:
    tops = {path.partition("/")[0] if "/" in path else "" for path in paths}
    return tops.pop() if len(tops) == 1 else ""
