"""Python expressions that are always true or always false, told from reading alone."""

import ast
import operator
from collections.abc import Callable
from typing import Any

_SAME = (ast.Eq, ast.Is, ast.LtE, ast.GtE)
_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}
_COMPARES: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.eq,
    ast.IsNot: operator.ne,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}
_COUNTS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {ast.Add: operator.add, ast.Sub: operator.sub}


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
    if decides in known or any(are_opposite(one, other) for one in node.values for other in node.values):
        return decides
    return None if None in known else not decides


def are_opposite(one: ast.expr, other: ast.expr) -> bool:
    """Whether one of them is true whenever the other is not."""
    if isinstance(other, ast.UnaryOp) and isinstance(other.op, ast.Not):
        return ast.dump(other.operand) == ast.dump(one)
    match one, other:
        case ast.Compare(ops=[first]), ast.Compare(ops=[second]) if _OPPOSITES.get(type(first)) is type(second):
            return (ast.dump(one.left), ast.dump(one.comparators[0])) == (
                ast.dump(other.left), ast.dump(other.comparators[0])
            )  # fmt: skip
        case _:
            return False


def _of_call(node: ast.Call) -> bool | None:
    name, given = name_called(node), node.args
    if len(given) == 1 and not node.keywords:
        return _of_one_given(name, given[0])
    if name in ("list", "tuple", "dict", "set", "bool") and not given and not node.keywords:
        return False
    return True if name == "isinstance" and len(given) == 2 and _is_of_kind(*given) else None


def _of_one_given(name: str, given: ast.expr) -> bool | None:
    if name in ("bool", "len", "list", "tuple", "set", "dict", "sorted"):
        return constant_truth(given) if name == "bool" or is_display(given) else None
    if name == "range" and isinstance(given, ast.Constant) and given.value == 0:
        return False
    if name in ("any", "all") and isinstance(given, ast.Tuple | ast.List | ast.Set):
        known = [constant_truth(each) for each in given.elts]
        decides = name == "any"
        return decides if decides in known else None if None in known else not decides
    return True if name in ("id", "type", "repr") else None


def is_display(node: ast.expr) -> bool:
    """A list and the like, written out."""
    return isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict | ast.Constant)


def _is_of_kind(value: ast.expr, kind: ast.expr) -> bool:
    """`isinstance(x, object)`, or of its own type."""
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    everything = any(isinstance(each, ast.Name) and each.id == "object" for each in kinds)
    own = any(isinstance(each, ast.Call) and name_called(each) == "type" and len(each.args) == 1
              and ast.dump(each.args[0]) == ast.dump(value) for each in kinds)  # fmt: skip
    return everything or own


def _of_comparison(node: ast.Compare) -> bool | None:
    if len(node.ops) != 1:
        return None
    left, op, right = node.left, node.ops[0], node.comparators[0]
    if isinstance(op, ast.LtE | ast.Lt):
        left, op, right = right, ast.GtE() if isinstance(op, ast.LtE) else ast.Gt(), left
    if _always_holds(left, op, right):
        return True
    return _compare_values(left, op, right)


def _always_holds(left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool:
    match op:
        case ast.Eq() if "ANY" in (_last_word(left), _last_word(right)):
            return True
        case ast.In() if isinstance(right, ast.Tuple | ast.List | ast.Set):
            return any(same_value(left, each) for each in right.elts)
        case ast.GtE() | ast.Gt() if isinstance(left, ast.Call) and name_called(left) in ("len", "abs"):
            return _is_below(op, right)
        case _:
            return isinstance(op, _SAME) and same_value(left, right)


def _is_below(op: ast.cmpop, right: ast.expr) -> bool:
    """No length is below zero."""
    try:
        value = value_of(right)
    except ValueError:
        return False
    return isinstance(value, int) and (value <= 0 if isinstance(op, ast.GtE) else value < 0 and isinstance(op, ast.Gt))


def _compare_values(left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool | None:
    compares = _COMPARES.get(type(op))
    if isinstance(left, ast.Constant) and isinstance(right, ast.Constant) and type(left.value) is not type(right.value):
        return {ast.Eq: False, ast.Is: False, ast.NotEq: True, ast.IsNot: True}.get(type(op))
    try:
        return bool(compares(value_of(left), value_of(right))) if compares else None
    except (ValueError, TypeError):
        return None


def value_of(node: ast.expr) -> Any:
    """Of what is written out. Raises ValueError where it is not known from reading."""
    match node:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _COUNTS:
            try:
                return _COUNTS[type(op)](value_of(left), value_of(right))
            except TypeError as problem:
                raise ValueError("no such sum") from problem
        case ast.Call(func=ast.Name(id="len"), args=[given], keywords=[]):
            value = value_of(given)
            if not hasattr(value, "__len__"):
                raise ValueError("it has no length")
            return len(value)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()))) | ast.Subscript(value=ast.Constant()):
            return _word_of(node)
        case _:
            try:
                return ast.literal_eval(node)
            except (TypeError, SyntaxError, MemoryError, RecursionError) as problem:
                raise ValueError("not written out") from problem


def _word_of(node: ast.expr) -> str:
    """A word that is put together. Raises ValueError where it is not known from reading."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(word)), attr="join"), args=[given], keywords=[]):
            parts = value_of(given)
            if isinstance(parts, list | tuple) and all(isinstance(each, str) for each in parts):
                return word.join(parts)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(word)), attr="upper"), args=[]):
            return word.upper()
        case ast.Subscript(value=ast.Constant(value=str(word)), slice=ast.Slice(None, None, ast.UnaryOp())):
            return word[::-1]
    raise ValueError("no word")


def _last_word(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


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
