"""Who may decide: attacks 15, 16 and 18, and what is said when nobody is named."""

from collections.abc import Mapping

import pytest

from agents.domain.decisions.authority import ChannelPolicy, Group
from agents.domain.decisions.table import RULES
from agents.domain.errors import SettingsProblem
from agents.domain.ids import Account
from bot.cards.kinds.kind_card import nobody_may
from bot.permissions import Permissions

EVERY_GROUP = frozenset(Group) - {Group.OWNER}
OPERATORS = frozenset({Account("cli:ana"), Account("console:ana")})


def permissions(
    groups: Mapping[Group, set[str]] | None = None, operators: frozenset[Account] = OPERATORS
) -> Permissions:
    named = {group: frozenset(members) for group, members in (groups or {}).items()}
    return Permissions(named, operators, {"console:a": ChannelPolicy(project="shop", self_approval=False)})


def groups_of(given: Permissions, *accounts: str) -> frozenset[Group]:
    return given.groups_of(Account(account) for account in accounts)


def test_the_operator_is_in_every_group_but_owner() -> None:
    assert groups_of(permissions(), "cli:ana") == EVERY_GROUP
    assert groups_of(permissions(), "slack:T1:U1", "console:ana") == EVERY_GROUP


def test_a_person_has_the_groups_of_all_their_accounts() -> None:
    given = permissions({Group.APPROVER: {"slack:T1:U1"}, Group.ADMIN: {"discord:3"}})
    assert groups_of(given, "slack:T1:U1", "discord:3") == {Group.APPROVER, Group.ADMIN}


def test_an_empty_group_is_nobody() -> None:
    given = permissions(operators=frozenset())
    for account in ("slack:T1:U1", "discord:3", "console:ana", "cli:ana", "cli:root", ""):
        assert groups_of(given, account) == frozenset()
    assert groups_of(given) == frozenset()


@pytest.mark.parametrize(
    "account",
    [
        "slack:T1:U1x",  # a longer id
        "slack:T1:u1",  # another case
        "slack:Т1:U1",  # a Cyrillic look-alike
        "slack:T1:U1\u200b",  # an invisible letter
        "slack:T2:U1",  # the same member id in a foreign team
        "slack:U1",
        "discord:T1:U1",
        "Ana Lead",  # what an approver is called
        "@U1",
        "*",
        "slack:T1:*",
    ],
)
def test_only_the_very_account_counts(account: str) -> None:
    assert groups_of(permissions({Group.APPROVER: {"slack:T1:U1"}}), account) == frozenset()


@pytest.mark.parametrize("written", ["*", "slack:T1:*", "everyone", "ana", "slack:U1"])
def test_a_pattern_or_a_name_is_refused_before_anything_runs(written: str) -> None:
    with pytest.raises(SettingsProblem, match="In the group approver") as caught:
        permissions({Group.APPROVER: {written}})
    assert caught.value.next_step


def test_a_channel_without_a_policy_has_the_default_one() -> None:
    assert permissions().channel("slack:T1:C9") == ChannelPolicy()
    assert permissions().channel("console:a").self_approval is False


def test_approvers_are_asked_one_after_another() -> None:
    given = permissions({Group.APPROVER: {"slack:T1:U2", "discord:1", "slack-group:T1:S1"}})
    assert [given.next_approver(number) for number in (-1, 0, 1, 2)] == [None, "discord:1", "slack:T1:U2", None]


@pytest.mark.parametrize("name", RULES)
def test_what_is_said_where_nobody_is_named(name: str) -> None:
    told = nobody_may(permissions(), RULES[name], "slack:T1:C1")
    if Group.OWNER in RULES[name].who:
        assert told is None
    else:
        assert told and "overlord.yaml" in told


def test_the_operator_is_enough_where_they_can_press() -> None:
    assert nobody_may(permissions(), RULES["plan"], "console:general") is None
    told = nobody_may(permissions(), RULES["plan"], "slack:T1:C1")
    assert told and "OVERLORD_APPROVERS" in told and "overlord decisions" in told


def test_two_people_are_needed_for_what_is_critical() -> None:
    one = permissions({Group.TECH_LEAD: {"slack:T1:U1"}})
    two = permissions({Group.TECH_LEAD: {"slack:T1:U1"}, Group.DEVOPS_TEAM: {"slack:T1:U2"}})
    same = permissions({Group.TECH_LEAD: {"slack:T1:U1"}, Group.DEVOPS_TEAM: {"slack:T1:U1"}})
    assert nobody_may(one, RULES["gate_critical"], "slack:T1:C1")
    assert nobody_may(same, RULES["gate_critical"], "slack:T1:C1")
    assert nobody_may(two, RULES["gate_critical"], "slack:T1:C1") is None
    assert nobody_may(permissions(), RULES["gate_critical"], "console:a"), "the operator alone is one person"


def test_a_user_group_is_no_account_but_somebody_may_be_in_it() -> None:
    given = permissions({Group.APPROVER: {"slack-group:T1:S1"}})
    assert given.members(Group.APPROVER) == ()
    assert given.crowds({Group.APPROVER, Group.ADMIN}) == ("slack-group:T1:S1",)
    assert nobody_may(given, RULES["plan"], "slack:T1:C1") is None
    assert nobody_may(given, RULES["gate_high"], "slack:T1:C1"), "another group is still nobody"


def test_who_can_approve_names_every_group() -> None:
    rows = dict(permissions({Group.APPROVER: {"slack:T1:U1"}}).who_can_approve())
    assert list(rows) == ["operator", "approver", "tech_lead", "security_team", "devops_team", "admin"]
    assert rows["operator"].startswith("cli:ana, console:ana")
    assert rows["approver"].startswith("slack:T1:U1 (plans")
    assert rows["admin"].startswith("nobody")
