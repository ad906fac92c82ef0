"""Names of tests: which failed before, which are in a file, and which have fewer cases."""

from agents.domain.checks.suite import (
    Before,
    Results,
    difference,
    fewer_cases,
    files_with,
    function_of,
    is_in,
    newly_skipped,
)


def test_only_what_is_newly_failing_counts() -> None:
    found = difference(
        frozenset({"a", "b", "c", "old.x"}), Before(red=frozenset({"b", "old"}), unsteady=frozenset({"c"}))
    )
    assert (found.newly, found.before, found.unsteady) == (("a",), ("b", "old.x"), ("c",))


def test_what_is_red_and_unsteady_is_unsteady() -> None:
    found = difference(frozenset({"a"}), Before(red=frozenset({"a"}), unsteady=frozenset({"a"})))
    assert (found.newly, found.before, found.unsteady) == ((), (), ("a",))


def test_a_file_that_could_not_be_read_before_excuses_no_other() -> None:
    found = difference(frozenset({"tests.test_cart.test_a"}), Before(red=frozenset({"tests.test_car"})))
    assert found.newly == ("tests.test_cart.test_a",)


def test_a_name_says_its_file() -> None:
    assert is_in("tests.test_cart.TestSum.test_a[1.5-x]", "tests/test_cart.py")
    assert is_in("tests.test_cart", "tests/test_cart.py"), "a file that cannot be read is named itself"
    assert is_in("tests.test_cart.test_a", "shop/tests/test_cart.py"), "the runner began in a folder"
    assert not is_in("tests.test_cart.test_a", "tests/test_car.py")
    assert not is_in("test_cart.test_a", "tests/test_other.py")
    assert files_with(["a.test_b.test_c"], ["a/test_b.py", "a/test_b.txt", "a/test.py"]) == ("a/test_b.py",)


def test_cases_are_counted_by_test_whatever_they_are_called() -> None:
    before = ["m.test_a[<object at 0x1>]", "m.test_a[<object at 0x2>]", "m.test_b", "m.test_c[1]", "m.test_c[2]"]
    now = ["m.test_a[<object at 0x8>]", "m.test_a[<object at 0x9>]", "n.test_c[1]"]
    assert fewer_cases(before, now, {"m.test_c": "n.test_c"}) == {"m.test_c": (2, 1)}, (
        "one that is gone is told elsewhere"
    )
    assert function_of("m.test_a[x[1]]") == "m.test_a"


def test_results_know_what_ran() -> None:
    found = Results(passed=frozenset("a"), failed=frozenset("b"), skipped=frozenset("c"))
    assert found.ran == {"a", "b"} and found.all == {"a", "b", "c"}


def test_a_case_that_skipped_itself_before_is_no_test_that_is_skipped_now() -> None:
    was = Results(passed=frozenset({"t.a[pdb]", "t.b", "t.c[1]"}), skipped=frozenset({"t.a[ipdb]", "t.d"}))
    assert newly_skipped(was, was, {}) == []
    assert newly_skipped(was, Results(skipped=frozenset({"t.new", "t.d", "t.a[ipdb]"})), {}) == []
    assert newly_skipped(was, Results(skipped=frozenset({"t.a[ipdb]", "t.a[pdb]", "t.b"})), {}) == ["t.a", "t.b"]
    assert newly_skipped(was, Results(skipped=frozenset({"t.c[2]"})), {}) == ["t.c"], "a case under another name"
    renamed = Results(skipped=frozenset({"t.z[ipdb]", "t.y"}))
    assert newly_skipped(was, renamed, {"t.a": "t.z", "t.b": "t.y"}) == ["t.y"]
