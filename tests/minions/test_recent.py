"""The last few of what is dear to find out."""

from agents.minions.reading import Recent


def test_the_last_few_are_kept() -> None:
    kept = Recent[str, int](2)
    assert [kept.keep(name, number) for number, name in enumerate("abc")] == [0, 1, 2]
    assert [kept.get(name) for name in "abc"] == [None, 1, 2]
