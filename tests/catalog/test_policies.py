"""The policies that come with the program, and what is refused in those that people write."""

from dataclasses import asdict, fields
from pathlib import Path

import pytest

from agents.catalog.policies import (
    LIMITS,
    RISK,
    odd_limits,
    odd_retention,
    odd_risk,
)
from agents.catalog.validation import Wrong
from agents.catalog.yaml import Value, read_packaged
from agents.domain.checks.evaluation import Change, RiskLevel
from agents.domain.checks.risk import RiskPolicy, risk_of
from agents.domain.decisions.authority import Group
from agents.domain.limits import Limits, Retention
from bot.cards.reasons import put_all
from bot.config.accounts import GROUPS, account, member
from bot.config.overlord import OVERLORD
from bot.config.settings import Settings
from bot.config.settings_source import BadSettings, load_settings


def test_the_packaged_numbers_are_the_defaults_of_the_domain() -> None:
    assert LIMITS.read(read_packaged("policies", "limits.yaml").data) == Limits()


def test_every_limit_is_in_the_file_and_checked() -> None:
    names = {field.name for field in fields(Limits)}
    assert set(read_packaged("policies", "limits.yaml").data) == names


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
    groups = GROUPS.read(read_packaged("policies", "approval.yaml").data)
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


def read(tmp_path: Path, text: str) -> Settings:
    (tmp_path / "overlord.yaml").write_text(text)
    environ = {"HOME": str(tmp_path), "OVERLORD_HOME": str(tmp_path / "home"), "OVERLORD_CONFIG": "overlord.yaml"}
    return load_settings(environ, cwd=tmp_path, user="ana")


def told(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(BadSettings) as raised:
        read(tmp_path, text)
    return [str(problem) for problem in raised.value.problems]


def test_the_packaged_risk_numbers_are_the_defaults_of_the_domain() -> None:
    policy = RISK.read(read_packaged("policies", "risk.yaml").data)
    numbers = ("low_below", "low_coverage", "medium_below", "high_above", "low_lines", "high_lines")
    assert [getattr(policy, name) for name in numbers] == [getattr(RiskPolicy(), name) for name in numbers]
    assert list(odd_risk(RISK.read(read_packaged("policies", "risk.yaml").data))) == []


def test_an_area_of_ones_own_is_added_to_those_there_are(tmp_path: Path) -> None:
    own = "risk:\n  areas:\n    our ledger: {level: critical, words: [ledger]}\n    auth code: {level: critical}\n"
    policy = read(tmp_path, own).risk
    assert policy
    for path, why in (("src/ledger.py", "our ledger"), ("src/auth/x.py", "auth code"), ("src/aes.py", "encryption")):
        risk = risk_of([Change(path=path, status="M")], 100.0, policy)
        assert risk.level is RiskLevel.CRITICAL
        assert put_all(risk.why) == (f"{why}: {path}",)


def test_ci_files_cannot_be_talked_down(tmp_path: Path) -> None:
    policy = read(tmp_path, 'risk:\n  areas:\n    x: {level: medium, paths: [".github/**"]}\n').risk
    assert policy
    assert risk_of([Change(path=".github/workflows/a.yml", status="M")], 100.0, policy).level is RiskLevel.CRITICAL


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    problems = told(
        tmp_path,
        "risk:\n"
        "  low_below: true\n"
        "  low_coverage: 120\n"
        "  areas:\n"
        "    one: {level: low}\n"
        '    two: {level: high, paths: ["../up/**"]}\n'
        '    three: {level: high, words: ["two words"]}\n'
        "    four: {level: high, wrds: [x]}\n"
        "  breaking: {chnged: []}\n",
    )
    for part in ("low_below", "at most 100", "one.level", "climbs", "more than one word", "`words`", "`changed`"):
        assert any(part in problem for problem in problems), (part, problems)


def test_numbers_that_do_not_fit_each_other_are_named(tmp_path: Path) -> None:
    assert "at most medium_below" in told(tmp_path, "risk: {low_below: 11}\n")[0]
    assert "at most high_above" in told(tmp_path, "risk: {medium_below: 30}\n")[0]
    assert "at most high_lines" in told(tmp_path, "risk: {low_lines: 3000}\n")[0]
