"""Attack 50: the risk of a change, from what can be counted."""

import pytest
from hypothesis import given, strategies as st

from agents.catalog.policies import RISK
from agents.catalog.yaml import read_packaged
from agents.domain.checks.evaluation import Change, GateRun, RiskLevel, Score, Sign
from agents.domain.checks.risk import Area, Breaking, Risk, RiskPolicy, at_least_high, not_low, risk_of, words_of
from agents.domain.decisions.authority import Requester, Silence
from agents.domain.decisions.kinds.work.gate import GATE_RULES
from agents.domain.decisions.kinds.work.merge import MERGE, MERGE_RULES
from agents.domain.reason import Reason, Why
from bot.cards.reasons import put, put_all, risk_sentence

POLICY = RISK.read(read_packaged("policies", "risk.yaml").data)
LOW, MEDIUM, HIGH, CRITICAL = RiskLevel
ORDER = list(RiskLevel)


def changed(*paths: str, status: str = "M") -> list[Change]:
    return [Change(path=path, status=status, added=1) for path in paths]


def many(count: int) -> list[Change]:
    return changed(*(f"src/part{at}.py" for at in range(count)))


@pytest.mark.parametrize(
    ("files", "coverage", "level"),
    [
        (1, 80.1, LOW),
        (2, 100.0, LOW),
        (2, 80.0, MEDIUM),
        (2, 0.0, MEDIUM),
        (2, None, MEDIUM),
        (3, 100.0, MEDIUM),
        (9, None, MEDIUM),
        (10, 100.0, HIGH),
        (20, 100.0, HIGH),
        (21, 100.0, HIGH),
        (0, 100.0, HIGH),
        (1, float("nan"), MEDIUM),
    ],
)
def test_size_and_coverage_alone(files: int, coverage: float | None, level: RiskLevel) -> None:
    assert risk_of(many(files), coverage, POLICY).level is level


@pytest.mark.parametrize(
    ("lines", "coverage", "level"),
    [
        ((299, 0), 95.0, LOW),
        ((150, 150), 95.0, MEDIUM),
        ((2_000, 0), None, MEDIUM),
        ((1_000, 1_001), 95.0, HIGH),
        ((16_000, 0), None, HIGH),
        ((0, 16_000), 100.0, HIGH),
    ],
)
def test_the_lines_of_a_change_count(lines: tuple[int, int], coverage: float | None, level: RiskLevel) -> None:
    change = Change(path="src/part.py", status="M", added=lines[0], removed=lines[1])
    assert risk_of([change], coverage, POLICY).level is level


@pytest.mark.parametrize(
    ("path", "level", "why"),
    [
        ("src/auth/login.py", HIGH, "auth code: src/auth/login.py"),
        ("web/AuthForm.tsx", HIGH, "auth code: web/AuthForm.tsx"),
        ("my_auth.py", HIGH, "auth code: my_auth.py"),
        ("web/signIn.ts", HIGH, "auth code: web/signIn.ts"),
        ("SRC/AUTH/X.PY", HIGH, "auth code: SRC/AUTH/X.PY"),
        ("shop/billing/invoices.go", HIGH, "payment code: shop/billing/invoices.go"),
        ("src/crypto/aes.py", CRITICAL, "encryption: src/crypto/aes.py"),
        ("src/encryption.rs", CRITICAL, "encryption: src/encryption.rs"),
        ("ops/keys/rotate.py", CRITICAL, "key management: ops/keys/rotate.py"),
        ("api_keys.py", CRITICAL, "key management: api_keys.py"),
        ("deep/down/server.pem", CRITICAL, "key management: deep/down/server.pem"),
        (".env.local", CRITICAL, "key management: .env.local"),
        ("config/production.yaml", CRITICAL, "production config: config/production.yaml"),
        ("infra/main.tf", CRITICAL, "production config: infra/main.tf"),
        ("deploy/k8s.yaml", CRITICAL, "production config: deploy/k8s.yaml"),
        ("api/openapi.yaml", HIGH, "may break what others use: api/openapi.yaml"),
        ("pyproject.toml", MEDIUM, "dependencies: pyproject.toml"),
        ("src/author.py", LOW, "1 file changed, 95 % of lines tested"),
        ("src/keyboard.js", LOW, "1 file changed, 95 % of lines tested"),
        ("src/products.py", LOW, "1 file changed, 95 % of lines tested"),
    ],
)
def test_where_a_change_is_decides_and_the_card_says_where(path: str, level: RiskLevel, why: str) -> None:
    risk = risk_of(changed(path), 95.0, POLICY)
    assert risk_sentence(risk.level, risk.why[: 1 + (level is LOW)]) == f"{level.capitalize()} risk: {why}."


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/ci.yml", ".GitHub/Workflows/CI.yml", ".github/actions/x/action.yml", ".gitlab-ci.yml",
        ".circleci/config.yml", "Jenkinsfile", "sub/Jenkinsfile", ".ci/run", ".gitattributes", "a/b/.gitattributes",
        ".gitmodules", "CODEOWNERS", ".husky/pre-commit", ".pre-commit-config.yaml", "overlord.yaml",
        ".claude/settings.json", "web/.claude/commands/x.md", ".Cursor/rules/a.mdc", ".codex/config.toml",
        ".gemini/settings.json", ".mcp.json", ".vscode/tasks.json", ".idea/runConfigurations/x.xml",
        ".devcontainer/devcontainer.json", ".envrc", "sub/.envrc", "AGENTS.md", "packages/a/agents.md", "CLAUDE.md",
        ".cursorrules", ".github/copilot-instructions.md", ".githooks/pre-push", "web/.husky/pre-commit",
    ],
)  # fmt: skip
def test_what_runs_by_itself_is_critical_even_under_an_empty_policy(path: str) -> None:
    for policy in (POLICY, RiskPolicy()):
        risk = risk_of(changed(path, status="A"), 100.0, policy)
        assert risk.level is CRITICAL
        assert path in put(risk.why[0])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (changed("README.md", "docs/guide.rst"), "documentation alone"),
        (changed("README.md", status="D"), "documentation alone"),
        (changed(*(f"docs/{at}.md" for at in range(15))), "documentation alone"),
        (changed("tests/test_new.py", status="A"), "only new tests"),
        ([*changed("tests/test_new.py", status="A"), *changed("CHANGELOG.md")], "only new tests"),
    ],
)
def test_what_no_test_could_cover_needs_no_coverage(changes: list[Change], why: str) -> None:
    risk = risk_of(changes, None, POLICY)
    assert (risk.level, put(risk.why[1])) == (LOW, why)


@pytest.mark.parametrize(
    "changes",
    [
        changed("tests/test_old.py"),
        changed("tests/test_old.py", status="D"),
        changed("tests/data/expected.json", status="A"),
        changed("tests/conftest.py", status="A"),
        changed("README.md", "src/app.py"),
        changed("prompts/system.md"),
    ],
)
def test_a_changed_test_or_a_text_for_programs_is_not_low_unmeasured(changes: list[Change]) -> None:
    assert risk_of(changes, None, POLICY).level is MEDIUM


def test_one_bad_path_among_many_harmless_ones_decides() -> None:
    risk = risk_of([*many(1), *changed(".github/workflows/ci.yml", "src/auth/x.py", "src/auth/y.py")], 100.0, POLICY)
    assert risk.level is CRITICAL
    assert put(risk.why[1]) == "auth code: src/auth/x.py and 1 more"


def test_a_file_taken_away_may_break_others_unless_it_is_a_test_or_a_text() -> None:
    assert risk_of(changed("src/part.py", status="D"), 100.0, POLICY).level is HIGH
    for spared in ("tests/test_part.py", "src/tests/x.py", "docs/guide.md", "README.md", "web/a.test.ts"):
        assert risk_of(changed(spared, status="D"), 100.0, POLICY).level is LOW
    assert risk_of(changed("api/openapi.yaml", status="A"), 100.0, POLICY).level is LOW, "a new contract breaks nobody"


def test_links_and_submodules_are_high() -> None:
    for mode in ("120000", "160000"):
        assert risk_of([Change(path="x", status="A", mode=mode)], 100.0, POLICY).level is HIGH


@pytest.mark.parametrize("path", ["src/\u202ecod.py", "../up", "a\nb", "-rf", ".GIT/config", "/etc/passwd"])
def test_an_odd_name_is_high_and_shown_harmlessly(path: str) -> None:
    risk = risk_of(changed(path), 100.0, POLICY)
    assert risk.level is HIGH
    assert all(why.isprintable() and why.isascii() for why in map(put, risk.why))


@given(
    st.lists(st.sampled_from(["a.py", "src/auth/x.py", "crypto.py", ".github/workflows/x.yml", "b.md", "c/d/e.go"])),
    st.sampled_from(["a.py", "z.py", "pay.py", "keys/x", "tests/t.py"]),
    st.one_of(st.none(), st.floats(0, 100)),
)
def test_more_changes_never_lower_the_risk(paths: list[str], more: str, coverage: float | None) -> None:
    before = risk_of(changed(*paths), coverage, POLICY).level
    after = risk_of(changed(*paths, more), coverage, POLICY).level
    assert not paths or ORDER.index(after) >= ORDER.index(before)


@given(st.lists(st.text(max_size=30), max_size=30), st.one_of(st.none(), st.floats()))
def test_every_change_has_a_level_and_a_reason(paths: list[str], coverage: float | None) -> None:
    risk = risk_of(changed(*paths), coverage, POLICY)
    assert risk.level in RiskLevel
    assert risk.why


def test_a_word_is_found_where_it_stands_alone() -> None:
    assert {"sign", "in", "signin"} <= words_of("web/signIn.ts")
    assert "auth" not in words_of("src/author.py") | words_of("src/AUTHOR.py")
    assert "auth" in words_of("OAuth2Client.java")
    assert not Area(name="none", level=HIGH).holds("anything")


def test_each_level_has_its_gate_and_its_merge() -> None:
    assert GATE_RULES.keys() == MERGE_RULES.keys() == set(RiskLevel)
    assert [level for level, rule in GATE_RULES.items() if rule.silence is Silence.PASSES] == [LOW, MEDIUM]


def test_a_merge_is_always_a_persons() -> None:
    assert MERGE.leaves_machine
    assert all(rule.silence is Silence.WAITS for rule in MERGE_RULES.values())
    assert (MERGE_RULES[CRITICAL].people, MERGE_RULES[CRITICAL].requester) == (2, Requester.NEVER)


def test_what_asks_for_a_closer_look_raises_to_high_and_never_lowers() -> None:
    low = risk_of([Change(path="a.txt", status="M")], 100.0, RiskPolicy())
    assert low.level is RiskLevel.LOW and put_all(low.why) == ("1 file changed", "100 % of lines tested")
    raised = at_least_high(low, "somebody worries")
    assert (raised.level, raised.why) == (RiskLevel.HIGH, ("somebody worries", *low.why))
    worst = risk_of([Change(path="overlord.yaml", status="M")], 100.0, RiskPolicy())
    assert at_least_high(worst, "x").level is RiskLevel.CRITICAL


def test_a_contract_may_be_added_and_not_changed() -> None:
    policy = RiskPolicy(breaking=Breaking(changed=("api/**",), removed=("lib/**",), spared=("api/notes.md",)))
    for status, path, breaks in (
        ("A", "api/a.json", False), ("M", "api/a.json", True), ("D", "api/a.json", True), ("M", "API/a.json", True),
        ("M", "api/notes.md", False), ("D", "lib/a.py", True), ("M", "lib/a.py", False), ("D", "other.py", False),
    ):  # fmt: skip
        assert policy.breaking.by(Change(path=path, status=status)) is breaks


@pytest.mark.parametrize(
    ("files", "lines", "coverage", "level"),
    [
        (2, 0, 80.1, RiskLevel.LOW),
        (2, 0, 80.0, RiskLevel.MEDIUM),
        (2, 0, None, RiskLevel.MEDIUM),
        (3, 0, 100.0, RiskLevel.MEDIUM),
        (9, 0, 100.0, RiskLevel.MEDIUM),
        (10, 0, 100.0, RiskLevel.HIGH),
        (1, 299, 100.0, RiskLevel.LOW),
        (1, 300, 100.0, RiskLevel.MEDIUM),
        (1, 2_000, 100.0, RiskLevel.MEDIUM),
        (1, 2_001, 100.0, RiskLevel.HIGH),
        (0, 0, 100.0, RiskLevel.HIGH),
    ],
)
def test_each_limit_counts_from_where_it_says(files: int, lines: int, coverage: float | None, level: RiskLevel) -> None:
    changes = [
        Change(path=f"{number}.txt", status="M", added=lines - lines // 2, removed=lines // 2)
        for number in range(files)
    ]
    assert risk_of(changes, coverage, RiskPolicy()).level is level


def test_more_than_twenty_files_are_told_as_such() -> None:
    for count, told in ((20, False), (21, True)):
        changes = [Change(path=f"{number}.txt", status="M") for number in range(count)]
        why = put_all(risk_of(changes, 100.0, RiskPolicy()).why)
        assert (f"{count} files changed: more than 20" in why) is told


def test_a_risk_is_told_in_a_sentence() -> None:
    worst = risk_of([Change(path="overlord.yaml", status="M")], 100.0, RiskPolicy())
    assert (
        risk_sentence(worst.level, worst.why)
        == "Critical risk: what runs by itself (CI, hooks, editors, coding agents): overlord.yaml."
    )


SMALL = Risk(level=LOW, why=(Reason(code=Why.FILES, count=1),))


def gate(name: str, *signs: Sign, skipped: bool = False) -> GateRun:
    return GateRun(name=name, score=Score.PASS, why="", signs=signs, skipped=skipped)


@pytest.mark.parametrize(
    ("gates", "changes", "why"),
    [
        ([gate("original tests", Sign.CHANGED_TESTS)], changed("src/app.py"), Why.CHANGED_TESTS),
        ([gate("original tests"), gate("new tests", Sign.NO_NEW_TEST)], changed("src/app.py"), Why.NO_NEW_TEST),
        ([gate("original tests"), gate("lint", Sign.QUIETED)], changed("src/app.py"), Why.QUIETED_TOOLS),
        # nobody told added tests from changed ones: what was there before counts as changed
        ([gate("tests")], changed("tests/test_old.py"), Why.CHANGED_TESTS),
        ([gate("original tests", skipped=True)], changed("tests/test_old.py"), Why.CHANGED_TESTS),
        ([], changed("tests/data/one.json", status="D"), Why.CHANGED_TESTS),
        ([gate("original tests (web)")], changed("tests/test_old.py"), None),
        ([gate("tests")], changed("tests/test_new.py", status="A"), None),
        ([gate("tests", Sign.UNPROVEN)], changed("src/app.py"), None),  # a person looks: that is no matter of risk
    ],
)
def test_what_checks_noticed_is_never_low(gates: list[GateRun], changes: list[Change], why: Why | None) -> None:
    found = not_low(SMALL, gates, changes)
    assert found == (Risk(level=MEDIUM, why=(Reason(code=why),)) if why else SMALL)


def test_what_is_riskier_stays_as_it_is() -> None:
    noticed = [gate("lint", Sign.QUIETED)]
    for level in (MEDIUM, HIGH, CRITICAL):
        risk = Risk(level=level, why=(Reason(code=Why.UNKNOWN_CHANGE),))
        assert not_low(risk, noticed, changed("src/app.py")) == risk
