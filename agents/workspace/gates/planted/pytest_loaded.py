"""Loaded beside the plugin: whether what tests load is what lies beside them, and whether a class of the program is
equal to anything.

It runs on the project's Python, so it is plain, and imports nothing of ours. It only looks: what goes wrong here is not
seen, and breaks no test.
"""

import ast
import contextlib
import gc
import importlib
import importlib.util
import json
import os
import sys
import time
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120  old Pythons
with open(os.path.join(HERE, "plan.json")) as _file:  # noqa: PTH118, PTH123
    _PLAN = json.load(_file)
_watch = importlib.import_module(_PLAN["watch"])
_codes = importlib.import_module(_PLAN["codes"])
SECONDS = 5.0
_exists, _real, _join, _clock = os.path.isfile, os.path.realpath, os.path.join, time.monotonic
# A value of each kind, and others that it is not equal to.
_VALUES: Any = {
    float: (5.0, (6.0, 105.5, -7.25)),
    int: (5, (6, 105, -7)),
    str: ("a", ("b", "zz", "0")),
    bytes: (b"a", (b"b", b"zz")),
    list: ((), ([1], ["x"], [None, None])),
    tuple: ((), ((1,), ("x",))),
    dict: ((), ({1: 1}, {"x": None})),
    object: (None, (object(), 1, "x", [])),
}


def find_served(items: Any, config: Any) -> Any:
    """Functions that tests have at hand, and modules, that are others than those that lie beside them."""
    found: Any = {}
    with contextlib.suppress(Exception):
        modules = {id(item.module): item.module for item in items if getattr(item, "module", None)}
        seen: Any = set()
        until = _clock() + SECONDS
        for module in modules.values():
            if _clock() < until:
                _look_at(module, config, seen, found)
    return sorted(found)


def _look_at(module: Any, config: Any, seen: Any, found: Any) -> None:
    path = _real(str(getattr(module, "__file__", "") or ""))
    if path in seen or not _watch.is_of_tests(path) or not path.startswith(_watch.ROOT):
        return
    seen.add(path)
    tree = _codes.parse(_codes.content_of(path))
    _compare(module, path, {name: name for name in _codes.plain_functions(path)}, config, found)
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for name, taken in _imported(node, module):
                _look_behind(name, taken, module, (config, seen, found))


def _imported(node: Any, module: Any) -> Any:
    """Modules by name, and what is taken from each under which name."""
    if isinstance(node, ast.Import):
        return [(alias.name, {}) for alias in node.names]
    own = "." * node.level + (node.module or "")
    name = importlib.util.resolve_name(own, module.__package__) if node.level else own
    taken = {alias.asname or alias.name: alias.name for alias in node.names}
    return [(name, taken)] + [(name + "." + alias.name, {}) for alias in node.names]


def _look_behind(name: Any, taken: Any, module: Any, given: Any) -> None:
    """Into a module that tests load, if it lies with them."""
    config, seen, found = given
    loaded, inside = sys.modules.get(name), name.replace(".", "/")
    above = _join(os.path.dirname(module.__file__), "")  # noqa: PTH120
    places = {_real(_join(each or _watch.ROOT, inside)) for each in (above, *sys.path)}
    files = [_real(place + end) for place in places for end in (".py", "/__init__.py") if _exists(place + end)]
    if loaded is None or not any(each.startswith(_watch.ROOT) and _watch.is_of_tests(each) for each in files):
        return
    origin = _real(str(getattr(getattr(loaded, "__spec__", None), "origin", None) or ""))
    if origin not in files:
        found[name] = True
    elif _watch.is_of_tests(origin):
        plain = _codes.plain_functions(origin)
        _compare(module, origin, {own: known for own, known in taken.items() if known in plain}, config, found)
        _look_at(loaded, config, seen, found)


def _compare(module: Any, path: Any, names: Any, config: Any, found: Any) -> None:
    """What a module has under these names, with what a file has."""
    codes = _codes.codes_of(path, config) if names else []
    for name in names:
        own = getattr(module, "__dict__", {}).get(name)
        if "." not in name and not _codes.is_among(getattr(own, "__code__", None), codes):
            found[path[len(_watch.ROOT) :] + "::" + name] = True


def find_equal() -> Any:
    """Classes of the program whose values are equal to all that they are compared with."""
    with contextlib.suppress(Exception):
        return sorted({_named(each) for each in gc.get_objects() if isinstance(each, type) and _is_equal(each)})
    return []


def _named(kind: Any) -> Any:
    return kind.__module__ + "." + kind.__qualname__ + ".__eq__"


def _is_equal(kind: Any) -> Any:
    own = vars(kind).get("__eq__")
    code = getattr(own, "__code__", None)
    if code is None or not (_watch.is_of_program(code.co_filename) or code.co_filename.startswith("<")):
        return False
    base = next(each for each in kind.__mro__ if each in _VALUES)
    value, others = _VALUES[base]
    with contextlib.suppress(Exception, SystemExit):
        made = base.__new__(kind, value) if value else base.__new__(kind)
        return all((made == each) is True for each in others)
    return False
