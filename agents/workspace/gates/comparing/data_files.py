"""Data that tests read in folders whose names do not say so: seen when the tests of the base run, or by their words."""

import posixpath
import re
from collections.abc import Collection, Iterator

from agents.domain.checks.file_kinds import is_code, is_test, is_test_data, says_how_it_works
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
    tests = [entry for path, entry in case.had.items() if is_test(path) and is_code(path) and entry.size <= _LARGEST]
    found = await objects.blobs(case.repository, tests[:_TESTS_MOST])
    return _paths(found)


def _paths(found: dict[str, bytes]) -> Iterator[str]:
    for path, content in found.items():
        for words in _WORDS.findall(content.decode(errors="replace")):
            word = next(filter(None, words))
            yield posixpath.normpath(word)
            yield posixpath.normpath(posixpath.join(posixpath.dirname(path), word))
