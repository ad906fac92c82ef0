"""Which lines of a Python file a change touches, as far as a test can run them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from agents.domain.checks.hollow import Function

LINES_MOST = 20_000  # of a file; a longer one is not compared
_RUNS_NOTHING = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Pass)


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """`inside`: changed lines in functions, and all of those whose head changed. `everywhere`: what runs when the file
    is loaded changed as well, so that any function of it may do something else now."""

    inside: frozenset[int] = frozenset()
    everywhere: bool = False

    @property
    def anything(self) -> bool:
        return bool(self.inside) or self.everywhere


def touched_lines(before: str, after: str) -> Touched | None:
    """None: it cannot be told."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > LINES_MOST:
        return None
    try:
        tree = ast.parse(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    changed = frozenset(_changed(old, new))
    heads, bodies = set[int](), set[int]()
    for function in (node for node in ast.walk(tree) if isinstance(node, Function)):
        first = min((mark.lineno for mark in function.decorator_list), default=function.lineno)
        body = _body(function)
        bodies |= body
        heads |= set(range(first, function.body[0].lineno))
        if changed & set(range(first, function.body[0].lineno)):
            changed |= body
    loaded = {line for node in _loaded(tree) for line in _lines(node)} - heads - bodies
    begun = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt) and changed & set(_own(node))}
    return Touched(inside=frozenset((changed | begun) & bodies), everywhere=bool(changed & loaded))


def _changed(old: list[str], new: list[str]) -> Iterator[int]:
    for what, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "delete":  # what stands around it does something else now
            yield from (start, start + 1)
        elif what != "equal":
            yield from range(start + 1, end + 1)


def function_lines(text: str) -> frozenset[int]:
    """All lines in functions: what is outside of them runs when a file is loaded, whoever asks for it."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    functions = (node for node in ast.walk(tree) if isinstance(node, Function))
    return frozenset(line for function in functions for line in _body(function))


def _body(function: Function) -> set[int]:
    return {line for statement in function.body for line in _lines(statement)}


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _own(node: ast.stmt) -> range:
    """Without the statements in it: it is measured where it begins."""
    inner = getattr(node, "body", None) or getattr(node, "cases", None)
    return range(
        node.lineno,
        inner[0].lineno
        if isinstance(inner, list) and hasattr(inner[0], "lineno")
        else (node.end_lineno or node.lineno) + 1,
    )


def _loaded(tree: ast.Module) -> Iterator[ast.stmt]:
    """Statements outside of functions that do something: no imports, no words."""
    for node in ast.walk(tree):
        for statement in getattr(node, "body", ()) if isinstance(node, ast.Module | ast.ClassDef) else ():
            words = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not words and not isinstance(statement, _RUNS_NOTHING):
                yield statement
