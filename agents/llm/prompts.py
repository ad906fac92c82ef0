"""What a model is shown: the handbook, then the task, then one question. Only the end differs between two calls."""

import asyncio
import hashlib
import hmac
import re
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any

from pydantic_core import to_jsonable_python

from agents.domain.context.packing import Count
from agents.domain.context.papers import Paper, choose_papers, fill_papers
from agents.domain.errors import OverlordError
from agents.domain.knowledge.choosing import Choice
from agents.domain.knowledge.note import Supervisor
from agents.domain.models.routing import Size
from agents.domain.task.task import Task
from agents.llm.answers import CACHE_MARK
from agents.llm.context import NO_NOTES, Shown, cut_for, fit_task, whole
from agents.llm.guidance import FIRST, OURS_ALONE, Guidance, Templates, no_templates, read_guidance
from agents.llm.rendering import CAPS, Fence, Trusted, packaged_text
from agents.llm.tokens import Tokens
from agents.ports import Ask
from manifests import packaged_path

BRIEF = 1_500  # tokens in which a task is told to a model that could not take all of it
BYTES_A_TOKEN = 3  # a little fewer than in most texts
SUPERVISORS = frozenset(each.value for each in Supervisor)
BY_ITSELF = frozenset({"route"}) | SUPERVISORS  # says all there is to it: no task has begun, or it is told in short
TALK = frozenset({"route", "intent", "project", "wish"})  # questions about what somebody said
QUESTION = 400  # tokens kept free for a question at least: what is left for the task is the same for short ones

PLANNING = frozenset({"decompose", "critic", "custodiet", "specialist", "debate"})  # those who are shown papers, notes
PLANS = frozenset({"decompose", "remainder"})  # who is shown what nobody confirmed, and directives: no judge is
ALONE = frozenset({"code_review"})  # asked often, long after the others: their duties would only be paid for
JUDGING = PLANNING | {"code_review", "control"}  # whose answers people wait for

Files = Callable[[str], Awaitable[Sequence[str]]]
ReadFiles = Callable[[str, Sequence[str]], Awaitable[Mapping[str, bytes]]]  # of a project, as they are committed


ChooseNotes = Callable[[str, str, str], Awaitable[Choice]]  # of a project, at a commit, for what this is about


async def choose_nothing(project: str, commit: str, about: str) -> Choice:
    return NO_NOTES


async def read_nothing(project: str, paths: Sequence[str]) -> Mapping[str, bytes]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """`context` grows at its end only, block by block, so that a provider finds the beginning it has seen before."""

    system: str
    context: tuple[str, ...]
    question: str
    left_out: tuple[tuple[str, str], ...] = ()  # files of the project's guidance that could not be used, and why

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
        kept = [{**part, **CACHE_MARK} if at == len(parts) - 1 else part for at, part in enumerate(parts)]
        system = [{"type": "text", "text": self.system, **CACHE_MARK}]
        asked = {"type": "text", "text": self.question}
        return [{"role": "system", "content": system}, {"role": "user", "content": [*kept, asked]}]


class PromptCut(OverlordError):
    """A judge would be shown a part of what it judges, and its verdict would be taken for one on the whole."""

    def __init__(self, missing: Sequence[str], role: str) -> None:
        super().__init__(
            f"{' and '.join(missing)} did not fit whole into what the {role} may read, so it was not asked",
            next_step="Raise `input_tokens` of the role, or make it smaller.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Adds:
    """How many characters of names of files are shown for a task, the words a role adds to its questions, and how the
    papers and notes of a project are read."""

    room: Callable[[Task], int] = lambda task: CAPS["files"]
    words: Callable[[str, Fence], str] = lambda persona, fence: ""
    wanted: Callable[[Task, Sequence[str]], Sequence[str]] = lambda task, files: ()  # by whoever plans it
    read: ReadFiles = read_nothing
    redact: Callable[[str], str] = str
    notes: ChooseNotes = choose_nothing


class Prompts:
    """`secret` is the installation's own. `files` and `templates` are what is committed in a project; `adds` is what
    goes into prompts beside that."""

    def __init__(
        self,
        secret: bytes,
        *,
        files: Files,
        templates: Templates = no_templates,
        count: Count | None = None,
        adds: Adds | None = None,
    ) -> None:
        self._secret = secret
        self._count = count or Tokens()
        self._files = files
        self._templates = templates
        self._adds = adds or Adds()

    def nonce(self, call: str) -> str:
        """What an answer must repeat: nobody who wrote text into the question could know it."""
        return self._tag("answer", call)

    async def prompt(self, asked: Ask, schema: str, nonce: str, size: Size | None = None, window: int = 0) -> Prompt:
        """Within the size of a role, where it has one, and within the `window` of its model; rules and question
        are never cut. Raises PromptCut where a judge would not see all that it judges."""
        fence = Fence(f"data-{self._tag('fence', asked.task.id)}")
        made = await self._build(asked, schema, nonce, size, fence)
        if 0 < window < made.size / BYTES_A_TOKEN:  # counted only where it may not fit
            made = await self._build(asked, schema, nonce, replace(size or Size(), input=window), fence)
        if asked.question in OURS_ALONE:
            work = str(asked.about.get("pack", ""))
            if missing := cut_for(asked.task, work, (*made.context, made.question), fence):
                raise PromptCut(missing, asked.role)
        return made

    async def _build(self, asked: Ask, schema: str, nonce: str, size: Size | None, fence: Fence) -> Prompt:
        task = asked.task
        values = _plain(asked.about)
        files: Sequence[str] | None = values.pop("files", None)
        if files is None and task.project and asked.question not in BY_ITSELF | TALK:
            files = await self._files(task.project)
        directives = tuple(values.pop("directives", ())) if asked.question in PLANS else ()
        told = {**_of_task(task), "brief": asked.brief, **values}
        body = packaged_text(asked.question, told, fence)
        guidance = Guidance() if asked.brief else await self._guidance(asked, told, fence)
        if asked.persona and (words := self._adds.words(asked.persona, fence)):
            body = f"{body}\n\n{words}"
        if guidance.text:
            body = f"{body}\n\n{guidance.text}"
        wanted = {"question": Trusted(asked.question), "body": Trusted(body), "schema": Trusted(schema), "tag": nonce}
        question = packaged_text("_question", {**wanted, "most": size.output if size else None}, fence)
        system = _section(asked.question) if asked.brief or asked.question in ALONE else _rules(asked.question)
        prompt = Prompt(system=system, context=(), question=question, left_out=guidance.left_out)
        if asked.question in BY_ITSELF:
            return prompt
        listed = tuple(map(str, files or ()))
        papers, notes = await self._papers(asked, listed), await self._notes(asked)
        shown = None if asked.question in TALK else listed
        about = Shown(task=task, files=shown, papers=papers, knowledge=notes, directives=directives)
        if asked.question == FIRST:
            prompt = replace(prompt, left_out=(*prompt.left_out, *notes.left_out))
        if asked.brief:
            return replace(prompt, context=await asyncio.to_thread(fit_task, about, fence, BRIEF, self._count))
        if size is None or size.input is None:
            short = _shorten_list(listed, self._adds.room(task)) if shown else shown
            return replace(prompt, context=whole(replace(about, files=short), fence))
        # to count takes a while, the first time half a second
        return await asyncio.to_thread(self._within, prompt, about, fence, size.input)

    async def _papers(self, asked: Ask, files: Sequence[str]) -> tuple[Paper, ...]:
        """The same for all who plan or judge a plan, so that a provider finds one beginning."""
        if asked.question not in PLANNING or not asked.task.project:
            return ()
        chosen = choose_papers(files, asked.task.request.text, self._adds.wanted(asked.task, files))
        found = await self._adds.read(asked.task.project, [paper.path for paper in chosen]) if chosen else {}
        filled = fill_papers((paper, found[paper.path]) for paper in chosen if paper.path in found)
        return tuple(replace(paper, text=self._adds.redact(paper.text)) for paper in filled)

    async def _notes(self, asked: Ask) -> Choice:
        """By the request alone, so that they are the same throughout a task. Guesses are for who plans."""
        if asked.question not in PLANNING | PLANS or not asked.task.project or asked.brief:
            return NO_NOTES
        chosen = await self._adds.notes(asked.task.project, asked.task.work.base, asked.task.request.text)
        return chosen if asked.question in PLANS else replace(chosen, unconfirmed=())

    def _within(self, prompt: Prompt, about: Shown, fence: Fence, most: int) -> Prompt:
        room = most - self._count(prompt.system) - max(self._count(prompt.question), QUESTION)
        return replace(prompt, context=fit_task(about, fence, room, self._count))

    def text(self, name: str, values: Mapping[str, object], task: Task) -> str:
        """One of our own texts by itself, with the task's fences: what a minion is told."""
        return packaged_text(name, _plain(values), Fence(f"data-{self._tag('fence', task.id)}"))

    async def _guidance(self, asked: Ask, told: Mapping[str, object], fence: Fence) -> Guidance:
        """Read where work begins from, so that no branch of ours has a word in it."""
        project = str(told.get("project") or "")
        if not project:
            return Guidance()
        files = await self._templates(project, asked.task.work.base)
        return await read_guidance(files, asked.question, told, fence, names())

    def _tag(self, *parts: str) -> str:
        return hmac.new(self._secret, "\x1f".join(parts).encode(), hashlib.sha256).hexdigest()[:16]


def _plain(about: Mapping[str, object]) -> dict[str, Any]:
    """Templates see data, never our objects and what hangs on them."""
    return dict(to_jsonable_python(dict(about), fallback=str))


def _of_task(task: Task) -> dict[str, object]:
    return {
        "task": str(task.id),
        "project": task.project or "",
        "plan_number": task.plan.number,
        "tries": task.plan.tries,
        "feedback": list(task.plan.feedback),
        "asked": task.plan.asked,
        "wished": bool(task.wishes),
    }


def _shorten_list(files: tuple[str, ...], room: int) -> tuple[str, ...]:
    """Whole names only, and how many there are beside them."""
    if sum(map(len, files)) + len(files) <= room:
        return files
    ends = list(accumulate(len(name) + 1 for name in files))
    kept = bisect_right(ends, max(0, room - 40))
    return (*files[:kept], f"… and {len(files) - kept:,} more")


@lru_cache(maxsize=1)
def _handbook() -> str:
    return packaged_text("_base", {}, Fence("data"))


@lru_cache(maxsize=1)
def _parts() -> tuple[str, ...]:
    return tuple(re.split(r"^(?=## )", _handbook(), flags=re.MULTILINE))


@lru_cache(maxsize=64)
def _rules(question: str) -> str:
    """The handbook, but for the duties of who reads finished work; a short one for questions about what was said, which
    are asked of every message, and for those who look across finished work."""
    if question in TALK or question in SUPERVISORS:
        return packaged_text("_talk" if question in TALK else "_supervise", {}, Fence("data"))
    return "".join(part for part in _parts() if not part.startswith("## Code review\n")).strip()


@lru_cache(maxsize=16)
def _section(question: str) -> str:
    """The handbook for one question: what everybody must know, and its own duties."""
    first, *sections = _parts()
    wanted = (*_FOR_ALL, _DUTIES.get(question, ""))
    own = [part for part in sections if part.partition("\n")[0].removeprefix("## ") in wanted]
    return "".join((first, *own)).strip() if question in _DUTIES else _handbook()


_FOR_ALL = ("What you may believe", "How you answer")
_DUTIES = {"decompose": "Planner", "code_review": "Code review"}  # of questions that are asked without the others


@lru_cache(maxsize=1)
def names() -> frozenset[str]:
    """The questions there are."""
    return frozenset(path.stem for path in packaged_path("prompts").glob("[!_]*.j2"))
