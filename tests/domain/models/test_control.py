"""Control questions: whoever misses too many of the last ones is not believed; others are."""

import pytest

from agents.domain.models.control import LAST, MISSES, MODELS, Tried, is_believed, is_drawn, misses_of, remember_try


def tried(*missed: bool, model: str = "m") -> tuple[Tried, ...]:
    known: tuple[Tried, ...] = ()
    for each in missed:
        known = remember_try(known, model, missed=each)
    return known


def test_a_model_is_believed_until_it_misses_too_many_of_its_last() -> None:
    assert is_believed((), "m") and is_believed(tried(*[True] * (MISSES - 1)), "m")
    known = tried(*[True] * MISSES)
    assert misses_of(known, "m") == MISSES and not is_believed(known, "m")
    better = tried(*[True] * MISSES, *[False] * (LAST - 1))
    assert misses_of(better, "m") == 1 and is_believed(better, "m")


def test_what_one_missed_is_not_held_against_another() -> None:
    known = (*tried(*[True] * MISSES, model="a"), *tried(False, model="b"))
    assert not is_believed(known, "a") and is_believed(known, "b") and is_believed(known, "c")
    assert misses_of(remember_try(known, "b", missed=True), "b") == 1


def test_only_the_latest_models_are_remembered() -> None:
    known: tuple[Tried, ...] = ()
    for number in range(MODELS + 1):
        known = remember_try(known, f"m{number}", missed=True)
    assert [each.model for each in known] == [f"m{number}" for number in range(1, MODELS + 1)]


@pytest.mark.parametrize(("every", "share"), [(0, 0), (1, 400), (4, 100)])
def test_one_in_so_many_is_drawn_and_the_same_one_again(every: int, share: int) -> None:
    drawn = [number for number in range(400) if is_drawn(every, f"T-1:{number}")]
    assert drawn == [number for number in range(400) if is_drawn(every, f"T-1:{number}")]
    assert share * 0.7 <= len(drawn) <= share * 1.3
