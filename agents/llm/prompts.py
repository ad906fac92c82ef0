"""What a model is shown: the handbook, then the task, then one question. Only the end differs between two calls."""

import asyncio
import hashlib
import hmac
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from agents.domain.decomposition import Decomposition
from agents.domain.task import Task
from agents.llm.child import SECONDS
from agents.llm.rendering import BadTemplate, Fence, Trusted, packaged_text
from agents.ports import Ask
from manifests import packaged

START = 10.0  # seconds for the child to come up, beside the one it has for the template
LONGEST_TEMPLATE = 64 * 1024
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


class Prompts:
    """`secret` is the installation's own. `files` and `folder` say what a project consists of and where it is."""

    def __init__(self, secret: bytes, *, files: Files, folder: Folder) -> None:
        self._secret = secret
        self._files = files
        self._folder = folder

    def nonce(self, call: str) -> str:
        """What an answer must repeat: nobody who wrote text into the question could know it."""
        return self._tag("answer", call)

    async def prompt(self, asked: Ask, schema: str, nonce: str) -> Prompt:
        """Raises BadTemplate."""
        task = asked.task
        fence = Fence(f"data-{self._tag('fence', task.id if task else asked.channel)}")
        values = _plain(asked.about)
        files: Sequence[str] | None = values.pop("files", None)
        if files is None and task and task.project:
            files = await self._files(task.project)
        body = await self._body(asked.question, {**_of_task(task), **values}, fence)
        question = {"question": Trusted(asked.question), "body": Trusted(body), "schema": Trusted(schema), "tag": nonce}
        return Prompt(
            system=_handbook(),
            context=_context(task, tuple(map(str, files or ())), fence) if task else (),
            question=packaged_text("_question", question, fence),
        )

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


def _context(task: Task, files: tuple[str, ...], fence: Fence) -> tuple[str, ...]:
    """From what never changes to what changes most. Blocks are kept: a task is asked about many times."""
    head = "\n" + packaged_text("_hidden", {"hidden": task.hidden}, fence) if task.hidden else ""
    blocks = [_head(task.id, task.project or "", task.request, files, fence) + head]
    if task.previous_plan is not None:
        blocks.append(_plan(0, task.previous_plan, fence))
    if task.plan is not None:
        blocks.append(_plan(task.plan_number, task.plan, fence))
    if task.review is not None:
        rounds = to_jsonable_python(task.debate.rounds) if task.debate else []
        blocks.append(packaged_text("_review", {"review": to_jsonable_python(task.review), "rounds": rounds}, fence))
    if task.feedback:
        blocks.append(packaged_text("_feedback", {"feedback": list(task.feedback)}, fence))
    return tuple(blocks)


@lru_cache(maxsize=64)
def _head(id: str, project: str, request: str, files: tuple[str, ...], fence: Fence) -> str:
    about = {"task": id, "project": project, "request": request, "files": list(files)}
    return packaged_text("_task", about, fence)


@lru_cache(maxsize=64)
def _plan(number: int, plan: Decomposition, fence: Fence) -> str:
    return packaged_text("_plan", {"number": number, "plan": to_jsonable_python(plan)}, fence)


@lru_cache(maxsize=1)
def _handbook() -> str:
    return packaged_text("_base", {}, Fence("data"))


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
