"""Loaded into pytest inside the sandbox, under a name of chance: tells the host of each test, and runs planted ones.

The host writes it beside a `plan.json` where nobody inside can write, and it connects before any file of the project
is loaded; nobody else is listened to. What real tests go through, planted ones go through: hooks, reports, assertions.
It runs on the project's Python and pytest, so it is plain, and imports nothing of ours.
"""

import contextlib
import importlib
import json
import os
import random
import socket
from typing import Any

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120  old Pythons
with open(os.path.join(HERE, "plan.json")) as _file:  # noqa: PTH118, PTH123
    PLAN = json.load(_file)
FAILS, PASSES, REAL = "fails", "passes", "real"
_line = socket.socket(socket.AF_UNIX)
_line.connect(PLAN["socket"])  # from the top of the tree: a socket's path may not be long
_send, _dumps = _line.sendall, json.dumps
_watch = importlib.import_module(PLAN["watch"])
_codes = importlib.import_module(PLAN["codes"])
_loaded = importlib.import_module(PLAN["loaded"])
_watch.watch()
os.environ.pop("PYTEST_ADDOPTS", None)  # whatever else tests start is theirs


def tell(*words: object) -> None:
    """Once it is said, nothing takes it back."""
    with contextlib.suppress(OSError):  # nobody listens any more
        _send((_dumps(words) + "\n").encode())


class _Hooks:
    """The hooks of a project, but for those that would show a planted test, or count it."""

    def __init__(self, hooks: Any, quiet: Any) -> None:
        self._hooks, self._quiet = hooks, quiet

    def __getattr__(self, name: str) -> Any:
        if name in ("pytest_runtest_logstart", "pytest_runtest_logfinish"):
            return lambda **told: None
        return self._quiet if name == "pytest_runtest_logreport" else getattr(self._hooks, name)


class Function(pytest.Function):
    """A planted test, where a real one stands."""

    hooks: Any = None
    body: Any = None

    def _getobj(self) -> Any:
        return self.body  # what older versions look up in the class, under the name of the real one

    @property
    def ihook(self) -> Any:
        return _Hooks(super(Function, self).ihook, self.hooks)  # noqa: UP008

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        return "planted"


class Recorder:
    """Registered when everything else is, so that it hears of each test first."""

    def __init__(self, session: Any) -> None:
        self.kind = REAL
        self.name = ""
        chance = random.Random(PLAN["seed"])
        some = [item for item in session.items if isinstance(item, pytest.Function) and hasattr(item, "from_parent")]
        chosen = chance.sample(some, min(len(some), PLAN["most"]))
        self.planted: Any = {}
        for item in chosen:
            self.planted[item] = [(FAILS, item.name)]
        for item in chosen[: PLAN["pairs"]]:
            self.planted[item] += [(FAILS, PLAN["fails"]), (PASSES, PLAN["passes"])]
            chance.shuffle(self.planted[item])
        manager = session.config.pluginmanager
        manager.rewrite_hook.mark_rewrite(PLAN["module"])  # only now, as tests are: somebody may have been at it
        self.module = importlib.import_module(PLAN["module"]) if chosen else None
        shows = [manager.get_plugin(name) for name in ("terminalreporter", "stepwiseplugin", "lfplugin")]
        shows += [plugin for plugin in manager.get_plugins() if type(plugin).__name__ == "LogXML"]
        hidden = [plugin for plugin in shows if plugin] + [session]
        if self.module is not None:
            for name in _codes.find_others(session.items, PLAN["seed"], session.config, self.module.fails):
                _watch.replaced[name] = True
        self.look_behind(session)
        self.quiet = manager.subset_hook_caller("pytest_runtest_logreport", hidden)
        tell("plan", len(session.items), [item.nodeid for item in chosen])

    def look_behind(self, session: Any) -> None:
        for name in _loaded.find_served(session.items, session.config):
            _watch.replaced[name] = True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: Any) -> None:
        self.look_behind(session)
        for name in _loaded.find_equal():
            _watch.replaced[name] = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> None:
        if self.kind is REAL:
            _watch.begin(item.nodeid)
            for kind, name in self.planted.pop(item, ()):
                self.run(kind, name, item)

    def run(self, kind: str, name: str, item: Any) -> None:
        body = getattr(self.module, kind)
        info = item.session._fixturemanager.getfixtureinfo(item.parent, body, None)
        del info.names_closure[:]  # not even what applies by itself: a project's own trouble would be taken for a lie
        info.name2fixturedefs.clear()
        planted = Function.from_parent(item.parent, name=name, callobj=body, fixtureinfo=info)
        planted.hooks, planted.body = self.quiet, body
        self.kind, self.name = kind, item.nodeid
        try:
            planted.ihook.pytest_runtest_protocol(item=planted, nextitem=item)
        finally:
            self.kind = REAL

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or report.outcome != "passed":
            name = report.nodeid if self.kind is REAL else self.name
            tell(self.kind, name, report.outcome, hasattr(report, "wasxfail"))


def pytest_load_initial_conftests(early_config: Any, args: Any) -> None:
    """One process, as a gate has one processor: what several say cannot be put in order."""
    if early_config.pluginmanager.hasplugin("xdist"):
        args.append("-n0")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: Any) -> None:
    config = session.config
    if not session.config.option.collectonly and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(session))


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: Any) -> None:
    if not hasattr(config, "workerinput"):
        _watch.compare()
        tell("seen", sorted(_watch.reads), sorted(_watch.starts), sorted(_watch.replaced))
        tell("end")
