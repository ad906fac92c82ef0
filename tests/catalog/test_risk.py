"""The risk policy that comes with the program, and what people may change in it."""

from pathlib import Path

import pytest

from agents.catalog.risk import RISK, odd_risk, packaged_risk
from agents.domain.checks.evaluation import Change, RiskLevel
from agents.domain.checks.risk import RiskPolicy, risk_of
from bot.config.settings import BadSettings, Settings, load_settings


def read(tmp_path: Path, text: str) -> Settings:
    (tmp_path / "overlord.yaml").write_text(text)
    environ = {"HOME": str(tmp_path), "OVERLORD_HOME": str(tmp_path / "home"), "OVERLORD_CONFIG": "overlord.yaml"}
    return load_settings(environ, cwd=tmp_path, user="ana")


def told(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(BadSettings) as raised:
        read(tmp_path, text)
    return [str(problem) for problem in raised.value.problems]


def test_the_packaged_numbers_are_the_defaults_of_the_domain() -> None:
    policy = RISK.read(packaged_risk().data)
    numbers = ("low_below", "low_coverage", "medium_below", "high_above", "low_lines", "high_lines")
    assert [getattr(policy, name) for name in numbers] == [getattr(RiskPolicy(), name) for name in numbers]
    assert list(odd_risk(RISK.read(packaged_risk().data))) == []


def test_an_area_of_ones_own_is_added_to_those_there_are(tmp_path: Path) -> None:
    own = "risk:\n  areas:\n    our ledger: {level: critical, words: [ledger]}\n    auth code: {level: critical}\n"
    policy = read(tmp_path, own).risk
    assert policy
    for path, why in (("src/ledger.py", "our ledger"), ("src/auth/x.py", "auth code"), ("src/aes.py", "encryption")):
        risk = risk_of([Change(path=path, status="M")], 100.0, policy)
        assert risk.level is RiskLevel.CRITICAL
        assert risk.why == (f"{why}: {path}",)


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
