"""Python expressions that are always true or always false, told from reading alone."""

import ast
from collections.abc import Callable

_SAME = (ast.Eq, ast.Is, ast.LtE, ast.GtE)


def name_called(call: ast.Call) -> str:
    """The last word of what is called."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def constant_truth(node: ast.expr) -> bool | None:
    """Whether an expression is always true, or always false; None: it depends."""
    of_kind = _TRUTH.get(type(node))
    return of_kind(node) if of_kind else None


def _of_value(node: ast.Constant) -> bool:
    return bool(node.value)


def _of_elements(node: ast.Tuple | ast.List | ast.Set) -> bool | None:
    return None if any(isinstance(each, ast.Starred) for each in node.elts) else bool(node.elts)


def _of_dict(node: ast.Dict) -> bool | None:
    return None if None in node.keys else bool(node.keys)


def _of_text(node: ast.JoinedStr) -> bool | None:
    return True if any(isinstance(each, ast.Constant) and each.value for each in node.values) else None


def _of_negation(node: ast.UnaryOp) -> bool | None:
    known = constant_truth(node.operand)
    return None if known is None or not isinstance(node.op, ast.Not) else not known


def _of_choice(node: ast.IfExp) -> bool | None:
    both = {constant_truth(node.body), constant_truth(node.orelse)}
    return both.pop() if len(both) == 1 else None


def _of_several(node: ast.BoolOp) -> bool | None:
    known = [constant_truth(value) for value in node.values]
    decides = isinstance(node.op, ast.Or)
    if decides in known:
        return decides
    return None if None in known else not decides


def _of_call(node: ast.Call) -> bool | None:
    name, given = name_called(node), node.args
    if name == "bool" and len(given) == 1:
        return constant_truth(given[0])
    if name in ("list", "tuple", "dict", "set", "bool") and not given and not node.keywords:
        return False
    everything = isinstance(given[1], ast.Name) and given[1].id == "object" if len(given) == 2 else False
    return True if name == "isinstance" and everything else None


def _of_comparison(node: ast.Compare) -> bool | None:
    if len(node.ops) != 1:
        return None
    left, op, right = node.left, node.ops[0], node.comparators[0]
    if isinstance(op, ast.GtE) and isinstance(left, ast.Call) and name_called(left) == "len":
        return True if isinstance(right, ast.Constant) and right.value == 0 else None
    if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
        same = (type(left.value), left.value) == (type(right.value), right.value)
        return same if isinstance(op, ast.Eq | ast.Is) else not same if isinstance(op, ast.NotEq | ast.IsNot) else None
    return True if isinstance(op, _SAME) and same_value(left, right) else None


_TRUTH: dict[type[ast.expr], Callable[..., bool | None]] = {
    ast.Constant: _of_value,
    ast.Tuple: _of_elements,
    ast.List: _of_elements,
    ast.Set: _of_elements,
    ast.Dict: _of_dict,
    ast.JoinedStr: _of_text,
    ast.UnaryOp: _of_negation,
    ast.BoolOp: _of_several,
    ast.IfExp: _of_choice,
    ast.Call: _of_call,
    ast.Compare: _of_comparison,
    ast.NamedExpr: lambda node: constant_truth(node.value),
    ast.Lambda: lambda node: True,
    ast.GeneratorExp: lambda node: True,
}


def same_value(left: ast.expr, right: ast.expr) -> bool:
    """The same value twice. Two calls may well differ: that is a test of its own."""
    calls = any(isinstance(node, ast.Call | ast.Await) for node in ast.walk(left))
    return not calls and ast.dump(left) == ast.dump(right)
