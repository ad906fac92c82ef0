"""The policies that come with the program, and what is refused in those that people write."""

from dataclasses import asdict, fields

import pytest

from agents.catalog.policies import (
    LIMITS,
    odd_limits,
    odd_retention,
    packaged_limits,
)
from agents.catalog.validation import Wrong
from agents.catalog.yaml import Value
from agents.domain.decisions.authority import Group
from agents.domain.limits import Limits
from agents.domain.project.retention import Retention
from bot.config.accounts import GROUPS, account, member, packaged_groups
from bot.config.overlord import OVERLORD


def test_the_packaged_numbers_are_the_defaults_of_the_domain() -> None:
    assert LIMITS.read(packaged_limits().data) == Limits()


def test_every_limit_is_in_the_file_and_checked() -> None:
    names = {field.name for field in fields(Limits)}
    assert set(packaged_limits().data) == names


def test_the_packaged_numbers_fit_each_other() -> None:
    assert list(odd_limits(Limits())) == []


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        (Limits(send_lease=25), "send_lease"),
        (Limits(provider_timeout=40), "send_lease"),
        (Limits(settle=24), "settle"),
        (Limits(job_renewal=31), "job_renewal"),
    ],
)
def test_numbers_that_break_a_promise_are_named(changed: Limits, name: str) -> None:
    assert name in [where[-1] for where, _, _ in odd_limits(changed)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("provider_timeout", 0),
        ("job_recoveries", 0),
        ("job_recoveries", 2.5),
        ("reminder", float("inf")),
        ("reminder", float("nan")),
        ("reminder", True),
        ("reminder", "soon"),
        ("reminder", -1),
    ],
)
def test_a_number_out_of_range_is_refused(name: str, value: Value) -> None:
    with pytest.raises(ValueError):
        LIMITS.read({**asdict(Limits()), name: value})


def test_nobody_is_named_by_default() -> None:
    groups = GROUPS.read(packaged_groups().data)
    assert groups == dict.fromkeys(set(Group) - {Group.OWNER}, frozenset())


@pytest.mark.parametrize(
    "written",
    ["slack:T1:U2", "slack:E0:W9", "discord:3", "console:ana", "cli:ana", "slack-group:T1:S2", "discord-role:1:2"],
)
def test_a_member_is_an_id(written: str) -> None:
    assert member(written) == written


@pytest.mark.parametrize(
    "written", ["*", "slack:*", "slack:T1:*", "discord:?", "console:[a-z]", "all", "everyone", "Here"]
)
def test_a_pattern_is_refused_by_name(written: str) -> None:
    with pytest.raises(ValueError, match="let in people nobody named"):
        member(written)


@pytest.mark.parametrize(
    "written",
    [
        *("", "ana", "@ana", "Ana Lead", "slack:U2", "slack:T1:ana", "slack:t1:u2", "discord:ana", "console:"),
        *("cli:a b", "slack:T1:U2 ", "slack:T1:U2\n", "sIack:T1:U2", "slack:Т1:U2", "discord:３"),
    ],
)
def test_a_name_or_a_look_alike_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="is not an account"):
        member(written)


def test_a_crowd_is_no_account() -> None:
    with pytest.raises(ValueError, match="group of people"):
        account("slack-group:T1:S2")


def read_retention(written: dict[str, Value]) -> Retention:
    return OVERLORD.read({"groups": {}, "retention": written}).retention


def test_nothing_is_removed_unless_somebody_says_after_how_many_days() -> None:
    assert read_retention({}) == Retention() == Retention(messages=None, deliveries=None, turns=None, branches=None)
    assert read_retention({"messages": 90, "turns": "30", "branches": None, "archived": 365}) == Retention(
        messages=90, turns=30, archived=365
    )


@pytest.mark.parametrize(
    "written", [{"messages": 0}, {"turns": 1.5}, {"branches": True}, {"tasks": 3}, {"archived": 0}]
)
def test_days_that_do_not_do(written: dict[str, Value]) -> None:
    with pytest.raises(Wrong):
        read_retention(written)


@pytest.mark.parametrize(("days", "catch_up", "good"), [(1, 86_400, False), (2, 86_400, True), (7, 7 * 86_400, False)])
def test_deliveries_outlive_what_may_be_read_again(days: int, catch_up: float, good: bool) -> None:
    odd = list(odd_retention(Retention(deliveries=days), Limits(catch_up=catch_up)))
    assert not odd if good else odd[0][0] == ("retention", "deliveries")
