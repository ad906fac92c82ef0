"""Loaded beside the plugin: which files of the project tests read, which of them start programs, whose lines run, and
whether anything that tests are judged by is replaced.

It runs on the project's Python, so it is plain, and imports nothing of ours. What goes wrong here is not seen, and
breaks no test.
"""

import contextlib
import importlib
import json
import os
import sys
import time
from typing import Any

ROOT = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118  old Pythons
WANTED = json.loads(os.environ.pop("OVERLORD_NEW_TESTS", "[]"))  # tests whose lines are told apart: `file::test`
MOST = 5_000
_TEST_FOLDERS = ("tests", "test")
_STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.spawn", "os.system")
_WRITES = os.O_WRONLY | os.O_RDWR
_JUDGES = ("pytest", "_pytest", "pluggy", "unittest")
# What tests read and compare by: whoever serves others in their place is the program itself, or nobody minds.
_MEANS = ("builtins", "io", "os", "posixpath", "pathlib", "math", "operator", "json", "json.decoder", "csv", "codecs")
_SPEAKS = ("print", "input", "help", "exit", "quit", "breakpoint")
_PYTESTS_OWN = ("_getini_unknown_type",)  # pytest replaces it itself, in every run
_PAUSE = 0.2  # seconds between two looks
reads: Any = {}
starts: Any = {}
replaced: Any = {}
_at = [""]  # the test that runs
_kept: Any = {}  # what tests are judged by, as it was before anything of the project was loaded
_looked = [0.0]


def begin(nodeid: str) -> None:
    """A test begins: what runs from now on is its own."""
    if time.monotonic() - _looked[0] > _PAUSE:
        compare()
    path, _, rest = nodeid.partition("::")
    own = path + "::" + rest.partition("[")[0].rpartition("::")[2]
    same = (str(at) for at, each in enumerate(WANTED) if own == each or own.endswith("/" + each) or _in(each, own))
    _at[0] = next(same, "others")
    coverage = sys.modules.get("coverage")
    measures = coverage.Coverage.current() if WANTED and coverage else None
    if measures is not None:
        measures.switch_context(_at[0])


def keep() -> None:
    for each in ("unittest.case", *_MEANS):
        importlib.import_module(each)
    for module in list(sys.modules.values()):
        name = getattr(module, "__name__", "")
        wanted = name.partition(".")[0] in _JUDGES or name in _MEANS
        if not wanted or not hasattr(module, "__dict__"):
            continue
        _keep(module, name)
        for own, value in list(vars(module).items()):
            if isinstance(value, type) and value.__module__ == name:
                _keep(value, name + "." + own)


def _keep(owner: Any, name: str) -> None:
    for own, value in list(vars(owner).items()):
        if own in _SPEAKS or own in _PYTESTS_OWN:
            continue
        if callable(value) or isinstance(value, (staticmethod, classmethod, property)):
            _kept[name + "." + own] = (owner, own, value)


def compare() -> None:
    """Each name of ours that stands for something else now."""
    for name, (owner, own, value) in _kept.items():
        now = owner.__dict__.get(own)
        if now is not value and (name.partition(".")[0] in _JUDGES or _is_of_program(now)):
            replaced[name] = True
    _looked[0] = time.monotonic()


def _is_of_program(value: Any) -> bool:
    """No stand-in of a library, nor one that tests brought."""
    for wraps in ("__func__", "func", "fget"):
        value = getattr(value, wraps, value)
    code = getattr(value, "__code__", None)
    if code is None:
        kind = value if isinstance(value, type) else type(value)
        module = sys.modules.get(kind.__module__)
        name = str(getattr(module, "__file__", None) or "<none>")
        if value is None or (name == "<none>" and kind.__module__ != "builtins"):
            return False
    else:
        name = code.co_filename
    return name.startswith("<") or is_of_program(name)


def is_of_program(name: str) -> bool:
    """Whether a file is the project's own, and none of its tests."""
    return name.startswith(ROOT) and "/site-packages/" not in name and not is_of_tests(name)


def _in(each: str, own: str) -> bool:
    return each.endswith("/" + own) or (each[0] == "*" and own.endswith(each[1:]))


def _look(event: str, given: Any) -> None:
    if event == "open":
        if not (isinstance(given[2], int) and given[2] & _WRITES):
            _note(given[0], "")
    elif event in ("os.listdir", "os.scandir"):
        _note(given[0], "/")
    elif event in _STARTS:
        starts[_at[0]] = True
    elif event == "object.__setattr__" and given[1] == "__code__":
        name = given[0].__code__.co_filename
        if given[0].__module__.partition(".")[0] in _JUDGES or (name.startswith(ROOT) and is_of_tests(name)):
            replaced[given[0].__module__ + "." + given[0].__qualname__] = True


def _note(path: Any, ends: str) -> None:
    """Only what a test, or what tests are made of, asked for by itself: a program reads its own files, too."""
    if not isinstance(path, (str, bytes, os.PathLike)) or len(reads) >= MOST:
        return
    name = os.path.normpath(os.path.join(os.getcwd(), os.fsdecode(path)))  # noqa: PTH109, PTH118
    if name.startswith(ROOT) and not name.endswith((".py", ".pyc")) and _asked_by_test():
        reads[name[len(ROOT) :] + ends] = True


def _asked_by_test() -> bool:
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(ROOT) and "/site-packages/" not in name:
            return is_of_tests(name)
        frame = frame.f_back
    return False


def is_of_tests(name: str) -> bool:
    *folders, last = name[len(ROOT) :].split("/")
    named = last.startswith("test_") or last.endswith("_test.py") or last == "conftest.py"
    return named or any(folder in _TEST_FOLDERS for folder in folders)


def _hook(event: str, given: Any) -> None:
    if event in ("open", "object.__setattr__") or event.startswith(("os.", "subprocess.")):
        with contextlib.suppress(Exception):  # it only looks
            _look(event, given)


def watch() -> None:
    """Nothing takes it back: it is asked whenever something is opened, for as long as the process lives."""
    with contextlib.suppress(Exception):  # it only looks
        keep()
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(_hook)
