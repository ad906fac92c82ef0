"""Which assertions of a Python function can fail at all, read from its syntax tree and never run."""

import ast
import builtins
from collections.abc import Iterator, Sequence
from enum import StrEnum

from agents.domain.checks.source.same_values import compares_with_itself, dead_functions
from agents.domain.checks.truth import constant_truth, name_called, same_value

_MOCKS = frozenset(
    {"Mock", "MagicMock", "AsyncMock", "NonCallableMock", "PropertyMock", "create_autospec", "mock_open"}
)
_PATCHES = frozenset({"patch", "setattr", "setitem", "object", "dict"})
_CATCH_ALL = frozenset({"Exception", "BaseException", "AssertionError"})
_EXPECTS = frozenset({"raises", "assertRaises", "assertRaisesRegex"})
_LEAVES = frozenset({"skip", "skipTest", "xfail", "exit", "_exit", "importorskip"})
_EQUALS = frozenset({"assertEqual", "assertEquals", "assert_equal", "assertListEqual", "assertDictEqual"})
_SAYS = frozenset({"print", "len", "str", "repr", "isinstance", "type"})
_TRUE_OF_TWO = frozenset({"assertTrue", "assertIsNotNone", "assertFalse", "assertIsNone", "assert_", "ok"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Hollow(StrEnum):
    """Why a test says nothing about what it tests."""

    LEAVES_EARLY = "leaves_early"  # before it asserts anything
    ALWAYS_TRUE = "always_true"
    CATCHES_ALL = "catches_all"  # an assertion that fails is caught
    ONLY_MOCKS = "only_mocks"  # it asserts on its own stand-ins
    EMPTY = "empty"  # it does nothing
    NOT_RUN = "not_run"  # skipped, or a generator, which is never gone through
    NOT_COLLECTED = "not_collected"  # the runner does not find it


def assertions(function: Function) -> list[ast.AST]:
    """Those that are reached and can fail."""
    return list(_Reading(function).find(function.body, guarded=True))


def hollow_reason(function: Function) -> Hollow | None:
    """None: as far as can be read, it can fail."""
    if _is_marked(function) or _is_generator(function):
        return Hollow.NOT_RUN
    reading = _Reading(function)
    if any(reading.find(function.body, guarded=True)):
        return Hollow.ONLY_MOCKS if _only_mocks(function) else None
    written = [node for node in ast.walk(function) if _is_assertion(node)]
    if not written:
        return Hollow.EMPTY if _does_nothing(function) else None
    if not any(map(reading.is_real, written)):
        return Hollow.ALWAYS_TRUE
    reached = any(reading.find(function.body, guarded=False))
    return Hollow.CATCHES_ALL if reached else Hollow.LEAVES_EARLY


class _Reading:
    """Which assertions of a function are reached, in that order, and can fail. `guarded`: without those whose failure
    is caught."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._dead = dead_functions(function)

    def find(self, body: Sequence[ast.stmt], *, guarded: bool) -> Iterator[ast.AST]:
        for statement in body:
            yield from self._in_statement(statement, guarded=guarded)
            if _leaves(statement):
                return

    def _in_statement(self, statement: ast.stmt, *, guarded: bool) -> Iterator[ast.AST]:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                if statement.name not in self._dead:
                    yield from self.find(statement.body, guarded=guarded)
            case ast.If() | ast.While() | ast.For() | ast.AsyncFor():
                for branch in _branches(statement):
                    yield from self.find(branch, guarded=guarded)
            case ast.With() | ast.AsyncWith():
                yield from self._in_with(statement, guarded=guarded)
            case ast.Try() | ast.TryStar():
                yield from self._in_try(statement, guarded=guarded)
            case _:
                yield from (node for node in ast.walk(statement) if _is_assertion(node) and self.is_real(node))

    def _in_try(self, statement: ast.Try | ast.TryStar, *, guarded: bool) -> Iterator[ast.AST]:
        swallows = any(map(_leaves, statement.finalbody)) or any(map(_catches_all, statement.handlers))
        if not (guarded and swallows):
            yield from self.find(statement.body, guarded=guarded)
        for part in (*(handler.body for handler in statement.handlers), statement.orelse, statement.finalbody):
            yield from self.find(part, guarded=guarded)

    def _in_with(self, statement: ast.With | ast.AsyncWith, *, guarded: bool) -> Iterator[ast.AST]:
        """Where any failure is expected, an assertion within is what fails."""
        managers = [item.context_expr for item in statement.items]
        swallows = any(map(_swallows, managers))
        asserts = any(_is_assertion(node) for each in statement.body for node in ast.walk(each))
        if not (guarded and swallows and asserts):
            calls = [node for each in managers for node in ast.walk(each) if _is_assertion(node)]
            yield from filter(self.is_real, calls)
        if not (guarded and swallows):
            yield from self.find(statement.body, guarded=guarded)

    def is_real(self, node: ast.AST) -> bool:
        """Whether it can fail. What cannot be told from reading can."""
        match node:
            case ast.Assert(test=ast.Name(id=name)) if name in self._dead:
                return False
            case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])):
                return _is_real(node) and not compares_with_itself(self._function, node.lineno, left, right)
            case ast.Call(args=[first, second, *_]) if name_called(node) in _EQUALS:
                return _is_real(node) and not compares_with_itself(self._function, node.lineno, first, second)
            case _:
                return _is_real(node)


def _branches(statement: ast.If | ast.While | ast.For | ast.AsyncFor) -> Iterator[Sequence[ast.stmt]]:
    """Not one that is never taken."""
    loops = isinstance(statement, ast.For | ast.AsyncFor)
    known = constant_truth(statement.iter if isinstance(statement, ast.For | ast.AsyncFor) else statement.test)
    if known is not False:
        yield statement.body
    if known is not True or loops:
        yield statement.orelse


def _leaves(statement: ast.stmt) -> bool:
    """Nothing behind it in the same block is reached."""
    match statement:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return True
        case ast.Expr(value=ast.Call() as call):
            return name_called(call) in _LEAVES
        case ast.If():
            known = constant_truth(statement.test)
            then, other = any(map(_leaves, statement.body)), any(map(_leaves, statement.orelse))
            return (then and known is True) or (other and known is False) or (then and other)
        case ast.With() | ast.Try():
            return any(map(_leaves, statement.body)) and not getattr(statement, "handlers", ())
        case _:
            return False


def _is_assertion(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return True
    if not isinstance(node, ast.Call):
        return False
    name = name_called(node)
    return name.startswith(("assert", "fail")) or name in ("raises", "warns", "deprecated_call", "expect", "verify")


def _is_real(node: ast.AST) -> bool:
    """Whether it can fail. What cannot be told from reading can."""
    if isinstance(node, ast.Assert):
        return constant_truth(node.test) is not True
    if not isinstance(node, ast.Call):
        return True
    name = name_called(node)
    if name in _TRUE_OF_TWO and node.args:
        return constant_truth(node.args[0]) is None
    if name in _EQUALS or name == "assertIs":
        return not (len(node.args) > 1 and same_value(node.args[0], node.args[1]))
    return True


def _catches_all(handler: ast.ExceptHandler) -> bool:
    """Whether a failed assertion ends there, unnoticed."""
    kinds = [handler.type] if not isinstance(handler.type, ast.Tuple) else handler.type.elts
    wide = handler.type is None or any(map(_is_wide, kinds))
    inside = [node for statement in handler.body for node in ast.walk(statement)]
    return wide and not any(isinstance(node, ast.Raise) or _is_assertion(node) for node in inside)


def _swallows(manager: ast.expr) -> bool:
    """`suppress(Exception)` and the like: a failed assertion within is no failure."""
    if not isinstance(manager, ast.Call) or name_called(manager) not in ("suppress", *_EXPECTS):
        return False
    given = (*manager.args, *(each.value for each in manager.keywords if each.arg == "expected_exception"))
    return any(_is_wide(kind) for each in given for kind in (each.elts if isinstance(each, ast.Tuple) else [each]))


def _is_wide(kind: ast.expr | None) -> bool:
    name = kind.attr if isinstance(kind, ast.Attribute) else kind.id if isinstance(kind, ast.Name) else ""
    return name in _CATCH_ALL


def _is_marked(function: Function) -> bool:
    """Skipped, or expected to fail, whatever happens. What is skipped on some machine only is not."""
    for mark in function.decorator_list:
        called = mark.func if isinstance(mark, ast.Call) else mark
        name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
        always = isinstance(mark, ast.Call) and bool(mark.args) and constant_truth(mark.args[0]) is True
        if name in ("skip", "xfail", "expectedFailure") or (name in ("skipif", "skipIf") and always):
            return True
    return False


def _is_generator(function: Function) -> bool:
    inner = [node for node in ast.walk(function) if isinstance(node, Function | ast.Lambda) and node is not function]
    hidden = {id(node) for each in inner for node in ast.walk(each)}
    return any(isinstance(node, ast.Yield | ast.YieldFrom) and id(node) not in hidden for node in ast.walk(function))


def _does_nothing(function: Function) -> bool:
    calls = [name_called(node) for node in ast.walk(function) if isinstance(node, ast.Call)]
    acts = any(isinstance(node, ast.With | ast.AsyncWith | ast.Import | ast.ImportFrom | ast.Await | ast.Delete)
               for node in ast.walk(function))  # fmt: skip
    return not acts and all(name in _SAYS for name in calls)


def _only_mocks(function: Function) -> bool:
    """It calls nothing but stand-ins that it made itself."""
    stand_ins = _stand_ins(function)
    called = [call for call in ast.walk(function) if isinstance(call, ast.Call)]
    return bool(stand_ins) and all(_is_own(call, stand_ins) for call in called if call not in _decorators(function))


def _decorators(function: Function) -> list[ast.AST]:
    return [node for mark in function.decorator_list for node in ast.walk(mark)]


def _is_own(call: ast.Call, stand_ins: frozenset[str]) -> bool:
    name, root = name_called(call), _root(call.func)
    made = name in _MOCKS or name in _PATCHES or name == "raises"
    return made or root in stand_ins or name in stand_ins or (root == name and hasattr(builtins, name))


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _stand_ins(function: Function) -> frozenset[str]:
    found = set[str]()
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if name_called(call) in _MOCKS:
                found.add(name)
            case ast.withitem(context_expr=ast.Call() as call, optional_vars=ast.Name(id=name)):
                found |= {name} if _root(call.func) in ("patch", "mock", "mocker") else set()
            case ast.Call() if name_called(node) in _PATCHES:
                found |= set(_replaced(node))
    return frozenset(found)


def _replaced(call: ast.Call) -> Iterator[str]:
    """What `patch("shop.cart.total")` and `setattr(cart, "total", …)` put something else for."""
    for given in call.args[:2]:
        if isinstance(given, ast.Constant) and isinstance(given.value, str):
            yield given.value.rpartition(".")[2]
