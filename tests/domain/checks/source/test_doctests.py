"""Examples in documentation that are tests: gone, or made to expect something else."""

from agents.domain.checks.source.doctests import lost_examples

CODE = '''def total(prices):
    """The sum.

    >>> total([1, 2])
    3
    >>> total([])
    0
    """
    return sum(prices)
'''


def test_examples_of_a_program_are_its_docstrings_and_no_other_text() -> None:
    assert lost_examples(CODE, CODE.replace("return sum(", "return 1 + sum("), is_python=True) == []
    assert lost_examples(CODE, CODE.replace("    3\n", "    4\n"), is_python=True) == ["total([1, 2])"]
    assert lost_examples(CODE, "", is_python=True) == ["total([1, 2])", "total([])"]
    assert lost_examples("x = '>>> 1'\n", "", is_python=True) == []
    assert lost_examples("def broken(:\n", "", is_python=True) == []


def test_examples_may_move_and_become_more() -> None:
    more = CODE.replace("    >>> total([])", "    >>> 1 + 1\n    2\n    >>> total([])")
    moved = more.replace("def total", "VAT = 1\n\n\ndef total")
    assert lost_examples(CODE, moved, is_python=True) == []


def test_examples_of_a_page() -> None:
    page = "# Shop\n\n>>> 1 + 1\n2\n"
    assert lost_examples(page, page.replace("2\n", "3\n"), is_python=False) == ["1 + 1"]
    assert lost_examples(">>>1\n2\n", "", is_python=False) == [], "nobody could run it"
