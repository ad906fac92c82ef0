"""What reviewers say of a decomposition, and what the table makes of it."""

from dataclasses import dataclass
from enum import StrEnum


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
class CriticSays:
    verdict: Critic
    issues: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    why_none: str = ""  # where there is no verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class CustodietSays:
    """One line, an issue and a suggestion of at most fifteen words each."""

    verdict: Custodiet
    issue: str = ""
    principle: str = ""
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

    @property
    def ruling(self) -> Ruling:
        return RULINGS[self.critic.verdict, self.custodiet.verdict]

    @property
    def conflict(self) -> bool:
        """One says go, the other says change. A warning that asks for no change is only a note."""
        return {self.critic_stance, self.custodiet_stance} == {Stance.GO, Stance.CHANGE}

    @property
    def critic_stance(self) -> Stance:
        return CRITIC_STANCE[self.critic.verdict]

    @property
    def custodiet_stance(self) -> Stance:
        is_note = self.custodiet.verdict is Custodiet.WARN and not self.custodiet.asks_for_change
        return Stance.GO if is_note else CUSTODIET_STANCE[self.custodiet.verdict]

    @property
    def reasons(self) -> tuple[str, ...]:
        """What the planner is told when the plan goes back."""
        warned = self.custodiet.verdict in (Custodiet.WARN, Custodiet.BLOCK) and self.custodiet.issue
        custodiet = (f"{self.custodiet.issue}. {self.custodiet.suggestion}".strip(),) if warned else ()
        return (*self.critic.issues, *self.critic.changes, *custodiet)
