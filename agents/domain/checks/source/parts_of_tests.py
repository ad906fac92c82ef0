"""Python files outside of the tests that tests are made of: helpers that assert, and modules of nothing but cases."""

import ast
import re
from collections.abc import Iterator

_NAMED = re.compile(
    r"(^|/)(testing|_testing|test(ing)?_?(utils?|helpers?|support|tools?)|assert(s|ions?)?|matchers?)(\.py$|/)"
)
_ASSERTS = re.compile(r"^_?(assert|expect|should)(_|[A-Z]|$)")
_RUNNERS = ("pytest", "unittest")


def is_helper(path: str, text: str) -> bool:
    """Whether it asserts for whoever loads it. A program that asserts for itself is none."""
    tree = _parse(text)
    if tree is None:
        return False
    asserts = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and any(map(_fails, ast.walk(node)))
    ]
    if not asserts:
        return False
    named = _NAMED.search(path) is not None or any(_ASSERTS.match(node.name) for node in asserts)
    return named or any(name.partition(".")[0] in _RUNNERS for name in import_names(text))


def _fails(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise):
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return isinstance(raised, ast.Name) and raised.id == "AssertionError"
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assert")
    return isinstance(node, ast.Assert) or called


def holds_nothing_but_data(text: str) -> bool:
    """Values alone: it says nothing that could be done."""
    tree = _parse(text)
    plain = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Import, ast.ImportFrom)
    return tree is not None and all(isinstance(node, plain) for node in tree.body)


def import_names(text: str) -> frozenset[str]:
    """Names of modules, and of what is taken from them."""
    tree = _parse(text)
    return frozenset(_imported_names(tree)) if tree else frozenset()


def _imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            own = node.module or ""
            yield own
            yield from (f"{own}.{alias.name}" if own else alias.name for alias in node.names)


def module_names(path: str) -> frozenset[str]:
    """What a file may be called by those who import it, from whichever folder."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    return frozenset(".".join(parts[at:]) for at in range(len(parts)))


def _parse(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
