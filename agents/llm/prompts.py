"""What a model is shown: the handbook, then the task, then one question. Only the end differs between two calls."""

import asyncio
import hashlib
import hmac
import json
import os
import re
import sys
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from agents.domain.models import Size
from agents.domain.packing import Count
from agents.domain.task import Task
from agents.llm.child import SECONDS
from agents.llm.context import fitted, whole
from agents.llm.rendering import CAPS, BadTemplate, Fence, Trusted, packaged_text
from agents.llm.tokens import Tokens
from agents.ports import Ask
from manifests import packaged

START = 10.0  # seconds for the child to come up, beside the one it has for the template
LONGEST_TEMPLATE = 64 * 1024
BRIEF = 1_500  # tokens in which a task is told to a model that could not take all of it
QUESTION = 400  # tokens kept free for a question at least: what is left for the task is the same for short ones
# Whoever is judged does not word what the judge is told: a repository may not replace these.
OURS_ALONE = frozenset({"critic", "custodiet", "debate", "code_review"})

Files = Callable[[str], Awaitable[Sequence[str]]]
Folder = Callable[[str], Path | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """`context` grows at its end only, block by block, so that a provider finds the beginning it has seen before."""

    system: str
    context: tuple[str, ...]
    question: str

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(len(part.encode()) for part in (self.system, *self.context, self.question))

    def messages(self, *, marked: bool) -> list[dict[str, object]]:
        """One system and one user message, for some models take no two of a kind. `marked`: with cache marks."""
        if not marked:
            user = "\n\n".join((*self.context, self.question))
            return [{"role": "system", "content": self.system}, {"role": "user", "content": user}]
        parts = [{"type": "text", "text": text} for text in self.context]
        kept = [{**part, **_KEEP} if at == len(parts) - 1 else part for at, part in enumerate(parts)]
        system = [{"type": "text", "text": self.system, **_KEEP}]
        asked = {"type": "text", "text": self.question}
        return [{"role": "system", "content": system}, {"role": "user", "content": [*kept, asked]}]


_KEEP: dict[str, object] = {"cache_control": {"type": "ephemeral"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Adds:
    """How many characters of the names of files are shown, and the words that a role adds to its questions."""

    room: int = CAPS["files"]
    words: Callable[[str], str] = lambda persona: ""


class Prompts:
    """`secret` is the installation's own. `files` and `folder` say what a project consists of and where it is; `adds`
    is what roles say about their questions."""

    def __init__(
        self,
        secret: bytes,
        *,
        files: Files,
        folder: Folder,
        count: Count | None = None,
        adds: Adds | None = None,
    ) -> None:
        self._secret = secret
        self._count = count or Tokens()
        self._files = files
        self._folder = folder
        self._adds = adds or Adds()

    def nonce(self, call: str) -> str:
        """What an answer must repeat: nobody who wrote text into the question could know it."""
        return self._tag("answer", call)

    async def prompt(self, asked: Ask, schema: str, nonce: str, size: Size | None = None) -> Prompt:
        """Within the size of a role, where it has one; rules and question are never cut. Raises BadTemplate."""
        task = asked.task
        fence = Fence(f"data-{self._tag('fence', task.id if task else asked.channel)}")
        values = _plain(asked.about)
        files: Sequence[str] | None = values.pop("files", None)
        if files is None and task and task.project:
            files = await self._files(task.project)
        body = await self._body(asked.question, {**_of_task(task), "brief": asked.brief, **values}, fence)
        if asked.persona and (words := self._adds.words(asked.persona)):
            body = f"{body}\n\n{words}"
        wanted = {"question": Trusted(asked.question), "body": Trusted(body), "schema": Trusted(schema), "tag": nonce}
        question = packaged_text("_question", {**wanted, "most": size.output if size else None}, fence)
        prompt = Prompt(system=_section(asked.question) if asked.brief else _handbook(), context=(), question=question)
        if task is None:
            return prompt
        listed = tuple(map(str, files or ()))
        about = task, listed, fence
        if asked.brief:
            return await asyncio.to_thread(lambda: replace(prompt, context=fitted(*about, BRIEF, self._count)))
        if size is None or size.input is None:
            return replace(prompt, context=whole(task, _shown(listed, self._adds.room), fence))
        # to count takes a while, the first time half a second
        return await asyncio.to_thread(self._within, prompt, about, size.input)

    def _within(self, prompt: Prompt, about: tuple[Task, tuple[str, ...], Fence], most: int) -> Prompt:
        room = most - self._count(prompt.system) - max(self._count(prompt.question), QUESTION)
        return replace(prompt, context=fitted(*about, room, self._count))

    def text(self, name: str, values: Mapping[str, object], task: Task) -> str:
        """One of our own texts by itself, with the task's fences: what a minion is told."""
        return packaged_text(name, _plain(values), Fence(f"data-{self._tag('fence', task.id)}"))

    async def _body(self, name: str, values: Mapping[str, object], fence: Fence) -> str:
        project = str(values.get("project") or "")
        folder = self._folder(project) if project and name not in OURS_ALONE else None
        own = await asyncio.to_thread(_own_template, folder, name) if folder else None
        if own is None:
            return packaged_text(name, values, fence)
        return await _in_a_child({"template": own, "values": dict(values), "fence": fence.tag})

    def _tag(self, *parts: str) -> str:
        return hmac.new(self._secret, "\x1f".join(parts).encode(), hashlib.sha256).hexdigest()[:16]


def _plain(about: Mapping[str, object]) -> dict[str, Any]:
    """Templates see data, never our objects and what hangs on them."""
    made = to_jsonable_python(dict(about), fallback=str)
    return dict(made)


def _of_task(task: Task | None) -> dict[str, object]:
    if task is None:
        return {}
    return {
        "task": str(task.id),
        "project": task.project or "",
        "plan_number": task.plan_number,
        "tries": task.tries,
        "feedback": list(task.feedback),
    }


def _shown(files: tuple[str, ...], room: int) -> tuple[str, ...]:
    """Whole names only, and how many there are beside them."""
    if sum(map(len, files)) + len(files) <= room:
        return files
    ends = list(accumulate(len(name) + 1 for name in files))
    kept = bisect_right(ends, max(0, room - 40))
    return (*files[:kept], f"… and {len(files) - kept:,} more")


@lru_cache(maxsize=1)
def _handbook() -> str:
    return packaged_text("_base", {}, Fence("data"))


@lru_cache(maxsize=16)
def _section(question: str) -> str:
    """The handbook for one question: what everybody must know, and its own duties."""
    first, *sections = re.split(r"^(?=## )", _handbook(), flags=re.MULTILINE)
    wanted = (*_FOR_ALL, _DUTIES.get(question, ""))
    own = [part for part in sections if part.partition("\n")[0].removeprefix("## ") in wanted]
    return "".join((first, *own)).strip() if question in _DUTIES else _handbook()


_FOR_ALL = ("What you may believe", "How you answer")
_DUTIES = {"decompose": "Planner"}  # questions that are asked in brief


@lru_cache(maxsize=1)
def names() -> frozenset[str]:
    """The questions there are."""
    return frozenset(path.stem for path in packaged("prompts").glob("[!_]*.j2"))


def _own_template(folder: Path, name: str) -> str | None:
    """A project's own wording. The repository is not trusted: no link is followed, and it must be a small file."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    opened: list[int] = []
    try:
        opened.append(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        for part in (".overlord", "prompts"):
            opened.append(os.open(part, flags | os.O_DIRECTORY, dir_fd=opened[-1]))
        opened.append(os.open(f"{name}.j2", flags, dir_fd=opened[-1]))
        body = os.read(opened[-1], LONGEST_TEMPLATE + 1)
        if len(body) > LONGEST_TEMPLATE:
            raise BadTemplate(f"{name}.j2 of the project is too long", next_step="Shorten it to 64 KB.")
        return body.decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BadTemplate(
            f"{name}.j2 of the project cannot be read: {error}",
            next_step="Make .overlord/prompts a plain folder with plain UTF-8 files in it, without links.",
        ) from error
    finally:
        for number in opened:
            os.close(number)


async def _in_a_child(task: Mapping[str, object]) -> str:
    """Rendered outside (attack 65): a template that never ends takes only its own process with it."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-m", "agents.llm.child",
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
        what[-1] if what else f"A prompt of the project took longer than {SECONDS:g} s or more memory than it may",
        next_step="Mend the template in .overlord/prompts, or remove it to use the one that comes with Overlord.",
    )
