"""Values of a Python function that are the same by what it says: two names for one, or one expression written twice."""

import ast
from collections import Counter
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef
_DEEP = 5  # names for names for names
_KNOWN_BY_NAME = (ast.Name, ast.Constant, ast.Tuple, ast.List, ast.Load, ast.UnaryOp, ast.USub)


def compares_with_itself(function: Function, line: int, left: ast.expr, right: ast.expr) -> bool:
    """Whether both sides are one value, or one expression that is worked out twice with nothing done in between."""
    names = _Names(function, line)
    if names.root(left) == names.root(right) != "":
        return True
    if ast.dump(names.expand(left)) != ast.dump(names.expand(right)) or _makes_a_thing(names.expand(left)):
        return False
    if all(isinstance(node, _KNOWN_BY_NAME) for node in ast.walk(names.expand(left))):
        return True
    return not any(first < node.lineno < line for first in [names.first] for node in _acting(function, names.used))


def _makes_a_thing(node: ast.expr) -> bool:
    """`Item(1) == Item(1)` asks how items compare."""
    called = node.func if isinstance(node, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return name[:1].isupper()


def _acting(function: Function, used: list[ast.stmt]) -> Iterator[ast.stmt]:
    given = {id(each) for each in used}
    return (node for node in ast.walk(function) if isinstance(node, ast.stmt) and id(node) not in given)


class _Names:
    """Names that are given a value once, above a line."""

    def __init__(self, function: Function, line: int) -> None:
        stored = Counter(
            node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        )
        self._given = {
            node.targets[0].id: node
            for node in function.body
            if isinstance(node, ast.Assign)
            and node.lineno < line
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
            and stored[node.targets[0].id] == 1
        }
        self.used = list[ast.stmt]()
        self.first = line

    def root(self, node: ast.expr) -> str:
        """The name that was given first to what a name stands for."""
        for _ in range(_DEEP):
            if not isinstance(node, ast.Name):
                break
            given = self._given.get(node.id)
            if given is None or not isinstance(given.value, ast.Name):
                return node.id
            node = given.value
        return ""

    def expand(self, node: ast.expr, depth: int = 0) -> ast.expr:
        """With what its names stand for."""
        if isinstance(node, ast.Name) and node.id in self._given and depth < _DEEP:
            given = self._given[node.id]
            self.used.append(given)
            self.first = min(self.first, given.lineno)
            return self.expand(given.value, depth + 1)
        return node


def dead_functions(function: Function) -> frozenset[str]:
    """Functions and classes in it that nothing calls, nor is given."""
    inner = {
        node.name: node
        for node in ast.walk(function)
        if isinstance(node, Function | ast.ClassDef) and node is not function and not node.decorator_list
    }
    inner_names = {node.targets[0].id for node in ast.walk(function) if isinstance(node, ast.Assign)
                   and isinstance(node.value, ast.Lambda) and isinstance(node.targets[0], ast.Name)}  # fmt: skip
    asserted = {id(node.test) for node in ast.walk(function) if isinstance(node, ast.Assert)}
    own = {name: {id(each) for each in ast.walk(node)} for name, node in inner.items()}
    used = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in asserted
        if id(node) not in own.get(node.id, ())
    }
    return frozenset((inner.keys() | inner_names) - used)
