"""What stands around the tests of a Python file, and whether another version of it makes them do otherwise."""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class _Around:
    imports: Mapping[str, str]  # names, and where they are from
    statements: tuple[str, ...]
    classes: Mapping[str, str]  # with all of them but their tests
    helpers: Mapping[str, str]
    fresh: frozenset[str]  # helpers that do nothing until they are asked for by their name
    used: frozenset[str]  # names


def steers(before: str, after: str) -> bool:
    """Whether tests that say the same may do otherwise now. What was only added, and that nobody asked for, does not
    count. Where it cannot be read, they may."""
    old, new = _read(before), _read(after)
    if old is None or new is None:
        return True
    if _is_changed(old.imports, new.imports) or old.statements != new.statements:
        return True
    if _is_changed(old.classes, new.classes) or _is_changed(old.helpers, new.helpers):
        return True
    added = (new.imports.keys() | new.classes.keys() | new.helpers.keys()) - old.imports.keys() - old.helpers.keys()
    taken = (added & old.used - old.classes.keys()) | (new.helpers.keys() & old.imports.keys())
    return bool(taken) or bool(new.helpers.keys() - old.helpers.keys() - new.fresh)


def _is_changed(old: Mapping[str, str], new: Mapping[str, str]) -> bool:
    return any(new.get(name) != said for name, said in old.items())


def _read(text: str) -> _Around | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    functions = [node for node in tree.body if isinstance(node, Function) and not node.name.startswith("test")]
    return _Around(
        imports=dict(_imports(tree)),
        statements=tuple(_statements(tree)),
        classes={node.name: _class(node) for node in tree.body if isinstance(node, ast.ClassDef)},
        helpers={node.name: ast.dump(node) for node in functions},
        fresh=frozenset(node.name for node in functions if _waits(node)),
        used=frozenset(_used(tree)),
    )


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            source = f"{node.level}{node.module}" if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                yield alias.asname or alias.name, f"{source} {alias.name}"


def _statements(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not words and not isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef | Function):
            yield ast.dump(node)


def _class(node: ast.ClassDef) -> str:
    kept = [each for each in node.body if not (isinstance(each, Function) and each.name.startswith("test"))]
    return "\n".join(map(ast.dump, (*node.bases, *node.keywords, *node.decorator_list, *kept)))


def _waits(node: Function) -> bool:
    """A plain function, or a fixture that only those have who name it."""
    if node.name.startswith(("pytest_", "setup", "teardown", "load_tests")):
        return False
    return all(_is_plain_fixture(mark) for mark in node.decorator_list)


def _is_plain_fixture(mark: ast.expr) -> bool:
    called = mark.func if isinstance(mark, ast.Call) else mark
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    given: Collection[ast.keyword] = mark.keywords if isinstance(mark, ast.Call) else ()
    return name == "fixture" and all(each.arg in ("scope", "params", "ids") for each in given)


def _used(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
