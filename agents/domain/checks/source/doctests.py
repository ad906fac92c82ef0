"""Examples in documentation that are run as tests: what each says before and after a change."""

import ast
from collections import Counter
from collections.abc import Iterator
from doctest import DocTestParser

_PARSER = DocTestParser()
Example = tuple[str, str]  # what is asked, and what is expected


def lost_examples(before: str, after: str, *, is_python: bool) -> list[str]:
    """Examples that are gone, or expect something else now; by what they ask."""
    had, has = (Counter(_examples(text, is_python=is_python)) for text in (before, after))
    return [asked.strip() for asked, _ in (had - has).elements()]


def _examples(text: str, *, is_python: bool) -> Iterator[Example]:
    for words in _docstrings(text) if is_python else [text]:
        try:
            yield from ((each.source, each.want) for each in _PARSER.get_examples(words))
        except ValueError:  # none that anybody could run
            continue


def _docstrings(text: str) -> Iterator[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node, clean=True) or ""
