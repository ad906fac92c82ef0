"""Tests that are content with more than they were."""

import pytest

from agents.domain.checks.source.looser import asked_more, is_looser

RAISES = "def test_it():\n    with pytest.raises({}):\n        call()\n"
ASSERTS = "    def test_it(self):\n        assert {}\n"


@pytest.mark.parametrize(
    ("form", "before", "after"),
    [
        (RAISES, "ValueError", "Exception"),
        (RAISES, "ValueError", "(ValueError, BaseException)"),
        (RAISES, "ValueError, match='no'", "ValueError"),
        (ASSERTS, "found == approx(1, abs=0.1)", "found == approx(1, abs=10)"),
        (ASSERTS, "self.assertAlmostEqual(a, b, places=5)", "self.assertAlmostEqual(a, b, places=1)"),
        (ASSERTS, "found == 'all of it'", "'all' in found"),
        (ASSERTS, "found == 3", "found >= 0"),
        (ASSERTS, "found == 3 and other == 4", "found == 3 and other != 5"),
        ("def test_it():\n    self.{}\n", "assertEqual(a, 'ab')", "assertIn(a, ['ab', 'c'])"),
        (ASSERTS, "found == 3", "round(found, -2) == 0"),
        (ASSERTS, "found == [1, 2]", "len(found) == 2"),
        ("def test_it():\n    self.{}\n", "assertEqual(a, [1])", "assertEqual(len(a), 1)"),
        (ASSERTS, "found is None", "isinstance(found, (str, type(None)))"),
    ],
)
def test_looser(form: str, before: str, after: str) -> None:
    assert is_looser(form.format(before), form.format(after))
    assert not is_looser(form.format(after), form.format(before)), "the other way it asks for more"


@pytest.mark.parametrize(
    ("form", "before", "after"),
    [
        (RAISES, "ValueError", "KeyError"),
        (RAISES, "ValueError, match='no'", "ValueError, match='never'"),
        (ASSERTS, "found == 3", "found == 4"),
        (ASSERTS, "found == 3", "found == 3 and found > 2"),
        (ASSERTS, "len(found) > 0", "found"),
        (ASSERTS, "found == [1, 2]", "found == [1, 2] and len(found) == 2"),
        (ASSERTS, "found", "len(found) == 2"),
        (ASSERTS, "found == approx(1, abs=0.1)", "found == approx(2, abs=0.1)"),
        (ASSERTS, "found == 3", "("),
    ],
)
def test_other_and_not_looser(form: str, before: str, after: str) -> None:
    assert not is_looser(form.format(before), form.format(after))


def test_what_another_test_asks_for_now_is_not_lost() -> None:
    before, after = RAISES.format("ValueError, match='no'"), RAISES.format("ValueError")
    assert is_looser(before, after)
    assert not is_looser(before, after, others=asked_more([("", before)]))
