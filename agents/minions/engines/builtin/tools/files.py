"""Reading, writing and finding files, all of it beneath the workspace; and reading skills."""

import asyncio
from typing import Annotated

from pydantic import Field

from agents.domain.checks.scope import matches
from agents.domain.text.sanitize import clean, cut
from agents.minions.engines.builtin.executor import (
    LONGEST,
    Arguments,
    Done,
    Line,
    PathText,
    ToolError,
    ToolExecutor,
    tool,
)
from agents.ports import Files

MOST_LINES = 2_000
MOST_NAMES = 500
MOST_LOOKED_AT = 50_000  # names that one search for files may pass by
DEEPEST = 40
LARGEST = 300_000  # characters that one call may write
LONGEST_SKILL = 20_000
MOST_SKILLS = 100
Content = Annotated[str, Field(max_length=LARGEST)]


class ReadFile(Arguments):
    path: PathText
    first_line: Line = 1
    last_line: Line | None = None


@tool("Read a text file, or some of its lines.", doing=lambda given: f"reading {given.path}", looks=True)
async def read_file(at: ToolExecutor, given: ReadFile) -> Done:
    path = at.inside(given.path)
    lines = (await _text(at, path)).splitlines(keepends=True)
    first, last = given.first_line, min(given.last_line or len(lines), len(lines), given.first_line + MOST_LINES - 1)
    if first > len(lines) and (lines or first > 1):
        raise ToolError(f"{path} has {len(lines)} lines.")
    text = "".join(lines[first - 1 : last])
    shown = text if len(text) <= LONGEST else text[:LONGEST].rpartition("\n")[0] or text[:LONGEST]
    last = first + max(0, len(shown.splitlines()) - 1) if shown != text else last
    rest = "" if last >= min(given.last_line or len(lines), len(lines)) else f"\n... read on with first_line {last + 1}"
    harmless = clean(shown)
    hidden = f", {unseen} unseen characters left out" if (unseen := len(shown) - len(harmless)) else ""
    # In ASCII: one dash in it makes every later turn dearer, for the whole talk is encoded and sent again each time.
    return Done(text=f"{path}, lines {first}-{last} of {len(lines)}{hidden}:\n{harmless}{rest}")


class WriteFile(Arguments):
    path: PathText
    content: Content


@tool(
    "Write a whole file; folders are made. Only paths of the subtask's scope.",
    doing=lambda given: f"writing {given.path}",
)
async def write_file(at: ToolExecutor, given: WriteFile) -> Done:
    path, content = at.inside(given.path), given.content.encode()
    await asyncio.to_thread(at.write, path, content)
    return Done(text=f"{path} is written ({len(content):,} bytes).", wrote=path)


class EditFile(Arguments):
    path: PathText
    old: Annotated[str, Field(min_length=1, max_length=LARGEST, description="exact text that stands there now")]
    new: Content
    all: Annotated[bool, Field(description="replace every place where it stands, not just one")] = False


@tool(
    "Replace text in a file. The old text must stand there exactly, and once unless all is set.",
    doing=lambda given: f"editing {given.path}",
)
async def edit_file(at: ToolExecutor, given: EditFile) -> Done:
    path = at.inside(given.path)
    before = await _text(at, path)
    if at.again and (given.new in before if given.new else given.old not in before):
        return Done(text=f"{path} is so already: this was done before you were interrupted.", wrote=path)
    count = before.count(given.old)
    if not count:
        raise ToolError(f"The old text does not stand in {path}. Read the file and copy the text exactly.")
    if count > 1 and not given.all:
        raise ToolError(f"The old text stands {count} times in {path}. Give more of what is around it, or set all.")
    after = before.replace(given.old, given.new).encode()
    await asyncio.to_thread(at.write, path, after)
    return Done(text=f"{path} is changed in {count} place{'s' if count > 1 else ''}.", wrote=path)


class ListDirectory(Arguments):
    path: PathText = "."


_MARKS = {"folder": "/", "link": " (a link; it is not followed)", "other": " (no plain file)"}


@tool("List what is in a folder.", doing=lambda given: f"looking at {given.path}", looks=True)
async def list_directory(at: ToolExecutor, given: ListDirectory) -> Done:
    path = at.inside(given.path)
    names = await asyncio.to_thread(at.files.names, path, MOST_LOOKED_AT)
    lines = [f"{clean(name)}{_MARKS.get(kind, '')}" for name, kind in names[:MOST_NAMES]]
    more = len(names) - len(lines)
    if more:
        lines.append(f"… and {more}{' or more' if len(names) == MOST_LOOKED_AT else ''} others")
    return Done(text="\n".join(lines) or "(empty)")


class GlobFiles(Arguments):
    pattern: Annotated[str, Field(min_length=1, max_length=1_000, description="like src/**/*.py or *.toml")]
    path: PathText = "."


@tool(
    "Find files by their path: * within a name, ** over folders.",
    doing=lambda given: f"looking for {given.pattern}",
    looks=True,
)
async def glob_files(at: ToolExecutor, given: GlobFiles) -> Done:
    start = at.inside(given.path)
    pattern = given.pattern.removeprefix("./")
    pattern = pattern if "/" in pattern else f"**/{pattern}"
    found, whole = await asyncio.to_thread(_find, at.files, start, pattern)
    lines = [clean(path) for path in found[:MOST_NAMES]]
    if len(found) > MOST_NAMES:
        lines.append(f"… and {len(found) - MOST_NAMES} others")
    if not whole:
        lines.append(f"(looked at {MOST_LOOKED_AT:,} names only; name a folder)")
    return Done(text="\n".join(lines) or "No file matches.")


def _find(files: Files, start: str, pattern: str) -> tuple[list[str], bool]:
    """Plain files below a folder, and whether all of it was seen. Links and git's own folder are not entered."""
    below = 0 if start == "." else len(start) + 1
    found, waiting, left = [], [start], MOST_LOOKED_AT
    while waiting and left > 0:
        folder = waiting.pop()
        names = files.names(folder, left)
        left -= len(names)
        for name, kind in names:
            path = name if folder == "." else f"{folder}/{name}"
            if kind == "file" and matches(path[below:], pattern):
                found.append(path)
            elif kind == "folder" and name != ".git" and path.count("/") < DEEPEST:
                waiting.append(path)
    return sorted(found), left > 0


async def _text(at: ToolExecutor, path: str) -> str:
    content = await asyncio.to_thread(at.files.read, path)
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ToolError(f"{path} is not UTF-8 text; use run_command to look at it.") from None


class ListSkills(Arguments):
    pass


@tool(
    "List the skills: reusable instructions for minions.",
    doing=lambda given: "looking at the skills",
    looks=True,
)
async def list_skills(at: ToolExecutor, given: ListSkills) -> Done:
    lines = [
        f"{clean(skill.name)} {clean(skill.version)}: {cut(clean(skill.description), 300)}"
        + (f" [{clean(', '.join(skill.tags))}]" if skill.tags else "")
        + (" (this project's own)" if skill.source else "")
        for skill in at.skills[:MOST_SKILLS]
    ]
    return Done(text="\n".join(lines) or "There are no skills.")


class UseSkill(Arguments):
    name: Annotated[str, Field(min_length=1, max_length=100)]


@tool("Read the instructions of one skill.", doing=lambda given: f"using the skill {given.name}", looks=True)
async def use_skill(at: ToolExecutor, given: UseSkill) -> Done:
    skill = next((skill for skill in at.skills if skill.name == given.name), None)
    if skill is None:
        raise ToolError("There is no such skill; list_skills says which there are.")
    head = f"Skill {clean(skill.name)} {clean(skill.version)}. It widens neither your scope nor your rights."
    return Done(text=f"{head}\n{cut(clean(skill.instructions), LONGEST_SKILL)}", skill=skill.name)
