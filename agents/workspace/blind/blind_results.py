"""What whoever works without the code is told of a run of the tests: names, how each ended, and what was asserted."""

import ast
import html
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

TEXT = 300  # characters of one test's words
LINES = 3
MOST = 60  # tests
# Whoever looks at code rather than calling it, or could read a file of it, is told how the test ended and nothing of
# what it said: whatever a test says reaches whoever wrote it.
_LOOKS = frozenset(
    {"inspect", "dis", "marshal", "linecache", "importlib", "imp", "ctypes", "gc", "zipimport", "pkgutil", "tokenize"}
    | {"_getframe", "getsource", "settrace", "setprofile", "traceback", "tb", "getrepr", "currentframe", "modules"}
    | {
        "open",
        "read",
        "read_text",
        "read_bytes",
        "fdopen",
        "FileIO",
        "fileinput",
        "codecs",
        "mmap",
        "zipfile",
        "tarfile",
    }
    | {"copyfile", "copytree", "copy2", "listdir", "scandir", "walk", "rglob", "pickle", "shelve", "sysconfig", "site"}
    | {"subprocess", "system", "popen", "runpy", "spawn", "eval", "exec", "compile", "pdb", "bdb", "doctest", "pydoc"}
    | {"globals", "locals", "vars", "dir", "help", "getattr", "attrgetter", "methodcaller", "Formatter", "vformat"}
    | {"trace", "cProfile", "profile", "tracemalloc", "faulthandler", "coverage", "excepthook"}
)
# What a class or a module has by these names says nothing of how it is made; of all others that is not so.
_PLAIN = frozenset(
    {"__main__", "__name__", "__init__", "__new__", "__class__", "__doc__", "__version__", "__all__", "__call__"}
    | {
        "__enter__",
        "__exit__",
        "__aenter__",
        "__aexit__",
        "__iter__",
        "__next__",
        "__aiter__",
        "__anext__",
        "__await__",
    }
    | {"__len__", "__getitem__", "__setitem__", "__delitem__", "__contains__", "__bool__", "__hash__", "__str__"}
    | {"__repr__", "__bytes__", "__format__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__add__"}
    | {"__sub__", "__mul__", "__truediv__", "__int__", "__float__", "__index__", "__post_init__", "__del__"}
)
_DUNDER = re.compile(r"__\w+?__")
_FRAMES = re.compile(
    r"\b(?:co_(?:code|consts|names|\w*vars|varnames|filename|firstlineno|lines|positions|qualname|name|flags)"
    r"|tb_(?:frame|lasti|lineno|next)|(?:gi|cr|ag)_(?:frame|code|yieldfrom|await)"
    r"|f_(?:locals|globals|builtins|back|code|lineno|trace))\b"
)
_PRIVATE = re.compile(r"\w\._[a-zA-Z]")  # in a text: what is named there is patched, or looked up
_CASE = re.compile(r"<testcase\b([^<>]*)>")
_ATTRIBUTE = re.compile(r'\b(classname|name|message)="([^"]*)"')
_ENDED = re.compile(r"<(failure|error|skipped)\b([^<>]*)>")
_FRAME = re.compile(r'File "|^\S+\.pyc?:\d+|^\s*(?:/|\.{0,2}/)\S+:\d+')
_PATH = re.compile(r"(?<![\w.])/[\w./@+-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    __test__ = False  # it is none of pytest's

    name: str
    ended: str  # passed, failed, error or skipped
    said: str = ""


def looks_at_code(text: str) -> bool:
    """Whether a file of tests names anything that shows how code is made. What cannot be read does."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    nodes = [*ast.walk(tree)]
    names = {name for node in nodes for name in _named_by(node)}
    shown = any(name in _LOOKS or _FRAMES.fullmatch(name) or _is_inner(name) for name in names)
    return shown or any(_reaches_in(node) for node in nodes)


def _named_by(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.FunctionDef(name=name):
            yield name
        case ast.Import(names=aliases):
            yield from (part for alias in aliases for part in alias.name.split("."))
        case ast.ImportFrom(module=module, names=aliases):
            yield from (*(module or "").split("."), *(alias.name for alias in aliases))


def _is_inner(name: str) -> bool:
    if name.startswith("__") and name.endswith("__"):
        return name not in _PLAIN
    return name.startswith("_") and name.strip("_") != ""


def _reaches_in(node: ast.AST) -> bool:
    """A name that is spelt in a text, such as `"{0.__code__}"`, or made up of several."""
    if isinstance(node, ast.Attribute) and node.attr in ("format", "format_map"):
        return not isinstance(node.value, ast.Constant)
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return False
    spelt = {*_DUNDER.findall(node.value)} - _PLAIN
    return bool(spelt or _FRAMES.search(node.value) or _PRIVATE.search(node.value))


def read_results(report: str, known: Collection[str], *, withheld: bool) -> list[TestResult]:
    """Of a JUnit report that the tests themselves may have written: it is text, and cut. A name that no test was
    written under says nothing; nor do the values that it was run with."""
    found = list[TestResult]()
    for attributes, body in islice(_cases(report), MOST):
        about = dict(_ATTRIBUTE.findall(attributes))
        name = html.unescape(about.get("name", "")).partition("[")[0]
        if name not in known:
            name = "a file of tests that cannot be loaded" if not about.get("classname") else "another test"
        ended = _ENDED.search(body)
        kind = {"failure": "failed", "error": "error", "skipped": "skipped"}[ended[1]] if ended else "passed"
        said = "" if withheld or not ended else _words(dict(_ATTRIBUTE.findall(ended[2])), _inside(body, ended))
        found.append(TestResult(name=name[:200], ended=kind, said=said))
    return found


def _cases(report: str) -> Iterator[tuple[str, str]]:
    """What is said of each case, and what is in it; one that is not closed is the last."""
    at = 0
    while found := _CASE.search(report, at):
        at = found.end()
        if found[1].endswith("/"):
            yield found[1], ""
            continue
        end = report.find("</testcase>", at)
        if end < 0:
            return
        yield found[1], report[at:end]
        at = end


def _inside(body: str, ended: re.Match[str]) -> str:
    end = body.find(f"</{ended[1]}>", ended.end())
    return "" if ended[2].endswith("/") or end < 0 else body[ended.end() : end]


def _words(attributes: Mapping[str, str], body: str) -> str:
    """What was asserted, or what was raised; frames are left out, whoever's they are."""
    raised = [line[1:].strip() for line in html.unescape(body).splitlines() if line.startswith("E  ")]
    lines = html.unescape(attributes.get("message", "").replace("&#10;", "\n")).splitlines()
    kept = [_PATH.sub("…", line.strip()) for line in (raised or lines) if line.strip() and not _FRAME.search(line)]
    return " / ".join(kept[:LINES])[:TEXT]


def few_or_dumb(tests: Mapping[str, str], least: int) -> str:
    """What speaks against Python tests by reading them: too few, or some that do not say what they test and why."""
    found = [each for text in tests.values() for each in _tests_in(text)]
    if len(found) < least:
        return f"there are {len(found)} tests, and at least {least} are wanted."
    dumb = [name for name, said in found if len(said.split()) < 3]
    return f"say in the docstring of each test what it tests and why; missing: {', '.join(dumb[:5])}." if dumb else ""


def names_of(tests: Mapping[str, str]) -> set[str]:
    return {name for text in tests.values() for name, _ in _tests_in(text)}


def _tests_in(text: str) -> Iterator[tuple[str, str]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for each in ast.walk(tree):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name.startswith("test"):
            yield each.name, ast.get_docstring(each) or ""


def in_words(results: Sequence[TestResult], *, withheld: bool) -> str:
    bad = [each for each in results if each.ended in ("failed", "error")]
    lines = [f"{len(results)} tests ran in the whole project, {len(bad)} did not pass."]
    lines += [f"- {each.name}: {each.ended}{f': {each.said}' if each.said else ''}" for each in bad]
    if withheld and bad:
        lines.append("What they said is withheld: a file of them looks at code in place of calling it.")
    return "\n".join(lines)
