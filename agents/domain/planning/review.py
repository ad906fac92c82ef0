"""What reviewers say of a decomposition, what the table makes of it, and how two who disagree debate it."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from agents.domain.text.sanitize import AnswerBound, Line, or_else


class Critic(StrEnum):
    PROCEED = "proceed"
    REVISE = "revise"
    HALT = "halt"
    NO_VERDICT = "no_verdict"


class Custodiet(StrEnum):
    OK = "ok"
    WARN = "warn"
    BLOCK = "block"
    NO_VERDICT = "no_verdict"


class Ruling(StrEnum):
    APPROVED = "approved"
    NEEDS_REVISION = "needs_revision"
    BLOCKED = "blocked"
    ESCALATE_TO_HUMAN = "escalate_to_human"


class Stance(StrEnum):
    """One scale for both reviewers."""

    GO = "go"
    CHANGE = "change"
    STOP = "stop"
    NONE = "none"


_R = Ruling

# Read on the verdicts after any debate. No verdict never approves; a stop always blocks.
RULINGS: dict[tuple[Critic, Custodiet], Ruling] = {
    (Critic.PROCEED, Custodiet.OK): _R.APPROVED,
    (Critic.PROCEED, Custodiet.WARN): _R.APPROVED,
    (Critic.PROCEED, Custodiet.BLOCK): _R.BLOCKED,
    (Critic.PROCEED, Custodiet.NO_VERDICT): _R.ESCALATE_TO_HUMAN,
    (Critic.REVISE, Custodiet.OK): _R.NEEDS_REVISION,
    (Critic.REVISE, Custodiet.WARN): _R.NEEDS_REVISION,
    (Critic.REVISE, Custodiet.BLOCK): _R.BLOCKED,
    (Critic.REVISE, Custodiet.NO_VERDICT): _R.ESCALATE_TO_HUMAN,
    (Critic.HALT, Custodiet.OK): _R.BLOCKED,
    (Critic.HALT, Custodiet.WARN): _R.BLOCKED,
    (Critic.HALT, Custodiet.BLOCK): _R.BLOCKED,
    (Critic.HALT, Custodiet.NO_VERDICT): _R.BLOCKED,
    (Critic.NO_VERDICT, Custodiet.OK): _R.ESCALATE_TO_HUMAN,
    (Critic.NO_VERDICT, Custodiet.WARN): _R.ESCALATE_TO_HUMAN,
    (Critic.NO_VERDICT, Custodiet.BLOCK): _R.BLOCKED,
    (Critic.NO_VERDICT, Custodiet.NO_VERDICT): _R.ESCALATE_TO_HUMAN,
}

CRITIC_STANCE: dict[Critic, Stance] = {
    Critic.PROCEED: Stance.GO,
    Critic.REVISE: Stance.CHANGE,
    Critic.HALT: Stance.STOP,
    Critic.NO_VERDICT: Stance.NONE,
}
CUSTODIET_STANCE: dict[Custodiet, Stance] = {
    Custodiet.OK: Stance.GO,
    Custodiet.WARN: Stance.CHANGE,
    Custodiet.BLOCK: Stance.STOP,
    Custodiet.NO_VERDICT: Stance.NONE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """What a verdict cites, as code found it; its title too, for principles may be written anew.

    Without an id it is in a reviewer's own words, as in facts of earlier versions.
    """

    id: str = ""
    title: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (self.id, self.title) if part)


def from_words(field: str) -> BeforeValidator:
    """Facts of earlier versions hold a bare text there."""

    def read(stored: Any) -> Any:
        return {field: stored} if isinstance(stored, str) else stored

    return BeforeValidator(read)


UNCITED = Citation()
LONGEST = 250  # characters of a citation in an answer, where it is a text that is looked up
Cited = Annotated[Citation, from_words("title"), WithJsonSchema({"type": "string", "maxLength": LONGEST})]


class Aspect(StrEnum):
    """What a critic's issue is about."""

    LOGIC = "logic"
    ASSUMPTION = "assumption"
    CASE = "case"  # that is missing
    SCOPE = "scope"  # work that nobody asked for, or a part that no subtask does
    SIZE = "size"
    KIND = "kind"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is wrong with a plan, paired with how it could be set right."""

    what: Line
    fix: Line = ""
    about: Aspect | None = None  # None: it was not said, as in facts of earlier versions
    subtask: Annotated[int, AnswerBound(60), or_else(0)] = 0  # 0: the whole plan
    principle: Cited = UNCITED

    def __str__(self) -> str:
        return f"{self.what} → {self.fix}" if self.fix else self.what


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    by: str  # critic, custodiet, or the name of a specialist
    what: str
    fix: str = ""
    subtask: int = 0  # that it is about; 0: any


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticSays:
    verdict: Critic
    issues: tuple[Annotated[Finding, from_words("what")], ...] = ()
    assumptions: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()  # that are required before it may go on
    why_none: str = ""  # where there is no verdict
    read: tuple[str, ...] = ()  # files that it opened to check what the plan claims


@dataclass(frozen=True, slots=True, kw_only=True)
class CustodietSays:
    """One line, an issue and a suggestion of at most fifteen words each."""

    verdict: Custodiet
    issue: str = ""
    principle: Cited = UNCITED
    suggestion: str = ""
    asks_for_change: bool = False
    why_none: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What a specialist says: read by people, never counted."""

    specialist: str
    concerns: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    why_none: str = ""  # it could not be asked, or gave no answer that counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One round of review of one version of a plan."""

    critic: CriticSays
    custodiet: CustodietSays
    advice: tuple[Advice, ...] = ()
    unknown: tuple[str, ...] = ()  # principles that were cited and that nobody knows

    @property
    def ruling(self) -> Ruling:
        return RULINGS[self.critic.verdict, self.custodiet.verdict]

    @property
    def conflict(self) -> bool:
        """They contradict each other about the same point, which can only be what was asked for: the one wants a plan
        changed for it that the other lets go on. Whether a plan is good is no matter of the scope guard's."""
        if self.custodiet_stance is Stance.CHANGE:
            return self.critic_stance is Stance.GO
        other = self.critic.issues and not any(issue.about in (None, Aspect.SCOPE) for issue in self.critic.issues)
        return self.critic_stance is Stance.CHANGE and self.custodiet_stance is Stance.GO and not other

    @property
    def critic_stance(self) -> Stance:
        return CRITIC_STANCE[self.critic.verdict]

    @property
    def custodiet_stance(self) -> Stance:
        is_note = self.custodiet.verdict is Custodiet.WARN and not self.custodiet.asks_for_change
        return Stance.GO if is_note else CUSTODIET_STANCE[self.custodiet.verdict]

    @property
    def silent(self) -> tuple["Side", ...]:
        """Who must answer, and gave no verdict."""
        none = {Side.CRITIC: self.critic_stance, Side.CUSTODIET: self.custodiet_stance}
        return tuple(side for side, stance in none.items() if stance is Stance.NONE)

    @property
    def reasons(self) -> tuple[str, ...]:
        """What the planner is told when the plan goes back: each issue with its fix, then what is required."""
        said = self.custodiet
        warned = said.verdict in (Custodiet.WARN, Custodiet.BLOCK) and said.issue
        scope = (Finding(what=said.issue, fix=said.suggestion, principle=said.principle),) if warned else ()
        issues = (*map(_for_planner, (*self.critic.issues, *scope)),)
        return (*issues, *(f"Required: {change}" for change in self.critic.changes))

    @property
    def stops(self) -> tuple[tuple["Side", Finding], ...]:
        """Who blocks it, why, which principle that touches, and what would resolve it."""
        critic, guard = self.critic, self.custodiet
        found = []
        if critic.verdict is Critic.HALT:
            first = critic.issues[0] if critic.issues else Finding(what="")
            found.append((Side.CRITIC, replace(first, fix="; ".join(critic.changes) or first.fix)))
        if guard.verdict is Custodiet.BLOCK:
            finding = Finding(what=guard.issue, fix=guard.suggestion, principle=guard.principle)
            found.append((Side.CUSTODIET, finding))
        return tuple(found)


def _for_planner(issue: Finding) -> str:
    cited = f" ({issue.principle})" if str(issue.principle) else ""
    fix = f". Suggested fix: {issue.fix}" if issue.fix else ""
    return f"{issue.what.rstrip('.')}{cited}{fix}"


MAX_ROUNDS = 2
TENSION_WORDS = 40


class Position(StrEnum):
    MAINTAIN = "maintain"
    REVISE = "revise"


class Side(StrEnum):
    CRITIC = "critic"
    CUSTODIET = "custodiet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """What one side says in one round. Evidence is a quote of the request, a path of the project, or a line of one."""

    side: Side
    position: Position
    point: str
    evidence: tuple[str, ...] = ()
    grounded: bool = True  # code found what it cites; facts of earlier versions do not say it
    tension: str = ""  # why the two disagree, in one sentence for the person who decides


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    number: int
    critic: Argument
    custodiet: Argument
    cost: float = 0.0  # dollars


@dataclass(frozen=True, slots=True, kw_only=True)
class Debate:
    """The review it began with, each round, and the review it ended with."""

    began: Review
    rounds: tuple[Round, ...] = ()
    now: Review
    cost: float = 0.0
    most: int = MAX_ROUNDS  # rounds there may be

    @property
    def is_settled(self) -> bool:
        return not self.now.conflict

    @property
    def over(self) -> bool:
        return self.is_settled or len(self.rounds) >= self.most

    @property
    def next_round(self) -> int:
        return len(self.rounds) + 1

    @property
    def ruling(self) -> Ruling:
        return self.now.ruling if self.is_settled else Ruling.ESCALATE_TO_HUMAN

    @property
    def tension(self) -> str:
        """Why they disagree, in one sentence for the person who decides; empty, unless one of them wrote it."""
        last = self.rounds[-1] if self.rounds else None
        written = (_sentence(side.tension) for side in ((last.critic, last.custodiet) if last else ()))
        return next(filter(None, written), "")

    @property
    def points(self) -> tuple[str, str]:
        """What the critic and the scope guard said last."""
        if self.rounds:
            return self.rounds[-1].critic.point, self.rounds[-1].custodiet.point
        return "; ".join(issue.what for issue in self.now.critic.issues), self.now.custodiet.issue


def _sentence(text: str) -> str:
    """Empty, unless it is one sentence of a length that people read."""
    words = text.split()
    said = " ".join(words).rstrip(".!?")
    return f"{said}." if 0 < len(words) <= TENSION_WORDS and not re.search(r"[.!?] ", said) else ""
