"""Data that tests read in folders whose names do not say so: seen when the tests of the base run, or by their words."""

import posixpath
import re
from collections.abc import Collection, Iterator

from agents.domain.checks.file_kinds import is_code, is_test, is_test_data, says_how_it_works
from agents.domain.checks.source.parts_of_tests import holds_nothing_but_data, import_names, is_helper, module_names
from agents.workspace.gates.comparing.suite_runs import SuiteRuns
from agents.workspace.gates.rules import Case
from agents.workspace.git import objects

_WORDS = re.compile(r"\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|`([^`\n]{1,200})`")
_TESTS_MOST, _LARGEST = 500, 400_000


async def data_read(suite: SuiteRuns) -> frozenset[str]:
    """Of the files that the change touches. Nothing is run where none of them could be one."""
    case = suite.runner.case
    changed = [each.change.path for each in case.differing if each.before is not None]
    unclear = [path for path in changed if case.owns(path) and could_be_data(path, case.had)]
    if not unclear:
        return frozenset()
    if not suite.by_name:
        named = set(await _named(case))
        return frozenset(path for path in unclear if named.intersection((path, *_folders(path))))
    base = await suite.runner.run(suite.runner.title("tests of the base"), suite.command, base=True)
    seen = frozenset(base.heard.reads)
    return frozenset(path for path in unclear if is_read(case.inside(path), seen))


def could_be_data(path: str, there: Collection[str]) -> bool:
    """What is neither a program, a text for people nor a setting, and lies in no folder of the program itself."""
    if is_code(path) or not says_how_it_works(path):
        return False
    return not (is_test(path) or is_test_data(path)) and not _is_of_program(path, there)


def _is_of_program(path: str, there: Collection[str]) -> bool:
    above = frozenset(_folders(path))
    return any(each.rpartition("/")[0] in above and is_code(each) and not is_test(each) for each in there)


def _folders(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def is_read(path: str, seen: Collection[str]) -> bool:
    """By its name, or because the folder that it is in was gone through."""
    folder = path.rpartition("/")[0]
    return path in seen or (bool(folder) and f"{folder}/" in seen)


async def _named(case: Case) -> Iterator[str]:
    """Paths that the tests of the base have in their words, from the root and from where they are."""
    tests = [
        entry for path, entry in case.had.items() if case.is_test(path) and is_code(path) and entry.size <= _LARGEST
    ]
    found = await objects.blobs(case.repository, tests[:_TESTS_MOST])
    return _paths(found)


def _paths(found: dict[str, bytes]) -> Iterator[str]:
    for path, content in found.items():
        for words in _WORDS.findall(content.decode(errors="replace")):
            word = next(filter(None, words))
            yield posixpath.normpath(word)
            yield posixpath.normpath(posixpath.join(posixpath.dirname(path), word))


async def helpers_changed(case: Case) -> frozenset[str]:
    """Python files among the changed ones that lie outside of the tests, and that tests are made of."""
    changed = [each.change.path for each in case.differing if each.before is not None]
    mine = [path for path in changed if path.endswith(".py") and case.owns(path) and not case.is_test(path)]
    likely = [path for path in mine if is_helper(path, _text(case, path)) or _is_case(case, path)]
    if not likely:
        return frozenset()
    loaded = await _imported_by_tests(case)
    helpers = [path for path in likely if module_names(case.inside(path)) & loaded]
    data = [path for path in helpers if not is_helper(path, _text(case, path))]
    kept = await _folders_of_data(case, data)
    return frozenset(path for path in helpers if path not in data or path.partition("/")[0] in kept)


def _text(case: Case, path: str) -> str:
    return case.former.get(path, b"").decode(errors="replace")


def _is_case(case: Case, path: str) -> bool:
    """In a folder of its own, and nothing but values."""
    return "/" in case.inside(path) and holds_nothing_but_data(_text(case, path))


async def _imported_by_tests(case: Case) -> frozenset[str]:
    tests = [entry for path, entry in case.had.items() if case.is_test(path) and path.endswith(".py")]
    found = await objects.blobs(case.repository, [each for each in tests if each.size <= _LARGEST][:_TESTS_MOST])
    return frozenset[str]().union(*(import_names(content.decode(errors="replace")) for content in found.values()))


async def _folders_of_data(case: Case, paths: Collection[str]) -> frozenset[str]:
    """Of the folders at the top that hold these, those that hold no program at all."""
    tops = {path.partition("/")[0] for path in paths}
    inside = [each for path, each in case.had.items() if path.partition("/")[0] in tops and is_code(path)]
    found = await objects.blobs(case.repository, [each for each in inside if each.size <= _LARGEST])
    does = {
        path.partition("/")[0] for path, content in found.items()
        if not (path.endswith(".py") and holds_nothing_but_data(content.decode(errors="replace")))
    }  # fmt: skip
    return frozenset(tops - does)
