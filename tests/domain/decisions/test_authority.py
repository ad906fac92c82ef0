"""Who may decide what, row by row, as docs/security.md says."""

from datetime import UTC, datetime

import pytest

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import (
    ChannelPolicy,
    Group,
    Kind,
    Presser,
    Silence,
    check,
)
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.subject import OfHead, OfStep
from agents.domain.decisions.table import KINDS, RULES, rule_name, rule_of
from agents.domain.errors import PressRefused
from agents.domain.ids import DecisionId, PersonId, TaskId
from bot.cards.decisions import put_into_words
from bot.cards.kinds.kind_card import who_may

ANA, BO = PersonId("ana"), PersonId("bo")
OWN, APP = Group.OWNER, Group.APPROVER
LEAD, SEC, OPS, ADMIN = Group.TECH_LEAD, Group.SECURITY_TEAM, Group.DEVOPS_TEAM, Group.ADMIN

# kind, groups that may, how many people, whether the requester may: always, unless the channel forbids, never
NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
TABLE = [
    (Kind.INTAKE, {APP}, 1, "no"),
    (Kind.CLARIFICATION, {OWN, APP}, 1, "yes"),
    (Kind.NO_PLAN, {OWN, APP}, 1, "yes"),
    (Kind.CHANGE, {OWN, APP}, 1, "yes"),
    (Kind.ROUTE, {OWN, APP}, 1, "yes"),
    (Kind.REROUTE, {OWN, APP}, 1, "yes"),
    (Kind.PROJECT, {OWN, APP}, 1, "yes"),
    (Kind.QUESTION, {OWN, APP}, 1, "yes"),
    (Kind.PLAN, {APP}, 1, "channel"),
    (Kind.DEBATE, {APP}, 1, "channel"),
    (Kind.SCOPE, {APP}, 1, "channel"),
    (Kind.START_SCOPE, {APP}, 1, "channel"),
    (Kind.INTERFACE, {APP}, 1, "channel"),
    (Kind.BUDGET, {APP}, 1, "channel"),
    (Kind.AGAINST_PLAN, {APP}, 1, "channel"),
    (Kind.MEANT, {OWN, APP}, 1, "yes"),
    (Kind.SECOND, {OWN, APP}, 1, "yes"),
    (Kind.CORRECTION, {OWN, APP}, 1, "yes"),
    ("gate_medium", {APP}, 1, "channel"),
    ("gate_high", {LEAD, SEC}, 1, "channel"),
    ("gate_critical", {SEC, OPS, LEAD}, 2, "no"),
    (Kind.CHECKS, {APP}, 1, "channel"),
    (Kind.ACCEPT_TESTS, {APP}, 1, "channel"),
    ("accept_tests_high", {LEAD, SEC}, 1, "channel"),
    ("accept_tests_critical", {SEC, OPS, LEAD}, 2, "no"),
    ("checks_high", {LEAD, SEC}, 1, "channel"),
    ("checks_critical", {SEC, OPS, LEAD}, 2, "no"),
    (Kind.OUTSIDE_REVIEW, {APP}, 1, "channel"),
    (Kind.MERGE, {APP}, 1, "channel"),
    ("merge_high", {LEAD, SEC}, 1, "channel"),
    ("merge_critical", {SEC, OPS, LEAD}, 2, "no"),
    (Kind.STUCK, {OWN, APP}, 1, "yes"),
    (Kind.ESCALATION, {OWN, APP}, 1, "yes"),
    (Kind.TAKEN, {OWN, APP}, 1, "yes"),
    (Kind.UNMERGED, {OWN, APP}, 1, "yes"),
    (Kind.CONSENT, {APP}, 1, "yes"),
    (Kind.PROPOSAL, {APP}, 1, "yes"),
    (Kind.SKILL_DRAFT, {APP}, 1, "yes"),
    (Kind.DIRECTIVES, {APP}, 1, "yes"),
    (Kind.POLISH, {APP}, 1, "yes"),
    (Kind.NOTES, {APP}, 1, "yes"),
    (Kind.NOTES_MERGE, {APP}, 1, "yes"),
    (Kind.REPLAN, {APP}, 1, "channel"),
    (Kind.PHASE, {APP}, 1, "channel"),
    (Kind.UNREVERTED, {OWN, APP}, 1, "yes"),
    (Kind.STOPPED, {OWN, APP}, 1, "yes"),
    (Kind.BACKBURNER, {OWN, APP}, 1, "yes"),
    (Kind.CANCEL, {OWN, APP}, 1, "yes"),
    (Kind.CONTROLS, {OWN, APP}, 1, "yes"),
]


# One row of the page: which kinds, which of their options ("": the decision itself), and whether each of these may: the
# owner, an approver, a tech lead, security, devops, an admin, a stranger; then somebody who asked for it and is in all
# groups: as it is, and where the channel says `self_approval: false`.
PLANS = (Kind.PLAN, Kind.DEBATE)
PAGE: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "clarification, which project": ((Kind.CLARIFICATION, Kind.NO_PLAN, Kind.CHANGE, Kind.PROJECT), ("",), "yy-----yy"),
    "minion's question": ((Kind.QUESTION,), ("",), "yy-----yy"),
    "ask for changes to a plan": (
        PLANS,
        ("changes", "narrow", "send_back", "information", "full", "again"),
        "yyyyyyyyy",
    ),
    "ask for changes at the merge": ((Kind.MERGE,), ("changes",), "yy-----yy"),
    "the same, and whoever may merge what is high": (("merge_high",), ("changes",), "yyyy---yy"),
    "the same, and whoever may merge what is critical": (("merge_critical",), ("changes",), "yyyyy--yy"),
    "plan; debate outcome": (PLANS, ("", "approve"), "-y-----y-"),
    "scope growth, budget raise": ((Kind.SCOPE, Kind.START_SCOPE, Kind.BUDGET), ("", "approve"), "-y-----y-"),
    "interface change after the lock": ((Kind.INTERFACE,), ("", "change", "keep"), "-y-----y-"),
    "follow a wish against the plan": ((Kind.AGAINST_PLAN,), ("", "follow"), "-y-----y-"),
    "keep the plan against a wish": ((Kind.AGAINST_PLAN,), ("keep",), "yy-----yy"),
    "step gate, medium": (("gate_medium",), ("", "pass", "reject"), "-y-----y-"),
    "step gate, high": (("gate_high",), ("", "pass", "reject"), "--yy---y-"),
    "step gate, critical": (("gate_critical",), ("", "pass", "reject"), "--yyy----"),
    "remote checks: look again, ask for a fix": ((Kind.CHECKS,), ("again", "fix", "cancel"), "yy-----yy"),
    "the same, of a critical change": (("checks_critical",), ("again", "fix", "cancel"), "yyyyy--yy"),
    "accept changed tests": ((Kind.ACCEPT_TESTS,), ("", "accept"), "-y-----y-"),
    "changed tests: ask for a fix": ((Kind.ACCEPT_TESTS,), ("fix",), "yy-----yy"),
    "continue without remote checks": ((Kind.CHECKS,), ("", "without", "leave"), "-y-----y-"),
    "the same, high": (("checks_high",), ("", "without", "leave"), "--yy---y-"),
    "the same, critical": (("checks_critical",), ("", "without", "leave"), "--yyy----"),
    "outside review is over, changes asked for": ((Kind.OUTSIDE_REVIEW,), ("over", "changes", "cancel"), "yy-----yy"),
    "take the branch before the merge": ((Kind.OUTSIDE_REVIEW,), ("", "leave"), "-y-----y-"),
    "merge, low and medium": ((Kind.MERGE,), ("", "merge", "leave"), "-y-----y-"),
    "merge, high": (("merge_high",), ("", "merge", "leave"), "--yy---y-"),
    "merge, critical": (("merge_critical",), ("", "merge", "leave"), "--yyy----"),
    "escalation": (
        (Kind.STUCK, Kind.ESCALATION, Kind.TAKEN, Kind.UNMERGED, Kind.UNREVERTED),
        ("", "hint", "cancel"),
        "yy-----yy",
    ),
    "consent": ((Kind.CONSENT,), ("",), "-y-----yy"),
    "proposal": ((Kind.PROPOSAL,), ("",), "-y-----yy"),
    "talk about a proposal": ((Kind.PROPOSAL,), ("discuss",), "yyyyyyyyy"),
    "skill draft": ((Kind.SKILL_DRAFT,), ("", "approve", "reject"), "-y-----yy"),
    "edit the draft of a skill": ((Kind.SKILL_DRAFT,), ("edit",), "yy-----yy"),
    "a phase begins anew, or is taken back": ((Kind.PHASE,), ("", "go"), "-y-----y-"),
    "leave a phase as it is; a revert that does not fit": ((Kind.PHASE,), ("keep", "cancel"), "yy-----yy"),
    "another plan for what remains": ((Kind.REPLAN,), ("", "take", "keep"), "-y-----y-"),
    "what supervisors ask for; clean-up": ((Kind.DIRECTIVES, Kind.POLISH), ("",), "-y-----yy"),
    "notes": ((Kind.NOTES, Kind.NOTES_MERGE), ("",), "-y-----yy"),
    "intake of an outsider's issue": ((Kind.INTAKE,), ("", "take", "cancel"), "-y-------"),
    "stop, resume, cancel, backburner": (
        (Kind.CONTROLS, Kind.REROUTE, Kind.STOPPED, Kind.BACKBURNER, Kind.CANCEL),
        ("",),
        "yy-----yy",
    ),
    "cancel, backburner, edit on the card of a plan": (PLANS, ("cancel", "backburner", "edit"), "yy-----yy"),
    "cancel on the card of a budget": ((Kind.BUDGET,), ("cancel", "backburner"), "yy-----yy"),
    "cancel at the merge": ((Kind.MERGE,), ("cancel", "backburner"), "yy-----yy"),
    "cancel at a risky merge": (("merge_high",), ("cancel", "backburner"), "yyyy---yy"),
    "cancel at a critical merge": (("merge_critical",), ("cancel", "backburner"), "yyyyy--yy"),
    "what words meant; a request edited later": (
        (Kind.MEANT, Kind.CORRECTION, Kind.SECOND, Kind.ROUTE),
        ("",),
        "yy-----yy",
    ),
}


def kind_named(rule: str) -> Kind:
    """The kind that a row is about: a row for each risk has the risk in its name."""
    return Kind(rule.rpartition("_")[0] if rule.startswith(("gate_", "merge_", "checks_", "accept_tests_")) else rule)


def may(
    name: str, presser: Presser, requester: PersonId, channel: ChannelPolicy | None = None, option: str = ""
) -> bool:
    try:
        check(RULES[name], presser, requester, channel or ChannelPolicy(), KINDS[kind_named(name)].wider.get(option))
    except PressRefused as refused:
        said = put_into_words(refused, str)
        assert " " in said.what and said.next_step
        return False
    return True


def test_the_table_is_whole() -> None:
    low = {
        "gate",
        "gate_low",
        "merge_low",
        "merge_medium",
        "checks_low",
        "checks_medium",
        "accept_tests_low",
        "accept_tests_medium",
    }  # as the row beside it, or never asked
    assert {row[0] for row in TABLE} | low == RULES.keys()


def test_the_page_is_whole() -> None:
    rows = {(kind, option) for kinds, options, _ in PAGE.values() for kind in kinds for option in options}
    assert {kind_named(name) for name, option in rows if not option} == set(Kind)
    wider = {(kind, option) for kind in Kind for option in KINDS[kind].wider}
    assert wider <= {(kind_named(name), option) for name, option in rows}


@pytest.mark.parametrize("row", PAGE)
def test_each_row_of_the_page(row: str) -> None:
    kinds, options, expected = PAGE[row]
    others = [Presser(person=BO, groups=frozenset({group})) for group in (APP, LEAD, SEC, OPS, ADMIN)]
    asked = Presser(person=ANA, groups=frozenset(Group))
    for kind in kinds:
        for option in (each for each in options if each in ("", *(KINDS[kind_named(kind)].options or ()))):
            found = [may(kind, who, ANA, option=option) for who in (Presser(person=ANA), *others, Presser(person=BO))]
            found += [may(kind, asked, ANA, ChannelPolicy(self_approval=own), option) for own in (True, False)]
            assert "".join("y" if each else "-" for each in found) == expected, (kind, option)


@pytest.mark.parametrize(("kind", "who", "people", "requester"), TABLE)
def test_who_may(kind: str, who: set[Group], people: int, requester: str) -> None:
    assert RULES[kind].people == people
    for group in Group:
        if group is not OWN:
            assert may(kind, Presser(person=BO, groups=frozenset({group})), ANA) is (group in who), group
    assert not may(kind, Presser(person=BO), ANA), "nobody without a group"
    entitled = Presser(person=ANA, groups=frozenset(Group))
    assert may(kind, entitled, ANA) is (requester != "no")
    assert may(kind, entitled, ANA, ChannelPolicy(self_approval=False)) is (requester == "yes")
    assert may(kind, Presser(person=ANA), ANA) is (OWN in who), "the owner by being the owner alone"


@pytest.mark.parametrize("kind", RULES)
def test_a_person_is_the_requester_under_any_id_they_had(kind: str) -> None:
    merged = Presser(person=BO, known_as=frozenset({ANA, BO}), groups=frozenset(Group))
    assert may(kind, merged, ANA) is may(kind, Presser(person=ANA, groups=frozenset(Group)), ANA)


def test_nothing_that_leaves_the_machine_is_decided_by_time() -> None:
    leaving = [kind for kind in KINDS.values() if kind.leaves_machine]
    assert [kind.name for kind in leaving] == [Kind.MERGE, Kind.NOTES_MERGE]
    assert all(kind.row(risk).silence is Silence.WAITS for kind in leaving for risk in RiskLevel)


def test_only_questions_take_words() -> None:
    approvals = {k for k, rule in RULES.items() if rule.who <= {APP, LEAD, SEC, OPS, ADMIN}}
    assert not any(RULES[kind].by_words for kind in approvals)


def test_the_rule_is_said_in_words() -> None:
    assert who_may(RULES["project"]) == "the owner of the task or an approver"
    critical = who_may(RULES["merge_critical"])
    assert critical.startswith("2 different people, each a tech lead, someone on the security team")


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("risk", RiskLevel)
def test_whatever_the_risk_of_what_is_decided_there_is_a_row_for_it(kind: Kind, risk: RiskLevel) -> None:
    for subject in (OfHead(commit="c", risk=risk), OfStep(subtask=1, attempt=1, commit="c", risk=risk)):
        asked = Decision(
            id=DecisionId("d"), task=TaskId("T-1"), kind=kind, options=(), subject=subject, put_to=ANA, opened_at=NOW
        )
        assert RULES[rule_name(asked)] == rule_of(asked)
