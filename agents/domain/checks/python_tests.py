"""What a Python test file consists of: its functions, what each asserts, and how two versions of them differ."""

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agents.domain.checks.file_kinds import holds_tests
from agents.domain.checks.hollow import Function, Hollow, assertions, hollow_reason
from agents.domain.checks.source.assert_worth import calls_of, cases_of, row_counts, worth
from agents.domain.checks.source.looser import asked_more, is_looser
from agents.domain.checks.suite import function_of, is_in, module_of

LARGEST = 400_000  # characters of a file that is read; a longer one is compared as a whole


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionText:
    """One function of a test file: a test, a fixture or a helper."""

    name: str  # with the names of the classes around it: `TestCart.test_total`
    text: str
    shape: str  # the same where only the name, the layout or comments differ
    asserted: frozenset[str] = frozenset()  # what they say
    asserts: int  # that are reached and can fail, each counted once
    most: int = 0  # that those stand for at most, with those of what it calls
    cases: int = 1  # different ones that its marks name
    calls: Counter[str] = field(default_factory=Counter)  # outside of what stands for itself
    constants: Counter[str] = field(default_factory=Counter)
    hollow: Hollow | None = None

    @property
    def is_test(self) -> bool:
        *around, own = self.name.split(".")
        return own.startswith("test") and not any(name.islower() for name in around)


def functions_in(text: str) -> Mapping[str, FunctionText] | None:
    """By name; of two of one name the last, as Python has it. None: it cannot be read."""
    if len(text) > LARGEST:
        return None
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines, tables = text.splitlines(keepends=True), row_counts(tree)
    return {name: _describe(name, node, lines, tables) for name, node in _functions(tree.body, "")}


def outside_functions(text: str) -> str | None:
    """What a file says outside of its functions, whatever the order of its imports; None: it cannot be read."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return "\n".join((*sorted(_imports(tree)), *_statements(tree.body)))


def bare_asserts(text: str) -> str:
    """What a script asserts outside of functions, and can fail; one a line."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    body = [node for node in tree.body if not isinstance(node, ast.ClassDef | Function)]
    script = ast.parse("def script():\n    pass").body[0]
    assert isinstance(script, ast.FunctionDef)
    script.body = [*body, *script.body]
    return "\n".join(f"assert {ast.dump(each)}" for each in assertions(script))


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        match node:
            case ast.Import() | ast.ImportFrom():
                source = f"{node.level}{node.module}" if isinstance(node, ast.ImportFrom) else ""
                yield from (f"{source} {alias.name} {alias.asname}" for alias in node.names)


def _statements(body: Sequence[ast.stmt]) -> Iterator[str]:
    for node in body:
        words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.ClassDef):
            head = (*node.bases, *node.keywords, *node.decorator_list)
            yield from (f"class {node.name}", *map(ast.dump, head), *_statements(node.body))
        elif not words and not isinstance(node, ast.Import | ast.ImportFrom | Function):
            yield ast.dump(node)


def _functions(body: Sequence[ast.stmt], around: str) -> Iterator[tuple[str, Function]]:
    for node in body:
        if isinstance(node, Function):
            yield f"{around}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{around}{node.name}.")
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _functions(node.body, around)


def _describe(name: str, node: Function, lines: Sequence[str], tables: Mapping[str, int]) -> FunctionText:
    first = min((mark.lineno for mark in node.decorator_list), default=node.lineno)
    constants = (repr(each.value) for each in ast.walk(node) if isinstance(each, ast.Constant) and not _is_plain(each))
    documented = ast.get_docstring(node, clean=False) is not None
    body = node.body[1:] if documented and len(node.body) > 1 else node.body
    shape = [ast.dump(part) for part in (node.args, *node.decorator_list, *body)]
    reached = assertions(node)
    asserted = frozenset(map(ast.dump, reached))
    return FunctionText(
        name=name,
        text="".join(lines[first - 1 : node.end_lineno]).rstrip(),
        shape="\n".join((type(node).__name__, *shape)),
        asserted=asserted,
        asserts=len(asserted),
        most=worth(node, reached, tables),
        cases=cases_of(node, tables),
        calls=calls_of(node),
        constants=Counter(constants),
        hollow=hollow_reason(node) if name.rpartition(".")[2].startswith("test") else None,
    )


def _is_plain(node: ast.Constant) -> bool:
    """A value that some assertions have in their name."""
    return node.value is None or isinstance(node.value, bool)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionChange:
    """A function of a test file before and after. One of them is None where it was added, or is gone."""

    path: str
    name: str
    before: FunctionText | None
    after: FunctionText | None

    @property
    def known_as(self) -> str:
        """As runners call it."""
        return f"{module_of(self.path)}.{self.name}"

    @property
    def is_test(self) -> bool:
        return any(each is not None and each.is_test for each in (self.before, self.after))

    @property
    def is_inherited(self) -> bool:
        """Whether it stands where no runner looks for tests: those who inherit it run it."""
        return "." in self.name and not holds_tests(self.path)

    def cases_among(self, names: Collection[str]) -> set[str]:
        """Its cases; a class that others inherit tests from is called otherwise."""
        own = self.name.rpartition(".")[2]
        return {
            name
            for name in names
            if function_of(name) == self.known_as
            or ((self.is_inherited or is_in(name, self.path)) and function_of(name).rpartition(".")[2] == own)
        }

    @property
    def is_hollowed(self) -> bool:
        """It could fail before, and cannot any more."""
        before, after = self.before, self.after
        if before is None or after is None:
            return False
        return (before.asserts > 0 and after.most == 0) or (after.hollow is not None and before.hollow is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    changes: tuple[FunctionChange, ...]
    moved: Mapping[str, str]  # tests that only got another name or file: `tests.test_cart.test_sum`, before and now

    def moved_among(self, names: Collection[str]) -> dict[str, str]:
        """With those that are inherited by a class that moved: they stand elsewhere, and are called after it."""
        pairs = [(old.rpartition("."), new.rpartition(".")) for old, new in self.moved.items()]
        classes = [pair for pair in pairs if pair[0][0].rpartition(".")[2][:1].isupper()]
        places = {old[0]: new[0] for old, new in classes if old[2] == new[2] and old[0] != new[0]}
        functions = {function_of(name).rpartition(".") for name in names}
        return {f"{at}.{own}": f"{places[at]}.{own}" for at, _, own in functions if at in places} | dict(self.moved)


def compare(before: Mapping[str, str], after: Mapping[str, str]) -> Compared:
    """Functions that are new, gone or otherwise now, from texts of test files by path. What only moved to another file
    or got another name is the same one."""
    had = {path: functions_in(text) or {} for path, text in before.items()}
    has = _with_helpers({path: functions_in(text) or {} for path, text in after.items()})
    gone, new, changed = list[FunctionChange](), list[FunctionChange](), list[FunctionChange]()
    for path in dict.fromkeys((*had, *has)):
        old, now = had.get(path, {}), has.get(path, {})
        for name in dict.fromkeys((*old, *now)):
            change = FunctionChange(path=path, name=name, before=old.get(name), after=now.get(name))
            if change.before is None:
                new.append(change)
            elif change.after is None:
                gone.append(change)
            elif change.before.shape != change.after.shape:
                changed.append(change)
    twice = {each.known_as: twin for each in gone if (twin := _twin(each, had[each.path], has.get(each.path, {})))}
    left, moved = _pair([each for each in gone if each.known_as not in twice], new)
    return Compared(changes=(*changed, *left), moved={**moved, **twice})


def _twin(gone: FunctionChange, had: Mapping[str, FunctionText], has: Mapping[str, FunctionText]) -> str:
    """What says the very same in the same class, and stayed: a test that stood there twice is not lost."""
    around = gone.name.rpartition(".")[0]
    for name, each in has.items():
        stayed = name in had and had[name].shape == each.shape == _shape(gone.before)
        if gone.is_test and stayed and name.rpartition(".")[0] == around:
            return f"{module_of(gone.path)}.{name}"
    return ""


def _with_helpers(has: Mapping[str, Mapping[str, FunctionText]]) -> dict[str, Mapping[str, FunctionText]]:
    """What a test has a function of these files assert is asserted, too."""
    functions = [each for found in has.values() for each in found.values() if not each.is_test]
    helpers = {each.name.rpartition(".")[2]: each.most for each in functions}

    def most(each: FunctionText) -> int:
        return each.most + sum(helpers.get(name, 0) * times for name, times in each.calls.items())

    return {path: {name: replace(each, most=most(each)) for name, each in found.items()} for path, found in has.items()}


def _pair(gone: Sequence[FunctionChange], new: Sequence[FunctionChange]) -> tuple[list[FunctionChange], dict[str, str]]:
    """Those that are gone and new, without the pairs that are the same one. One that moved under its own name and was
    changed on the way is a changed one."""
    left, found, moved = list(new), list[FunctionChange](), dict[str, str]()
    for each in gone:
        twin = next((other for other in left if _shape(other.after) == _shape(each.before)), None)
        namesake = next((other for other in left if _own_name(other) == _own_name(each)), None)
        if other := twin or namesake:
            left.remove(other)
            moved[each.known_as] = other.known_as
            found += [] if twin else [replace(other, before=each.before)]
        else:
            found.append(each)
    return [*found, *left], moved


def _own_name(change: FunctionChange) -> str:
    """Without the class that it is in: tests are put into classes, and taken out of them."""
    return change.name.rpartition(".")[2] if change.is_test else change.name


def _shape(function: FunctionText | None) -> str:
    return function.shape if function else ""


def lost_tests(changes: Sequence[FunctionChange]) -> tuple[FunctionChange, ...]:
    """Tests that are gone. One whose every value is still used by new or changed tests of its file was joined to
    them."""
    gone = (each for each in changes if each.after is None and each.before is not None and each.before.is_test)
    return tuple(each for each in gone if _is_lost(each, changes))


def weaker_functions(changes: Sequence[FunctionChange]) -> tuple[FunctionChange, ...]:
    """Tests, fixtures and helpers that cannot fail any more, or that assert less while nothing else asserts it."""
    both = [(each, each.before, each.after) for each in changes if each.before is not None and each.after is not None]
    had = sum(each.before.asserts for each in changes if each.before is not None)
    has = sum(each.after.most for each in changes if each.after is not None)
    silent = (each for each in changes if each.before is None and _is_silent_assertion(each))
    return (
        *silent,
        *(
            each
            for each, before, after in both
            if each.is_hollowed
            or _only_lost(each, changes)
            or (after.most < before.asserts and (has < had or _is_lost(each, changes)))
            or (after.cases < before.cases and _is_lost(each, changes))
            or is_looser(before.text, after.text, others=_asked_by_others(each, changes))
        ),
    )


def _is_silent_assertion(each: FunctionChange) -> bool:
    """A class's own way to assert, which asserts nothing."""
    *around, own = each.name.split(".")
    after = each.after
    return bool(around) and after is not None and own.startswith("assert") and not after.most and not after.calls


def _only_lost(each: FunctionChange, changes: Sequence[FunctionChange]) -> bool:
    """Whether it says less, and nothing else; and nothing of that is said elsewhere now."""
    assert each.before is not None and each.after is not None
    lost = each.before.asserted - each.after.asserted
    others = (other.after.asserted for other in changes if other is not each and other.after is not None)
    more = each.after.asserted - each.before.asserted
    return bool(lost) and not more and each.after.calls <= each.before.calls and bool(lost.difference(*others))


def _asked_by_others(each: FunctionChange, changes: Sequence[FunctionChange]) -> Counter[str]:
    others = (other for other in changes if other is not each and other.path == each.path)
    return asked_more((_text(other.before), _text(other.after)) for other in others)


def _text(function: FunctionText | None) -> str:
    return function.text if function else ""


def _is_lost(each: FunctionChange, changes: Sequence[FunctionChange]) -> bool:
    """Whether values that it was about are in no new or changed test of its file."""
    assert each.before is not None
    others = (other.after for other in changes if other.path == each.path and other.after is not None)
    kept = set[str]().union(*(other.constants for other in others if other.hollow is None))
    return bool(each.before.constants.keys() - kept) or not kept
