"""What a project says about its gates: commands of its own in place of those that are found, and gates to add."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator

COMMIT = "commit"  # whether all that was left could be committed
GATE_NAMES = ("tests", "lint", "scope", "secrets", "loop", "forbidden-files", "original-tests", COMMIT, "changes")
COMMAND_MOST = 2_000
FILES = "{files}"  # in a lint command: the changed files, quoted


class OnFail(StrEnum):
    """What a failed gate of a project leads to."""

    BLOCK = "block"  # no other attempt: a person decides
    RETRY = "retry"


def slug(written: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,59}", written):
        step = "Use small letters, digits and dashes, such as `web-shop`."
        raise ValueError(f"`{written}` cannot be used as a name. {step}")
    return written


def _gate_name(written: str) -> str:
    if slug(written) in GATE_NAMES:
        raise ValueError(f"`{written}` is a gate that is there already. Choose another name.")
    return written


def _command(written: str) -> str:
    if not written.strip() or not written.isprintable() or len(written) > COMMAND_MOST:
        raise ValueError(f"it is no command. Write one line of at most {COMMAND_MOST} characters, for the shell.")
    return written


Command = Annotated[str, AfterValidator(_command)]  # for the shell


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraGate:
    name: Annotated[str, AfterValidator(_gate_name)]
    command: Command
    on_fail: OnFail = OnFail.RETRY


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCommands:
    """Empty: found by what lies in the repository."""

    tests: Command = ""
    lint: Command = ""
    extra: tuple[ExtraGate, ...] = ()
    environment: str = ""  # folder of a venv
