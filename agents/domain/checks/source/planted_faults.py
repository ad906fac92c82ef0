"""Faults that are planted in a program to see whether a test notices: single changes, each on one line."""

import ast
from collections.abc import Iterator, Set
from dataclasses import dataclass

from agents.domain.checks.hollow import Function

_SWAPS: dict[type[ast.AST], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "*",
    ast.Lt: ">=",
    ast.LtE: ">",
    ast.Gt: "<=",
    ast.GtE: "<",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.And: "or",
    ast.Or: "and",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    line: int
    text: str  # the whole file with it
    returns: bool = False  # whether it is what a function returns


def faults_in(text: str, lines: Set[int]) -> Iterator[Fault]:
    """On these lines, in functions: what is returned first, then conditions, then values."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    source = text.splitlines(keepends=True)
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    inside = {id(node): node for function in functions for part in function.body for node in ast.walk(part)}
    for change in (_returns, _conditions, _values):
        for node in inside.values():
            if found := change(node):
                place, instead = found
                if place.lineno in lines and place.lineno == place.end_lineno and source[place.lineno - 1].isascii():
                    yield Fault(line=place.lineno, text=_replace(source, place, instead), returns=change is _returns)


Found = tuple[ast.expr, str] | None


def _returns(node: ast.AST) -> Found:
    if isinstance(node, ast.Return) and node.value is not None:
        nothing = isinstance(node.value, ast.Constant) and node.value.value is None
        return node.value, "object()" if nothing else "None"
    return None


def _conditions(node: ast.AST) -> Found:
    match node:
        case ast.If() | ast.While() | ast.IfExp():
            return node.test, f"not ({ast.unparse(node.test)})"
        case ast.Compare(ops=[op]) if type(op) in _SWAPS:
            left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
            return node, f"({left}) {_SWAPS[type(op)]} ({right})"
        case _:
            return None


def _values(node: ast.AST) -> Found:
    match node:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _SWAPS:
            return node, f"({ast.unparse(left)}) {_SWAPS[type(op)]} ({ast.unparse(right)})"
        case ast.Assign(value=value) | ast.AugAssign(value=value) if not _is_nothing(value):
            return value, "None"
        case _:
            return None


def _is_nothing(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _replace(source: list[str], place: ast.expr, instead: str) -> str:
    line = source[place.lineno - 1]
    made = f"{line[: place.col_offset]}{instead}{line[place.end_col_offset :]}"
    return "".join((*source[: place.lineno - 1], made, *source[place.lineno :]))
