"""What a model is shown of a task: all of it, or as much as fits into a number of tokens, and what is missing."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from pydantic_core import to_jsonable_python

from agents.domain.context.packing import Count
from agents.domain.context.papers import Paper
from agents.domain.knowledge.choosing import Choice, note_text
from agents.domain.knowledge.document import Note, Status
from agents.domain.planning.decomposition import Decomposition
from agents.domain.task.task import Task
from agents.domain.task.wishes import ALL, for_prompt
from agents.llm.rendering import Fence, packaged_text

# Of the room there is. They do not depend on what else must fit, so that the head is the same throughout a task.
REQUEST_SHARE, TREE_SHARE = 0.4, 0.3
FLOOR = 600  # tokens that a task is told in, however long the question is
NOTE = 80  # tokens, kept free for saying what was left out
LEAST = 120  # tokens; less of a block is no use
AROUND = 60  # tokens of a block that are heading and fence

_UNCUT = 1 << 40
WISHES = "wishes"

# Which is kept before which, where not all fit.
RANKS = ("wishes", "plan", "directives", "feedback", "review", "previous", "knowledge", "unconfirmed", "papers")


NO_NOTES = Choice()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    name: str
    said: str  # in the note, where it is left out
    fenced: str  # the name of its fence
    shown: Callable[[Fence, bool], str]  # whether in short


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a prompt tells of a task: the names of files; papers, notes and directives for those who plan."""

    task: Task
    files: tuple[str, ...] | None = ()  # None: they say nothing to whoever reads what was said
    papers: tuple[Paper, ...] = ()
    knowledge: Choice = NO_NOTES
    directives: tuple[str, ...] = ()  # in the order in which they are to be addressed


def whole(about: Shown, fence: Fence) -> tuple[str, ...]:
    """From what never changes to what changes most."""
    return (_head_of(about.task, about.files, "", fence), *(block.shown(fence, False) for block in _blocks(about)))


def fit_task(about: Shown, fence: Fence, room: int, count: Count) -> tuple[str, ...]:
    """All of it, if there is room. Else files are told by folder, and the rest shrinks or goes by rank."""
    room = max(room, FLOOR)
    everything = whole(about, fence)
    if sum(map(count, everything)) <= room:
        return everything
    head = _small_head(about.task, about.files, fence, room, count)
    left = room - NOTE - count(head)
    kept, gone, blocks = dict[str, str](), list[str](), list(_blocks(about))
    for block in sorted(blocks, key=lambda block: RANKS.index(block.name)):
        if text := _within(block, fence, left, count):
            kept[block.name] = text
            left -= count(text)
        else:
            gone.append(f"{block.said} ({count(block.shown(fence, False)):,} tokens)")
    note = (f"Left out, for there is no room: {', '.join(gone)}.",) if gone else ()
    return (head, *(kept[block.name] for block in blocks if block.name in kept), *note)


def cut_for(task: Task, work: str, shown: Sequence[str], fence: Fence) -> list[str]:
    """What a judge must read whole, and is not whole in what it is shown. `work`: a pack of finished work, if any."""
    wide = replace(fence, caps=(*fence.caps, *((name, _UNCUT) for name in ("request", "plan", "work", WISHES))))
    wanted: dict[str, str] = {"the request": wide.around(task.request.whole, "request")}
    if task.wishes:
        wanted["what people said since"] = _wishes(task, wide, False)
    if work:
        wanted["the work"] = wide.around(work, "work")
    elif task.plan.draft is not None:
        wanted["the plan"] = _plan(task.plan.number, task.plan.draft, wide, False)
    return [name for name, text in wanted.items() if not any(text in part for part in shown)]


def by_folder(files: Sequence[str], depth: int) -> list[str]:
    """Paths of at most so many parts, and how many files are in each folder below that."""
    places = ["/".join(parts[:depth]) + "/" if len(parts := path.split("/")) > depth else path for path in files]
    many = Counter(places)
    return [f"{place} ({many[place]} files)" if place.endswith("/") else place for place in dict.fromkeys(places)]


def _blocks(about: Shown) -> Iterator[_Block]:
    task = about.task
    before, plan = task.plan.previous, task.plan.draft
    if about.papers:
        papers = partial(_text, "_papers", {"papers": to_jsonable_python(about.papers)})
        yield _Block(name="papers", said="what the project says of itself", fenced="file", shown=papers)
    yield from _notes(about.knowledge)
    if before is not None:
        shown = partial(_plan, 0, before)
        yield _Block(name="previous", said="the plan that people saw before", fenced="plan", shown=shown)
    if plan is not None:
        yield _Block(name="plan", said="the plan", fenced="plan", shown=partial(_plan, task.plan.number, plan))
    if about.directives:
        ordered = partial(_text, "_directives", {"directives": list(about.directives)})
        yield _Block(name="directives", said="active directives", fenced="directive", shown=ordered)
    if task.plan.review is not None:
        rounds = to_jsonable_python(task.plan.debate.rounds) if task.plan.debate else []
        # what they found stands in the feedback, where there is some: it is not said twice
        held = {"review": to_jsonable_python(task.plan.review), "rounds": rounds, "told": bool(task.plan.feedback)}
        review = partial(_text, "_review", held)
        yield _Block(name="review", said="what the reviewers said", fenced="review", shown=review)
    if task.plan.feedback:
        feedback = partial(_text, "_feedback", {"feedback": list(task.plan.feedback)})
        yield _Block(name="feedback", said="what the next plan must heed", fenced="feedback", shown=feedback)
    if task.wishes:
        said = partial(_wishes, task)
        yield _Block(name="wishes", said="what people said since", fenced=WISHES, shown=said)


def _notes(chosen: Choice) -> Iterator[_Block]:
    """What is confirmed comes first, the same for all who plan or judge a plan; guesses are for the planner alone."""
    for name, notes in (("knowledge", chosen.confirmed), ("unconfirmed", chosen.unconfirmed)):
        if notes:
            said = "what the project has learnt" if name == "knowledge" else "notes that nobody confirmed"
            shown = partial(_text, "_knowledge", knowledge_values(notes))
            yield _Block(name=name, said=said, fenced="knowledge", shown=shown)


def knowledge_values(notes: Sequence[Note]) -> dict[str, object]:
    """Of notes that are all confirmed, or all not; what `_knowledge.j2` is filled with."""
    confirmed = bool(notes) and notes[0].status is Status.ESTABLISHED
    return {"confirmed": confirmed, "knowledge": "\n\n".join(map(note_text, notes))}


def _wishes(task: Task, fence: Fence, brief: bool) -> str:
    """Outside of a fence, for people give instructions; the older ones go first where there is no room."""
    room = dict(fence.caps).get(WISHES, ALL)
    return packaged_text("_said", for_prompt(task.wishes, task.request.by, room), fence)


def _text(name: str, values: dict[str, object], fence: Fence, brief: bool) -> str:
    return packaged_text(name, values, fence)


def _within(block: _Block, fence: Fence, room: int, count: Count) -> str:
    """Whole, in short, or the beginning of it; empty if even that is too much."""
    for text in (block.shown(fence, False), brief := block.shown(fence, True)):
        if count(text) <= room:
            return text
    if room < LEAST:
        return ""
    share = (room - AROUND) / count(brief)
    while count(text := block.shown(_with_cap(fence, block.fenced, int(len(brief) * share)), True)) > room:
        share *= 0.9
    return text


def _small_head(task: Task, files: tuple[str, ...] | None, fence: Fence, room: int, count: Count) -> str:
    tree = _tree(files, int(room * TREE_SHARE), count) if files else ""
    most = _letters(task.request.whole, int(room * REQUEST_SHARE), count)
    return _head_of(task, files, tree, _with_cap(fence, "request", most) if most < len(task.request.whole) else fence)


@lru_cache(maxsize=16)
def _tree(files: tuple[str, ...], room: int, count: Count) -> str:
    """As deep as there is room for."""
    deepest = max((path.count("/") for path in files), default=0)
    for depth in range(deepest + 1, 0, -1):
        lines = by_folder(files, depth)
        if count(text := "\n".join(lines)) <= room:
            return text
    kept = text[: _letters(text, room - 20, count)].rpartition("\n")[0].splitlines()
    return "\n".join((*kept, f"… and {len(lines) - len(kept):,} more files and folders"))


def _letters(text: str, room: int, count: Count) -> int:
    """How much of a text fits."""
    tokens, size = count(text), len(text)
    if tokens <= room:
        return size
    size = size * room // tokens
    while size and count(text[:size]) > room:
        size = size * 9 // 10
    return size


def _with_cap(fence: Fence, name: str, letters: int) -> Fence:
    return replace(fence, caps=(*fence.caps, (name, letters)))


def _head_of(task: Task, files: tuple[str, ...] | None, tree: str, fence: Fence) -> str:
    hidden = "\n" + packaged_text("_hidden", {"hidden": task.request.hidden}, fence) if task.request.hidden else ""
    return _head((task.id, task.project or "", task.request.whole), files, tree, fence) + hidden


@lru_cache(maxsize=64)
def _head(of: tuple[str, str, str], files: tuple[str, ...] | None, tree: str, fence: Fence) -> str:
    """Kept: a task is asked about many times."""
    id, project, request = of
    about = {
        "task": id,
        "project": project,
        "request": request,
        "files": None if files is None else list(files),
        "tree": tree,
    }
    return packaged_text("_task", about, fence)


@lru_cache(maxsize=64)
def _plan(number: int, plan: Decomposition, fence: Fence, brief: bool) -> str:
    return packaged_text("_plan", {"number": number, "plan": to_jsonable_python(plan), "brief": brief}, fence)
