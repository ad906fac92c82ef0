"""AUTHORITY.md, row by row."""

import pytest

from agents.domain.authority import (
    LEAVES_THE_MACHINE,
    RULES,
    ChannelPolicy,
    Group,
    Kind,
    Presser,
    Silence,
    check,
    who_may,
)
from agents.domain.errors import PressRefused
from agents.domain.ids import PersonId

ANA, BO = PersonId("ana"), PersonId("bo")
OWN, APP = Group.OWNER, Group.APPROVER
LEAD, SEC, OPS, ADMIN = Group.TECH_LEAD, Group.SECURITY_TEAM, Group.DEVOPS_TEAM, Group.ADMIN

# kind, groups that may, how many people, whether the requester may: always, unless the channel forbids, never
TABLE = [
    (Kind.INTAKE, {APP}, 1, "no"),
    (Kind.CLARIFICATION, {OWN, APP}, 1, "yes"),
    (Kind.PROJECT, {OWN, APP}, 1, "yes"),
    (Kind.QUESTION, {OWN, APP}, 1, "yes"),
    (Kind.PLAN, {APP}, 1, "channel"),
    (Kind.DEBATE, {APP}, 1, "channel"),
    (Kind.SCOPE, {APP}, 1, "channel"),
    (Kind.BUDGET, {APP}, 1, "channel"),
    (Kind.MEANT, {OWN, APP}, 1, "yes"),
    (Kind.SECOND, {OWN, APP}, 1, "yes"),
    (Kind.CORRECTION, {OWN, APP}, 1, "yes"),
    (Kind.GATE_MEDIUM, {APP}, 1, "channel"),
    (Kind.GATE_HIGH, {LEAD, SEC}, 1, "channel"),
    (Kind.GATE_CRITICAL, {SEC, OPS, LEAD}, 2, "no"),
    (Kind.MERGE, {APP}, 1, "channel"),
    (Kind.MERGE_HIGH, {LEAD, SEC}, 1, "channel"),
    (Kind.MERGE_CRITICAL, {SEC, OPS, LEAD}, 2, "no"),
    (Kind.ESCALATION, {OWN, APP}, 1, "yes"),
    (Kind.PROPOSAL, {APP}, 1, "yes"),
    (Kind.SKILL, {APP}, 1, "yes"),
    (Kind.KNOWLEDGE, {APP}, 1, "yes"),
    (Kind.STOPPED, {OWN, APP}, 1, "yes"),
    (Kind.BACKBURNER, {OWN, APP}, 1, "yes"),
    (Kind.CANCEL, {OWN, APP}, 1, "yes"),
    (Kind.CONTROLS, {OWN, APP}, 1, "yes"),
]


def may(kind: Kind, presser: Presser, requester: PersonId, channel: ChannelPolicy | None = None) -> bool:
    try:
        check(kind, presser, requester, channel or ChannelPolicy())
    except PressRefused as refused:
        assert refused.what
        assert refused.next_step
        return False
    return True


def test_the_table_is_whole() -> None:
    assert [row[0] for row in TABLE] == list(Kind)


@pytest.mark.parametrize(("kind", "who", "people", "requester"), TABLE)
def test_who_may(kind: Kind, who: set[Group], people: int, requester: str) -> None:
    assert RULES[kind].people == people
    for group in Group:
        if group is not OWN:
            assert may(kind, Presser(person=BO, groups=frozenset({group})), ANA) is (group in who), group
    assert not may(kind, Presser(person=BO), ANA), "nobody without a group"
    entitled = Presser(person=ANA, groups=frozenset(Group))
    assert may(kind, entitled, ANA) is (requester != "no")
    assert may(kind, entitled, ANA, ChannelPolicy(self_approval=False)) is (requester == "yes")
    assert may(kind, Presser(person=ANA), ANA) is (OWN in who), "the owner by being the owner alone"


@pytest.mark.parametrize("kind", Kind)
def test_a_person_is_the_requester_under_any_id_they_had(kind: Kind) -> None:
    merged = Presser(person=BO, known_as=frozenset({ANA, BO}), groups=frozenset(Group))
    assert may(kind, merged, ANA) is may(kind, Presser(person=ANA, groups=frozenset(Group)), ANA)


def test_nothing_that_leaves_the_machine_is_decided_by_time() -> None:
    for kind in LEAVES_THE_MACHINE:
        assert RULES[kind].silence is Silence.WAITS


def test_only_questions_take_words() -> None:
    approvals = {k for k, rule in RULES.items() if rule.who <= {APP, LEAD, SEC, OPS, ADMIN}}
    assert not any(RULES[kind].by_words for kind in approvals)


def test_the_rule_is_said_in_words() -> None:
    assert who_may(Kind.PROJECT) == "the owner of the task or an approver"
    assert who_may(Kind.MERGE_CRITICAL).startswith("2 different people, each a tech lead, someone on the security team")
