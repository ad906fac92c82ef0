"""Which skills are suggested, and why."""

import pytest

from agents.domain.skills.skill import MOST_SUGGESTED, Skill, suggest


def skill(name: str, *keywords: str, files: tuple[str, ...] = ()) -> Skill:
    return Skill(name=name, description="d", version="1", instructions="i", keywords=keywords, file_patterns=files)


@pytest.mark.parametrize(
    ("words", "calls"),
    [
        ("add a test", True),
        ("Add a TEST, please", True),
        ("test_it", True),
        ("the latest one", False),
        ("testing", False),
        ("", False),
        ("  \n", False),
    ],
)
def test_a_keyword_is_a_whole_word_in_any_case(words: str, calls: bool) -> None:
    assert bool(suggest([skill("a", "Test")], words, [])) is calls


def test_a_keyword_may_be_of_several_words_and_signs() -> None:
    assert suggest([skill("a", "clean up")], "Clean  up: the store", [])
    assert not suggest([skill("a", "clean up")], "clean the cup", [])
    assert suggest([skill("a", "C++")], "speed up the c++ part", [])
    assert not suggest([skill("a", "C++")], "plan c", [])
    assert not suggest([skill("a", " ")], "anything", [])


def test_a_file_pattern_is_matched_by_segment() -> None:
    one = skill("a", files=("src/**/*.py",))
    assert suggest([one], "", ["src/a/b.py"])
    assert not suggest([one], "", ["src.py", "lib/src/a.py"])


def test_the_ones_with_most_reasons_come_first_and_only_a_few() -> None:
    many = [skill(f"s{n}", "test") for n in range(20)]
    best = skill("z", "test", "login", files=("*.py",))
    found = suggest([*many, best, skill("never")], "test the login", ["a.py"])
    assert [each.name for each in found] == ["z", "s0", "s1", "s10", "s11"]
    assert len(found) == MOST_SUGGESTED
