"""Asking people, and ending a run."""

import re
from typing import Annotated

from pydantic import Field

from agents.domain.checks.scope import odd_pattern
from agents.domain.text.sanitize import clean, cut
from agents.domain.work.work import Ending
from agents.minions.engines.builtin.executor import Arguments, Done, PathText, ToolError, ToolExecutor, tool
from agents.minions.engines.builtin.tools.commands import not_yet
from agents.minions.engines.builtin.tools.strays import why_stray
from agents.ports import Asked, Finished, GaveUp, WantsScope

_Option = Annotated[str, Field(min_length=1, max_length=200)]
_EVERYTHING = re.compile(r"[*?./]+")  # a pattern that names nothing


class AskHuman(Arguments):
    question: Annotated[str, Field(min_length=1, max_length=2_000)]
    options: Annotated[tuple[_Option, ...], Field(max_length=5)] = ()
    default: Annotated[str, Field(max_length=200, description="what holds if nobody answers; one of the options")] = ""
    why: Annotated[str, Field(max_length=500, description="why it matters: what depends on the answer")] = ""
    risky: Annotated[bool, Field(description="true if a wrong answer does harm: then nothing holds by silence")] = False


@tool(
    "Ask the people one question, if the work depends on it and nothing here answers it. You wait.",
    doing=lambda given: "asking a question",
)
async def ask_human(at: ToolExecutor, given: AskHuman) -> Done:
    most = at.limits.minion_questions
    if at.questions >= most:
        raise ToolError(f"This run has asked {at.questions} times, and {most} is the most. Decide it yourself, say so.")
    options = tuple(clean(option) for option in given.options)
    default = _one_of(options, clean(given.default))
    if default and options and default not in options:
        raise ToolError(f"The default must be one of the options: {', '.join(options)}.")
    why = clean(given.why)
    asked = Asked(question=clean(given.question), options=options, default=default, risky=given.risky, why=why)
    return Done(text="", outcome=asked)


def _one_of(options: tuple[str, ...], default: str) -> str:
    """The option that is meant, also in other case, by its number or by its beginning alone."""
    low = default.strip().casefold()
    if options and low.isdecimal() and low not in options and 0 < int(low[:3]) <= len(options):
        return options[int(low[:3]) - 1]
    begin = [option for option in options if low and option.casefold().startswith(low)]
    same = [option for option in begin if option.casefold() == low]
    return same[0] if same else begin[0] if len(begin) == 1 else default


class RequestScope(Arguments):
    paths: Annotated[tuple[PathText, ...], Field(min_length=1, max_length=20)]
    why: Annotated[str, Field(min_length=1, max_length=1_000)]


@tool("Ask for leave to write further paths. A person decides.", doing=lambda given: "asking to write more")
async def request_scope(at: ToolExecutor, given: RequestScope) -> Done:
    """Each growth is asked for by itself, and a person decides on exactly these paths."""
    paths = tuple(dict.fromkeys(at.inside(path) for path in given.paths))
    for path in paths:
        if problem := odd_pattern(path):
            raise ToolError(f"{cut(clean(path), 200)} cannot be asked for: {problem}.")
        if _EVERYTHING.fullmatch(path):
            raise ToolError("Name the paths you need; all of the project cannot be asked for.")
    if all(at.scope.refuse(path) is None for path in paths):
        return Done(text="You may write these already.")
    return Done(text="", outcome=WantsScope(paths=paths, why=clean(given.why)))


class TaskComplete(Arguments):
    summary: Annotated[str, Field(min_length=1, max_length=4_000, description="what was done and how it was shown")]
    handoff_note: Annotated[str, Field(max_length=500, description="what those who come after must know")] = ""
    put_back: Annotated[bool, Field(description="put back what is changed outside your scope")] = False


@tool(
    "The subtask is done and its test passes. Ends the run, unless the project's tests fail: mend it then.",
    doing=lambda given: "finishing",
)
async def task_complete(at: ToolExecutor, given: TaskComplete) -> Done:
    if said := await why_stray(at, put_back=given.put_back):
        return Done(text=said, strayed=True)
    if told := await not_yet(at):
        return Done(text=told, sent_back=True)
    finished = Finished(summary=clean(given.summary), note=clean(given.handoff_note))
    return Done(text="Taken down. It is judged by others.", outcome=finished)


class TaskBlocked(Arguments):
    reason: Annotated[str, Field(min_length=1, max_length=2_000)]


@tool("The subtask cannot be done; say why. Ends the run.", doing=lambda given: "giving up")
async def task_blocked(at: ToolExecutor, given: TaskBlocked) -> Done:
    return Done(text="Taken down.", outcome=GaveUp(ending=Ending.BLOCKED, problem=clean(given.reason)))
