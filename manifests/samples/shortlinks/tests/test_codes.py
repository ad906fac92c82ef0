import pytest

from shortlinks.codes import ALPHABET, decode, encode


@pytest.mark.parametrize("number", [0, 1, 30, 31, 1000, 10**9])
def test_a_code_leads_back_to_its_number(number: int) -> None:
    assert decode(encode(number)) == number


def test_no_character_looks_like_another() -> None:
    assert not set("01ilo") & set(ALPHABET)


def test_negative_numbers_have_no_code() -> None:
    with pytest.raises(ValueError):
        encode(-1)
