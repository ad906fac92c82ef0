"""What tox and hatch install for tests, where a project says it nowhere else. Only plain names are taken."""

import configparser
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_CLAUSE = r"\s*(?:===?|~=|!=|<=?|>=?)\s*[\w.*+!-]+"
_PLAIN = re.compile(rf"[A-Za-z0-9][\w.-]*(?:\[[\w.,\s-]+\])?(?:{_CLAUSE}(?:\s*,{_CLAUSE})*)?")
_ENVIRONMENTS = ("default", "hatch-test", "test", "tests", "testing")  # of hatch


def runner_needs(tox_ini: str, toml: Mapping[str, Any]) -> tuple[str, ...]:
    """As requirements for pip."""
    tool = _table(toml, "tool")
    tox = _table(tool, "tox")
    legacy = tox.get("legacy_tox_ini")
    said = [*_of_ini(tox_ini), *_of_ini(legacy if isinstance(legacy, str) else "")]
    said += _texts(_table(tox, "env_run_base").get("deps"))
    environments = _table(_table(tool, "hatch"), "envs")
    for name in _ENVIRONMENTS:
        for kind in ("dependencies", "extra-dependencies"):
            said += _texts(_table(environments, name).get(kind))
    return tuple(dict.fromkeys(_plain(said)))


def _of_ini(text: str) -> list[str]:
    """Lines for one version of Python alone (`py38: …`) and those with substitutions are not plain, and left out."""
    reader = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        reader.read_string(text)
    except configparser.Error:
        return []
    return (reader.get("testenv", "deps", fallback="") or "").splitlines()


def _plain(said: Iterable[str]) -> Iterator[str]:
    for line in said:
        each = line.partition("#")[0].strip()
        if _PLAIN.fullmatch(each):
            yield each.replace(" ", "")


def _table(of: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = of.get(name)
    return found if isinstance(found, dict) else {}


def _texts(of: object) -> list[str]:
    return [each for each in of if isinstance(each, str)] if isinstance(of, list) else []
