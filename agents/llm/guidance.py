"""What a project's authors say about our questions, in `.overlord/prompts` at the base commit; it orders nothing."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass

from agents.llm.rendering import SECONDS, BadTemplate, Fence, packaged_text

START = 10.0  # seconds for the child to come up, beside the one it has for the template
LONGEST_TEMPLATE = 64 * 1024
PLACE = ".overlord/prompts"
INNER = "part"  # what marks values inside guidance; the tag of the fence around it is not the project's to know
# Whoever is judged has no word in what the judge is told.
OURS_ALONE = frozenset({"critic", "custodiet", "debate", "code_review"})
FIRST = "decompose"  # the question with which files that nothing reads are named

# The project's committed templates by file name, at this commit; empty: the newest of its branch.
Templates = Callable[[str, str], Awaitable[Mapping[str, bytes]]]


async def no_templates(project: str, commit: str) -> Mapping[str, bytes]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    text: str = ""  # fenced; empty: none
    left_out: tuple[tuple[str, str], ...] = ()  # files that could not be used, each with the reason


async def read_guidance(
    files: Mapping[str, bytes], question: str, values: Mapping[str, object], fence: Fence, known: Collection[str]
) -> Guidance:
    """`known`: the questions there are."""
    left = [*_unread(files, known)] if question == FIRST else []
    name = f"{question}.j2"
    if name not in files or question in OURS_ALONE:
        return Guidance(left_out=tuple(left))
    place = f"{PLACE}/{name}"
    try:
        said = await _render(files[name], values)
    except BadTemplate as problem:
        return Guidance(left_out=(*left, (place, problem.what)))
    if not said.strip():
        return Guidance(left_out=tuple(left))
    return Guidance(text=packaged_text("_guidance", {"file": place, "said": said}, fence), left_out=tuple(left))


def _unread(files: Mapping[str, bytes], known: Collection[str]) -> list[tuple[str, str]]:
    names = sorted(name.removesuffix(".j2") for name in files if name.endswith(".j2"))
    judged = "reviewers take no guidance from the project whose work they judge"
    reasons = [(name, judged if name in OURS_ALONE else "no question has this name") for name in names]
    return [(f"{PLACE}/{name}.j2", why) for name, why in reasons if name in OURS_ALONE or name not in known]


async def _render(body: bytes, values: Mapping[str, object]) -> str:
    if len(body) > LONGEST_TEMPLATE:
        raise BadTemplate(f"it is longer than {LONGEST_TEMPLATE // 1024} KB", next_step="Shorten it.")
    try:
        template = body.decode()
    except UnicodeDecodeError as error:
        raise BadTemplate("it is not UTF-8 text", next_step="Save it as UTF-8.") from error
    return await _in_a_child({"template": template, "values": dict(values), "fence": INNER})


async def _in_a_child(task: Mapping[str, object]) -> str:
    """A template that never ends takes only its own process with it."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-m", "agents.llm.rendering",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={}, cwd="/",
    )  # fmt: skip
    try:
        async with asyncio.timeout(START):
            said, wrong = await child.communicate(json.dumps(task).encode())
    except TimeoutError:
        said, wrong = b"", b""
    finally:
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    if child.returncode == 0:
        return said.decode()
    what = wrong.decode(errors="replace").strip().splitlines()
    raise BadTemplate(
        what[-1] if what else f"it takes longer than {SECONDS:g} s or more memory than it may",
        next_step=f"Fix the template in {PLACE}, or remove it.",
    )
