"""What is put back of the tests and what an end is worth, from both sides of each condition."""

import json
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import Change, GateRun, Score
from agents.ports import EndedBy, Ran
from agents.workspace.gates import originals, scoring
from agents.workspace.gates.detect import Look, Way
from agents.workspace.gates.gate_commands import Command
from agents.workspace.gates.originals import Restored, Weakened
from agents.workspace.gates.scoring import Report
from agents.workspace.git.objects import Differing, Entry
from agents.workspace.sandbox.walls import GATE

NOTHING = Look(texts={})


def entry(path: str, blob: str = "1", mode: str = "100644") -> Entry:
    return Entry(path=path, mode=mode, blob=blob)


def differs(path: str, before: Entry | None, after: Entry | None) -> Differing:
    return Differing(change=Change(path=path, status="M"), before=before, after=after)


def changed(path: str) -> Differing:
    return differs(path, entry(path), entry(path, "2"))


def put_back(*paths: str, before: Look = NOTHING, after: Look = NOTHING, way: Way | None = None) -> tuple[str, ...]:
    return originals.restore_originals([changed(path) for path in paths], before, after, way).names


def test_tests_are_put_back_as_they_were_and_what_was_added_is_left_out() -> None:
    was, other, runs = entry("tests/test_a.py"), entry("tests/test_a.py", "2"), entry("tests/test_a.py", mode="100755")
    path = "tests/test_a.py"
    for after in (None, other, runs):
        assert originals.put_back([differs(path, was, after)], lambda path: True).over == (was,)
    assert not originals.put_back([differs(path, was, was)], lambda path: True).changes_anything
    new = originals.put_back([differs(path, None, was)], lambda path: True)
    assert (new.over, new.without, new.changes_anything) == ((), (path,), True)
    assert not originals.put_back([changed(path)], lambda path: False).changes_anything
    both = Restored(over=(was,), without=("b",))
    assert both.lay_over({path: other, "b": entry("b"), "c": entry("c")}) == (was, entry("c"))
    assert both.names == (path, "b")


@pytest.mark.parametrize(
    "path",
    ["tests/test_a.py", "docs/conftest.py", "sitecustomize.py", "lib/pytest/__init__.py", "a/x.pth", "tox.ini",
     "pytest.ini", "jest.config.js", ".mocharc.yml", "node_modules/x/index.js", ".cargo/config.toml", ".npmrc"],
)  # fmt: skip
def test_what_steers_tests_is_put_back_whatever_runs_them(path: str) -> None:
    assert put_back(path) == (path,)


@pytest.mark.parametrize("path", ["shop/cart.py", "docs/jest.config.js", "shop/tox.ini", "README.md", "Makefile"])
def test_what_does_not_steer_stays(path: str) -> None:
    assert put_back(path, way=Way.PYTEST) == ()


@pytest.mark.parametrize(
    ("path", "way", "before", "after"),
    [
        ("pyproject.toml", Way.PYTEST, "[tool.pytest.ini_options]\naddopts='-q'", "[tool.pytest.ini_options]"),
        ("Cargo.toml", Way.CARGO, "[lib]\ntest = true", "[lib]\ntest = false"),
        ("package.json", Way.NPM, '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "true"}}'),
    ],
)
def test_a_manifest_is_put_back_where_it_says_something_else_about_the_tests_it_runs(
    path: str, way: Way, before: str, after: str
) -> None:
    old, new = Look(texts={path: before}), Look(texts={path: after})
    assert put_back(path, before=old, after=new, way=way) == (path,)
    assert put_back(path, before=old, after=old, way=way) == ()
    assert put_back(path, before=old, after=new, way=Way.GO) == ()


def test_a_makefile_is_put_back_where_make_runs_the_tests() -> None:
    assert put_back("Makefile", "shop.py", way=Way.MAKE) == ("Makefile",)
    assert put_back("Makefile", way=None) == ()


def test_settings_of_linters_are_known() -> None:
    differing = [changed(path) for path in ("ruff.toml", "shop/mypy.ini", "shop/a.py", ".eslintrc.json", "Makefile")]
    names = originals.check_settings(differing).names
    assert names == ("ruff.toml", "shop/mypy.ini", ".eslintrc.json", "Makefile")


@pytest.mark.parametrize(
    ("lost", "words"),
    [
        (Weakened(), ()),
        (Weakened(gone=("test_a",)), ()),
        (Weakened(gone=("test_a",), fewer_tests=1), ("1 test fewer than before (gone: test_a)",)),
        (Weakened(fewer_tests=2), ("2 tests fewer than before",)),
        (Weakened(fewer_asserts=1), ("1 assertion fewer in the tests that were changed",)),
        (Weakened(more_skips=3), ("3 marks added that skip a test or expect it to fail",)),
    ],
)
def test_what_is_missing_is_said_in_words(lost: Weakened, words: tuple[str, ...]) -> None:
    assert lost.words == words


def test_one_test_more_is_no_test_fewer() -> None:
    one, two = "def test_a():\n    assert 1\n", "def test_a():\n    assert 1\n\n\ndef test_b():\n    assert 1\n"
    skip = "@pytest.mark.skip\n"
    assert originals.find_weakening({"a": one}, {"a": two}) == Weakened()
    assert originals.find_weakening({"a": two}, {"a": one}) == Weakened(
        gone=("test_b",), fewer_tests=1, fewer_asserts=1
    )
    assert originals.find_weakening({"a": skip + one}, {"a": one}) == Weakened()
    assert originals.find_weakening({"a": one}, {"a": skip + one}) == Weakened(more_skips=1)
    assert originals.find_weakening({"a": two}, {"a": one, "b": two}) == Weakened()


OLD = "import pytest\n\n\ndef test_a():\n    assert 1\n"


@pytest.mark.parametrize(
    ("after", "skips"),
    [
        ({"a": f'{OLD}\n\n@pytest.mark.skipif(True, reason="x")\ndef test_new():\n    assert 1\n'}, 0),
        ({"a": f"{OLD}\n\n@pytest.mark.skipif(\n    True,\n)\n@other\ndef test_new():\n    pytest.skip()\n"}, 0),
        ({"a": OLD, "b": "pytestmark = pytest.mark.skip\n\n\ndef test_new():\n    assert 1\n"}, 0),
        ({"a": OLD.replace("def", "@pytest.mark.xfail\ndef")}, 1),
        ({"a": OLD.replace("    assert 1", "    pytest.skip()\n    assert 1")}, 1),
        ({"a": OLD.replace("\n\n\ndef", "\n\npytestmark = pytest.mark.skip\n\n\ndef")}, 1),
        ({"b": "pytestmark = pytest.mark.skip\n\n\ndef test_a():\n    assert 1\n"}, 1),  # it only moved
        ({"a": f"{OLD}\n\ntest.skip('other', () => {{}});\n"}, 0),
    ],
)
def test_marks_that_skip_count_on_tests_that_were_there_before(after: dict[str, str], skips: int) -> None:
    assert originals.find_weakening({"a": OLD}, after).more_skips == skips


@pytest.mark.parametrize("count", [0, 1, originals.NAMED_MOST, originals.NAMED_MOST + 2])
def test_a_few_names_stand_for_many(count: int) -> None:
    said = originals.few([f"x{number}" for number in range(count)])
    assert said.count("x") == min(count, originals.NAMED_MOST)
    assert said.endswith(" and 2 more") is ("more" in said) is (count > originals.NAMED_MOST)


SUITE = (
    '<testsuites><testsuite name="pytest" errors="{}" failures="{}" skipped="{}" tests="{}">{}</testsuite></testsuites>'
)
FAILURE = '<testcase classname="tests.test_a" name="test_&lt;b&gt;" time="0"><failure message="x"></failure></testcase>'


@pytest.mark.parametrize("how", ["error", "skipped"])
def test_a_file_that_was_not_run_at_all_is_no_test_that_ran(tmp_path: Path, how: str) -> None:
    whole = f'<testcase classname="" name="tests.test_links" time="0.0"><{how} message="collection">no such module'
    (tmp_path / "r.xml").write_text(
        f'<testsuites><testsuite name="pytest" errors="0" failures="0" skipped="1" tests="2">{whole}</{how}></testcase>'
        '<testcase classname="tests.test_a" name="test_a" time="0.1" /></testsuite></testsuites>'
    )
    found = scoring.tests(tmp_path, "r.xml")
    assert found is not None and (found.tests, found.unread) == (2, 1)


def test_a_report_is_read_with_its_counts_and_names(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(SUITE.format(1, 2, 3, 9, FAILURE))
    found = scoring.tests(tmp_path, "a.xml")
    assert found == Report(tests=9, failed=3, skipped=3, names=("tests.test_a.test_<b>",))
    assert found and found.ran == 6
    (tmp_path / "b.xml").write_text("<testsuite ></testsuite>")
    assert scoring.tests(tmp_path, "b.xml") == Report(tests=0, failed=0, skipped=0)
    (tmp_path / "c.xml").write_text("<testsuite ></testsuite>" + " " * 300)
    assert scoring.tests(tmp_path, "c.xml") is None, "the end of it must be its end"
    (tmp_path / "d.xml").write_text("</testsuite>")
    assert scoring.tests(tmp_path, "d.xml") is None


@pytest.mark.parametrize(
    ("files", "share"),
    [
        ({"a.py": (5, 10)}, 25.0),
        ({"a.py": (10, 10), "b.py": (10, 10), "other.py": (0, 90)}, 100.0),
        ({"a.py": (0, 10)}, 0.0),
        ({}, 0.0),
        ({"a.py": (1, 2), "b.py": (0, 1)}, 33.3),
        ({"a.py": (11, 10), "b.py": (0, 0)}, None),
        ({"a.py": (-1, 10)}, None),
        ({"a.py": (0, 0), "b.py": (0, 0)}, None),
    ],
)
def test_coverage_is_of_the_changed_lines(
    files: dict[str, tuple[int, int]], share: float | None, tmp_path: Path
) -> None:
    said = {
        path: {"summary": {"covered_lines": covered, "num_statements": all_of}}
        for path, (covered, all_of) in files.items()
    }
    (tmp_path / "coverage.json").write_text(json.dumps({"files": said}))
    assert scoring.coverage(scoring.read_report(tmp_path, "coverage.json"), {"a.py": 10, "b.py": 10}) == share


def test_coverage_without_a_summary_counts_nothing(tmp_path: Path) -> None:
    (tmp_path / "coverage.json").write_text('{"files": {"a.py": {}, "b.py": {"summary": {"covered_lines": 3}}}}')
    assert scoring.coverage(scoring.read_report(tmp_path, "coverage.json"), {"a.py": 10}) is None
    assert scoring.coverage(scoring.read_report(tmp_path, "coverage.json"), {"c.py": 10}) == 0.0
    assert scoring.coverage(scoring.read_report(tmp_path, "coverage.json"), {"b.py": 10}) is None


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (0, "passed"),
        (1, "exit code 1"),
        (126, "it cannot be run here (exit code 126): install Go"),
        (128, "exit code 128"),
        (129, "ended by signal 1"),
        (137, "ended by signal 9"),
    ],
)
def test_an_exit_code_is_said_in_words(code: int, why: str) -> None:
    ran = Ran(ended_by=EndedBy.EXIT, exit_code=code, output="", cut=0, seconds=1.234)
    row = scoring.score_run("tests", Command(argv=("x",), shown="x", needs="Go"), ran, GATE)
    assert (row.why, row.seconds) == (why, 1.23)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("sh: 1: mocha: not found\n", "mocha was not found, which the project brings along"),
        ("> test\n> jest\n\nsh: 1: jest: not found", "jest was not found"),
        ("bash: line 1: tox: command not found", "tox was not found"),
        ("env: ‘node_modules/.bin/vitest’: No such file or directory", "vitest was not found"),
        ("sh: 1: npm: not found", "install Node.js with npm"),
        ("sh: 1: checkit: not found", "install checkit, or correct the command"),
        ("not a word about it", "install Node.js with npm"),
    ],
)
def test_what_is_missing_is_named_and_nothing_else(said: str, why: str) -> None:
    ran = Ran(ended_by=EndedBy.EXIT, exit_code=127, output=said, cut=0, seconds=1)
    shown = "checkit all" if "checkit" in said else "npm test"
    command = Command(argv=("npm", "test"), shown=shown, needs="Node.js with npm")
    row = scoring.score_run("tests", command, ran, GATE)
    assert row.score is Score.FAIL and why in row.why and ("Node.js" in row.why) == ("Node.js" in why)


@pytest.mark.parametrize(
    ("by", "why"),
    [
        (EndedBy.TIMEOUT, f"not done after {GATE.seconds:g} s"),
        (EndedBy.MEMORY, f"more than {GATE.memory // 2**20:,} MB of memory"),
        (EndedBy.OUTPUT, f"said more than {GATE.output // 2**20:,} MB"),
        (EndedBy.DISK, f"wrote more than {GATE.disk // 2**20:,} MB"),
        (EndedBy.KILLED, "without a word"),
    ],
)
def test_an_end_from_outside_is_said_in_words(by: EndedBy, why: str) -> None:
    ran = Ran(ended_by=by, exit_code=None, output="", cut=0, seconds=1)
    assert why in scoring.score_run("tests", Command(argv=("x",), shown="x"), ran, GATE).why


def test_a_gate_that_did_not_run_or_come_to_an_end_keeps_its_words() -> None:
    none = GateRun(name="tests", score=Score.NEEDS_REVISION, why="killed", exit_code=None)
    assert scoring.pytest_words(none, Report(tests=1, failed=0, skipped=0)) == (Score.NEEDS_REVISION, "killed")
    failed = GateRun(name="tests", score=Score.FAIL, why="not there", exit_code=127)
    assert scoring.pytest_words(failed, None) == (Score.FAIL, "not there")
    passed = GateRun(name="tests", score=Score.PASS, why="passed", exit_code=0)
    assert scoring.pytest_words(passed, Report(tests=2, failed=0, skipped=0)) == (Score.PASS, "2 passed")
    odd = GateRun(name="tests", score=Score.NEEDS_REVISION, why="exit code 9", exit_code=9)
    assert scoring.pytest_words(odd, Report(tests=2, failed=1, skipped=0)) == (Score.NEEDS_REVISION, "exit code 9")
    left = scoring.not_run("lint", "tests failed")
    assert (left.score, left.ran) == (Score.NEEDS_REVISION, False)


def test_a_text_is_cut_only_above_its_limit() -> None:
    assert scoring.tail("a\nbcd", 5) == scoring.head("a\nbcd", 5) == "a\nbcd"
    assert scoring.tail("one\ntwo\nthree", 8) == "…\nthree"
    assert scoring.head("one\ntwo\nthree", 8) == "one\n…"
    assert scoring.tail("abcdefgh", 6) == "…\nefgh" and scoring.head("abcdefgh", 6) == "abcd\n…"
