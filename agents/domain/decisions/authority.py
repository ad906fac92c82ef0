"""Who may decide what: the one table, and the check that is made when a button is pressed."""

from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import StrictBool

from agents.domain.checks.evaluation import RiskLevel
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
    """The name of each kind of decision; what it is, is in `kinds` (see `table.KINDS`)."""

    INTAKE = "intake"  # somebody outside asks for work
    ROUTE = "route"  # nobody could tell what a message is
    REROUTE = "reroute"  # the standing buttons that turn a question into a request, and back
    PROJECT = "project"
    CLARIFICATION = "clarification"  # the planner asks about the request
    NO_PLAN = "no_plan"  # no plan could be made
    CHANGE = "change"  # whether a remark should change the plan
    PLAN = "plan"
    DEBATE = "debate"
    BUDGET = "budget"
    STUCK = "stuck"  # a job failed for good
    QUESTION = "question"  # a minion asks
    SCOPE = "scope"  # a minion needs to write more than the plan names
    INTERFACE = "interface"  # a minion needs to change an interface that was locked
    CONSENT = "consent"  # to the set-up commands of a project
    START_SCOPE = "start_scope"  # the plan names no files for a subtask
    AGAINST_PLAN = "against_plan"  # a wish contradicts the accepted plan
    GATE = "gate"  # finished work of a subtask, before it goes on
    ESCALATION = "escalation"  # a subtask that the rules could not settle
    TAKEN = "taken"  # a subtask that a person works on
    ACCEPT_TESTS = "accept_tests"  # existing tests that the work changed
    CHECKS = "checks"  # the forge's own checks have not ended in time
    OUTSIDE_REVIEW = "outside_review"  # whether people outside have finished reading the pull request
    MERGE = "merge"
    UNMERGED = "unmerged"  # the merge did not fit
    PHASE = "phase"  # whether a phase begins anew, or is taken back
    UNREVERTED = "unreverted"  # a phase could not be taken back
    PROPOSAL = "proposal"
    SKILL_DRAFT = "skill_draft"
    DIRECTIVES = "directives"  # what supervisors ask for
    REPLAN = "replan"  # the work has drifted: another plan for what remains
    POLISH = "polish"  # whether cleanups are worked off before the whole is judged
    NOTES = "notes"  # whether people stand by what was learnt
    NOTES_MERGE = "notes_merge"  # a pull request of notes alone
    MEANT = "meant"  # which open question some words answer
    SECOND = "second"  # somebody else's words in a task's thread: a task of their own, or a remark
    CORRECTION = "correction"  # the request was edited after its plan was approved
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
    by_words: bool = False  # an approval is never given by words alone
    put_to: bool = False  # whom it was put to may decide it, whatever groups they are in
    anybody: bool = False  # whoever is heard may, whatever groups they are in


OWNERS = frozenset({Group.OWNER, Group.APPROVER})
APPROVERS = frozenset({Group.APPROVER})
LEADS = frozenset({Group.TECH_LEAD, Group.SECURITY_TEAM})
TEAMS = frozenset({Group.SECURITY_TEAM, Group.DEVOPS_TEAM, Group.TECH_LEAD})

ANSWER = Rule(who=OWNERS, reminders=1, by_words=True)  # what we need to know before there is a plan
TROUBLE = Rule(who=OWNERS, reminders=3, by_words=True)  # what got stuck
APPROVAL = Rule(who=APPROVERS, requester=Requester.UNLESS_CHANNEL_FORBIDS)
RISKY: dict[RiskLevel, Rule] = {
    RiskLevel.HIGH: Rule(who=LEADS, requester=Requester.UNLESS_CHANNEL_FORBIDS),
    RiskLevel.CRITICAL: Rule(who=TEAMS, requester=Requester.NEVER, people=2),
}
STEERING = Rule(who=OWNERS, by_words=True)  # stop, resume, cancel, snooze
QUEUE = Rule(who=APPROVERS, by_words=True)  # pause and resume the queue, which is nobody's own
HEARD = Rule(who=OWNERS, anybody=True)  # whoever is heard in the conversation


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
    workflow: str = ""  # that plans are approved under, unless their project has its own; empty: the general one
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
    """Somebody wants to decide what others may. `but`: whose groups do not count for it; `own`: it is them."""

    def __init__(self, *, rule: Rule, wider: Rule | None, requester: PersonId, but: PersonId | None, own: bool) -> None:
        super().__init__("not_yours", next_step="")
        self.rule, self.wider, self.requester, self.but, self.own = rule, wider, requester, but, own


def check(rule: Rule, presser: Presser, requester: PersonId, channel: ChannelPolicy, wider: Rule | None = None) -> None:
    """Raise NotYours unless this person may decide this, now. `wider`: of an option that more people may take."""
    is_requester = presser.is_(requester)
    groups = presser.groups | ({Group.OWNER} if is_requester else frozenset())
    if wider and (wider.anybody or groups & wider.who):
        return
    forbidden = rule.requester is Requester.UNLESS_CHANNEL_FORBIDS and not channel.self_approval
    barred = rule.requester is Requester.NEVER or forbidden
    if not groups & rule.who or (is_requester and barred):
        own, but = is_requester and barred, requester if barred else None
        raise NotYours(rule=rule, wider=wider, requester=requester, but=but, own=own)


def may(rule: Rule, presser: Presser, requester: PersonId, channel: ChannelPolicy, wider: Rule | None = None) -> bool:
    """Whether this person may decide this, now."""
    try:
        check(rule, presser, requester, channel, wider)
    except NotYours:
        return False
    return True


def deciding_groups(rule: Rule, wider: Rule | None = None) -> frozenset[Group]:
    """The groups that may decide by this rule, or take an option that more people may."""
    return rule.who | (wider.who if wider else frozenset())
