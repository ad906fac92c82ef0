"""What the suite of a project is made of, among the files that a change touches: tests and what they read."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from agents.domain.checks.changed_tests import changed_test
from agents.domain.checks.evaluation import ChangedTest, Rung
from agents.domain.checks.file_kinds import is_code, is_test, is_test_data
from agents.domain.checks.python_tests import Compared, FunctionChange, compare, functions_in, outside_functions
from agents.domain.checks.source.doctests import lost_examples
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
        return own and (is_test(path) or is_test_data(path) or path in self.reads)

    @property
    def are_first(self) -> bool:
        """Whether the project had no test before."""
        return self.way is not None and not any(map(self.holds, self.case.had))

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
        return Restored(over=tuple(over.values()), without=tuple(dict.fromkeys((*steers.without, *data.without))))

    @property
    def as_now(self) -> Restored:
        """The old code with the new suite."""
        back = frozenset(self.as_before.names)
        mine = [each for each in (*self.case.differing, *self.case.shared) if each.change.path in back]
        over = tuple(each.after for each in mine if each.after is not None)
        return Restored(over=over, without=tuple(each.change.path for each in mine if each.after is None))

    @property
    def comparison(self) -> Compared:
        """Functions of the Python files among them."""
        before, after = self._texts(readable=True)
        return compare(before, after)

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
        """Of files in other languages, by what can be seen of them."""
        return find_weakening(*self._texts(readable=False))

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
