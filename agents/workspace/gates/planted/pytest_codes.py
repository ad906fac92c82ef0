"""Loaded beside the plugin: whether the tests that pytest found are those that stand in their files.

What is tested is loaded before most tests are, and could serve others in their place. It runs on the project's Python,
so it is plain, and imports nothing of ours. What it needs is taken before anything of the project is loaded. Where it
would not know its own planted test again, it says nothing.
"""

import ast
import contextlib
import os
import random
import time
from typing import Any

import pytest
from _pytest.assertion import rewrite

ROOT = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118  old Pythons
SECONDS = 5.0  # of a suite so large that it takes longer, files are chosen by chance
parse, _compile, _rewrite = ast.parse, compile, rewrite.rewrite_asserts
_open, _read, _close, _clock = os.open, os.read, os.close, time.monotonic
_WRITERS = {"globals", "setattr", "vars", "exec", "locals"}  # a file that writes its own tests
_PARTS = ("co_name", "co_code", "co_names", "co_varnames", "co_argcount")


def find_others(items: Any, seed: Any, config: Any, known: Any) -> Any:
    """Names of tests whose code is another than their file has. `known`: a function of ours that was loaded so, too."""
    with contextlib.suppress(Exception):  # it only looks
        if not is_among(known.__code__, codes_of(known.__code__.co_filename, config)):
            return []
        files: Any = {}
        for item in items:
            path = str(getattr(item, "path", "") or item.fspath)
            if isinstance(item, pytest.Function) and path.startswith(ROOT) and path.endswith(".py"):
                files.setdefault(path, []).append(item)
        return list(_look_through(files, seed, config))
    return []


def _look_through(files: Any, seed: Any, config: Any) -> Any:
    names, until = sorted(files), _clock() + SECONDS
    random.Random(seed).shuffle(names)
    for path in names:
        if _clock() > until:
            return
        with contextlib.suppress(Exception):  # what cannot be read so was loaded in some other way
            plain, codes = plain_functions(path), codes_of(path, config)
            for item in files[path]:
                function = _function_of(item)
                if function is not None and _name_of(item) in plain and not is_among(function.__code__, codes):
                    yield item.nodeid.partition("[")[0]


def _name_of(item: Any) -> Any:
    own = getattr(item, "originalname", None) or item.name.partition("[")[0]
    return (item.cls.__qualname__ + "." if getattr(item, "cls", None) else "") + own


def _function_of(item: Any) -> Any:
    """As it would be called. None: it is none of Python's own functions, as some plugins make them."""
    if getattr(item, "cls", None) and any("__init_subclass__" in vars(each) for each in item.cls.__mro__[:-1]):
        return None
    own = getattr(item, "originalname", None) or item.name.partition("[")[0]
    found = getattr(item.cls, own, None) if getattr(item, "cls", None) else item.obj
    found = getattr(found, "__func__", found)
    return found if hasattr(found, "__code__") else None


def plain_functions(path: Any) -> Any:
    """Those of a file that nothing but marks stands above: the name is the function itself, if it is given no other."""
    tree = parse(content_of(path))
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    given = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    return set() if used & _WRITERS else set(_functions(tree.body, "")) - given


def _functions(body: Any, around: Any) -> Any:
    seen: Any = [node.name for node in body if hasattr(node, "name")]
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.decorator_list and not node.keywords:
            yield from _functions(node.body, around + node.name + ".")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and seen.count(node.name) == 1:
            yield from [around + node.name] if all(_is_mark(each) for each in node.decorator_list) else ()


def _is_mark(node: Any) -> Any:
    while isinstance(node, (ast.Call, ast.Attribute)):
        if isinstance(node, ast.Attribute) and node.attr == "mark":
            return True
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and node.id == "mark"


def codes_of(path: Any, config: Any) -> Any:
    """As they are where assertions are told in full, and as they stand."""
    found: Any = []
    source = content_of(path)
    for is_plain in (False, True):
        tree = parse(source, filename=path)
        if not is_plain:
            _rewrite(tree, source, path, config)
        _collect(_compile(tree, path, "exec", dont_inherit=True), found)
    return found


def _collect(code: Any, found: Any) -> None:
    found.append(code)
    for each in code.co_consts:
        if hasattr(each, "co_code"):
            _collect(each, found)


def is_among(code: Any, codes: Any) -> Any:
    return any(_is_same(code, each) for each in codes)


def _is_same(one: Any, other: Any) -> Any:
    if any(getattr(one, part) != getattr(other, part) for part in _PARTS):
        return False
    pairs = list(zip(one.co_consts, other.co_consts))  # noqa: B905  old Pythons
    return len(one.co_consts) == len(other.co_consts) and all(
        _is_same(a, b) if hasattr(a, "co_code") and hasattr(b, "co_code") else repr(a) == repr(b) for a, b in pairs
    )


def content_of(path: Any) -> Any:
    file = _open(path, os.O_RDONLY)
    try:
        parts: Any = []
        while not parts or parts[-1]:
            parts.append(_read(file, 1 << 20))
        return b"".join(parts)
    finally:
        _close(file)
