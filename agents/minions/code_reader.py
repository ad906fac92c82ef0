"""Answers questions about the code: a model with tools that read, in a folder that is thrown away.

One talk for a thread: the next question is put into it. Each turn is on disk before the model is asked again, so a run
that died goes on, and an answer that was given is not asked for a second time.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Annotated

from pydantic import Field

from agents.domain.asking.facts import Evidence
from agents.domain.errors import NoAnswer, OverlordError
from agents.domain.models.failure import ErrorClass
from agents.domain.text.sanitize import clean, cut, small_number
from agents.domain.work.work import run_key
from agents.minions.engines import EngineServices
from agents.minions.engines.builtin.executor import Arguments, Done, NoRoom, ToolExecutor, tool
from agents.minions.engines.builtin.transcript import Ended, Row, Talk, Turn, result
from agents.minions.engines.builtin.turn import message_of, parse_calls
from agents.minions.looking import LONGEST as LONGEST_RESULT, MOST_FAILED, Lend, Looking, look_at, open_code
from agents.ports import (
    AskBrief,
    Converse,
    Files,
    Finished,
    Found,
    GoesOn,
    LookBrief,
    Owed,
    Said,
    Show,
    show_nothing,
)

ROLE = "primary"
MOST_TURNS = 16  # of one question
LAST = 2  # turns before the end, when it is told to answer with what it has
MOST_FILES, FILES_ROOM, README_ROOM = 400, 8_000, 3_000  # names, and characters
LONGEST = 6_000  # characters of an answer
MOST_PLACES, AROUND, MOST_LINES = 12, 15, 400  # places that are kept, and lines of each
LOOK_FIRST = "You called no tool. Look at the code first; then end with give_answer."
ANSWER_NOW = "You have few turns left: answer now with give_answer, and say what you could not find."
_PLACE = re.compile(r"(?<![^\s:`'\"()])(?P<path>[^\s:`'\"()]++):(?:L)?(?P<first>\d{1,7})(?:[-–]L?(?P<last>\d{1,7}))?")

ListFiles = Callable[[str], Awaitable[Sequence[str]]]


class GiveAnswer(Arguments):
    answer: Annotated[str, Field(min_length=1, max_length=20_000)]
    evidence: Annotated[
        tuple[Annotated[str, Field(max_length=4_200)], ...],
        Field(max_length=40, description="places that show it: path:line or path:first-last"),
    ] = ()


@tool("End with the answer to the question.", doing=lambda given: "answering")
async def give_answer(at: ToolExecutor, given: GiveAnswer) -> Done:
    if not given.answer.strip():
        return Done(text="The answer is empty.", error=True)
    return Done(text="Taken.", outcome=Finished(summary=given.answer, note="\n".join(given.evidence)))


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeTalks:
    """Implements agents.ports.CodeReader for one job, whose calls it makes."""

    services: EngineServices
    lend: Lend
    list_files: ListFiles

    async def answer(self, brief: AskBrief, goes_on: GoesOn, show: Show = show_nothing) -> Found | None:
        try:
            async with self._open(brief, show) as run:
                try:
                    return await self._go_on(run, goes_on)
                finally:
                    await run.settle()
        except NoRoom as problem:
            step = "`overlord doctor` says what the sandbox lacks."
            raise NoAnswer(f"Nothing can be run: {problem}", next_step=step, error=ErrorClass.RESOURCE) from problem
        except OSError as problem:
            what = f"The project's files cannot be opened: {problem.strerror or problem}"
            raise NoAnswer(what, next_step="Try again.", error=ErrorClass.RESOURCE) from problem

    @asynccontextmanager
    async def _open(self, brief: AskBrief, show: Show) -> AsyncIterator["_Run"]:
        """The code, and the talk so far."""
        of = brief.project, brief.commit
        async with open_code(self.services, self.lend, of, (give_answer,), show) as executor:
            run = _Run(brief=brief, executor=executor, talk=Talk(window=self.services.window))
            for row in await self.services.turns.of(run.key):
                run.take(row)
            yield run

    def look(self, brief: LookBrief, show: Show = show_nothing) -> AbstractAsyncContextManager[Looking]:
        return look_at(self.services, self.lend, brief, show)

    async def _go_on(self, run: "_Run", goes_on: GoesOn) -> Found | None:
        if run.number != run.brief.asked.number:
            self._note(run, await self._question(run))
        while not (ended := run.talk.ended):
            if run.turns >= MOST_TURNS or run.talk.errors >= MOST_FAILED:
                raise self._gave_up(run)
            if not await goes_on():
                return None
            await self._turn(run)
        assert isinstance(ended.outcome, Finished)
        return await asyncio.to_thread(self._found, run, ended.outcome)

    async def _question(self, run: "_Run") -> Row:
        """The first one with the project around it; the next into the same talk."""
        brief, first = run.brief, run.talk.rows == 0
        about: dict[str, object] = {
            "first": first,
            "project": brief.project,
            "commit": brief.commit[:10],
            "moved": brief.commit != run.commit,
            "question": brief.asked.text,
            "files": [],
            "more": 0,
            "readme": "",
            **brief.before,
            "earlier": [{"question": each.text, "answer": each.answer} for each in brief.earlier],
        }
        if first:
            names = await self.list_files(brief.project)
            shown = _that_fit(names)
            readme = await asyncio.to_thread(_readme, run.executor.files, names)
            about |= {"files": shown, "more": len(names) - len(shown), "readme": readme}
        asked = {"role": "user", "content": self.services.redact(self._render("_ask_question", about, run))}
        system = {"role": "system", "content": self._render("_ask", {"most": MOST_TURNS}, run)}
        kind, messages = ("opening", [system, asked]) if first else ("told", [asked])
        return {"kind": kind, "messages": messages, "asked": brief.asked.number, "commit": brief.commit}

    def _render(self, name: str, about: Mapping[str, object], run: "_Run") -> str:
        return self.services.render(name, about, run.brief.task)

    async def _turn(self, run: "_Run") -> None:
        """One call of the model and what it wants to see; kept whole, or not at all."""
        brief, talk, began = run.brief, run.talk, self.services.clock()
        said, keep = await self.services.talker.converse(
            Converse(
                step=f"{run.key}:{talk.turns + 1}",
                role=ROLE,
                task=brief.task,
                messages=talk.messages,
                shorter=talk.shorten_to,
                tools=tuple(run.executor.tools.values()),
                about={"question": "ask", "turn": talk.turns, "said": brief.asked.text},
                first=tuple(run.owed),
            )
        )
        run.owed = [keep]
        run.executor.again = False  # nothing is changed by looking twice
        turn = await self._play(said, run)
        turn.seconds = self.services.clock() - began
        self._note(run, turn.row())

    async def _play(self, said: Said, run: "_Run") -> Turn:
        talk = run.talk
        calls = parse_calls(said, talk.turns + 1)
        turn = Turn(message=message_of(said, calls), errors=talk.errors, doing=talk.doing)
        if not calls:
            _take_prose(turn, said.text, looked=run.turns > 0)
            return turn
        failed = 0
        for call in calls:
            done = Done(text="Not looked at: the answer was given.") if turn.ended else await run.executor.run(call)
            failed += done.error
            if done.outcome is not None:
                turn.ended = Ended(call=call.id, outcome=done.outcome)
            turn.results.append(result(call.id, cut(self.services.redact(done.text), LONGEST_RESULT)))
        turn.errors = talk.errors + 1 if failed == len(calls) else 0
        turn.doing = run.executor.doing
        if not turn.ended and MOST_TURNS - run.turns - 1 <= LAST:
            turn.results[-1]["content"] += f"\n({ANSWER_NOW})"
        return turn

    def _found(self, run: "_Run", ended: Finished) -> Found:
        """Places in the answer itself count as well as those that were listed; each is looked up."""
        answer = cut(clean(self.services.redact(ended.summary)).strip(), LONGEST)
        named = [place for text in (ended.note, answer) for place in _places(text, run.executor)]
        wanted = dict.fromkeys(named)
        there = [place for place in wanted if _is_there(place, run.executor.files)]
        listed = set(_places(ended.note, run.executor))
        invented = sum(place not in there for place in wanted if place in listed)
        shown = tuple(there[:MOST_PLACES])
        excerpts = tuple(self.services.redact(_excerpt(place, run.executor.files)) for place in shown)
        return Found(answer=answer, evidence=shown, excerpts=excerpts, invented=invented, turns=run.turns)

    def _gave_up(self, run: "_Run") -> NoAnswer:
        if run.talk.errors >= MOST_FAILED:
            last = " ".join(str(run.talk.messages[-1]["content"]).split())[:300]
            what = f"The model could not use its tools: {MOST_FAILED} turns in a row failed, the last with: {last}"
        else:
            what = f"The model looked at the code for {run.turns} turns and gave no answer"
        step = "Ask again in other words, or name a stronger model for the role `primary`."
        return NoAnswer(what, next_step=step, error=ErrorClass.LOGIC)

    def _note(self, run: "_Run", row: Row) -> None:
        run.owed.append(partial(self.services.turns.add, run.key, run.talk.rows, row))
        run.take(row)


@dataclass(slots=True, kw_only=True)
class _Run:
    brief: AskBrief
    executor: ToolExecutor
    talk: Talk
    number: int = 0  # of the question that was put last
    commit: str = ""  # that it was about
    turns: int = 0  # since that
    owed: list[Owed] = field(default_factory=list)

    @property
    def key(self) -> str:
        """No subtask has the number 0."""
        return run_key(self.brief.task.id, 0, 1)

    def take(self, row: Row) -> None:
        if "asked" in row:
            self.number, self.commit, self.turns = row["asked"], row["commit"], 0
            self.talk.errors = 0
        else:
            self.turns += 1
        self.talk.take(row)

    async def settle(self) -> None:
        owed, self.owed = self.owed, []
        await asyncio.gather(*(each() for each in owed))


def _take_prose(turn: Turn, text: str, *, looked: bool) -> None:
    """An answer in plain words is one too, of whoever has looked at the code before."""
    if looked:
        turn.ended = Ended(call="", outcome=Finished(summary=text))
        turn.errors = 0
        return
    turn.errors += 1
    turn.results.append({"role": "user", "content": LOOK_FIRST})


def _places(text: str, executor: ToolExecutor) -> list[Evidence]:
    found = []
    for match in _PLACE.finditer(text):
        first, last = small_number(match["first"]) or 0, small_number(match["last"] or "") or 0
        path = executor.inside(match["path"].strip("*_"))
        found.append(Evidence(path=path, line=first, last=last if last > first else 0))
    return found


def _is_there(place: Evidence, files: Files) -> bool:
    try:
        lines = files.read(place.path).count(b"\n") + 1
    except (OverlordError, OSError):
        return False
    return 1 <= place.line <= lines and place.last <= lines


def _excerpt(place: Evidence, files: Files) -> str:
    """With its line numbers, and what stands around it."""
    lines = clean(files.read(place.path).decode(errors="replace")).splitlines()
    first, last = max(1, place.line - AROUND), min(len(lines), (place.last or place.line) + AROUND)
    wanted = range(place.line, (place.last or place.line) + 1)
    shown = (f"{'>' if at in wanted else ' '} {at:>5}  {cut(lines[at - 1], 400)}" for at in range(first, last + 1))
    return "\n".join((f"{place.path}, lines {first} to {last}", "", *islice(shown, MOST_LINES))) + "\n"


def _that_fit(names: Sequence[str]) -> list[str]:
    shown, room = list[str](), FILES_ROOM
    for name in names[:MOST_FILES]:
        room -= len(name) + 1
        if room < 0:
            break
        shown.append(name)
    return shown


def _readme(files: Files, names: Sequence[str]) -> str:
    found = min((name for name in names if name.casefold().startswith("readme")), key=len, default="")
    if not found:
        return ""
    try:
        return cut(clean(files.read(found).decode(errors="replace")), README_ROOM)
    except (OverlordError, OSError):
        return ""
