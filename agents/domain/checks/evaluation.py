"""Judgement of finished work: the gates of a project, what each check says, and what all together come to."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator

NOT_RUN = "not run"  # how the reason of a gate begins that was left out


class RiskLevel(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Score(StrEnum):
    PASS = "pass"
    NEEDS_REVISION = "needs_revision"
    FAIL = "fail"  # nothing that another attempt could mend


class Opinion(StrEnum):
    """What a reviewer says of finished work."""

    APPROVED = "approved"
    CHANGES_REQUESTED = "changes_requested"
    REJECTED = "rejected"
    NO_VERDICT = "no_verdict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One path that differs from where the work began."""

    path: str
    status: str  # git's letter: A, M, D, T
    added: int = 0
    removed: int = 0
    mode: str = ""  # git's mode afterwards: 100644, 100755, 120000, 160000


class Sign(StrEnum):
    """What a check noticed of work that it lets pass: why the risk is not low, or why a person must look."""

    CHANGED_TESTS = "changed_tests"
    NO_NEW_TEST = "no_new_test"
    QUIETED = "quieted"  # comments that tell tools to look away
    UNPROVEN = "unproven"  # nothing shows what new tests are good for
    SKILLS = "skills"  # what minions will read and follow
    UNTOLD = "untold"  # a suite that was red before and names no tests


class Rung(StrEnum):
    """By which means tests were judged; from the least that is known of a run to the most."""

    EXIT_CODE = "exit_code"  # nothing but how the command ended
    BY_TEST = "by_test"  # told test by test
    PLANTED = "planted"  # whoever reports them was tried with tests of ours
    OLD_TESTS = "old_tests"  # the tests as they were, on the new code
    AS_TEXT = "as_text"  # test files compared word by word
    SYNTAX_TREE = "syntax_tree"  # tests read, not run
    NEW_TESTS = "new_tests"  # new tests on the old code
    COVERAGE = "coverage"  # whether new tests run the changed lines
    NOT_COVERED = "not_covered"  # that could not be measured
    FAULTS = "faults"  # faults planted in the program


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedTest:
    """A test, or a file that tests read. `key` stands for all of it, also where the texts are cut."""

    name: str
    before: str
    after: str = ""  # empty: it is gone
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRun:
    """One check that the Overlord made itself. `log` names what is kept of its output."""

    name: str
    score: Score
    why: str  # in a few words, for the table on the card
    command: str = ""
    exit_code: int | None = None
    seconds: float = 0.0
    output: str = ""  # its telling end, harmless to show
    log: str = ""
    skipped: bool = False  # there was nothing to run, or a person went on without it: no obstacle, and no pass either
    remote: bool = False  # the forge ran it, and this is its word
    url: str = ""  # where a person reads it there
    error: str = ""  # an ErrorClass: why it came to no result; empty: it says something about the work
    changed_tests: tuple[ChangedTest, ...] = ()  # for a person to accept, as the plan allows
    unshown: tuple[str, ...] = ()  # keys of those that are too many to be shown
    signs: tuple[Sign, ...] = ()
    rungs: tuple[Rung, ...] = ()  # by which means tests were judged

    @property
    def ran(self) -> bool:
        """False: an earlier gate had said no for good, so this one was left out.

        A reason may begin with a file's name, but then its gate failed for good or ran a command.
        """
        return self.score is not Score.NEEDS_REVISION or bool(self.command) or not self.why.startswith(NOT_RUN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Systemic:
    """Something that is wrong beyond this work, as a reviewer flags it."""

    kind: str  # of a proposal, which the reviewer chooses from a list
    what: str
    action: str  # that is proposed


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeReview:
    """What one reviewer says of the finished work."""

    reviewer: str
    opinion: Opinion
    issues: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    security_concerns: tuple[str, ...] = ()
    why_none: str = ""
    error: str = ""  # an ErrorClass, where its model gave no answer
    cost: float = 0.0
    read: int = 0  # changed lines that it was given
    lines: int = 0  # changed lines that there are; 0: not measured
    parts: int = 1  # in which it read them
    unread: tuple[str, ...] = ()  # what it was not given, by name
    systemic: tuple[Systemic, ...] = ()
    title: str = ""  # of the role that it read as, where that is another than the plain reviewer's

    @property
    def known_as(self) -> str:
        """What people read."""
        return self.title or ("scope guard" if self.reviewer == "custodiet" else self.reviewer)

    @property
    def score(self) -> Score | None:
        """None: no verdict, so a person decides."""
        match self.opinion:
            case Opinion.APPROVED:
                return Score.PASS
            case Opinion.CHANGES_REQUESTED:
                return Score.NEEDS_REVISION
            case Opinion.REJECTED:
                return Score.FAIL if self.security_concerns else Score.NEEDS_REVISION
            case Opinion.NO_VERDICT:
                return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What steps found of the work since it was handed in."""

    gates: tuple[GateRun, ...] = ()
    reviews: tuple[CodeReview, ...] = ()
    coverage: float | None = None  # percent; None: not measured
    sandbox: str = ""  # where the gates ran

    def plus(self, later: "Checked") -> "Checked":
        return Checked(
            gates=(*self.gates, *later.gates),
            reviews=(*self.reviews, *later.reviews),
            coverage=self.coverage if later.coverage is None else later.coverage,
            sandbox=later.sandbox or self.sandbox,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """`sandbox` says where the gates ran."""

    subtask: int
    attempt: int
    commit: str
    tree: str
    overall: Score
    gates: tuple[GateRun, ...] = ()
    reviews: tuple[CodeReview, ...] = ()
    changes: tuple[Change, ...] = ()  # the first of them
    files: int = 0  # that changed, in all; 0 in older facts, where the changes are all there are
    feedback: tuple[str, ...] = ()  # what another attempt must heed
    coverage: float | None = None  # percent; None: not measured
    sandbox: str = ""
    cost: float = 0.0
    seconds: float = 0.0
    silent: bool = False  # a mandatory reviewer gave no verdict


# Of what reviewers say of the parts of one piece of work, the worst counts.
_WORST_FIRST = (Opinion.REJECTED, Opinion.CHANGES_REQUESTED, Opinion.NO_VERDICT, Opinion.APPROVED)


def join_reviews(parts: Sequence[CodeReview], unread: Sequence[str]) -> CodeReview:
    """One verdict on work that was read in parts. What was not read is approved by nobody."""
    worst = min(parts, key=lambda part: _WORST_FIRST.index(part.opinion))
    opinion, why = worst.opinion, worst.why_none
    if unread and opinion is Opinion.APPROVED:
        more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
        opinion, why = Opinion.NO_VERDICT, f"It was not given all of it to read: {unread[0]}{more}"
    return replace(
        worst,
        opinion=opinion,
        why_none=why,
        issues=tuple(issue for part in parts for issue in part.issues),
        suggestions=tuple(each for part in parts for each in part.suggestions),
        security_concerns=tuple(each for part in parts for each in part.security_concerns),
        systemic=tuple(each for part in parts for each in part.systemic),
        cost=sum(part.cost for part in parts),
        parts=len(parts),
        unread=tuple(unread),
    )


def overall(scores: Iterable[Score]) -> Score:
    """Any hard fail, else any revise, else pass. No score at all is no pass."""
    seen = set(scores)
    if Score.FAIL in seen or not seen:
        return Score.FAIL
    return Score.NEEDS_REVISION if Score.NEEDS_REVISION in seen else Score.PASS


REFUSED_UNSEEN = "a reviewer asks for changes; what it said is withheld, for it speaks of code that you are not shown"


def sum_up(gates: Sequence[GateRun], reviews: Sequence[CodeReview] = ()) -> tuple[Score, tuple[str, ...]]:
    """What the gates and the reviewers come to, and what another attempt must heed.

    A reviewer without a verdict counts neither way here: a person is asked. Without gates nothing passes.
    """
    scores = [gate.score for gate in gates] + [review.score for review in reviews if review.score is not None]
    return overall(scores) if gates else Score.FAIL, (*_from_gates(gates), *_from_reviews(reviews))


def _from_gates(gates: Iterable[GateRun]) -> Iterator[str]:
    for gate in gates:
        if gate.score is not Score.PASS and gate.ran:
            command = f" (`{gate.command}`)" if gate.command else ""
            yield "\n".join(part for part in (f"{gate.name}{command}: {gate.why}", gate.output) if part)


def failed_checks(evaluation: Evaluation) -> tuple[str, ...]:
    """What another attempt is told of whoever may not see the code: what programs and reviewers said shows it."""
    bad = tuple(f"{each.name}: {each.why}" for each in evaluation.gates if each.score is not Score.PASS and each.ran)
    refused = any(each.score in (Score.NEEDS_REVISION, Score.FAIL) for each in evaluation.reviews)
    return (*bad, *((REFUSED_UNSEEN,) if refused else ()))


def _from_reviews(reviews: Iterable[CodeReview]) -> Iterator[str]:
    for review in reviews:
        if review.score in (Score.NEEDS_REVISION, Score.FAIL):
            yield from (f"{review.known_as}, security: {concern}" for concern in review.security_concerns)
            yield from (f"{review.known_as}: {issue}" for issue in review.issues)


def comments_on(evaluation: Evaluation) -> str:
    """Everything that reviewers said of it."""
    return "\n\n".join(map(comments_of, evaluation.reviews))


def comments_of(review: CodeReview) -> str:
    """Everything that one reviewer said."""
    lists = (
        ("Security concerns", review.security_concerns),
        ("Issues", review.issues),
        ("Suggestions", review.suggestions),
        ("Not read", review.unread),
    )
    said = [f"{title}:\n" + "\n".join(f"- {each}" for each in found) for title, found in lists if found]
    verdict = f"{review.known_as.capitalize()}: {review.opinion.replace('_', ' ')}"
    return "\n".join((verdict, *([review.why_none] if review.why_none else []), *(said or ["No comments."])))


RULES, PROJECT = "rules", "project"  # what is judged: by code alone, or by the checks that a project has
COMMIT = "commit"  # whether all that was left could be committed
SKILL = "skill"  # whether changed skills may stand as they are
# Nobody goes on without these.
RULE_NAMES = frozenset({"forbidden files", "scope", "secrets", "loop", "changes", COMMIT, SKILL})
GATE_NAMES = (
    "tests",
    "lint",
    "scope",
    "secrets",
    "loop",
    "forbidden-files",
    "original-tests",
    "new-tests",
    COMMIT,
    SKILL,
    "changes",
)
COMMAND_MOST = 2_000
FILES = "{files}"  # in a lint command: the changed files, quoted


class OnFail(StrEnum):
    """What a failed gate of a project leads to."""

    BLOCK = "block"  # no other attempt: a person decides
    RETRY = "retry"


def slug(written: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,59}", written):
        step = "Use small letters, digits and dashes, such as `web-shop`."
        raise ValueError(f"`{written}` cannot be used as a name. {step}")
    return written


def _gate_name(written: str) -> str:
    """`risk_check` is `risk-check`."""
    name = slug(written.replace("_", "-"))
    if name in GATE_NAMES:
        raise ValueError(f"`{written}` is a gate that is there already. Choose another name.")
    return name


def _command(written: str) -> str:
    if not written.strip() or not written.isprintable() or len(written) > COMMAND_MOST:
        raise ValueError(f"it is no command. Write one line of at most {COMMAND_MOST} characters, for the shell.")
    return written


Command = Annotated[str, AfterValidator(_command)]  # for the shell


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraGate:
    name: Annotated[str, AfterValidator(_gate_name)]
    command: Command
    on_fail: OnFail = OnFail.RETRY


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageCommands:
    """Of one package of several, run in its folder. Empty: found by what lies there."""

    tests: Command = ""
    lint: Command = ""


INTERFACES = "interfaces"  # the check of files that others rely on
PARTS_OF_TESTS = ("unit", "integration")  # checks that are all tests, where a project has no command for them


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCommands:
    """Empty: found by what lies in the repository."""

    tests: Command = ""
    lint: Command = ""
    extra: tuple[ExtraGate, ...] = ()
    environment: str = ""  # folder of a venv
    type_check: Command = ""
    docs: Command = ""
    ci: Command = ""
    unit: Command = ""  # a part of the tests; without it, all of them
    integration: Command = ""
    packages: Mapping[str, PackageCommands] = field(default_factory=dict)  # by their folder

    def package(self, folder: str) -> PackageCommands:
        return self.packages.get(folder, PackageCommands())

    def of(self, check: str) -> str:
        """The command of a check that is run only where a workflow names it."""
        return str(getattr(self, check)) if check in ("type_check", "docs", "ci", *PARTS_OF_TESTS) else ""
