"""What is said in one run: rows that are only appended, the talk rebuilt from them letter by letter, and what a minion
is told when it begins or goes on."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import TypeAdapter

from agents.domain.knowledge.choosing import note_text
from agents.domain.planning.points import points_for
from agents.domain.skills.skill import Skill
from agents.domain.task.task import Task
from agents.domain.task.wishes import Wish, for_prompt, newer_than
from agents.domain.work.stepping import workflow_pinned
from agents.domain.work.surroundings import surroundings
from agents.minions.engines import NO_WORDS, Render, RoleWords
from agents.ports import Asked, Brief, Finished, GaveUp, Outcome, Progress, WantsScope

Message = dict[str, Any]
Row = Mapping[str, Any]

LETTERS_A_TOKEN = 3  # fewer than any tokenizer takes on average: a talk that is thought too long is trimmed too early
KEPT_TURNS = (8, 4, 2, 1)  # of the last ones, as many as there is room for are left as they are
OPENING = 2  # the system's message and the first of the user's
MOST_SKILLS = 30  # that a minion is told of at its beginning
FOLDED_NAMES = 20  # of files that it wrote
SHORT = 400  # characters of a result that trimming leaves alone
_KINDS: dict[str, TypeAdapter[Outcome]] = {
    kind.__name__: TypeAdapter(kind) for kind in (Finished, Asked, WantsScope, GaveUp)
}


def opening_row(system: str, first: str, heard: int = 0) -> Row:
    """`heard`: the number of the last wish in it."""
    messages = [{"role": "system", "content": system}, {"role": "user", "content": first}]
    return {"kind": "opening", "messages": messages, "heard": heard}


def told_row(messages: Sequence[Message], heard: int = 0) -> Row:
    return {"kind": "told", "messages": list(messages), "heard": heard}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The call that ended a part of the run, and with what."""

    call: str
    outcome: Outcome


@dataclass(slots=True, kw_only=True)
class Turn:
    """One round of model and tools, as it happens. `errors`: turns in a row that failed, with this one."""

    message: Message
    errors: int
    seconds: float = 0.0
    results: list[Message] = field(default_factory=list)
    wrote: list[str] = field(default_factory=list)
    skills: list[str] = field(default_factory=list)
    fixes: int = 0  # how often the project's tests sent it back
    strays: int = 0  # how often it was sent back for files out of its scope
    ended: Ended | None = None
    doing: str = ""

    def row(self) -> Row:
        ended = self.ended and {
            "call": self.ended.call,
            "kind": type(self.ended.outcome).__name__,
            "outcome": asdict(self.ended.outcome),
        }
        return {
            "kind": "turn",
            "messages": [self.message, *self.results],
            "seconds": round(self.seconds, 3),
            "errors": self.errors,
            "wrote": self.wrote,
            "skills": self.skills,
            "fixes": self.fixes,
            "strays": self.strays,
            "ended": ended,
            "doing": self.doing,
        }


@dataclass(slots=True, kw_only=True)
class Talk:
    """What a run is by its rows. The same rows give the same messages, so a provider finds the beginning it knows."""

    window: int  # tokens
    messages: list[Message] = field(default_factory=list)
    rows: int = 0
    turns: int = 0
    seconds: float = 0.0
    errors: int = 0
    questions: int = 0
    fixes: int = 0
    strays: int = 0
    heard: int = 0  # the number of the last wish that the minion was told; rows of earlier versions do not say it
    pauses: int = 0  # how often it waited for people: for an answer, or for leave to write more
    folded: int = 0  # turns that are not in the talk any more
    doing: str = ""
    wrote: set[str] = field(default_factory=set)
    skills: set[str] = field(default_factory=set)
    ended: Ended | None = None  # the last turn ended a part of the run
    last: Row = field(default_factory=dict)
    _size: int = 0
    _starts: list[int] = field(default_factory=list)  # where turns begin in the messages

    @property
    def progress(self) -> Progress:
        skills = tuple(sorted(self.skills))
        return Progress(
            turns=self.turns, seconds=self.seconds, doing=self.doing, changed=len(self.wrote), skills=skills
        )

    def take(self, row: Row) -> None:
        """Rows are taken one way, whether they happen now or are read again."""
        if row["kind"] == "turn":
            self._starts.append(len(self.messages))
            self._count(row)
        elif row["kind"] == "told":
            self.ended = None
        self.heard = max(self.heard, row.get("heard", 0))
        self.messages += row["messages"]
        self._size += sum(map(_size, row["messages"]))
        self.rows += 1
        self.last = row
        if self._size > self.window * LETTERS_A_TOKEN:
            self._trim(self.window * LETTERS_A_TOKEN // 2)

    def shorten_to(self, window: int) -> Sequence[Message]:
        """For a model that takes less than was thought."""
        self.window = min(self.window, window)
        self._trim(self.window * LETTERS_A_TOKEN * 3 // 4)
        return self.messages

    def _count(self, row: Row) -> None:
        self.turns += 1
        self.seconds += row["seconds"]
        self.errors = row["errors"]
        self.doing = row["doing"]
        self.wrote |= set(row["wrote"])
        self.skills |= set(row.get("skills", ()))
        self.fixes += row.get("fixes", 0)
        self.strays += row.get("strays", 0)
        ended = row["ended"]
        self.ended = ended and Ended(
            call=ended["call"], outcome=_KINDS[ended["kind"]].validate_python(ended["outcome"])
        )
        outcome = self.ended and self.ended.outcome
        self.questions += isinstance(outcome, Asked)
        self.pauses += isinstance(outcome, Asked | WantsScope)

    def _trim(self, aim: int) -> None:
        """A big step at a time, so that between two steps the beginning stays the same: first old results and long
        arguments, then whole old turns; of the last turns as little as will do."""
        for kept in KEPT_TURNS:
            for at in range(OPENING, self._until(kept)):
                self._put(at, _shorten(self.messages[at]))
            if self._size <= aim:
                return
        for kept in KEPT_TURNS:
            self._drop(self._until(kept))
            if self._size <= aim:
                return

    def _until(self, kept: int) -> int:
        """Where the last turns begin."""
        return self._starts[-kept] if len(self._starts) > kept else OPENING

    def _drop(self, until: int) -> None:
        if until <= OPENING + 1:
            return
        text = self._left_out(sum(start < until for start in self._starts))
        self.messages[OPENING:until] = [{"role": "user", "content": text}]
        self._starts = [start - until + OPENING + 1 for start in self._starts if start >= until]
        self._size = sum(map(_size, self.messages))

    def _left_out(self, turns: int) -> str:
        """What stands in place of turns: what came of them is in the files."""
        self.folded += turns
        wrote = ", ".join(sorted(self.wrote)[:FOLDED_NAMES])
        more = f" and {len(self.wrote) - FOLDED_NAMES} more" if len(self.wrote) > FOLDED_NAMES else ""
        files = f" So far you wrote {wrote}{more}; the files are as you left them." if wrote else ""
        return f"({self.folded} earlier turn{'' if self.folded == 1 else 's'} are left out here.{files})"

    def _put(self, at: int, message: Message) -> None:
        self._size += _size(message) - _size(self.messages[at])
        self.messages[at] = message


def _size(message: Message) -> int:
    calls = message.get("tool_calls") or ()
    return len(message["content"] or "") + sum(len(call["function"]["arguments"]) + 60 for call in calls)


def _shorten(message: Message) -> Message:
    content = message["content"] or ""
    if message["role"] == "tool" and len(content) > SHORT:
        return {**message, "content": f"({len(content):,} characters were here; call the tool again if you need them)"}
    if calls := message.get("tool_calls"):
        return {**message, "tool_calls": [_short_call(call) for call in calls]}
    return message


def _short_call(call: Message) -> Message:
    function = call["function"]
    if len(function["arguments"]) <= SHORT:
        return call
    return {**call, "function": {**function, "arguments": '{"left_out": true}'}}


def result(call: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": call, "content": text or "(nothing)"}


def opening(
    render: Render, brief: Brief, pack: str, skills: Sequence[Skill], words: RoleWords = NO_WORDS
) -> tuple[str, str]:
    """The system's words, which are the same for all minions of a role at a step, and the first of the user's."""
    subtask, work = brief.subtask, brief.work
    about = {
        "task": str(brief.task.id),
        "project": brief.checkout.project,
        "request": brief.task.request.text,
        "number": subtask.number,
        "title": subtask.title,
        "why": subtask.why,
        "test": subtask.test,
        "spike": subtask.spike,
        "changes_tests": subtask.changes_tests,
        "closing": brief.task.plan.is_closing(subtask.number),
        **surroundings(brief.task, subtask),
        "mode": work.scope.mode.value,
        "patterns": list(work.scope.patterns),
        "attempt": work.attempt,
        "degraded": work.degraded.value if work.degraded else "",
        "feedback": list(work.feedback),
        "points": points_for(brief.task.plan.points, subtask.number),
        "notes": list(brief.notes),
        "knowledge": _knowledge(brief),
        "skill": brief.task.skill.spec.text() if brief.task.skill else "",
        "skills": [{"name": skill.name, "description": skill.description} for skill in skills[:MOST_SKILLS]],
        "guidance": words.guidance,
        "pack": pack,
        **for_prompt(brief.task.wishes, brief.task.request.by),
        "ways": [": ".join(way) for way in brief.checkout.workspace.ways],
    }
    instructions = {
        "practices": [name for name, wanted in brief.step.config.items() if wanted and name != "files"],
        "config": brief.step.config,
        "require_tests": workflow_pinned(brief.task).require_tests,
        "additions": words.instructions,
    }
    return render("_minion", instructions, brief.task), render("_minion_task", about, brief.task)


def _knowledge(brief: Brief) -> list[dict[str, object]]:
    """What the project has learnt: what is confirmed, then what is not."""
    chosen = ((True, brief.knowledge.confirmed), (False, brief.knowledge.unconfirmed))
    return [{"confirmed": sure, "text": "\n\n".join(map(note_text, notes))} for sure, notes in chosen if notes]


def words(render: Render, task: Task, said: Sequence[str] = (), wishes: Sequence[Wish] = ()) -> list[Message]:
    """What is new: what people said, and what else is to be known."""
    about = {"said": list(said), **for_prompt(wishes, task.request.by)}
    return [{"role": "user", "content": render("_minion_told", about, task)}]


def going_on(render: Render, brief: Brief, talk: Talk) -> Outcome | list[Message]:
    """What to tell before the next turn; or what the run ended with, if nobody has done anything about it yet."""
    ended, task = talk.ended, brief.task
    since = [each for each in brief.since if each != brief.work.answer or not talk.pauses]  # an answer is told as such
    wishes = [wish for wish in newer_than(task.wishes, talk.heard) if not _is_answer(wish, brief, talk)]
    crash = [brief.interrupted] if brief.interrupted else []
    if ended is None:
        return words(render, task, [*since, *crash], wishes) if since or crash or wishes else []
    if not isinstance(ended.outcome, Asked | WantsScope):  # it was done when the bot died, and nobody wants more of it
        return words(render, task, [*since, *crash], wishes) if since or wishes else ended.outcome
    answer = _answer(brief, talk, ended.outcome)
    if not answer:
        return ended.outcome
    said = [wish for wish in task.wishes if _is_answer(wish, brief, talk)][-1:]
    text = render("_minion_answer", {"answer": answer, **for_prompt(said, task.request.by)}, task)
    told = [*(since if brief.work.answer else ()), *crash]
    return [result(ended.call, text), *(words(render, task, told, wishes) if told or wishes else ())]


def _is_answer(wish: Wish, brief: Brief, talk: Talk) -> bool:
    """It is told as the result of the call that asked."""
    return talk.pauses > 0 and wish.subtask == brief.subtask.number and wish.words == brief.work.answer


def _answer(brief: Brief, talk: Talk, outcome: Asked | WantsScope) -> str:
    """What people decided on what the run waits for; nothing, if they have not.

    Where it was never recorded the bot died first: then an answer that is there is one to an earlier question.
    """
    if brief.work.questions < talk.pauses:
        return ""
    given = brief.work.answer or "\n".join(brief.since)
    if isinstance(outcome, WantsScope) and all(brief.work.scope.refuse(path) is None for path in outcome.paths):
        return f"Granted: you may write {', '.join(outcome.paths)} now. {given}".strip()
    return given
