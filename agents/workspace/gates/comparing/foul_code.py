"""Code whose tests need not be run: it would be loaded in place of other code, or it knows its tests."""

import re
from collections.abc import Iterator, Sequence

from agents.domain.checks.inline_tests import Parts, take_apart
from agents.domain.checks.source.tells import Tell, tells_in
from agents.domain.checks.source.text_tells import tells_in_text
from agents.workspace.gates.gate_runner import GateRunner
from agents.workspace.gates.originals import few
from agents.workspace.gates.planted.stand_ins import stand_ins

_FOR_TESTS = re.compile(r"(?i)(^|[/_])test|fixture|plugin|noxfile|tasks?\.py$")
# What starts tests and builds, and what is started by hand: nothing that tests are about.
_ASIDE = re.compile(r"^(noxfile|tasks?|setup|fabfile|dodo|manage|docs?/conf)\.py$|^(scripts?|\.\w+)/")
_STARTED = "__main__.py"
_BESIDE = re.compile(r"(?i)test|spec|mock|fixture|setup|config|stor(y|ies)\b|e2e|cypress|bench|scripts?/|(^|/)\.")
_AFTERWARDS = (Tell.LOADS, Tell.LEAVES, Tell.SERVES)  # first it is seen what becomes of it
_MAY = (Tell.ASKS, Tell.LEAVES, Tell.LOADS)
TELLS = {
    Tell.ASKS: "asks whether it is being tested",
    Tell.EQUAL: "is equal to anything",
    Tell.MOCKS: "loads stand-ins that are for tests",
    Tell.JUMPS: "moves whoever calls it to another line",
    Tell.LOADS: "loads the runner of tests",
    Tell.LEAVES: "ends whoever loads it",
    Tell.SERVES: "replaces what tests compare by",
}


def why_not_run(runner: GateRunner) -> str:
    """Why nothing is run: code that would be loaded in place of other code, or that knows its tests."""
    if named := _stand_ins(runner):
        return f"{few(named)} stands in for what Python or its runner of tests would load: give it another name"
    return _words([f"{path} {TELLS[tell]}" for path, tell in _tells(runner) if tell not in _AFTERWARDS])


def why_not_believed(runner: GateRunner) -> str:
    """Though all tests pass, and nothing that was planted was told otherwise."""
    found = [(path, tell) for path, tell in _tells(runner) if tell in _AFTERWARDS]
    kept = (each for each in found if each[1] is not Tell.LOADS or not _FOR_TESTS.search(each[0]))
    return _words([f"{path} {TELLS[tell]}" for path, tell in kept])


def _tells(runner: GateRunner) -> Iterator[tuple[str, Tell]]:
    case = runner.case
    for path in case.contents:
        if case.is_test(path) or not case.owns(path):
            continue
        before, after = _text(case.former.get(path)), _text(case.contents[path])
        if path.endswith(".py"):
            own = tells_in(before, after)
            spared = _MAY if _ASIDE.search(path) else (Tell.LEAVES,) if path.endswith(_STARTED) else ()
            yield from ((path, tell) for tell in own if tell not in spared)
        elif not _BESIDE.search(path):
            inside = (take_apart(each) if path.endswith(".rs") else Parts(each, "", "") for each in (before, after))
            yield from ((path, tell) for tell in tells_in_text(path, *(f"{own.above}{own.below}" for own in inside)))


def _words(told: Sequence[str]) -> str:
    return f"the code must do the same whoever runs it: {few(told)}" if told else ""


def _text(content: bytes | None) -> str:
    return (content or b"").decode(errors="replace")


def _stand_ins(runner: GateRunner) -> list[str]:
    case = runner.case
    added = (each.change.path for each in case.differing if each.before is None)
    folders = ("", case.package, *runner.environment.attached.sources)
    return stand_ins(added, {root for each in folders for root in (each, f"{each}/src")})
