"""Faults planted in a function, of the kind that people make: each is known to be seen by the tests that were there."""

import ast
import copy
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from tests.bench.judge.programs import Case, Unit, function_of

Node = TypeVar("Node", bound=ast.AST)
STEPS = 2_000  # lines that a faulty function may run: some never end
_SWAPS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.FloorDiv),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.Lt: (ast.GtE, ast.LtE),
    ast.Gt: (ast.LtE, ast.GtE),
    ast.GtE: (ast.Lt, ast.Gt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.NotIn: (ast.In,),
}


class TooLong(Exception):
    """A function that does not end."""


def mutants(source: str) -> Iterator[str]:
    """Every one that a single change makes."""
    for other in changed_nodes(ast.parse(source)):
        yield ast.unparse(ast.fix_missing_locations(other)) + "\n"


def changed_nodes(tree: Node, wanted: Callable[[ast.AST], bool] = lambda node: True) -> Iterator[Node]:
    """Copies of a tree, with a single change each."""
    for at, node in enumerate(ast.walk(tree)):
        for change in _changes(node) if wanted(node) else ():
            other = copy.deepcopy(tree)
            change(list(ast.walk(other))[at])
            yield other


def _changes(node: ast.AST) -> Iterator[Any]:
    if isinstance(node, ast.BinOp | ast.AugAssign):
        for other in _SWAPS.get(type(node.op), ()):
            yield lambda found, other=other: setattr(found, "op", other())
    if isinstance(node, ast.Compare):
        for other in _SWAPS.get(type(node.ops[0]), ()):
            yield lambda found, other=other: setattr(found, "ops", [other()])
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield lambda found: setattr(
            found, "value", not found.value if found.value in (True, False) else found.value + 1
        )
    if isinstance(node, ast.Return) and node.value is not None:
        yield lambda found: setattr(found, "value", ast.Constant(value=None))


def outcome(source: str, name: str, case: Case) -> tuple[Any] | None:
    """What the function gives; None: it breaks, or does not end."""
    function = function_of(name, source)
    try:
        with _counted():
            return (function(*copy.deepcopy(case[0])),)
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, NameError, TooLong):
        return None


def gives(source: str, name: str, case: Case) -> bool:
    """Whether the function gives what it should."""
    found = outcome(source, name, case)
    return found is not None and bool(found[0] == case[1])


@contextmanager
def _counted() -> Iterator[None]:
    left = STEPS

    def count(frame: object, event: str, argument: object) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise TooLong
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)


def wrong(unit: Unit, rng: random.Random) -> str:
    """A faulty source that the unit's own tests see; one that ends, and is right now and then, where there is one."""
    tried = list(dict.fromkeys(mutants(unit.family.source)))
    rng.shuffle(tried)
    seen = [source for source in tried if not all(gives(source, unit.name, case) for case in unit.known)]
    subtle = (source for source in seen if _is_subtle(source, unit))
    ending = (source for source in seen if all(outcome(source, unit.name, case) for case in unit.known))
    return next(subtle, next(ending, seen[0]))


def _is_subtle(source: str, unit: Unit) -> bool:
    found = [outcome(source, unit.name, case) for case in unit.known]
    right = [gives(source, unit.name, case) for case in unit.known]
    return all(found) and any(right) and not all(right[: len(unit.direct)])
