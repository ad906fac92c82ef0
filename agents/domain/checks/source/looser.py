"""Whether a Python test is content with more than it was: any error, a wider tolerance, a part of what it asked for."""

import ast
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from agents.domain.checks.truth import name_called

_WIDE = frozenset({"Exception", "BaseException"})
_RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex", "warns", "assertWarns", "assertWarnsRegex"})
_TOLERANT = frozenset({"approx", "isclose", "assertAlmostEqual", "assertNotAlmostEqual", "allclose", "assert_allclose"})
_TOLERANCES = frozenset({"rel", "abs", "rel_tol", "abs_tol", "delta", "rtol", "atol"})
_PLACES = frozenset({"places", "decimal", "ndigits"})
_STRICT = frozenset({"assertEqual", "assertEquals", "assert_equal", "assertListEqual", "assertDictEqual",
                     *("assertTupleEqual", "assertSetEqual", "assertMultiLineEqual"),
                     "assert_called_once_with"})  # fmt: skip
_LOOSE = frozenset({"assertIn", "assertGreater", "assertGreaterEqual", "assertLess", "assertLessEqual", "assertRegex",
                    *("assertNotEqual", "assertIsNotNone", "assertIsInstance", "assert_called", "assert_called_once"),
                    *("startswith", "endswith", "isinstance", "match", "search")})  # fmt: skip
_ROUGH = frozenset({"round", "len", "bool", "type", "abs", "int", "hash", "floor", "ceil", "trunc"})
_LOOSE_OPS = (ast.In, ast.Gt, ast.GtE, ast.Lt, ast.LtE, ast.NotEq, ast.IsNot)


@dataclass(slots=True)
class _Asked:
    """What a function asks for, counted."""

    counts: Counter[str] = field(default_factory=Counter)
    tolerances: list[float] = field(default_factory=list)


def is_looser(before: str, after: str, *, others: Mapping[str, int] | None = None) -> bool:
    """Of two versions of a function. `others`: what other functions of the file ask for more than they did."""
    had, has = _read(before), _read(after)
    if had is None or has is None:
        return False
    more, less = has.counts - had.counts, had.counts - has.counts - Counter(others or {})
    if (more["wide"] and less["narrow"]) or (less["words"] and not less["raises"]):
        return True
    if (more["loose"] and less["strict"]) or (more["rough"] and not more["strict"] and had.counts["strict"]):
        return True
    return _is_wider(had.tolerances, has.tolerances)


def asked_more(changes: Iterable[tuple[str, str]]) -> Counter[str]:
    """What functions ask for beyond what they did, all together; of one that is new, all of it."""
    found = Counter[str]()
    for before, after in changes:
        had, has = _read(before), _read(after)
        found.update((has.counts if has else Counter()) - (had.counts if had else Counter()))
    return found


def _is_wider(had: list[float], has: list[float]) -> bool:
    """In the order in which they stand; tests with another number of them cannot be compared."""
    if not had or len(had) != len(has):
        return False
    return any(now > 2 * was for was, now in zip(had, has, strict=True))


def _read(text: str) -> _Asked | None:
    try:
        tree = ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    asked = _Asked()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name_called(node) in _RAISES:
            asked.counts.update(_of_raises(node))
        elif isinstance(node, ast.Call) and name_called(node) in _TOLERANT:
            asked.tolerances += _tolerances(node)
        asked.counts.update(_of_values(node))
    return asked


def _of_raises(node: ast.Call) -> Iterator[str]:
    yield "raises"
    kinds = [node.args[0]] if node.args else []
    kinds += [each.value for each in node.keywords if each.arg == "expected_exception"]
    named = [part for kind in kinds for part in (kind.elts if isinstance(kind, ast.Tuple) else [kind])]
    wide = any(isinstance(each, ast.Name) and each.id in _WIDE for each in named)
    yield "wide" if wide else "narrow"
    if "Regex" in name_called(node) or any(each.arg == "match" for each in node.keywords):
        yield "words"


def _of_values(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call() if name_called(node) in _STRICT:
            yield "strict"
            yield from ("rough" for each in node.args if isinstance(each, ast.Call) and name_called(each) in _ROUGH)
        case ast.Assert(test=test):
            yield from _of_truth(test)
        case ast.Expr(value=ast.Call() as call) if name_called(call) in _LOOSE:
            yield "loose"


def _of_truth(test: ast.expr) -> Iterator[str]:
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            for each in values:
                yield from _of_truth(each)
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            yield "strict"
            yield from ("rough" for each in (left, right) if isinstance(each, ast.Call) and name_called(each) in _ROUGH)
        case ast.Compare(ops=[op]) if isinstance(op, _LOOSE_OPS):
            yield "loose"
        case ast.Call() if name_called(test) in _LOOSE:
            yield "loose"


def _tolerances(node: ast.Call) -> Iterator[float]:
    """As what may be missed; decimal places are turned into that."""
    for each in node.keywords:
        if each.arg in _TOLERANCES | _PLACES and isinstance(each.value, ast.Constant):
            value = each.value.value
            if isinstance(value, int | float) and abs(value) < 1e300:
                yield 10.0 ** -min(value, 300) if each.arg in _PLACES else float(value)
