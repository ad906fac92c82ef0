"""Who may decide (docs/security.md), once more as a small model that shares no code with the program."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from agents.domain.decisions.decision import Decision, Option, with_letters
from agents.domain.ids import Account
from agents.domain.task.task import Task
from tests.store.room import OPERATOR

# ── the table of docs/security.md ──

OWNER, APPROVER, LEAD, SECURITY, DEVOPS = "owner", "approver", "tech_lead", "security_team", "devops_team"


@dataclass(frozen=True)
class Row:
    """One row of the page. `requester`: yes, own channel's choice ("channel"), or no."""

    who: frozenset[str]
    requester: str = "yes"
    people: int = 1
    silence: str = "waits"  # waits, default, expires
    after: float = 0  # seconds until silence means something
    reminders: int = 0


def row(*who: str, requester: str = "yes", people: int = 1) -> Row:
    return Row(frozenset(who), requester, people)


MINUTE, HOUR = 60.0, 3600.0
REMINDER = timedelta(hours=4)
PAGE = {
    "clarification": replace(row(OWNER, APPROVER), after=4 * HOUR, reminders=1),
    "question": replace(row(OWNER, APPROVER), silence="default", after=10 * MINUTE, reminders=1),
    "plan": replace(row(APPROVER, requester="channel"), after=4 * HOUR, reminders=2),
    "debate": replace(row(APPROVER, requester="channel"), after=4 * HOUR, reminders=2),
    "scope": row(APPROVER, requester="channel"),
    "budget": row(APPROVER, requester="channel"),
    "gate_medium": replace(row(APPROVER, requester="channel"), silence="default", after=30 * MINUTE),
    "gate_high": row(LEAD, SECURITY, requester="channel"),
    "gate_critical": row(SECURITY, DEVOPS, LEAD, requester="no", people=2),
    "merge": row(APPROVER, requester="channel"),
    "merge_high": row(LEAD, SECURITY, requester="channel"),
    "merge_critical": row(SECURITY, DEVOPS, LEAD, requester="no", people=2),
    "proposal": row(APPROVER),
    "cancel": replace(row(OWNER, APPROVER), silence="expires", after=10 * MINUTE),
}
# What follows from a decision is another test's matter, so kinds that move the task are left out. "Keep" moves nothing,
# and neither does what is decided about work that has not begun.
ABOUT_WORK = ("question", "scope", "gate_medium", "gate_high", "gate_critical", "merge", "merge_high", "merge_critical")
KINDS = sorted(("cancel", *ABOUT_WORK))
TIMED = [kind for kind in KINDS if PAGE[kind].silence != "waits"]
TWO_PEOPLE = [kind for kind in KINDS if PAGE[kind].people > 1]
ASKS = Option(value="change", needs_words=True)
OPTIONS = with_letters(Option(value="approve", approves=True), Option(value="reject"), ASKS)
KEEP = with_letters(Option(value="keep"), Option(value="keep", label="Keep it"))

# ── people ────────────────────────────────────────────────────────────────────────────────────────────────────────────

ANA, ANA2, LEA, LEA2, SEC, OPS, EVE = (
    Account(a)
    for a in ("slack:T1:UANA", "discord:1", "slack:T1:ULEA", "discord:2", "slack:T1:USEC", "discord:4", "slack:T1:UEVE")
)
FOREIGN = Account("slack:T2:ULEA")  # the same user id in another team
TERMINAL = Account("cli:operator")
MEMBERS: dict[str, set[Account]] = {
    APPROVER: {ANA, LEA},
    LEAD: {LEA},
    SECURITY: {SEC, ANA2},
    DEVOPS: {OPS, LEA2},
}
ACCOUNTS = (ANA, ANA2, LEA, LEA2, SEC, OPS, EVE, FOREIGN, OPERATOR, TERMINAL)
LINKS = ((ANA, ANA2), (LEA2, LEA), (OPS, ANA2), (SEC, EVE), (EVE, OPS), (FOREIGN, EVE))


@dataclass
class Asked:
    """What the model knows of one decision."""

    kind: str
    requester: Account
    strict: bool
    letters: tuple[str, ...]
    due: datetime | None
    task: Task
    real: Decision
    default: str = ""
    state: str = "open"
    outcome: str = ""
    by: tuple[Account, ...] = ()
    votes: list[Account] = field(default_factory=list)
    held: bool = False
    reminders: int = 0
    message: str = ""


class Model:
    """People, and what they may."""

    def __init__(self) -> None:
        self._person = {account: index for index, account in enumerate(ACCOUNTS)}
        self.link(OPERATOR, TERMINAL)

    def link(self, one: Account, other: Account) -> None:
        gone, kept = self._person[other], self._person[one]
        self._person = {account: kept if who == gone else who for account, who in self._person.items()}

    def same(self, one: Account, other: Account) -> bool:
        return self._person[one] == self._person[other]

    def groups(self, who: Account) -> set[str]:
        mine = {account for account in ACCOUNTS if self.same(account, who)}
        if mine & {OPERATOR, TERMINAL}:
            return {APPROVER, LEAD, SECURITY, DEVOPS}
        return {group for group, members in MEMBERS.items() if mine & members}

    def may(self, who: Account, asked: Asked) -> bool:
        page, own = PAGE[asked.kind], self.same(who, asked.requester)
        if own and (page.requester == "no" or (page.requester == "channel" and asked.strict)):
            return False
        return bool((self.groups(who) | ({OWNER} if own else set())) & page.who)

    def press(self, who: Account, asked: Asked, letter: str, words: str, now: datetime) -> bool:
        """Whether it counts, and what it does."""
        if asked.state != "open" or self.too_late(asked, now):
            return False
        if letter == "h":
            return self._hold(who, asked)
        if not self.may(who, asked) or letter not in asked.letters or (letter == "c" and not words):
            return False
        if letter == "a" and asked.kind != "cancel":
            return self._approve(who, asked)
        self._close(asked, "decided", letter, (who,))
        return True

    def too_late(self, asked: Asked, now: datetime) -> bool:
        closes = PAGE[asked.kind].silence == "expires" or self._takes_default(asked)
        return asked.due is not None and asked.due <= now and closes

    @staticmethod
    def _takes_default(asked: Asked) -> bool:
        return PAGE[asked.kind].silence == "default" and bool(asked.default) and not asked.held

    def _hold(self, who: Account, asked: Asked) -> bool:
        allowed = self.same(who, asked.requester) or self.may(who, asked)
        if not allowed or asked.due is None or not self._takes_default(asked):
            return False
        asked.held, asked.due = True, None
        return True

    def _approve(self, who: Account, asked: Asked) -> bool:
        page = PAGE[asked.kind]
        others = [v for v in asked.votes if not self.same(v, who)]
        if page.requester == "no":
            others = [v for v in others if not self.same(v, asked.requester)]
        if len(others) + 1 >= page.people:
            self._close(asked, "decided", "a", (*others, who))
            return True
        if any(self.same(v, who) for v in asked.votes):
            return False
        asked.votes.append(who)
        return True

    def silence(self, asked: Asked, now: datetime) -> None:
        page = PAGE[asked.kind]
        if asked.state != "open" or asked.due is None or asked.due > now:
            return
        if self._takes_default(asked):
            self._close(asked, "decided", asked.default, ())
        elif page.silence == "expires":
            self._close(asked, "expired", "", ())
        else:
            asked.reminders += 1
            again = asked.reminders < page.reminders
            asked.due = max(asked.due, now) + REMINDER if again else None

    def _close(self, asked: Asked, state: str, outcome: str, by: tuple[Account, ...]) -> None:
        asked.state, asked.outcome, asked.by, asked.due = state, outcome, by, None
