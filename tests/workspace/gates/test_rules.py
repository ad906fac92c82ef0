"""Gates that run nothing: every rule on the corpus, one piece at a time, and each limit from both sides."""

from pathlib import Path

import pytest

from agents.domain.checks.evaluation import Change, GateRun, Score
from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.text.redact import Redactor
from agents.ports import Candidate
from agents.workspace.gates import rules
from agents.workspace.gates.rules import outside
from agents.workspace.git.objects import LINK, MODULE, Differing, Entry
from tests.evaluator.bad_rules import AWS, BAD_RULES
from tests.evaluator.good import GOOD
from tests.evaluator.pieces import ANYTHING, MORE, MORE_TESTS, SHOP, TESTS, Files, Piece, link, module, only, program
from tests.evaluator.yard import OWN_SECRET, git, repository_of

ROWS = ("forbidden files", "scope", "secrets", "loop")
REDACT = Redactor([OWN_SECRET])
BY_RULE = {piece.name: piece for piece in BAD_RULES if piece.gate in ROWS}
CONTENT = {piece.name: piece for piece in GOOD}


async def read(piece: Piece, place: Path) -> rules.Case:
    repository = place / "repository"
    base, commit = repository_of(repository, piece.base, piece.work, piece.first)
    earlier = (git(repository, "rev-parse", f"{commit}^{{tree}}"),) if piece.again else ()
    candidate = Candidate(project="shop", base=base, commit=commit, scope=piece.scope, earlier=earlier)
    return await rules.read(candidate, repository)


async def judged(piece: Piece, place: Path) -> dict[str, GateRun]:
    rows = await rules.by_rule(await read(piece, place), REDACT)
    assert tuple(row.name for row in rows) == ROWS
    return {row.name: row for row in rows}


@pytest.mark.parametrize("name", BY_RULE)
async def test_a_rule_refuses_bad_work(name: str, tmp_path: Path) -> None:
    piece = BY_RULE[name]
    row = (await judged(piece, tmp_path))[piece.gate]
    assert row.score is Score.FAIL and piece.why in f"{row.why}\n{row.output}"
    assert not any(secret in f"{row.why}\n{row.output}" for secret in piece.hidden)


@pytest.mark.parametrize("name", CONTENT)
async def test_no_rule_refuses_good_work(name: str, tmp_path: Path) -> None:
    assert {row.score for row in (await judged(CONTENT[name], tmp_path)).values()} == {Score.PASS}


def entry(path: str, mode: str = "100644", size: int = 1) -> Entry:
    return Entry(path=path, mode=mode, blob="1" * 40, size=size)


def added(path: str, mode: str = "100644", size: int = 1) -> Differing:
    return Differing(change=Change(path=path, status="A"), before=None, after=entry(path, mode, size))


def went(path: str) -> Differing:
    return Differing(change=Change(path=path, status="D"), before=entry(path), after=None)


def forbidden(*differing: Differing, content: bytes = b"x", there: tuple[str, ...] = ()) -> GateRun:
    return rules.forbidden(differing, lambda path: content, there)


@pytest.mark.parametrize(
    ("path", "own"),
    [
        (".git/config", True),
        ("docs/.git/hooks/pre-commit", True),
        (".GIT", True),
        (".git~1", True),
        (".git . .", False),
        (".git ..", True),
        (".gitmodules", True),
        (".GitModules", True),
        ("docs/.gitmodules", False),
        (".gitignore", False),
        ("docs/git", False),
    ],
)
def test_what_is_gits_own_is_known_however_it_is_spelled(path: str, own: bool) -> None:
    for each in (added(path), went(path)):
        row = forbidden(each)
        assert (row.score is Score.FAIL, "git's own" in row.why) == (own, own)


@pytest.mark.parametrize(
    ("size", "content", "why"),
    [
        (rules.TEXT_MOST, b"a", ""),
        (rules.TEXT_MOST + 1, b"a", "2,048 KB, 2,048 are the most"),
        (3 * rules.TEXT_MOST, b"a", "6,144 KB, 2,048 are the most"),
        (rules.BINARY_MOST, b"a\0b", ""),
        (rules.BINARY_MOST + 1, b"a\0b", "a binary file of 512 KB, 512 are the most"),
        (rules.BINARY_MOST + 1, b"a" * rules.HEAD + b"\0", ""),
        (rules.BINARY_MOST + 1, b"a" * (rules.HEAD - 1) + b"\0", "a binary file"),
        (9, b"MZ and a sentence", ""),
        (9, b"MZ\0", "a compiled program"),
        (9, b"MZ" + b"a" * rules.HEAD + b"\0", ""),
        (9, b"\0MZ", ""),
    ],
)
def test_what_is_too_large_or_compiled_is_known(size: int, content: bytes, why: str) -> None:
    row = forbidden(added("data", size=size), content=content)
    assert row.score is (Score.FAIL if why else Score.PASS)
    assert why in row.why


def test_a_file_that_went_a_link_and_a_module_are_not_weighed() -> None:
    heavy = b"MZ\0" + b"x" * 99
    assert forbidden(went("tool"), content=heavy).score is Score.PASS
    assert forbidden(added("tool", LINK, rules.TEXT_MOST + 1), content=b"else").score is Score.PASS
    row = forbidden(added("tool", MODULE), content=heavy)
    assert "submodule" in row.why and "compiled" not in row.output


def test_names_that_clash_are_to_be_mended_and_worse_comes_first() -> None:
    row = forbidden(added("Shop.py"), there=("shop.py", "Shop.py"))
    assert row.score is Score.NEEDS_REVISION and "shop.py, so one would be lost" in row.why
    assert forbidden(added("shop.py"), there=("shop.py",)).score is Score.PASS, "the tree has what was added, too"
    assert forbidden(went("Shop.py"), there=("shop.py",)).score is Score.PASS
    both = Differing(change=Change(path="Shop.py", status="M"), before=entry("Shop.py"), after=entry("Shop.py"))
    assert forbidden(both, there=("shop.py", "Shop.py")).score is Score.PASS, "it was so before"
    worse = forbidden(added("Shop.py"), added(".git/x"), there=("shop.py", "Shop.py"))
    assert worse.score is Score.FAIL and "git's own" in worse.why


def test_a_link_with_a_nul_in_it_leaves() -> None:
    assert rules.leaves("a", b"b\0c")
    assert not rules.leaves("a/b", b".././c") and not rules.leaves("a", b".")


@pytest.mark.parametrize("count", [1, 2, rules.NAMED_MOST, rules.NAMED_MOST + 1, rules.NAMED_MOST + 5])
def test_reasons_are_counted_and_a_few_are_named(count: int) -> None:
    row = forbidden(*(added(f".git/{number}") for number in range(count)))
    lines = row.output.splitlines()
    assert row.why.startswith(".git/0: ") and len(lines) == min(count, rules.NAMED_MOST)
    assert row.why.endswith(f" and {count - 1} more") is (count > 1)
    more = count - rules.NAMED_MOST
    assert lines[-1].endswith(f", and {more} more" if more > 0 else "git's own")


def test_content_work_says_how_much_was_looked_at() -> None:
    assert forbidden().why == "none among 0 changed files"
    assert forbidden(added("a")).why == "none among 1 changed file"
    assert forbidden(added("a"), added("b")).why == "none among 2 changed files"


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        (ANYTHING, "all within anything"),
        (only("shop/**", "docs/a.md"), "all within shop/**, docs/a.md"),
        (only(), "all within nothing"),
    ],
)
def test_the_scope_is_told(scope: Scope, said: str) -> None:
    row = rules.within((), scope)
    assert (row.score, row.why) == (Score.PASS, said)


@pytest.mark.parametrize(
    ("path", "scope", "why"),
    [
        ("shop/a.py", only("shop/**"), ""),
        ("docs/a.md", only("shop/**"), "outside what this subtask may write"),
        ("overlord.yaml", ANYTHING, "deny list"),
        ("Overlord.YAML", ANYTHING, "deny list"),
        ("Overlord.YAML", only("**"), "deny list"),
        ("overlord.yaml", only("overlord.yaml"), ""),
        ("Overlord.yaml", only("overlord.yaml"), "deny list"),
        ("-a", ANYTHING, "reads like an option"),
    ],
)
def test_the_second_fence_says_why(path: str, scope: Scope, why: str) -> None:
    row = rules.within((added(path),), scope)
    assert row.score is (Score.FAIL if why else Score.PASS)
    assert row.why.endswith(why) if "outside" in why else why in row.why


PATCH = f"""diff --git a/shop/old.py b/shop/old.py
--- a/shop/old.py
+++ b/shop/old.py
@@ -1,2 +5,3 @@
-moved = "{AWS}"
+  moved = "{AWS}"
+fine = 1
diff --git a/shop/keys.py b/shop/keys.py
--- /dev/null
+++ b/shop/keys.py
@@ -0,0 +1,2 @@
+fine = 1
+++ b/no/name.py
@@ -9 +12 @@
+key = "{AWS}"
"""


def test_a_secret_is_told_by_its_file_and_near_which_line() -> None:
    row = rules.secrets(PATCH, REDACT)
    assert (row.score, row.output) == (Score.FAIL, "shop/keys.py, near line 12")
    assert row.why == "what looks like a secret in shop/keys.py, near line 12"
    assert rules.secrets(PATCH.replace(AWS, "nothing"), REDACT).score is Score.PASS


def test_only_what_was_taken_out_counts_as_moved() -> None:
    head = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n"
    line = f'key = "{AWS}"'
    assert rules.secrets(f"{head}+{line}\n", REDACT).score is Score.FAIL
    assert rules.secrets(f"{head}-{line}\n+{line}\n", REDACT).score is Score.PASS
    assert rules.secrets(f"{head} {line}\n", REDACT).score is Score.PASS, "what stays is not new"
    assert rules.secrets(f"{head}-{line}\n", REDACT).score is Score.PASS
    assert rules.secrets(f"{head}+{line} # {AWS}\n-{line}\n", REDACT).score is Score.FAIL
    like_a_head = f"{head}--- {line}\n+-- {line}\n"
    assert rules.secrets(like_a_head, REDACT).score is Score.FAIL, "a head of a file is no line that was taken out"


def test_a_secret_over_two_lines_is_seen_within_one_hunk_only() -> None:
    half, rest = AWS[:9], AWS[9:]
    start = "diff --git a/a.txt b/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n"
    whole = rules.secrets(f"{start}+{AWS}\n", REDACT)
    apart = rules.secrets(f"{start}+{half}\n@@ -9 +9 @@\n+{rest}\n", REDACT)
    assert (whole.score, apart.score) == (Score.FAIL, Score.PASS)


@pytest.mark.parametrize(
    ("tree", "earlier", "scope", "score", "why"),
    [
        ("base", (), ANYTHING, Score.NEEDS_REVISION, "nothing was changed"),
        ("base", (), only("a"), Score.NEEDS_REVISION, "nothing was changed"),
        ("base", (), only(), Score.PASS, "nothing was changed, as agreed"),
        ("base", (), Scope(mode=ScopeMode.UNRESTRICTED, patterns=("a",)), Score.NEEDS_REVISION, "nothing was changed"),
        ("base", ("base",), ANYTHING, Score.NEEDS_REVISION, "nothing was changed"),
        ("new", (), ANYTHING, Score.PASS, "not seen before"),
        ("new", ("other",), ANYTHING, Score.PASS, "not seen before"),
        ("new", ("other", "new"), ANYTHING, Score.FAIL, "attempt 2"),
    ],
)
def test_a_tree_that_was_there_before_is_seen(
    tree: str, earlier: tuple[str, ...], scope: Scope, score: Score, why: str
) -> None:
    row = rules.loop(tree, "base", earlier, scope)
    assert row.score is score and why in row.why and ("agreed" in row.why) is ("agreed" in why)


def piece(work: Files, base: Files = SHOP, first: Files | None = None) -> Piece:
    return Piece(name="a piece", base=base, work=work, verdict=Score.PASS, first=first)


async def test_the_whole_branch_is_looked_through_for_secrets(tmp_path: Path) -> None:
    clean: Files = {"README.md": "# The shop\n"}
    secret: Files = {"shop/keys.py": f'K = "{AWS}"\n'}
    found = (await judged(piece(secret, first=clean), tmp_path / "last"))["secrets"]
    assert found.score is Score.FAIL and "begin anew" not in found.why
    found = (await judged(piece({"shop/keys.py": None}, first=secret), tmp_path / "first"))["secrets"]
    assert found.score is Score.FAIL and "begin anew" in found.why
    found = (await judged(piece({"shop/cart.py": MORE}, first=clean), tmp_path / "none"))["secrets"]
    assert (found.score, found.why) == (Score.PASS, "none in the added lines")


async def test_a_case_is_read_as_it_was_and_as_it_is(tmp_path: Path) -> None:
    work: Files = {
        "shop/cart.py": MORE + "# a remark\n\n",
        "tests/test_cart.py": MORE_TESTS,
        "tests/test_new.py": "def test_new():\n    assert True\n",
        "docs/READ.md": link("../README.md"),
        "run.sh": program("#!/bin/sh\n"),
        "vendor": module(),
        "README.md": None,
    }
    case = await read(piece(work), tmp_path)
    assert not case.empty and len(case.differing) == len(work)
    assert sorted(case.changed_files) == ["run.sh", "shop/cart.py", "tests/test_cart.py", "tests/test_new.py"]
    assert sorted(case.former) == ["README.md", "shop/cart.py", "tests/test_cart.py"]
    assert case.former["tests/test_cart.py"] == TESTS.encode()
    assert sorted(case.contents) == sorted(set(work) - {"README.md", "vendor"})
    assert case.lines("shop/cart.py") == sum(1 for line in MORE.splitlines() if line.strip())
    assert case.lines("run.sh") == 0 and case.lines("nowhere") == 0
    assert "README.md" in case.before.paths and "README.md" not in case.after.paths


async def test_a_case_without_a_change_is_empty(tmp_path: Path) -> None:
    assert (await read(piece({}), tmp_path)).empty


async def test_a_file_at_the_limit_is_read_and_one_above_is_not(tmp_path: Path) -> None:
    most = {"at.txt": b"a" * rules.TEXT_MOST, "above.txt": b"a" * (rules.TEXT_MOST + 1)}
    assert sorted((await read(piece(most), tmp_path)).contents) == ["at.txt"]


async def test_more_than_can_be_looked_through_is_a_no(tmp_path: Path) -> None:
    line = b"a line like any other\n"
    each = line * (rules.TEXT_MOST // len(line))
    at = {f"{number}.txt": each for number in range(rules.DIFF_MOST // len(each))}
    more: Files = {**at, "a.txt": each, "b.txt": each}
    found = await judged(piece(more), tmp_path / "more")
    assert found["secrets"].score is Score.FAIL
    assert found["secrets"].why == "the changed files have 27 MB: too much to look through"
    assert (await read(piece(more), tmp_path / "again")).contents == {}
    assert (await judged(piece(at), tmp_path / "at"))["secrets"].score is Score.PASS


async def test_a_long_branch_is_looked_through_up_to_a_limit(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    base, last = repository_of(repository, SHOP, {"shop/cart.py": MORE})
    tree = git(repository, "rev-parse", f"{last}^{{tree}}")
    who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
    commits = [last]
    for number in range(rules.COMMITS_MOST + 1):
        commits.append(git(repository, *who, "commit-tree", tree, "-p", commits[-1], "-m", str(number)))
    for commit, score in ((commits[rules.COMMITS_MOST], Score.PASS), (commits[-1], Score.FAIL)):
        candidate = Candidate(project="shop", base=base, commit=commit, scope=ANYTHING)
        rows = await rules.by_rule(await rules.read(candidate, repository), REDACT)
        row = next(row for row in rows if row.name == "secrets")
        assert row.score is score, row.why
        assert ("more than 200 commits" in row.why) is (score is Score.FAIL)


def test_a_minion_is_told_of_paths_that_would_be_refused_while_it_can_put_them_back() -> None:
    scope = Scope(mode=ScopeMode.DIRECTORY, patterns=("shop/**",))
    assert outside(["shop/cart.py"], scope) == {}
    said = outside(["shop/cart.py", "setup.py", ".github/workflows/ci.yml"], scope)
    assert said["setup.py"].startswith("outside") and "deny list" in said[".github/workflows/ci.yml"] and len(said) == 2
    assert outside(["anything.txt"], Scope(mode=ScopeMode.UNRESTRICTED)) == {}
