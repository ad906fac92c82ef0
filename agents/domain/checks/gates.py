"""What a project says about its gates: commands of its own in place of those that are found, and gates to add."""

from dataclasses import dataclass
from enum import StrEnum

COMMIT = "commit"  # whether all that was left could be committed
GATE_NAMES = ("tests", "lint", "scope", "secrets", "loop", "forbidden-files", "original-tests", COMMIT, "changes")
FILES = "{files}"  # in a lint command: the changed files, quoted


class OnFail(StrEnum):
    """M181"""

    BLOCK = "block"  # no other attempt: a person decides
    RETRY = "retry"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraGate:
    name: str
    command: str  # for the shell
    on_fail: OnFail = OnFail.RETRY


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCommands:
    """Empty: found by what lies in the repository."""

    tests: str = ""
    lint: str = ""
    extra: tuple[ExtraGate, ...] = ()
    environment: str = ""  # folder of a venv
