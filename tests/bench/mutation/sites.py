"""Where a fault can be planted: every place in a module, and the text that takes its place."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SWAPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One planted fault: `old` at a place in a file becomes `new`."""

    path: str
    line: int
    end_line: int
    start: int  # offset in the file, in characters
    end: int
    kind: str
    old: str
    new: str

    @property
    def key(self) -> str:
        """Stays the same while the lines around it move."""
        return f"{self.path}: {self.kind}: {' '.join(self.old.split())} -> {' '.join(self.new.split())}"

    def apply(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


def faults_in(root: Path, path: str) -> list[Fault]:
    """Every fault that can be planted inside functions of one module; texts and annotations are left alone."""
    text = (root / path).read_text(encoding="utf-8")
    finder = _Finder(path, text)
    finder.visit(ast.parse(text))
    return finder.found


class _Finder(ast.NodeVisitor):
    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text
        self.found: list[Fault] = []
        self._in_function = 0
        self._offsets = [0]
        for line in text.splitlines(keepends=True):
            self._offsets.append(self._offsets[-1] + len(line))
        self._lines = text.splitlines()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._in_function += 1
        for statement in node.body:
            self.visit(statement)
        self._in_function -= 1

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Positions inside f-strings are not reliable before Python 3.12."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def generic_visit(self, node: ast.AST) -> None:
        if self._in_function and isinstance(node, ast.expr | ast.stmt):
            for kind, new in _variants(node):
                self._add(node, kind, new)
        super().generic_visit(node)

    def _add(self, node: ast.expr | ast.stmt, kind: str, new: str) -> None:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._offset(node.lineno, node.col_offset)
        end = self._offset(node.end_lineno, node.end_col_offset)
        place = {"line": node.lineno, "end_line": node.end_lineno, "start": start, "end": end}
        self.found.append(Fault(path=self.path, kind=kind, old=self.text[start:end], new=new, **place))

    def _offset(self, line: int, column: int) -> int:
        """The parser counts columns in bytes."""
        return self._offsets[line - 1] + len(self._lines[line - 1].encode()[:column].decode())


def _variants(node: ast.AST) -> Iterator[tuple[str, str]]:
    for kinds, variants in BY_NODE:
        if isinstance(node, kinds):
            yield from variants(node)
            return


def _comparison(node: ast.Compare) -> Iterator[tuple[str, str]]:
    if len(node.ops) == 1 and type(node.ops[0]) in SWAPS:
        swapped = ast.Compare(left=node.left, ops=[SWAPS[type(node.ops[0])]()], comparators=node.comparators)
        yield "comparison", f"({ast.unparse(swapped)})"


def _negation(node: ast.UnaryOp) -> Iterator[tuple[str, str]]:
    if isinstance(node.op, ast.Not):
        yield "negation", f"({ast.unparse(node.operand)})"


def _arithmetic(node: ast.BinOp) -> Iterator[tuple[str, str]]:
    if type(node.op) in ARITHMETIC and not any(map(_is_text, (node.left, node.right))):
        changed = ast.BinOp(left=node.left, op=ARITHMETIC[type(node.op)](), right=node.right)
        yield "arithmetic", f"({ast.unparse(changed)})"


def _constant(node: ast.Constant) -> Iterator[tuple[str, str]]:
    if isinstance(node.value, bool):
        yield "constant", repr(not node.value)
    elif isinstance(node.value, int):
        yield "constant", repr(node.value + 1)


def _choice(node: ast.IfExp) -> Iterator[tuple[str, str]]:
    yield "condition", f"({ast.unparse(ast.IfExp(test=node.test, body=node.orelse, orelse=node.body))})"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _boolean(node: ast.BoolOp) -> Iterator[tuple[str, str]]:
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield "and/or", f"({ast.unparse(ast.BoolOp(op=other, values=node.values))})"
    for number in range(len(node.values)):
        rest = node.values[:number] + node.values[number + 1 :]
        left = rest[0] if len(rest) == 1 else ast.BoolOp(op=node.op, values=rest)
        yield "operand", f"({ast.unparse(left)})"


def _conditions(node: ast.If) -> Iterator[tuple[str, str]]:
    for value in (True, False):
        changed = ast.If(test=ast.Constant(value=value), body=node.body, orelse=node.orelse)
        yield "condition", _indented(ast.unparse(changed), node.col_offset)


def _filters(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Iterator[tuple[str, str]]:
    for number, generator in enumerate(node.generators):
        if generator.ifs:
            loose = ast.comprehension(generator.target, generator.iter, [], generator.is_async)
            generators = [*node.generators[:number], loose, *node.generators[number + 1 :]]
            fields = {name: getattr(node, name) for name in node._fields if name != "generators"}
            yield "filter", ast.unparse(type(node)(**fields, generators=generators))


def _clauses(node: ast.Call) -> Iterator[tuple[str, str]]:
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "where" or len(node.args) < 2:
        return
    for number in range(len(node.args)):
        args = node.args[:number] + node.args[number + 1 :]
        yield "clause", ast.unparse(ast.Call(func=node.func, args=args, keywords=node.keywords))


def _statements(node: ast.stmt) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Expr(value=ast.Call()) | ast.Expr(value=ast.Await()) | ast.AugAssign() | ast.Raise():
            yield "statement", "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.Continue() | ast.Break():
            yield "statement", "pass"
        case ast.Return(value=ast.expr()) if not isinstance(node.value, ast.Constant):
            yield "return", "return None"


def _indented(text: str, columns: int) -> str:
    first, *rest = text.splitlines()
    return "\n".join([first, *(" " * columns + line for line in rest)])


BY_NODE: tuple[tuple[Any, Callable[[Any], Iterator[tuple[str, str]]]], ...] = (
    (ast.BoolOp, _boolean),
    (ast.Compare, _comparison),
    (ast.UnaryOp, _negation),
    (ast.BinOp, _arithmetic),
    (ast.Constant, _constant),
    (ast.If, _conditions),
    (ast.IfExp, _choice),
    (ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, _filters),
    (ast.Call, _clauses),
    (ast.stmt, _statements),
)
