"""Numbers as short codes, without characters that look alike."""

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"


def encode(number: int) -> str:
    if number < 0:
        raise ValueError("codes are made from numbers that are not negative")
    code = ""
    while True:
        number, digit = divmod(number, len(ALPHABET))
        code = ALPHABET[digit] + code
        if number == 0:
            return code


def decode(code: str) -> int:
    number = 0
    for character in code:
        place = ALPHABET.find(character)
        if place < 0:
            raise ValueError(f"{character!r} is not part of any code")
        number = number * len(ALPHABET) + place
    return number
