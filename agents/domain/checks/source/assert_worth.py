"""How many assertions those of a Python function stand for at most: some of them were joined into one."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping

Function = ast.FunctionDef | ast.AsyncFunctionDef
_PASSED_ON = frozenset({"zip", "enumerate", "sorted", "list", "tuple", "set", "reversed", "dict"})


def row_counts(tree: ast.Module) -> dict[str, int]:
    """Tables that a file has at its top, and how many rows each has."""
    found = dict[str, int]()
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = _rows(node.value, {})
    return found


def worth(function: Function, reached: list[ast.AST], tables: Mapping[str, int]) -> int:
    """`reached`: its assertions. One of several values, or in a loop, stands for as many."""
    known = {**tables, **row_counts(ast.Module(body=function.body, type_ignores=[]))}
    wanted = {id(node) for node in reached}
    of_one = (
        times * max(1, _of_one(node, known)) for node, times in _with_loops(function, known, 1) if id(node) in wanted
    )
    return cases_of(function, known) * sum(of_one)


def cases_of(function: Function, known: Mapping[str, int]) -> int:
    """How many different ones its marks name."""
    found = 1
    for mark in function.decorator_list:
        match mark:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[_, values, *_]):
                found *= max(1, _rows(values, known))
    return found


def _with_loops(node: ast.AST, known: Mapping[str, int], times: int) -> Iterator[tuple[ast.AST, int]]:
    yield node, times
    inside = times * max(1, _rows(node.iter, known)) if isinstance(node, ast.For | ast.AsyncFor) else times
    for child in ast.iter_child_nodes(node):
        yield from _with_loops(child, known, inside)


def _of_one(node: ast.AST, known: Mapping[str, int]) -> int:
    match node:
        case ast.Assert(test=test):
            return _of_one(test, known)
        case ast.BoolOp(op=ast.And(), values=values):
            return sum(max(1, _of_one(each, known)) for each in values)
        case ast.Compare(left=left, comparators=[right]):
            return max(_rows(left, known), _rows(right, known))
        case ast.Call(func=ast.Name(id="all"), args=[ast.GeneratorExp() | ast.ListComp() as each]):
            return _rows(each.generators[0].iter, known)
        case ast.Call(args=[first, second, *_]):
            return max(_rows(first, known), _rows(second, known))
        case _:
            return 1


def _rows(node: ast.expr, known: Mapping[str, int]) -> int:
    match node:
        case ast.Tuple(elts=values) | ast.List(elts=values) | ast.Set(elts=values):
            return len(set(map(ast.dump, values)))
        case ast.Dict(values=values):
            return len(values)
        case ast.Name(id=name):
            return known.get(name, 0)
        case ast.Call(func=ast.Name(id=name), args=[given, *_]) if name in _PASSED_ON:
            return _rows(given, known)
        case ast.Call(func=ast.Attribute(value=ast.Name() as table, attr="items" | "values" | "keys")):
            return _rows(table, known)
        case _:
            return 0


def calls_of(function: Function) -> Counter[str]:
    """What it calls, by its last word."""
    names = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return Counter(
        name.attr if isinstance(name, ast.Attribute) else name.id
        for name in names
        if isinstance(name, ast.Attribute | ast.Name)
    )
