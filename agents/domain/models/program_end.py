"""Programs that end badly, and which class of error that is: by how they ended, by their exit code, then by what they
say of it themselves. Only a program's own error channel is read for that: a test that prints "file not found" says
nothing about the program that ran it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.domain.models.failure import ErrorClass, Failure, error_of_status
from agents.domain.text.sanitize import clean, one_line

LONGEST = 300  # characters of a message
READ = 20_000  # of an error channel, from its end: what a program says last is why it ended
E = ErrorClass


class EndedBy(StrEnum):
    """Why a command in the sandbox is over."""

    EXIT = "exit"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    DISK = "disk"
    KILLED = "killed"  # the sandbox died under it, or its room was closed


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramEnd:
    """`errors`: the program's own error channel alone. `status`: of HTTP, where it names one in a field of its own."""

    program: str = ""
    ended_by: EndedBy = EndedBy.EXIT
    exit_code: int | None = None
    errors: str = ""
    status: int | None = None


# A program that waits for its model has no time-out of its own, so our clock ends it: that is a connection that hung.
ERROR_OF_END: dict[EndedBy, ErrorClass | None] = {
    EndedBy.EXIT: None,  # the exit code says more
    EndedBy.TIMEOUT: E.NETWORK,
    EndedBy.MEMORY: E.RESOURCE,
    EndedBy.OUTPUT: E.RESOURCE,
    EndedBy.DISK: E.RESOURCE,
    EndedBy.KILLED: E.CLI_ERROR,
}
# Of whatever starts programs: there, but it may not be run; not there at all.
CANNOT_RUN: dict[int, ErrorClass] = {126: E.RESOURCE, 127: E.RESOURCE}

_STATUSES = (400, 401, 402, 403, 404, 408, 409, 413, 422, 425, 429, 500, 502, 503, 504, 529)
# Codes of a program's own. Gemini ends with the HTTP status, of which an exit code keeps eight bits.
OWN_CODES: dict[str, Mapping[int, ErrorClass]] = {
    "gemini": {
        **{status % 256: error_of_status(status) for status in _STATUSES},
        41: E.RESOURCE,  # not signed in
        53: E.RESOURCE,  # no turn is left
        55: E.RESOURCE,  # the folder is not trusted
    },
}

_STATUS = re.compile(r"\b(?:status|http(?:/[\d.]+)?|error|code)\b\D{0,12}\b([45]\d\d)\b", re.I)
_LATER = re.compile(
    r"\b(?:try again|retry)(?:[ -]?(?:after|in))[:\s]+(\d{1,5}(?:\.\d+)?) ?(ms|s|sec\w*|m|min\w*)?\b", re.I
)
_SECONDS = {"ms": 0.001, "m": 60.0}

# Read from the top: what is fatal, what the model can mend, what passes by itself.
WORDS = (  # as text: compiled when an end is read, not by whoever loads this
    (E.RESOURCE, r"unauthori[sz]ed|authentication (?:failed|error|required)|not (?:logged|signed) in|forbidden"),
    (E.RESOURCE, r"(?:invalid|incorrect|missing) (?:x-)?api[ _-]?key|api[ _-]?key (?:is )?(?:not valid|invalid)"),
    (E.RESOURCE, r"could not read (?:username|password)|askpass|permission denied|command not found"),
    (E.RESOURCE, r"quota|credit balance|billing|payment required|read-only file system|no space left"),
    (E.RESOURCE, r"disk (?:is )?full|out of memory|memoryerror|cannot allocate memory"),
    (E.VALIDATION, r"validation error|missing required (?:field|property)|(?:not|n't) match (?:the |its )?schema"),
    (
        E.PARSING,
        r"invalid json|no json found|malformed (?:json|output)|could not (?:extract|parse)|unexpected token",
    ),
    (E.LOGIC, r"^\W*blocked:|cannot proceed|impossible to"),
    (E.NETWORK, r"rate.?limit|too many requests|overloaded|try again|time(?:d|s)?[ -]?out|unreachable|hang up"),
    (E.NETWORK, r"connection (?:was )?(?:refused|reset|closed|aborted)|could(?:n.t| not) (?:resolve|connect)"),
    (E.NETWORK, r"\b(?:econn\w+|eagain|eai_again|etimedout|enotfound|epipe)\b|temporary failure"),
    (E.NETWORK, r"stream disconnected|early eof"),
)


def failure_of_program(end: ProgramEnd) -> Failure | None:
    """None: it ended by itself and found nothing wrong, which proves nothing about what it did."""
    end = replace(end, errors=clean(end.errors[-READ:]))
    message = _last_words(end.errors) or _plain_words(end)
    if known := ERROR_OF_END[end.ended_by]:
        return Failure(error=known, message=message)
    if not end.exit_code and end.status is None:
        return None
    if known := CANNOT_RUN.get(end.exit_code or 0):
        return Failure(error=known, message=message)
    wait = _wait_in(end.errors)
    if wait is not None:  # whoever says when is not out of order for good, whatever else is said
        return Failure(error=E.NETWORK, message=message, retry_after=wait)
    return Failure(error=_error_of(end), message=message)


# What programs say beside why they ended: warnings, and where in their own code they were.
_BESIDE = re.compile(r"\s+at \S|\W*(?:\(node:\d+\) *)?(?:\w*warning|yolo mode)\b", re.I)


def _last_words(errors: str) -> str:
    """Lines from the end, as many as there is room for."""
    lines = [line for line in errors.splitlines() if line.strip()]
    lines = [line for line in lines if not _BESIDE.match(line)] or lines
    said = lines[-1:]
    for line in reversed(lines[:-1]):
        if sum(map(len, said)) + len(line) + len(said) > LONGEST:
            break
        said.insert(0, line)
    return one_line("\n".join(said), LONGEST)


def _error_of(end: ProgramEnd) -> ErrorClass:
    """Fields before codes, codes before words. Nobody knows what it is: once more, then a person."""
    if end.status is not None:
        return error_of_status(end.status, end.errors)
    if own := OWN_CODES.get(end.program, {}).get(end.exit_code or 0):
        return own
    if named := _STATUS.search(end.errors):
        return error_of_status(int(named[1]), end.errors)
    return next((error for error, words in WORDS if re.search(words, end.errors, re.I | re.M)), E.CLI_ERROR)


def _wait_in(said: str) -> float | None:
    """Seconds after which it may be asked again, where it says so."""
    found = _LATER.search(said)
    if found is None:
        return None
    unit = (found[2] or "s").lower()
    return float(found[1]) * _SECONDS.get("m" if unit.startswith("mi") else unit, 1.0)


def _plain_words(end: ProgramEnd) -> str:
    """Such as "codex: exit 3" or "codex: timeout"."""
    how = f"exit {end.exit_code}" if end.ended_by is EndedBy.EXIT else end.ended_by.value
    return f"{end.program}: {how}" if end.program else how
