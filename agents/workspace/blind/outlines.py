"""What a project's code offers to others, without how it is made: names, parameters, the first lines of docstrings."""

import ast
from collections.abc import Iterator, Mapping

from agents.domain.context.public_api import public_api

LONGEST = 60_000  # characters
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
HEAD = """# Public API

Made by the host from the project's code: what can be called, and what it is said to do. How it does it is not shown.
"""


def outline(texts: Mapping[str, bytes]) -> str:
    """Python by its syntax tree, with docstrings and without defaults; other languages by their signatures."""
    parts = [HEAD]
    for path in sorted(texts):
        text = texts[path].decode(errors="replace")
        lines = _python_lines(text) if path.endswith(".py") else _fenced(public_api(path, text))
        if lines:
            parts.append("\n".join((f"## {path}", "", *lines, "")))
    return "\n".join(parts)[:LONGEST]


def _fenced(said: str) -> list[str]:
    return ["```", said, "```"] if said else []


def _python_lines(text: str) -> list[str]:
    try:
        return list(_python(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ["- it cannot be read as Python"]


def _python(text: str) -> Iterator[str]:
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            bases = ", ".join(map(ast.unparse, node.bases))
            yield f"- `class {node.name}{f'({bases})' if bases else ''}`{_said(node)}"
            yield from (f"  {line}" for line in _members(node))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield f"- {_signature(node)}{_said(node)}"


def _members(node: ast.ClassDef) -> Iterator[str]:
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and not each.target.id.startswith("_"):
            optional = " (optional)" if each.value is not None else ""
            yield f"- `{each.target.id}: {ast.unparse(each.annotation)}`{optional}"
        elif isinstance(each, _FUNCTIONS) and (each.name == "__init__" or not each.name.startswith("_")):
            yield f"- {_signature(each)}{_said(each)}"


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Defaults are how it is made, unless they are plain values."""
    plain = ast.unparse(_without_secrets(node.args))
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    start = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return f"`{start} {node.name}({plain}){returns}`"


def _without_secrets(given: ast.arguments) -> ast.arguments:
    def plain_value(value: ast.expr) -> ast.expr:
        plain = isinstance(value, ast.Constant) and isinstance(value.value, bool | int | float | None)
        return value if plain else ast.Constant(value=...)

    kept = [value and plain_value(value) for value in given.kw_defaults]
    return ast.arguments(
        posonlyargs=given.posonlyargs,
        args=given.args,
        vararg=given.vararg,
        kwonlyargs=given.kwonlyargs,
        kw_defaults=kept,
        kwarg=given.kwarg,
        defaults=[plain_value(value) for value in given.defaults],
    )


def _said(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    said = (ast.get_docstring(node) or "").strip().partition("\n\n")[0]
    return f": {' '.join(said.split())[:300]}" if said else ""
