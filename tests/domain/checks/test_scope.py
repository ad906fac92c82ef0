"""Attacks 31, 32, 38, 39: scope is matched by segment, on clean paths, and fails closed."""

import json

import pytest
from hypothesis import given, strategies as st

from agents.domain.checks.scope import Scope, ScopeMode, limited_to, matches, odd_path, paths_in, paths_within, widen
from agents.minions.engines.builtin.executor import OutOfScope, parse_scope

COMPONENTS = Scope(mode=ScopeMode.DIRECTORY, patterns=("src/components/**", "tests/components/**", "package.json"))


@pytest.mark.parametrize(
    "path", ["src/components/a.ts", "src/components/deep/er/b.ts", "tests/components/x.py", "package.json"]
)
def test_what_is_inside_may_be_written(path: str) -> None:
    assert COMPONENTS.refuse(path) is None


@pytest.mark.parametrize(
    "path",
    [
        "src/components/../../.github/workflows/ci.yml",
        "src/components/../api.ts",
        "/etc/passwd",
        "~/.ssh/config",
        "src/api.ts",
        "src/componentsX/a.ts",
        "package.json.bak",
        ".git/hooks/post-checkout",
        "src/components/.git/config",
        "src/components/.GIT/config",
        "src/components/.git./config",
        "src/components/.git /config",
        "src/components/.g\u200cit/config",
        "src/components/a\nb",
        "src/components/-rf",
        "src/components/\u202egpj.exe",
        "src/components/caf\u0065\u0301",
        "src/components/CON",
        "src/components/nul.txt",
        "src/components/trailing.",
        "src/components/trailing ",
        "src/components//a",
        "src/components/./a",
        "src\\components\\a",
        "src/components/" + "a" * 4100,
        "src/components/\ud800",
        "",
    ],
)
def test_what_is_outside_or_odd_may_not(path: str) -> None:
    assert COMPONENTS.refuse(path)
    assert Scope(mode=ScopeMode.EXPLICIT, patterns=("src/a.py",)).refuse(path)


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/ci.yml", ".env", ".env.local", "deploy/.env", ".overlord/skills/x.yaml", "overlord.yaml",
        ".GitHub/Workflows/ci.yml", ".claude/settings.json", "a/.claude/hooks/x.sh", ".Claude/settings.json",
        ".vscode/tasks.json", ".mcp.json", "AGENTS.md", "sub/CLAUDE.md", ".envrc", ".devcontainer/devcontainer.json",
        ".github/copilot-instructions.md", ".githooks/post-checkout", "src/.gitattributes", "Jenkinsfile",
    ],
)  # fmt: skip
def test_the_standing_deny_list_is_opened_only_by_name(path: str) -> None:
    for scope in (
        Scope(mode=ScopeMode.UNRESTRICTED),
        Scope(mode=ScopeMode.DIRECTORY, patterns=("**", ".github/**", ".overlord/**")),
    ):
        assert scope.refuse(path)
    assert Scope(mode=ScopeMode.EXPLICIT, patterns=(path,)).refuse(path) is None


BROKEN = (
    *("", "{", "null", "3", '"src/**"', '{"mode": "all"}', "[3]", '["../x"]', '["/etc/*"]', '[""]'),
    '{"mode": "directory", "patterns": "src"}',
    '{"mode": "unrestricted", "extra": 1}',
)


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_scope_is_refused_and_never_unrestricted(text: str) -> None:
    with pytest.raises(OutOfScope) as refused:
        parse_scope(text)
    assert refused.value.next_step


def test_an_empty_scope_denies_everything() -> None:
    assert parse_scope("[]").refuse("a.py")


def test_a_scope_travels_as_json() -> None:
    assert parse_scope(COMPONENTS.dump()) == COMPONENTS
    assert parse_scope(json.dumps(["src/**"])) == Scope(mode=ScopeMode.DIRECTORY, patterns=("src/**",))


@pytest.mark.parametrize(
    ("path", "pattern", "yes"),
    [
        ("src/a.py", "src/*.py", True),
        ("src/deep/a.py", "src/*.py", False),
        ("src/deep/a.py", "src/**/*.py", True),
        ("src/a.py", "src/**/*.py", True),
        ("src", "src/**", True),
        ("srcs/a.py", "src/**", False),
        ("a/b/c", "**/c", True),
        ("c", "**/c", True),
        ("a/c/b", "**/c", False),
        ("a/x/b/y/c", "a/**/b/**/c", True),
        ("a1.py", "a?.py", True),
        ("a.py", "a?.py", False),
        ("a[1].py", "a[1].py", True),
        ("a1.py", "a[1].py", False),
    ],
)
def test_stars_stay_within_a_segment_and_double_stars_span_them(path: str, pattern: str, yes: bool) -> None:
    assert matches(path, pattern) is yes


@given(
    st.lists(st.sampled_from(["a", "b", "**", "*"]), max_size=12), st.lists(st.sampled_from(["a", "b"]), max_size=40)
)
def test_matching_agrees_with_a_plain_definition(pattern: list[str], path: list[str]) -> None:
    def plain(path: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
        if not pattern:
            return not path
        if pattern[0] == "**":
            return any(plain(path[n:], pattern[1:]) for n in range(len(path) + 1)) if len(path) < 9 else True
        return bool(path) and pattern[0] in ("*", path[0]) and plain(path[1:], pattern[1:])

    if path and pattern and len(path) < 9:
        assert matches("/".join(path), "/".join(pattern)) is plain(tuple(path), tuple(pattern))


def test_hostile_stars_are_linear() -> None:
    assert not matches("/".join(["a"] * 2000), "/".join(["**", "a"] * 60 + ["b"]))
    assert not matches("a" * 4000, "*a" * 8 + "b")


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        ("`shop/a.py`, docs/\nREADME.md", ("shop/a.py", "docs/**", "README.md")),
        ("a.py, a.py", ("a.py",)),
        (" , \n", ()),
        ("../a.py, /etc/x, b.py", ("b.py",)),
    ],
)
def test_paths_that_a_person_names_are_read_and_others_left_out(words: str, paths: tuple[str, ...]) -> None:
    assert paths_in(words) == paths


def test_words_in_a_sentence_count_where_they_can_only_be_paths() -> None:
    said = "Please open (shop/a.py); *.md and setup.cfg too. Thanks."
    assert paths_within(said) == ("shop/a.py", "*.md", "setup.cfg")
    assert paths_within("nothing here, e. g.") == ()


def test_a_scope_grows_by_what_is_named_and_by_nothing_else() -> None:
    assert limited_to(("a.py", "a.py")) == Scope(mode=ScopeMode.EXPLICIT, patterns=("a.py",))
    assert limited_to(("a/*",)).mode is ScopeMode.DIRECTORY
    narrow = limited_to(("a.py",))
    assert widen(narrow, ("b.py",)) == Scope(mode=ScopeMode.EXPLICIT, patterns=("a.py", "b.py"))
    assert widen(narrow, ("b/**",)).mode is ScopeMode.DIRECTORY
    assert widen(Scope(mode=ScopeMode.UNRESTRICTED), ("b.py",)).mode is ScopeMode.UNRESTRICTED


def test_stars_mean_something_only_where_the_scope_is_of_folders() -> None:
    exact = Scope(mode=ScopeMode.EXPLICIT, patterns=("a/*",))
    assert exact.refuse("a/b") is not None
    assert Scope(mode=ScopeMode.DIRECTORY, patterns=("a/*",)).refuse("a/b") is None


@pytest.mark.parametrize(("size", "odd"), [(4096, False), (4097, True)])
def test_a_path_has_at_most_4096_bytes(size: int, odd: bool) -> None:
    assert (odd_path("a/" * ((size - 1) // 2) + "b" * (size - 2 * ((size - 1) // 2))) is not None) is odd
