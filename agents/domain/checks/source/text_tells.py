"""Code in other languages that knows its tests, by its words: it asks whether it is being tested, is equal to anything,
or puts something else in the place of what tests compare by."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from agents.domain.checks.source.tells import Tell

_JS_ASKS = (
    r"\bNODE_TEST_CONTEXT\b|\bJEST_WORKER_ID\b|\bVITEST(?:_\w+)?\b|\bimport\.meta\.(?:vitest|jest)\b|\bexecArgv\b"
    r"|\bNODE_ENV\b['\"\]]*\s*===?\s*['\"]test['\"]|['\"]test['\"]\s*===?\s*process\.env\b"
    r"|\bargv\b(?:\[1\]|\.(?:some|find|join|includes)\()[^\n;]*(?:test|mocha|jest|spec)|\btypeof\s+(?:globalThis\.)?(?:describe|it|jest|expect|beforeEach)\b"
    r"|\bglobalThis\.(?:describe|jest|expect|mocha)\b|\.stack\b[^\n;]*(?:\btests?\b|\.spec\b)"
    r"|\brequire\.main\b[^\n;]*(?:test|mocha|jest)"
    r"|(?:\bfrom|\b(?:require|import)\()\s*['\"](?:node:test|@jest/globals|mocha|vitest)['\"]"
)
_JS_SERVES = (
    r"\bassert['\"]?\)?(?:\.\w+|\[[^\]\n]+\])+\s*=[^=>]|\bexpect\.extend\(|Object\.(?:assign|define\w+)\(\s*(?:assert|expect)\b"
    r"|Object\.(?:assign|define\w+)\(\s*require\(\s*['\"](?:node:)?assert"
)
_GO_ASKS = (
    r"\btesting\.Testing\(\)|\bflag\.Lookup\(\s*\"test\.|\bos\.Args\[0\][^\n]*test|\bruntime\.Callers?\([^\n]*test"
)
_RUST_ASKS = (
    r"\bcfg!\(\s*(?:not\(\s*)?test\b|#\[cfg\(\s*not\(\s*test\s*\)|\benv::var(?:_os)?\(\s*\"(?:CARGO|RUST_TEST|NEXTEST)"
    r"|\bcurrent_exe\(\)[^;]*(?:deps|test)|\bthread::current\(\)\s*\.name\(\)\s*(?:[!=]=|\.(?:map_or|is_some_and)\()"
)
_RUST_EQUAL = r"\bfn\s+eq\s*\([^)]*\)\s*->\s*bool\s*\{\s*true\s*\}"
_JS = {Tell.ASKS: _JS_ASKS, Tell.SERVES: _JS_SERVES}
_RUST = {Tell.ASKS: _RUST_ASKS, Tell.EQUAL: _RUST_EQUAL}
_TELLS: Mapping[str, Mapping[Tell, re.Pattern[str]]] = {
    ending: {tell: re.compile(pattern) for tell, pattern in patterns.items()}
    for endings, patterns in (
        ((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"), _JS),
        ((".go",), {Tell.ASKS: _GO_ASKS}),
        ((".rs",), _RUST),
    )
    for ending in endings
}
_REMARKS = re.compile(r"(?m)^\s*//[^\n]*|/\*.*?\*/", re.DOTALL)


def tells_in_text(path: str, before: str, after: str) -> tuple[Tell, ...]:
    """What was added of it."""
    return tuple(sorted((Counter(_told(path, after)) - Counter(_told(path, before))).keys()))


def _told(path: str, text: str) -> Iterator[Tell]:
    plain = _REMARKS.sub("", text)
    for tell, pattern in _TELLS.get(f".{path.rpartition('.')[2]}", {}).items():
        yield from (tell for _ in pattern.finditer(plain))
