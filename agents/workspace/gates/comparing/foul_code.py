"""Code whose tests need not be run: it would be loaded in place of other code, or it knows its tests."""

from agents.domain.checks.file_kinds import is_test
from agents.domain.checks.source.tells import Tell, tells_in
from agents.workspace.gates.gate_runner import GateRunner
from agents.workspace.gates.originals import few
from agents.workspace.gates.planted.stand_ins import stand_ins

TELLS = {Tell.ASKS: "asks whether it is being tested", Tell.EQUAL: "is equal to anything"}


def why_not_run(runner: GateRunner) -> str:
    """Why nothing is run: code that would be loaded in place of other code, or that knows its tests."""
    if named := _stand_ins(runner):
        return f"{few(named)} stands in for what Python or its runner of tests would load: give it another name"
    case = runner.case
    sources = [path for path in case.contents if path.endswith(".py") and not is_test(path) and case.owns(path)]
    found = [(path, tells_in(_text(case.former.get(path)), _text(case.contents[path]))) for path in sources]
    told = [f"{path} {TELLS[tell]}" for path, tells in found for tell in tells]
    return f"the code must do the same whoever runs it: {few(told)}" if told else ""


def _text(content: bytes | None) -> str:
    return (content or b"").decode(errors="replace")


def _stand_ins(runner: GateRunner) -> list[str]:
    case = runner.case
    added = (each.change.path for each in case.differing if each.before is None)
    folders = ("", case.package, *runner.environment.attached.sources)
    return stand_ins(added, {root for each in folders for root in (each, f"{each}/src")})
