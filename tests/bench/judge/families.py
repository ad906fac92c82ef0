"""Small functions that generated programs are made of, each with a way to draw what it is called with."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Draw = Callable[[random.Random], tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Family:
    name: str
    source: str
    draw: Draw


def _numbers(rng: random.Random, least: int = 1, most: int = 9) -> list[int]:
    return [rng.randint(-20, 40) for _ in range(rng.randint(least, most))]


def _words(rng: random.Random) -> str:
    parts = ("Red", "blue", "GREEN", "x9", "big", "Small", "two", "one")
    return rng.choice((" ", "  ", "-")).join(rng.choice(parts) for _ in range(rng.randint(1, 4)))


FAMILIES: tuple[Family, ...] = (
    Family("clamp", """\
def clamp(value, low, high):
    if value < low:
        return low
    if value > high:
        return high
    return value
""", lambda rng: (rng.randint(-30, 60), 0, rng.randint(5, 30))),
    Family("running_totals", """\
def running_totals(numbers):
    total = 0
    found = []
    for number in numbers:
        total = total + number
        found.append(total)
    return found
""", lambda rng: (_numbers(rng),)),
    Family("chunks", """\
def chunks(items, size):
    found = []
    for start in range(0, len(items), size):
        found.append(items[start : start + size])
    return found
""", lambda rng: (_numbers(rng), rng.randint(1, 4))),
    Family("median", """\
def median(numbers):
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    if len(ordered) % 2 == 1:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2
""", lambda rng: (_numbers(rng, 1, 8),)),
    Family("slug", """\
def slug(text):
    kept = []
    for letter in text.lower():
        kept.append(letter if letter.isalnum() else "-")
    return "-".join(part for part in "".join(kept).split("-") if part)
""", lambda rng: (_words(rng),)),
    Family("run_lengths", """\
def run_lengths(text):
    found = []
    for letter in text:
        if found and found[-1][0] == letter:
            found[-1][1] += 1
        else:
            found.append([letter, 1])
    return found
""", lambda rng: ("".join(rng.choice("aab") for _ in range(rng.randint(1, 9))),)),
    Family("shift", """\
def shift(text, by):
    found = []
    for letter in text:
        if letter.islower():
            found.append(chr((ord(letter) - 97 + by) % 26 + 97))
        else:
            found.append(letter)
    return "".join(found)
""", lambda rng: (_words(rng), rng.randint(1, 25))),
    Family("is_leap", """\
def is_leap(year):
    if year % 400 == 0:
        return True
    if year % 100 == 0:
        return False
    return year % 4 == 0
""", lambda rng: (rng.choice((1900, 2000, 2023, 2024, 2100, 2400, 1996, 1999)),)),
    Family("coins", """\
def coins(amount):
    found = []
    for coin in (50, 20, 10, 5, 2, 1):
        while amount >= coin:
            amount = amount - coin
            found.append(coin)
    return found
""", lambda rng: (rng.randint(1, 140),)),
    Family("gcd", """\
def gcd(first, second):
    while second != 0:
        first, second = second, first % second
    return first
""", lambda rng: (rng.randint(1, 300), rng.randint(1, 300))),
    Family("averages", """\
def averages(numbers, window):
    found = []
    for start in range(len(numbers) - window + 1):
        part = numbers[start : start + window]
        found.append(sum(part) / window)
    return found
""", lambda rng: (_numbers(rng, 4, 9), rng.randint(1, 4))),
    Family("luhn", """\
def luhn(digits):
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit)
        if place % 2 == 1:
            number = number * 2
            if number > 9:
                number = number - 9
        total = total + number
    return total % 10 == 0
""", lambda rng: ("".join(rng.choice("0123456789") for _ in range(rng.randint(2, 9))),)),
    Family("price", """\
def price(net, tax, discount):
    reduced = net * (100 - discount) / 100
    if reduced < 0:
        reduced = 0
    return round(reduced * (100 + tax) / 100, 2)
""", lambda rng: (rng.randint(1, 400), rng.choice((7, 19, 20)), rng.randint(0, 60))),
    Family("unique", """\
def unique(items):
    seen = set()
    found = []
    for item in items:
        if item not in seen:
            seen.add(item)
            found.append(item)
    return found
""", lambda rng: ([rng.randint(0, 5) for _ in range(rng.randint(2, 9))],)),
)  # fmt: skip
