"""Changes of functions in a file of Python that leave the rest of it as it was written."""

import ast
import textwrap
from collections.abc import Callable, Collection, Iterator

from tests.bench.judge.mutants import changed_nodes

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST, above: str = "") -> Iterator[tuple[str, Function]]:
    """With their names as pytest says them: Class::function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield f"{above}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{above}{node.name}::")


def without(text: str, names: Collection[str]) -> str:
    """A class or a file that is left empty keeps a line."""

    def gone(node: Function, lines: list[str]) -> list[str]:
        return [f"{' ' * node.col_offset}pass\n"] if node.col_offset else []

    return _edit(text, names, gone, decorated=True)


def left_early(text: str, names: Collection[str]) -> str:
    """With a return before anything else."""

    def hollow(node: Function, lines: list[str]) -> list[str]:
        at = node.body[0].lineno - node.lineno
        return [*lines[:at], f"{' ' * node.body[0].col_offset}return\n", *lines[at:]]

    return _edit(text, names, hollow)


def without_failing(text: str, names: Collection[str]) -> str:
    """What fails is caught."""

    def caught(node: Function, lines: list[str]) -> list[str]:
        at, indent = node.body[0].lineno - node.lineno, " " * node.body[0].col_offset
        body = "".join(lines[at:])
        kept = [f"    {line}" if line.strip() else line for line in body.splitlines(keepends=True)]
        return [*lines[:at], f"{indent}try:\n", *kept, f"{indent}except Exception:\n", f"{indent}    pass\n"]

    return _edit(text, names, caught)


def marked(text: str, names: Collection[str], mark: str) -> str:
    """With a decorator of pytest's, which is imported first."""
    done = _edit(text, names, lambda node, lines: [f"{' ' * node.col_offset}{mark}\n", *lines], decorated=True)
    return done if "\nimport pytest\n" in done else _import_pytest(done)


def _import_pytest(text: str) -> str:
    tree = ast.parse(text)
    first = [node for node in tree.body if _is_docstring(node) or _is_future(node)]
    at = max((node.end_lineno or 0 for node in first), default=0)
    lines = text.splitlines(keepends=True)
    return "".join((*lines[:at], "import pytest\n", *lines[at:]))


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _edit(
    text: str, names: Collection[str], edit: Callable[[Function, list[str]], list[str]], *, decorated: bool = False
) -> str:
    """From the last to the first, so that those above stay where they are."""
    lines = text.splitlines(keepends=True)
    found = [node for name, node in functions(ast.parse(text)) if name in names]
    for node in sorted(found, key=lambda node: -node.lineno):
        if node.body[0].lineno == node.lineno:
            continue  # on one line
        start = min((each.lineno for each in node.decorator_list), default=node.lineno) if decorated else node.lineno
        lines[start - 1 : node.end_lineno] = edit(node, lines[start - 1 : node.end_lineno])
    return "".join(lines)


def fitted(text: str, at: Collection[int]) -> str | None:
    """Where assertions on these lines fail, they ask for the opposite. None: there are others."""
    lines = text.splitlines(keepends=True)
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt) and node.lineno in at]
    if {node.lineno for node in found} != set(at):
        return None
    for node in sorted(found, key=lambda node: -node.lineno):
        other = _opposite(node)
        if other is None:
            return None
        lines[node.lineno - 1 : node.end_lineno] = [f"{' ' * node.col_offset}{ast.unparse(other)}\n"]
    return "".join(lines)


_OPPOSITES = {"assertEqual": "assertNotEqual", "assertEquals": "assertNotEqual", "assertTrue": "assertFalse"}
_OPPOSITES |= {"assertFalse": "assertTrue", "assertIn": "assertNotIn", "assertIs": "assertIsNot"}


def _opposite(node: ast.stmt) -> ast.stmt | None:
    if isinstance(node, ast.Assert):
        return ast.Assert(test=ast.UnaryOp(ast.Not(), node.test))
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return None
    called = node.value.func
    if not isinstance(called, ast.Attribute) or called.attr not in _OPPOSITES:
        return None
    other = ast.Attribute(value=called.value, attr=_OPPOSITES[called.attr])
    return ast.Expr(ast.Call(func=other, args=node.value.args, keywords=node.value.keywords))


def faulty(text: str, covered: Collection[int]) -> Iterator[str]:
    """Each with one fault in a function that runs; the function is written anew, the rest is as it was."""
    lines = text.splitlines(keepends=True)
    for _, node in functions(ast.parse(text)):
        inside = {each.lineno for each in ast.walk(node) if isinstance(each, ast.stmt)} - {node.lineno}
        if not inside & set(covered) or node.body[0].lineno == node.lineno:
            continue
        for other in changed_nodes(node, lambda each: getattr(each, "lineno", 0) in covered):
            other.decorator_list = []
            written = textwrap.indent(ast.unparse(ast.fix_missing_locations(other)), " " * node.col_offset) + "\n"
            yield "".join((*lines[: node.lineno - 1], written, *lines[node.end_lineno :]))
