"""What a minion changed outside of its scope, a formatter run over the tree above all: offered to be put back."""

from collections.abc import Mapping
from itertools import islice
from typing import Annotated

from pydantic import Field

from agents.domain.text.sanitize import clean, cut
from agents.minions.engines.builtin.executor import Arguments, Done, PathText, ToolError, ToolExecutor, tool

NAMED = 12  # paths


class PutBack(Arguments):
    paths: Annotated[tuple[PathText, ...], Field(max_length=200, description="all outside your scope, if none")] = ()


@tool(
    "Put files back as they were when the subtask began; new ones go. What a formatter changed beside your work.",
    doing=lambda given: "putting files back",
)
async def put_back(at: ToolExecutor, given: PutBack) -> Done:
    if at.hand_in is None:
        raise ToolError("Nothing here was changed by you.")
    paths = tuple(dict.fromkeys(map(at.inside, given.paths))) or tuple(await at.hand_in.strays())
    if not paths:
        return Done(text="Nothing is changed outside your scope.")
    return Done(text=await _put_back(at, paths))


async def why_stray(at: ToolExecutor, *, put_back: bool) -> str:
    """What to say of files out of scope when work is called done; empty: there are none, or it was said often enough,
    and then the gate says it."""
    often = at.strays >= at.limits.fixes
    if at.hand_in is None or (often and not put_back):
        return ""
    found, said = await at.hand_in.strays(), ""
    if found and put_back:
        at.doing = "putting files back"
        said, found = await _put_back(at, tuple(found)), await at.hand_in.strays()
    if often or not found:
        return ""
    return f"Not taken yet. {said}" if said else _offer(found)


async def _put_back(at: ToolExecutor, paths: tuple[str, ...]) -> str:
    assert at.hand_in is not None
    problems = await at.hand_in.put_back(paths)
    many = f"{len(paths) - len(problems):,} file{'' if len(paths) - len(problems) == 1 else 's'}"
    told = f"{many} put back as when the subtask began: {_names(paths)}."
    return f"{told} Not put back: {cut(clean('; '.join(problems)), 1_000)}" if problems else told


def _offer(found: Mapping[str, str]) -> str:
    listed = "; ".join(f"{clean(path)}: {why}" for path, why in islice(found.items(), NAMED))
    more = f", and {len(found) - NAMED:,} more" if len(found) > NAMED else ""
    return (
        f"Not taken yet: {len(found):,} changed file{'' if len(found) == 1 else 's'} would be refused. {listed}{more}. "
        "If they were changed by the way, as by a formatter, call task_complete again with put_back set to true: they "
        "are put back as they were when the subtask began. If the work needs them, call request_scope."
    )


def _names(paths: tuple[str, ...]) -> str:
    more = f" and {len(paths) - NAMED:,} more" if len(paths) > NAMED else ""
    return f"{', '.join(map(clean, paths[:NAMED]))}{more}"
