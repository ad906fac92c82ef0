"""What the suite of a project is made of, among the files that a change touches: tests and what they read."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from agents.domain.checks.changed_tests import changed_test
from agents.domain.checks.evaluation import ChangedTest, Rung
from agents.domain.checks.file_kinds import is_code, is_test_data
from agents.domain.checks.inline_tests import take_apart, with_tests_of
from agents.domain.checks.python_tests import (
    Compared,
    FunctionChange,
    bare_asserts,
    compare,
    functions_in,
    outside_functions,
)
from agents.domain.checks.source.around_tests import steers
from agents.domain.checks.source.doctests import lost_examples
from agents.domain.checks.source.tells import Tell, tells_in
from agents.domain.text.sanitize import clean
from agents.workspace.gates import originals
from agents.workspace.gates.detect import Way, runs_doctests
from agents.workspace.gates.originals import Restored, Weakened, find_weakening
from agents.workspace.gates.rules import Case
from agents.workspace.git.objects import Differing

_WITH_EXAMPLES = (".py", ".rst", ".md", ".txt")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFiles:
    """`reads`: files elsewhere that tests were seen to read."""

    case: Case
    way: Way | None
    reads: Collection[str] = field(default_factory=frozenset)

    def holds(self, path: str) -> bool:
        own = self.case.owns(path)
        return own and (self.case.is_test(path) or is_test_data(path) or path in self.reads)

    @property
    def are_first(self) -> bool:
        """Whether the project had no test before."""
        inside = any(take_apart(old).tests for old, _ in self.inline.values())
        return self.way is not None and not inside and not any(map(self.holds, self.case.had))

    @property
    def parts_changed(self) -> tuple[Differing, ...]:
        return tuple(each for each in self.case.differing if self.holds(each.change.path))

    @property
    def as_before(self) -> Restored:
        """The new code with the old suite."""
        case = self.case
        differing = (*case.differing, *case.shared)
        steers = originals.restore_originals(differing, case.before, case.after, self.way, case.package)
        data = originals.put_back(case.differing, self.holds)
        over = {entry.path: entry for entry in (*steers.over, *data.over)}
        without = tuple(dict.fromkeys((*steers.without, *data.without)))
        texts = {path: with_tests_of(new, old).encode() for path, (old, new) in self.inline.items()}
        return Restored(over=tuple(over.values()), without=without, texts=texts)

    @property
    def inline(self) -> dict[str, tuple[str, str]]:
        """Files with tests of their own in them that were changed: before, and after."""
        if self.way is not Way.CARGO:
            return {}
        both = (each for each in self.case.differing if each.before is not None and each.after is not None)
        paths = [each.change.path for each in both if each.change.path.endswith(".rs")]
        found = {
            path: (self._text(self.case.former, path), self._text(self.case.contents, path))
            for path in paths if self.case.owns(path) and not self.holds(path)
        }  # fmt: skip
        return {
            path: (old, new) for path, (old, new) in found.items() if take_apart(old).tests != take_apart(new).tests
        }

    @property
    def as_now(self) -> Restored:
        """The old code with the new suite."""
        back = frozenset(self.as_before.names)
        mine = [each for each in (*self.case.differing, *self.case.shared) if each.change.path in back]
        over = tuple(each.after for each in mine if each.after is not None)
        texts = {path: with_tests_of(old, new).encode() for path, (old, new) in self.inline.items()}
        without = tuple(each.change.path for each in mine if each.after is None)
        return Restored(over=over, without=without, texts=texts)

    @property
    def comparison(self) -> Compared:
        """Functions of the Python files among them."""
        before, after = self._texts(readable=True)
        return compare(before, after)

    @property
    def steering(self) -> list[str]:
        """Files that are no tests themselves, and make tests beneath their folder do otherwise."""
        found = list[str]()
        for each in self.parts_changed:
            path = each.change.path
            by_itself = path.rpartition("/")[2] in ("conftest.py", "__init__.py")
            if not path.endswith(".py") or self.case.holds_tests(path) or not (by_itself or each.before is not None):
                continue
            if steers(self._text(self.case.former, path), self._text(self.case.contents, path)):
                found.append(path)
        return found

    @property
    def equal_to_all(self) -> list[str]:
        """Files of tests that were there, and that bring such values to what stood in them."""
        known = (each.change.path for each in self.parts_changed if each.before is not None)
        paths = [path for path in known if path.endswith(".py")]
        texts = {path: (self._text(self.case.former, path), self._text(self.case.contents, path)) for path in paths}
        return [path for path, (old, new) in texts.items() if steers(old, new) and Tell.EQUAL in tells_in(old, new)]

    @property
    def lost_examples(self) -> dict[str, list[str]]:
        """Examples in documentation that pytest runs, by file: those that are gone or expect something else now."""
        if self.way is not Way.PYTEST or not runs_doctests(self.case.before):
            return {}
        found = dict[str, list[str]]()
        for each in self.case.differing:
            path = each.change.path
            if each.before is None or not self.case.owns(path) or not path.endswith(_WITH_EXAMPLES):
                continue
            texts = self._text(self.case.former, path), self._text(self.case.contents, path)
            if lost := lost_examples(*texts, is_python=path.endswith(".py")):
                found[path] = lost
        return found

    @property
    def weakening(self) -> Weakened:
        """Of files in other languages, by what can be seen of them; and of what stands outside of functions."""
        before, after = self._texts(readable=False)
        scripts = self._texts(readable=True)
        before.update({path: bare_asserts(text) for path, text in scripts[0].items()})
        after.update({path: bare_asserts(text) for path, text in scripts[1].items()})
        for each in self.case.differing if self.way is Way.CARGO else ():
            path = each.change.path
            if path.endswith(".rs") and self.case.owns(path) and not self.holds(path):
                before[path] = take_apart(self._text(self.case.former, path)).tests
                after[path] = take_apart(self._text(self.case.contents, path)).tests
        return find_weakening(before, after)

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """How the changed ones among them are read."""
        read, as_text = (any(self._texts(readable=told)) for told in (True, False))
        return (*([Rung.SYNTAX_TREE] if read else []), *([Rung.AS_TEXT] if as_text else []))

    def _texts(self, *, readable: bool) -> tuple[dict[str, str], dict[str, str]]:
        before, after = dict[str, str](), dict[str, str]()
        for each in self.parts_changed:
            path = each.change.path
            if not is_code(path):
                continue
            old, new = self._text(self.case.former, path), self._text(self.case.contents, path)
            if _is_readable(path, old, new) is readable:
                name = self.case.inside(path)
                before.update({name: old} if each.before is not None else {})
                after.update({name: new} if each.after is not None else {})
        return before, after

    @staticmethod
    def _text(contents: Mapping[str, bytes], path: str) -> str:
        return contents.get(path, b"").decode(errors="replace")

    @property
    def data(self) -> tuple[Differing, ...]:
        """What tests read that is no code, and was there before. What is elsewhere now, the same, only moved."""
        added = {each.after.blob for each in self.case.differing if each.before is None and each.after is not None}
        files = (each for each in self.parts_changed if not is_code(each.change.path))
        return tuple(each for each in files if each.before is not None and not _moved(each, added))

    def differences(self, changes: Collection[FunctionChange]) -> Iterator[ChangedTest]:
        """Everything of the suite that is otherwise than before, one by one; what was only added is not."""
        for change in changes:
            if change.before is not None:
                after = change.after.text if change.after else ""
                yield changed_test(_plain(f"{change.path}::{change.name}"), clean(change.before.text), clean(after))
        for path, asked in self.lost_examples.items():
            yield changed_test(_plain(path), clean("\n".join(asked)))
        inside = ((path, take_apart(old).tests, take_apart(new).tests) for path, (old, new) in self.inline.items())
        yield from (changed_test(_plain(path), clean(was), clean(now)) for path, was, now in inside if was)
        python = {change.path for change in changes}  # from the package's own folder
        for each in self.parts_changed:
            path = each.change.path
            if each.before is not None and self.case.inside(path) not in python and each not in self._moved_files:
                old, new = self._text(self.case.former, path), self._text(self.case.contents, path)
                if each.after is not None and _is_laid_out(path, old, new):
                    continue
                yield changed_test(_plain(path), clean(old) or "(binary)", clean(new) if each.after else "")

    @property
    def _moved_files(self) -> tuple[Differing, ...]:
        added = {each.after.blob for each in self.case.differing if each.before is None and each.after is not None}
        return tuple(each for each in self.parts_changed if _moved(each, added))


def _moved(each: Differing, added: Collection[str]) -> bool:
    return each.after is None and each.before is not None and each.before.blob in added


def _is_readable(path: str, *texts: str) -> bool:
    return path.endswith(".py") and all(functions_in(text) is not None for text in texts)


def _is_laid_out(path: str, old: str, new: str) -> bool:
    """Nothing differs but its layout, or the order of what it imports."""
    return _is_readable(path, old, new) and outside_functions(old) == outside_functions(new)


def _plain(name: str) -> str:
    return clean(name.encode(errors="replace").decode())
