"""Running programs and searching in files: inside the sandbox, and nowhere else."""

import asyncio
import re
from typing import Annotated

from pydantic import Field

from agents.domain.checks.findings import new_findings
from agents.domain.checks.scope import odd_path
from agents.domain.text.sanitize import cut
from agents.minions.engines.builtin.executor import (
    LONGEST,
    Arguments,
    Done,
    PathText,
    Pattern,
    ToolError,
    ToolExecutor,
    tool,
)
from agents.ports import EndedBy, Listener, Ran, Trial

SEARCH_SECONDS = 10.0
_SHELL = 'cd -- "$1" || exit 126; if [ -x /bin/bash ]; then exec /bin/bash -c "$2"; fi; exec /bin/sh -c "$2"'
# ripgrep takes linear time whatever the pattern is; grep is ended by the clock.
_SEARCH = """
case_of=; [ "$4" = yes ] && case_of=-i
if command -v rg >/dev/null 2>&1; then
  exec rg --no-config --no-follow --hidden --no-heading --line-number --with-filename --color never --sort path \
    --max-columns 300 --max-columns-preview --max-count 100 --max-filesize 5M --glob '!.git' \
    ${3:+--glob "$3"} $case_of -e "$1" -- "$2"
fi
exec grep -rnHIE --color=never --exclude-dir=.git -m 100 ${3:+--include="$3"} $case_of -e "$1" -- "$2"
"""

_ENDED: dict[EndedBy, str] = {
    EndedBy.TIMEOUT: "it took too long and was ended",
    EndedBy.MEMORY: "it wanted too much memory and was ended",
    EndedBy.OUTPUT: "it said too much and was ended",
    EndedBy.DISK: "this run had written too much, so it was ended and what it wrote was removed",
    EndedBy.KILLED: "the sandbox ended under it",
}


# It passes; it is not there or cannot be run, or somebody ended it: no fault of the work.
_NO_WORD = (0, 126, 127, 128 + 9, 128 + 15)


_MEND = "Mend the work, not the tests of others, and call task_complete again."
_DEEP = re.compile(
    r"(?<!\S)/(?:[^\s/]+/){3,}([^\s/]+)"
)  # a program in some folder of the machine: its name says enough


class RunCommand(Arguments):
    command: Annotated[str, Field(min_length=1, max_length=20_000, description="for a shell")]
    cwd: Annotated[PathText, Field(description="a folder of the workspace")] = "."
    timeout: Annotated[float, Field(gt=0, le=86_400, description="seconds")] | None = None


INTERRUPTED = (
    "Not run a second time: you were interrupted while it ran, so it may have been done, or half of it. Look at what "
    "there is, and run it again if that does no harm."
)


@tool(
    "Run a shell command in the sandbox, in a folder of the workspace: tests, linters, git log. No network.",
    doing=lambda given: "running " + _DEEP.sub(r"\1", given.command),
)
async def run_command(at: ToolExecutor, given: RunCommand) -> Done:
    if "\0" in given.command:
        raise ToolError("A command has no NUL characters.")
    return await run_line(at, given.command, given.cwd, given.timeout)


async def run_line(at: ToolExecutor, line: str, cwd: str = ".", seconds: float | None = None) -> Done:
    """A shell's line in the sandbox, once."""
    if at.again:
        return Done(text=INTERRUPTED)
    folder = at.inside(cwd)
    await asyncio.to_thread(at.files.names, folder, 1)  # refuses what is outside, or a link to there
    longest = at.limits.command_seconds
    with at.show(line) as heard:
        command = ["/bin/sh", "-c", _SHELL, "sh", folder, line]
        ran = await at.room.run(command, min(seconds or longest, longest), _from(at, heard))
    output = _cut_middle(ran.output)
    if ran.ended_by is not EndedBy.EXIT:
        return Done(text=f"After {ran.seconds:.1f} s {_ENDED[ran.ended_by]}.\n{output}", error=True)
    return Done(text=f"Exit code {ran.exit_code} after {ran.seconds:.1f} s.\n{output}")


async def not_yet(at: ToolExecutor) -> str:
    """What speaks against work that is called done: it would not be taken, or the project's linter or tests say no.
    Empty: nothing, or it cannot be tried here, or it was sent back often enough. Either way the gates judge it."""
    most = at.limits.fixes
    if at.hand_in is None or at.fixes >= most:
        return ""
    if refused := await at.hand_in.why_not_yet():
        return f"Not taken yet, fix attempt {at.fixes + 1} of {most}: {refused} Then call task_complete again."
    for trial in await at.hand_in.trials():
        if said := await _fails(at, trial):
            return f"Not taken yet, fix attempt {at.fixes + 1} of {most}: {said}"
    return ""


async def _fails(at: ToolExecutor, trial: Trial) -> str:
    """What to mend. Empty: nothing, or nothing that was not so before."""
    at.doing = f"trying {trial.shown}"
    with at.show(trial.shown) as heard:
        ran = await at.room.run(trial.argv, at.limits.command_seconds, _from(at, heard))
    if ran.ended_by is not EndedBy.EXIT or ran.exit_code in _NO_WORD:
        return ""
    if trial.before:
        before = await at.room.run(trial.before, at.limits.command_seconds)
        found = new_findings(ran.output, before.output)
        told = "\n".join(found)
        return f"{trial.shown} finds what it did not find before. {_MEND}\n{_cut_middle(told)}" if found else ""
    return f"{trial.shown} ends with exit code {ran.exit_code}. {_MEND}\n{_cut_middle(ran.output)}"


def _from(at: ToolExecutor, heard: Listener) -> Listener:
    """Nobody needs to know where on this machine the workspace is."""
    return lambda last: heard(last.replace(str(at.workspace.path), "."))


class SearchFiles(Arguments):
    pattern: Annotated[Pattern, Field(description="a regular expression")]
    path: PathText = "."
    glob: Annotated[str, Field(max_length=200, description="only files like *.py")] = ""
    ignore_case: bool = False


@tool("Search in files with a regular expression.", doing=lambda given: f"searching for {given.pattern}")
async def search_files(at: ToolExecutor, given: SearchFiles) -> Done:
    if any("\0" in text for text in (given.pattern, given.glob)):
        raise ToolError("A pattern has no NUL characters.")
    path = at.inside(given.path)
    if path != "." and (problem := odd_path(path)):
        raise ToolError(f"Not searched: {problem}.")
    where = path if path == "." else f"./{path}"
    case = "yes" if given.ignore_case else "no"
    ran = await at.room.run(["/bin/sh", "-c", _SEARCH, "sh", given.pattern, where, given.glob, case], SEARCH_SECONDS)
    return _search_result(ran)


def _search_result(ran: Ran) -> Done:
    if ran.ended_by is not EndedBy.EXIT:
        return Done(text=f"The search came to nothing: {_ENDED[ran.ended_by]}. Search less.", error=True)
    if ran.exit_code == 1 and not ran.output.strip():
        return Done(text="Nothing is found.")
    if ran.exit_code not in (0, 1):
        return Done(text=f"The search failed: {cut(ran.output.strip(), 600)}", error=True)
    return Done(text=_cut_middle(ran.output))


def _cut_middle(output: str) -> str:
    """The middle goes: a command says what it does at the beginning, and how it ended at the end."""
    if len(output) <= LONGEST:
        return output
    half = LONGEST // 2
    return f"{output[:half]}\n… {len(output) - 2 * half:,} characters left out …\n{output[-half:]}"
