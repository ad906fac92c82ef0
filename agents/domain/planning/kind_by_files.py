"""Which kind a subtask may be of, by its files: gates and rights depend on the kind, so code has the last word."""

from collections.abc import Collection

from agents.domain.checks.file_kinds import is_documentation, is_test
from agents.domain.planning.work_kind import WorkKind


def kind_of(wanted: WorkKind | None, files: Collection[str]) -> WorkKind:
    """The kind that a planner names, unless the files say otherwise or it names none.

    Never a kind that is asked for less than the files call for: a refactoring or a spike is never assumed.
    """
    if wanted is None:
        return _kind_from(files)
    if wanted is WorkKind.DOCS and not all(map(is_documentation, files)):
        return _kind_from(files)
    if wanted is WorkKind.TESTS and not all(is_test(path) or is_documentation(path) for path in files):
        return _kind_from(files)
    if wanted is WorkKind.SPIKE and not all(map(is_documentation, files)):
        return _kind_from(files)
    return wanted


def _kind_from(files: Collection[str]) -> WorkKind:
    if files and all(map(is_documentation, files)):
        return WorkKind.DOCS
    if files and all(is_test(path) or is_documentation(path) for path in files):
        return WorkKind.TESTS
    return WorkKind.FEATURE
