"""What a file is for, by its name alone: a test, or a text that only people read."""

import re

_TEST_FOLDERS = frozenset({"tests", "test", "__tests__"})
_TEST_NAME = re.compile(
    r"^(test_.*\.(py|rb|rs|c|cc|cpp|sh|lua)|.*_tests?\.(py|go|exs?|rb|rs|c|cc|cpp|dart|sh)|.*_spec\.(rb|lua)"
    r"|.*\.(test|spec)\.[cm]?[jt]sx?|conftest\.py|.*Tests?\.(java|kt|php|cs|swift|scala)|.*\.bats"
    r"|tests?\.([cm]?[jt]sx?|py|rs|sh))$"
)
_DATA_FOLDERS = frozenset(
    {
        "testdata",
        "test_data",
        "test-data",
        "__snapshots__",
        "snapshots",
        "__fixtures__",
        "fixtures",
        "golden",
        "goldens",
    }
)
# A text in one of these folders may be what a program reads or shows.
_READ_BY_PROGRAMS = frozenset(
    {"prompts", "templates", "fixtures", "data", "testdata", "resources", "assets", "static", "public", "content"}
)
_SETTINGS = frozenset(
    {"pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "Cargo.toml", "package.json", "go.mod", "go.sum"}
    | {"Makefile", "GNUmakefile", "makefile", "ruff.toml", "mypy.ini", "tsconfig.json", "LICENSE", "MANIFEST.in"}
)
_VERSIONS = re.compile(r"(?i)(^|[-._])lock(file)?(\.\w+)?$|^(requirements|constraints)[\w.-]*\.txt$")
_CODE = (".py", ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".go", ".rs", ".rb", ".java", ".kt", ".sh")
_ALSO_CODE = (".php", ".cs", ".swift", ".scala", ".c", ".cc", ".cpp", ".ex", ".exs", ".dart", ".lua", ".bats")
_TEXT_ENDINGS = (".md", ".rst", ".adoc")
_TEXT_NAME = re.compile(
    r"^(readme|license|licence|copying|notice|authors|contributors|changelog|changes|history|news)(\.txt)?$"
)


def is_test(path: str) -> bool:
    """As test runners see it, with what tests are made of. A source named ModelSpec.ts is none."""
    *folders, name = path.split("/")
    return bool(_TEST_FOLDERS & set(folders)) or _TEST_NAME.match(name) is not None


def holds_tests(path: str) -> bool:
    """A file of tests itself, not what tests are made of."""
    name = path.rpartition("/")[2]
    return name != "conftest.py" and _TEST_NAME.match(name) is not None


def is_code(path: str) -> bool:
    return path.endswith((*_CODE, *_ALSO_CODE))


def is_test_data(path: str) -> bool:
    """What tests read, by the folder that it is in. Programs are none."""
    *folders, name = path.casefold().split("/")
    return not _DATA_FOLDERS.isdisjoint(folders) and not name.endswith((".py", ".go", ".rs", ".js", ".ts"))


def says_how_it_works(path: str) -> bool:
    """Whether a test could show a change of it: no text for people, no setting of tools, no list of versions."""
    *folders, name = path.split("/")
    hidden = any(part.startswith(".") for part in (*folders, name))
    return not (hidden or is_documentation(path) or name in _SETTINGS or _VERSIONS.search(name))


def is_documentation(path: str) -> bool:
    """Nothing but people reads it, as far as a name can tell; what is unclear is no documentation."""
    *folders, name = path.casefold().split("/")
    if is_test(path) or not _READ_BY_PROGRAMS.isdisjoint(folders):
        return False
    in_docs = bool(folders) and folders[0] in ("doc", "docs") and name.endswith(".txt")
    return name.endswith(_TEXT_ENDINGS) or in_docs or _TEXT_NAME.match(name) is not None
