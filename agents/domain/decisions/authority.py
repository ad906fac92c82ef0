"""Who may decide what: the one table, and the check that is made when a button is pressed."""

from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import StrictBool

from agents.domain.errors import PressRefused
from agents.domain.ids import PersonId


class Group(StrEnum):
    OWNER = "owner"  # whoever asked for the task; the others are named in the policy
    APPROVER = "approver"
    TECH_LEAD = "tech_lead"
    SECURITY_TEAM = "security_team"
    DEVOPS_TEAM = "devops_team"
    ADMIN = "admin"


class Kind(StrEnum):
    """Every pause for a person has one of these kinds."""

    INTAKE = "intake"  # somebody outside asks for work
    CLARIFICATION = "clarification"
    PROJECT = "project"
    QUESTION = "question"
    PLAN = "plan"
    DEBATE = "debate"
    SCOPE = "scope"
    BUDGET = "budget"
    MEANT = "meant"  # which open question some words answer
    SECOND = "second"  # somebody else's words in a task's thread: a task of their own, or a remark
    CORRECTION = "correction"  # the request was edited after its plan was approved
    GATE_MEDIUM = "gate_medium"
    GATE_HIGH = "gate_high"
    GATE_CRITICAL = "gate_critical"
    MERGE = "merge"
    MERGE_HIGH = "merge_high"
    MERGE_CRITICAL = "merge_critical"
    ESCALATION = "escalation"
    PROPOSAL = "proposal"
    SKILL = "skill"
    KNOWLEDGE = "knowledge"
    STOPPED = "stopped"
    BACKBURNER = "backburner"
    CANCEL = "cancel"
    CONTROLS = "controls"  # the standing buttons of a status card: never decided, closed with the task


class Requester(StrEnum):
    MAY = "may"
    UNLESS_CHANNEL_FORBIDS = "unless_channel_forbids"
    NEVER = "never"


class Silence(StrEnum):
    """What becomes of a decision that nobody makes."""

    WAITS = "waits"
    TAKES_DEFAULT = "takes_default"
    PASSES = "passes"
    EXPIRES = "expires"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Who may make one kind of decision, and what silence means; docs/security.md has the table."""

    who: frozenset[Group]
    requester: Requester = Requester.MAY
    people: int = 1
    silence: Silence = Silence.WAITS
    reminders: int = 0  # the first to those it was put to, later ones to the next approver
    by_words: bool = False  # C37: an approval is never given by words alone
    put_to: bool = False  # whom it was put to may decide it, whatever groups they are in
    anybody: bool = False  # whoever is heard may, whatever groups they are in


_OWNER = frozenset({Group.OWNER, Group.APPROVER})
_APPROVER = frozenset({Group.APPROVER})
_LEADS = frozenset({Group.TECH_LEAD, Group.SECURITY_TEAM})
_TEAMS = frozenset({Group.SECURITY_TEAM, Group.DEVOPS_TEAM, Group.TECH_LEAD})
_FORBID = Requester.UNLESS_CHANNEL_FORBIDS

RULES: dict[Kind, Rule] = {
    Kind.INTAKE: Rule(who=_APPROVER, requester=Requester.NEVER, reminders=2),
    Kind.CLARIFICATION: Rule(who=_OWNER, reminders=1, by_words=True),
    Kind.PROJECT: Rule(who=_OWNER, reminders=1, by_words=True),
    Kind.QUESTION: Rule(who=_OWNER, silence=Silence.TAKES_DEFAULT, reminders=1, by_words=True),
    Kind.MEANT: Rule(who=_OWNER),
    Kind.SECOND: Rule(who=_OWNER, put_to=True),
    Kind.CORRECTION: Rule(who=_OWNER),
    Kind.PLAN: Rule(who=_APPROVER, requester=_FORBID, reminders=2),
    Kind.DEBATE: Rule(who=_APPROVER, requester=_FORBID, reminders=2),
    Kind.SCOPE: Rule(who=_APPROVER, requester=_FORBID),
    Kind.BUDGET: Rule(who=_APPROVER, requester=_FORBID),
    Kind.GATE_MEDIUM: Rule(who=_APPROVER, requester=_FORBID, silence=Silence.PASSES),
    Kind.GATE_HIGH: Rule(who=_LEADS, requester=_FORBID),
    Kind.GATE_CRITICAL: Rule(who=_TEAMS, requester=Requester.NEVER, people=2),
    Kind.MERGE: Rule(who=_APPROVER, requester=_FORBID),
    Kind.MERGE_HIGH: Rule(who=_LEADS, requester=_FORBID),
    Kind.MERGE_CRITICAL: Rule(who=_TEAMS, requester=Requester.NEVER, people=2),
    Kind.ESCALATION: Rule(who=_OWNER, reminders=3, by_words=True),
    Kind.PROPOSAL: Rule(who=_APPROVER),
    Kind.SKILL: Rule(who=_APPROVER),
    Kind.KNOWLEDGE: Rule(who=_APPROVER),
    Kind.STOPPED: Rule(who=_OWNER, by_words=True),
    Kind.BACKBURNER: Rule(who=_OWNER, by_words=True),
    Kind.CANCEL: Rule(who=_OWNER, silence=Silence.EXPIRES),
    Kind.CONTROLS: Rule(who=_OWNER, by_words=True),
}

# Kinds whose outcome leaves the machine: never decided by time, whatever a policy says.
LEAVES_THE_MACHINE = frozenset({Kind.MERGE, Kind.MERGE_HIGH, Kind.MERGE_CRITICAL})

CHANGES_TO_A_PLAN = ("changes", "narrow", "send_back", "information")
STEERS = ("backburner", "cancel")

# Options that grant nothing, and are open to more people than the decision they stand on. Whoever may make the decision
# may take them too.
WIDER: dict[tuple[Kind, str], Rule] = {
    **{
        (kind, value): Rule(who=_OWNER, anybody=True)
        for kind in (Kind.PLAN, Kind.DEBATE)
        for value in CHANGES_TO_A_PLAN
    },
    **{(kind, "changes"): Rule(who=_OWNER) for kind in LEAVES_THE_MACHINE},
    **{
        (kind, value): RULES[Kind.CONTROLS]
        for kind in (Kind.PLAN, Kind.DEBATE, Kind.BUDGET, *LEAVES_THE_MACHINE)
        for value in STEERS
    },
}


# Kinds that no work waits for: they hold up nothing, and stay open when their task has ended.
OUTLIVES = frozenset({Kind.PROPOSAL, Kind.SKILL, Kind.KNOWLEDGE})

# Kinds that ask about words, or steer; work waits for none of them, and no words answer them.
BESIDE = frozenset({Kind.CONTROLS, Kind.MEANT, Kind.SECOND, Kind.CORRECTION})


class OnTimeout(StrEnum):
    PASS = "pass"
    DENY = "deny"


class PlanPolicy(StrEnum):
    ASK = "ask"
    AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelPolicy:
    """What a channel sets for the work that is asked for in it."""

    project: str = ""
    self_approval: StrictBool = True
    on_timeout: OnTimeout = OnTimeout.PASS
    plan: PlanPolicy = PlanPolicy.ASK
    outsiders: StrictBool = False  # whether people of another workspace, and guests, are heard in it


@dataclass(frozen=True, slots=True, kw_only=True)
class Presser:
    """A verified person with the groups they are in at this moment."""

    person: PersonId
    known_as: frozenset[PersonId] = frozenset()  # ids this person had before accounts were linked
    groups: frozenset[Group] = field(default_factory=frozenset)

    def is_(self, person: PersonId) -> bool:
        return person == self.person or person in self.known_as


class NotYours(PressRefused):
    """Somebody wants to decide what others may. `but`: whose groups do not count for it."""

    def __init__(self, what: str, *, kind: Kind, option: str, requester: PersonId, but: PersonId | None) -> None:
        super().__init__(what, next_step=f"It needs {who_may(kind, option)}.")
        self.kind, self.option, self.requester, self.but = kind, option, requester, but


def check(kind: Kind, presser: Presser, requester: PersonId, channel: ChannelPolicy, option: str = "") -> None:
    """Raise NotYours unless this person may decide this, now; `option` is the value of what they choose."""
    rule, wider = RULES[kind], WIDER.get((kind, option))
    is_requester = presser.is_(requester)
    groups = presser.groups | ({Group.OWNER} if is_requester else frozenset())
    if wider and (wider.anybody or groups & wider.who):
        return
    forbidden = rule.requester is _FORBID and not channel.self_approval
    barred = rule.requester is Requester.NEVER or forbidden
    if not groups & rule.who or (is_requester and barred):
        what = _REFUSED[rule.requester] if is_requester and barred else "This is not yours to decide"
        raise NotYours(what, kind=kind, option=option, requester=requester, but=requester if barred else None)


_REFUSED: dict[Requester, str] = {
    Requester.NEVER: "You asked for this work, so you cannot be one of the people who approve it",
    Requester.UNLESS_CHANNEL_FORBIDS: "In this channel nobody approves their own request",
}


def entitled(kind: Kind, option: str = "") -> frozenset[Group]:
    """The groups that may decide this kind, or take this option of it."""
    wider = WIDER.get((kind, option))
    return RULES[kind].who | (wider.who if wider else frozenset())


def who_may(kind: Kind, option: str = "") -> str:
    """The rule in words: "the owner or an approver", "two people of security_team, devops_team or tech_lead"."""
    rule, wider = RULES[kind], WIDER.get((kind, option))
    if wider and wider.anybody:
        return "anybody who is heard here"
    names = [_NAMES[group] for group in Group if group in entitled(kind, option)]
    listed = " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    if rule.people == 1 or wider:
        return listed
    return f"{rule.people} different people, each {listed}, and not the requester"


_NAMES: dict[Group, str] = {
    Group.OWNER: "the owner of the task",
    Group.APPROVER: "an approver",
    Group.TECH_LEAD: "a tech lead",
    Group.SECURITY_TEAM: "someone on the security team",
    Group.DEVOPS_TEAM: "someone on the devops team",
    Group.ADMIN: "an admin",
}
