"""What is in the way, read from what tools print and from what a minion says in its own words."""

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache


class Obstacle(StrEnum):
    """What is in the way, where its words say so."""

    MISSING_COMMAND = "missing_command"
    MISSING_MODULE = "missing_module"
    MISSING_FILE = "missing_file"
    MISSING_VARIABLE = "missing_variable"
    NO_PERMISSION = "no_permission"
    NO_NETWORK = "no_network"
    NO_SPACE = "no_space"
    NO_MEMORY = "no_memory"
    TIMEOUT = "timeout"
    RULES = "rules"  # of a linter or a type checker, by their codes
    TESTS = "tests"  # by their names
    OTHER = "other"


# Each begins where a word does, takes all of it at once and is bounded: what is read may be anything.
_OPEN, _CLOSE = r"[`'\"“‘(]{0,2}", r"[`'\"”’)]{0,2}"
_THING = rf"{_OPEN}(?<![\w@.~/:+-])([\w@.~/][\w@./+~-]{{0,120}}+(?::[\w@./+~-]{{1,60}}+){{0,2}}+){_CLOSE}"
_VARIABLE = r"(?<!name ['\"])(?-i:\b([A-Z][A-Z0-9]{0,60}+_[A-Z0-9_]{1,80}+)\b)(?!(?:\.\w|[/(]))"
_HOST = r"['\"`(]{0,2}(?<![\w.-])([a-z\d][\w-]{0,60}+(?:\.[\w-]{1,60}+){0,8}+(?::\d{2,5})?)"
_CLEAR_HOST = r"['\"`(]{0,2}(?<![\w.-])((?:[\w-]{1,60}\.){1,8}[a-z]{2,12}|localhost)(?![\w/])"  # seen to be one
_IS = (
    r"(?:\s{0,3}\b(?:is|are|was|were|could|can|does|do|did|has|have|seems|appears|to|be|been|currently|simply|just))"
    "{0,4}"
)
_ABSENT = (
    rf"{_IS}\s{{0,3}}(?:\b(?:missing|unavailable|absent)\b"
    r"|(?:\bnot|n.t|.t|\bcannot)\s{1,3}(?:(?:be|been|yet|currently)\s{1,3}){0,2}"
    r"(?:found|installed|available|there|here|present|exist|resolved|provided|located|shipped)\b)"
)
_CALLED = r"(?:open|stat|lstat|scandir|access|mkdir|unlink|rename|rmdir|copyfile|read)"

_SHELL = r"\b(?:ba|da|z|k|a)?sh: (?:line )?(?:\d+: )?"
_TOUCH = r"(?:write|create|change|edit|delete|access)"
_TO = r"(?: to| in| into| from)?"
_UNABLE = r"\b(?:cannot|can.t|could not|couldn.t|unable to)"
_DENIED = r"(?:permission denied|not permitted|read-only file system)"
_UNSET = r"(?:not (?:set|defined|given|configured)|unset|undefined|required)"
_LACKS = r"\b(?:no|without(?: an?| the)?|lacks(?: an?| the)?)"
_OFF_PATH = r"(?:installed|on (?:the )?path|in (?:the )?path)"

_Table = tuple[tuple[Obstacle, tuple[str, ...]], ...]
# As tools say it. The first that is found counts: what stands in the way of everything comes before what fails with it.
_PRINTED: _Table = (
    (
        Obstacle.MISSING_MODULE,
        (
            rf"(?:no module named|cannot find (?:module|package)|no matching distribution found for) {_THING}",
            rf"(?:can.t find crate for|unresolved import|cannot load such file --|provides package) {_THING}",
        ),
    ),
    (
        Obstacle.MISSING_COMMAND,
        (
            rf"command not found: {_THING}",
            rf"{_THING}: (?:command not found|executable file not found)\b",
            rf"{_SHELL}{_THING}: not found\b",
            rf"{_THING} is not recognized as an? |\bspawn {_THING} ENOENT",
            rf"\b(?:env|nohup|xargs|sudo|make): {_THING}: no such file",
        ),
    ),
    (
        Obstacle.MISSING_VARIABLE,
        (rf"{_VARIABLE}[^\n]{{0,40}}\b{_UNSET}", rf"\b(?:KeyError|environment variable)\b[^\n]{{0,20}}{_VARIABLE}"),
    ),
    (
        Obstacle.NO_PERMISSION,
        (rf"(?:{_DENIED}|EACCES)\W{{1,9}}?(?:{_CALLED} )?{_THING}", rf"{_THING}: (?:operation )?{_DENIED}"),
    ),
    (
        Obstacle.NO_NETWORK,
        (
            rf"could(?:n.t| not) (?:resolve|connect to|reach)(?: host(?:name)?)?\W{{1,9}}{_HOST}",
            rf"\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT) {_HOST}|Pool\(host={_HOST}",
            r"\b(port \d{2,5})\b[^\n]{0,120}(?:refused|failed|timed)",
            rf"\b(?:failed to connect|connection) to (?:server at )?{_HOST}\W[^\n]{{0,120}}(?:refused|failed|timed)",
            r"()network is unreachable|connection refused|name resolution|name or service not known",
        ),
    ),
    (
        Obstacle.MISSING_FILE,
        (
            rf"(?:no such file or directory|ENOENT)\W{{1,9}}?(?:{_CALLED} )?{_THING}",
            rf"{_THING}\W{{1,3}}no such file or directory",
        ),
    ),
    (Obstacle.NO_SPACE, (r"()no space left|disk (?:is )?full|disk quota",)),
    (Obstacle.NO_MEMORY, (r"()out of memory|cannot allocate memory|MemoryError\b",)),
)
# As a minion says it, beside what it quotes.
_TOLD: _Table = (
    (
        Obstacle.MISSING_MODULE,
        (rf"\b(?:module|package|library|crate|gem|dependency|plugin) {_THING}{_ABSENT}",),
    ),
    (
        Obstacle.MISSING_COMMAND,
        (
            rf"{_THING}: not found\b|{_THING} (?:is|was) missing from (?:the )?path",
            rf"\b(?:command|program|tool|executable|binary) {_THING}{_ABSENT}",
            rf"{_LACKS} {_THING} (?:command|binary|executable|program)\b",
            rf"{_THING} (?:is|was|are) ?(?:n.t|not) {_OFF_PATH}",
        ),
    ),
    (
        Obstacle.MISSING_VARIABLE,
        (
            rf"{_VARIABLE}[^\n]{{0,40}}\b(?:missing|empty|must be|has to be|n.t (?:set|defined|there)|available)",
            rf"\b(?:variable|secret|set|export|provide|needs?|requires?|missing|without|no)\b[^\n]{{0,20}}{_VARIABLE}",
        ),
    ),
    (
        Obstacle.MISSING_FILE,
        (
            rf"{_UNABLE} (?:find|locate)(?: the)?(?: file| folder)? {_THING}",
            rf"{_THING}{_ABSENT}",
            rf"{_LACKS} (?:file|folder) {_THING}",
        ),
    ),
    (
        Obstacle.NO_PERMISSION,
        (
            rf"{_UNABLE} {_TOUCH}{_TO} {_THING}",
            rf"\b(?:not|n.t) (?:be )?(?:allowed|permitted) to {_TOUCH}{_TO} {_THING}",
            rf"(){_DENIED}",
        ),
    ),
    (
        Obstacle.NO_NETWORK,
        (
            rf"\b(?:internet|network)(?: access| connection)?(?: to| for)? {_CLEAR_HOST}",
            rf"{_UNABLE} (?:reach|contact|resolve) {_CLEAR_HOST}",
            rf"{_CLEAR_HOST} (?:is|was) (?:unreachable|not reachable|blocked)",
            r"()\b(?:no|without)(?: an?| any)? (?:internet|network)\b",
        ),
    ),
    (Obstacle.TIMEOUT, (r"()timed? ?out\b",)),
)


@cache
def _patterns(prose: bool) -> "tuple[tuple[Obstacle, re.Pattern[str]], ...]":
    """Compiled when the first failure is read, not by whoever loads this."""
    table = (*_PRINTED, *(_TOLD if prose else ()))
    return tuple((obstacle, re.compile(words, re.I | re.M)) for obstacle, several in table for words in several)


_NO_NAME = re.compile(
    r"it|this|that|they|these|those|which|there|here|error|file|http|status|line|warning|command|tool|program|the|an?|"
    r"packages?|modules?|dependenc(?:y|ies)|is|was|are|\d+",
    re.I,
)
_ELSEWHERE = re.compile(r"^(?:/(?:private/)?(?:var/)?tmp/[^/]+/|\./)+")  # of a folder that is another in each run


def read_obstacle(said: str, *, prose: bool) -> tuple[Obstacle, tuple[str, ...]] | None:
    """`prose`: a minion says it, so that its own words count, too. None: neither says what is in the way."""
    for obstacle, words in _patterns(prose):
        for found in words.finditer(said):
            name = next((group for group in found.groups() if group), "")
            if not name:
                return obstacle, ()
            if named := _tidy(obstacle, name):
                return obstacle, (named,)
    return None


_OF_FILES = (Obstacle.MISSING_FILE, Obstacle.NO_PERMISSION)
_IS_PATH = re.compile(r"[^/]*/.+|[\w@.-]+\.[a-z]\w{0,5}", re.I)


def _tidy(obstacle: Obstacle, name: str) -> str:
    """Of a command its last part, for where a tool lies differs from one machine to the next; of files only a path."""
    if obstacle in _OF_FILES and not _IS_PATH.fullmatch(name.rstrip(".,:;")):
        return ""
    plain = _ELSEWHERE.sub("", name.rstrip("./,:;-"))
    plain = plain.rpartition("/")[2] if obstacle is Obstacle.MISSING_COMMAND else plain
    return "" if _NO_NAME.fullmatch(plain) else plain.casefold()


_FAILED = (  # as text, too
    r"^(?:FAILED|ERROR):? (?!\()(\S{1,300}+(?: \([\w.]{1,200}\))?)"  # pytest, unittest
    r"|^FAIL: (\S{1,200}+ \([\w.]{1,200}\))"
    r"|^(\S{1,200}?::\S{1,200}+) (?:FAILED|ERROR)\b"  # pytest -v
    r"|^[ \t]{0,20}not ok \d+ -? ?(.{1,200}?)(?: #.*)?$"  # TAP
    r"|^[ \t]{0,20}--- FAIL: (\S{1,200})"  # Go
    r"|^test (\S{1,200}+) \.\.\. FAILED"  # Rust
    r"|^[ \t]{0,20}[✕✗✖×] (.{1,200}?)(?: \(?\d+(?:\.\d+)? ?m?s\)?)?$"  # Jest, Vitest, node:test
    r"|^[ \t]{0,20}● (.{1,200} › .{1,200})$"
    r"|^rspec (\S{1,200})"
    r"|^(\S{1,200}+ > .{1,200}) FAILED$"  # Gradle
    r"|^\[ERROR\] {1,4}(\w{1,100}(?:\.\w{1,100}){1,8})(?::\d+)"  # Maven
    r"|^\d+\) ([\w\\]{1,200}::\w{1,100})"  # PHPUnit
    r"|^[ \t]{0,20}Failed (\S{1,200}) \["  # .NET
)
_CODES = (
    r"(?:^|:\s?|\s|\[)(?!(?:SHA|UTF|HTTP|ISO|RFC|ES|MD|CP|AES|RSA)-?\d)([A-Z]{1,4}\d{2,4}|TS\d{4})(?![\w-])"
    r"|error: .{0,300}\[([a-z][a-z-]{1,60})\]\s{0,4}$"  # mypy
    r"|\[([a-z]{1,30}(?:-[a-z]{1,30}){1,6})\][ \t]{0,4}$|\(([a-z]{1,30}/[a-z-]{1,60}|report[A-Z]\w{1,60})\)$"
    r"|^[ \t]{1,20}\d+:\d+[ \t]{1,20}(?:error|warning)\s.{0,300}?[ \t]{2,20}([@\w/-]{1,80})$"  # ESLint
    r"|:\d{1,6}:\d{1,6}: .{0,300}\(([a-z]{1,40})\)$"  # golangci-lint
    r"|\b([A-Z]\w{1,40}/[A-Z]\w{1,40}):|\b((?:clippy|lint)(?:::|/)[\w/]{1,80})"  # RuboCop, Clippy, Biome
)


def tests_in(said: str) -> Iterator[str]:
    """Names of tests that failed."""
    return (name for found in re.finditer(_FAILED, said, re.M) for name in found.groups() if name)


def codes_in(said: str) -> Iterator[str]:
    """Of rules that were broken."""
    return (name for found in re.finditer(_CODES, said, re.M) for name in found.groups() if name)
