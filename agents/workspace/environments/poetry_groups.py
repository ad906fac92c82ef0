"""What Poetry's groups hold, as requirements for pip: Poetry itself asks no index but the public one."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_PLAIN = re.compile(r"[A-Za-z0-9][\w.-]*")
_VERSION = re.compile(r"\d+(?:\.\d+)*[\w.+!-]*")
_CLAUSE = re.compile(r"(\^|~(?!=)|==|>=|<=|!=|~=|>|<|)\s*(\d++(?:\.\d++)*+(?:\.\*)?[\w.+!-]*+|\*)")


def group_names(poetry: Mapping[str, Any]) -> tuple[str, ...]:
    """`dev-dependencies` is how `dev` was written once."""
    old = ("dev",) if poetry.get("dev-dependencies") else ()
    return tuple(dict.fromkeys((*_table(poetry, "group"), *old)))


def requirements(poetry: Mapping[str, Any], group: str, lock: Mapping[str, Any]) -> tuple[str, ...]:
    """Of a group; at the version that the lock names, where it has one. What is no package of an index is left out."""
    own = _table(_table(_table(poetry, "group"), group), "dependencies")
    old = _table(poetry, "dev-dependencies") if group == "dev" else {}
    locked = dict(_locked(lock))
    found = (_requirement(name, said, locked) for name, said in {**old, **own}.items() if name.casefold() != "python")
    return tuple(each for each in found if each)


def _locked(lock: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    packages = lock.get("package")
    for each in packages if isinstance(packages, list) else ():
        name, version = (each.get("name"), each.get("version")) if isinstance(each, dict) else (None, None)
        if isinstance(name, str) and isinstance(version, str) and _VERSION.fullmatch(version):
            yield _known_as(name), version


def _requirement(name: str, said: object, locked: Mapping[str, str]) -> str:
    table = said if isinstance(said, dict) else {"version": said}
    version = table.get("version")
    if not _PLAIN.fullmatch(name) or not isinstance(version, str) or table.get("optional") is True:
        return ""
    extras = table.get("extras")
    listed = extras if isinstance(extras, list) else []
    named = [each for each in listed if isinstance(each, str) and _PLAIN.fullmatch(each)]
    chosen = f"[{','.join(named)}]" if named else ""
    exact = locked.get(_known_as(name))
    return f"{name}{chosen}{f'=={exact}' if exact else _constraint(version)}"


def _constraint(said: str) -> str:
    """As pip writes it; nothing where there are several ways (`||`) or it cannot be read: any version will do then."""
    clauses = [_CLAUSE.fullmatch(clause.strip()) for clause in said.split(",")]
    if not all(clauses):
        return ""
    return ",".join(part for clause in clauses if clause for part in _bounds(clause[1], clause[2]))


def _bounds(sign: str, version: str) -> Iterator[str]:
    numbers = [int(part) for part in re.findall(r"\d+", re.split(r"[a-z!+-]", version)[0])]
    if version == "*":
        return
    if sign == "^":
        first = next((at for at, number in enumerate(numbers) if number), len(numbers) - 1)
        yield from (f">={version}", f"<{_next(numbers[: first + 1])}")
    elif sign == "~":
        yield from (f">={version}", f"<{_next(numbers[:2])}")
    else:
        yield f"{sign or '=='}{version}"


def _next(numbers: list[int]) -> str:
    return ".".join(map(str, (*numbers[:-1], numbers[-1] + 1)))


def _known_as(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).casefold()


def _table(of: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = of.get(name)
    return found if isinstance(found, dict) else {}
