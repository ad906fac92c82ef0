"""What files are for, by their paths alone: definitions of interfaces, standards, what guards a project, internals."""

import re
from collections.abc import Iterable, Iterator

from agents.domain.checks.file_kinds import is_test
from agents.domain.context.papers import is_record

_INTERFACES = re.compile(
    r"\.d\.ts$|\.proto$|\.pyi$|\.graphqls?$|\.avsc$|\.thrift$"
    r"|(?:^|/)(?:openapi|swagger|asyncapi)[^/]*\.(?:ya?ml|json)$"
    r"|\.schema\.json$|(?:^|/)(?:interfaces?|contracts|protocols|schemas?)/[^/]+\.(?:py|pyi|ts|json|ya?ml|sql|proto)$"
    r"|(?:^|/)(?:interfaces?|protocols?|contracts?)\.(?:py|ts)$|(?:^|/)schema\.(?:sql|graphql)$"
    r"|(?:^|/)api/[^/]+\.ya?ml$|(?:^|/)types/[^/]+\.ts$"
)
_STANDARDS = re.compile(
    r"(?:^|/)(?:standards?|conventions|style-?guides?|guidelines)/[^/]+\.(?:md|rst|adoc|txt)$"
    r"|(?:^|/)(?:standards?|conventions|coding[-_]?(?:style|standards?)|style-?guide|guidelines|contributing"
    r"|review(?:ing)?[-_](?:guide|checklist)?)\.(?:md|rst|adoc|txt)$",
    re.IGNORECASE,
)
_LISTS = (
    "requirements.txt", "pyproject.toml", "pipfile", "setup.py", "setup.cfg", "package.json", "go.mod", "cargo.toml",
    "gemfile", "composer.json", "pom.xml", "build.gradle", "build.gradle.kts", "dockerfile",
)  # fmt: skip
_GUARDS = re.compile(
    r"auth|login|logout|sign_?in|session|permission|password|token|crypt|security|secret|csrf|cors|oauth|saml|jwt|acl"
    r"|middleware|sanitiz|escap|settings|config|environ",
    re.IGNORECASE,
)
_CODE = re.compile(r"\.(?:py|pyi|tsx?|jsx?|mjs|cjs|vue|svelte|go|rs|java|kt|rb|php|cs|c|cc|cpp|h|hpp|swift|scala|sol)$")
_FIXTURES = re.compile(r"(?:^|/)(?:conftest\.py|fixtures?/)")
_DOCS = re.compile(r"\.(?:md|rst|adoc|txt)$", re.IGNORECASE)


def is_interface(path: str) -> bool:
    return _INTERFACES.search(path) is not None


def is_internal(path: str) -> bool:
    """Code of the product: neither a test or its fixtures, nor a definition of an interface."""
    plain = _CODE.search(path) is not None and not is_interface(path)
    return plain and not is_test(path) and not _FIXTURES.search(path)


def interfaces(paths: Iterable[str]) -> Iterator[str]:
    return (path for path in paths if is_interface(path))


def standards(paths: Iterable[str]) -> list[str]:
    """Rules that a project wrote down for whoever works on it; those near the root first."""
    found = [path for path in paths if _STANDARDS.search(path)]
    return sorted(found, key=_by_depth)


def decisions(paths: Iterable[str]) -> list[str]:
    """The latest first: their names are numbers or dates."""
    found = [path for path in paths if _DOCS.search(path) and is_record(path)]
    return sorted(found, key=lambda path: path.rpartition("/")[2], reverse=True)


def guards(paths: Iterable[str]) -> list[str]:
    """What decides who may do what, what reads settings, and lists of dependencies; those first, then the shortest."""
    listed, code = list[str](), list[str]()
    for path in paths:
        name = path.rpartition("/")[2].casefold()
        if name in _LISTS or (name.startswith("requirements") and name.endswith(".txt")):
            listed.append(path)
        elif _CODE.search(path) and _GUARDS.search(path) and not is_test(path):
            code.append(path)
    return [*sorted(listed, key=_by_depth), *sorted(code, key=_by_depth)]


def _by_depth(path: str) -> tuple[int, str]:
    return path.count("/"), path
