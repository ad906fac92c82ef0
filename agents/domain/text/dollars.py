"""Amounts of money in words."""

from math import floor, log10

CENT_IS_ENOUGH = 0.1


def dollars(amount: float) -> str:
    """With cents; less than ten of them with two digits, for calls cost parts of a cent and budgets may be as small."""
    if not 0 < amount < CENT_IS_ENOUGH:
        return f"${amount:.2f}"
    whole = f"{amount:.{min(1 - floor(log10(amount)), 9)}f}".rstrip("0")
    return f"${whole if len(whole) >= len('0.00') else f'{amount:.2f}'}"
