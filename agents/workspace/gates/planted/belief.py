"""Whether a runner of tests is believed, by how it reported the tests that were planted among the project's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Belief(StrEnum):
    BELIEVED = "believed"
    DOUBTED = "doubted"
    MUTE = "mute"  # what we gave it was not loaded, or broke it
    PARTLY = "partly"  # some of what was planted was not told of
    UNKNOWN = "unknown"  # it said nothing that could be compared
    UNHEARD = "unheard"  # we stopped listening before it had said everything, so nothing speaks against it either


@dataclass(frozen=True, slots=True)
class Told:
    """How one test was reported. `about`: the real test that it is, or stands beside."""

    kind: str  # real, fails, passes
    about: str
    outcome: str
    expected: bool  # to fail: such a test is neither red nor green


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What the runner said while it ran."""

    spoke: bool = False
    garbled: bool = False
    planned: tuple[str, ...] | None = None  # tests beside which others are planted; None: it did not come to that
    told: tuple[Told, ...] = ()
    ended: bool = False
    cut: bool = False  # somebody still held the line when we stopped listening
    whole: bool = True  # whether every place with tests had planted ones
    reads: tuple[str, ...] = ()  # files and, with a `/`, folders of the project that tests read by themselves
    replaced: tuple[str, ...] = ()  # functions that tests are judged by, and that stood for something else meanwhile
    starts: tuple[str, ...] = ()  # tests that started programs, by their place among those that were asked for

    @classmethod
    def read(cls, lines: Sequence[Any], *, spoke: bool, cut: bool = False) -> "Heard":
        """Raises ValueError, TypeError or IndexError where it is none of ours."""
        plans = [line for line in lines if line[0] == "plan"]
        seen = [line for line in lines if line[0] == "seen"]
        told = [line for line in lines if line[0] not in ("plan", "seen", "end")]
        if len(plans) > 1 or any(len(line) != 4 for line in told):
            raise ValueError("not as it is told")
        return cls(
            spoke=spoke,
            planned=tuple(map(str, plans[0][2])) if plans else None,
            told=tuple(Told(str(kind), str(about), str(how), bool(expected)) for kind, about, how, expected in told),
            ended=any(line[0] == "end" for line in lines),
            cut=cut,
            reads=tuple(str(path) for line in seen for path in line[1]),
            starts=tuple(str(test) for line in seen for test in line[2]),
            replaced=tuple(str(name) for line in seen for name in line[3]),
        )

    def of(self, kind: str) -> list[Told]:
        return [each for each in self.told if each.kind == kind]

    @property
    def only_planted_failed(self) -> bool:
        """For runners that tell of real tests by their file, so each that failed counts."""
        real = any(each.outcome == "failed" for each in self.of("real"))
        return self.ended and not real and any(each.outcome == "failed" for each in self.of("fails"))

    @property
    def silent(self) -> tuple[str, ...]:
        """Places whose planted tests were not told of."""
        told = {each.about for each in self.of("fails")}
        return tuple(each for each in self.planned or () if each not in told)

    @property
    def failures(self) -> int:
        """Real tests that failed, and did not pass when they were tried again."""
        last = {each.about: each.outcome for each in self.of("real") if each.outcome in ("passed", "failed")}
        return sum(1 for outcome in last.values() if outcome == "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """What the runner left behind when it had ended."""

    exit_code: int | None
    tests: int | None = None  # of its report; None: there is none
    failed: int = 0
    counts_planted: bool = False  # whether a planted test that fails makes it fail


def weigh(heard: Heard, claimed: Claimed) -> tuple[Belief, str]:
    """And why it is doubted."""
    if heard.garbled:
        return Belief.DOUBTED, "somebody else spoke in the runner's place"
    if why := _planted_wrong(heard):
        return Belief.DOUBTED, why
    if heard.cut and not heard.ended:
        return Belief.UNHEARD, ""
    if why := _contradicts(heard, claimed):
        return Belief.DOUBTED, why
    seen = any(each.outcome == "failed" for each in heard.of("fails"))
    return (Belief.BELIEVED if seen and heard.ended and heard.whole else Belief.UNKNOWN), ""


def _planted_wrong(heard: Heard) -> str:
    if any(each.outcome == "passed" for each in heard.of("fails")):
        return "a test that we planted to fail was reported as passed"
    if any(each.outcome == "failed" for each in heard.of("passes")):
        return "a test that we planted to pass was reported as failed"
    caught = {each.about for each in heard.of("fails") if each.outcome == "failed"}
    green = {each.about for each in heard.of("real") if each.outcome == "passed" and not each.expected}
    if heard.planned is not None and (missed := green.intersection(heard.planned) - caught):
        return f"a test that we planted beside {min(missed)} did not fail"
    return ""


def _contradicts(heard: Heard, claimed: Claimed) -> str:
    """What is left behind may be written by anybody, but it must agree with what was said."""
    if claimed.exit_code not in (0, 1):
        return ""
    if claimed.counts_planted:
        caught = any(each.outcome == "failed" for each in heard.of("fails"))
        return "a test that we planted failed, and it ended as if none had" if caught and not claimed.exit_code else ""
    if not heard.ended:
        return "" if claimed.tests is None else "it left a report, and was not heard to its end"
    if heard.failures and (claimed.exit_code == 0 or (claimed.tests is not None and claimed.failed == 0)):
        return "tests failed while it ran, and afterwards it said that none had"
    if claimed.tests is not None and claimed.tests > len(heard.of("real")):
        return "its report names more tests than ran"
    return ""
