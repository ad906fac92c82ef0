"""The built-in engine: a model and its tools, turn by turn.

Each turn is on disk before the model is asked again, and each answer before anything is done for it that cannot be
done twice; what a crash may have left half done is not done again. Where a minion only looks at files the answer, its
turn and the budget of the next call share one commit.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from agents.domain.task.wishes import last_number
from agents.domain.work.work import Ending
from agents.domain.workflow.roles import TITLES, EngineName, Role
from agents.minions.engines import Engine, EngineServices
from agents.minions.engines.builtin import transcript
from agents.minions.engines.builtin.executor import NoRoom, OutOfScope, ToolExecutor
from agents.minions.engines.builtin.transcript import Message, Row, Talk, opening_row, told_row
from agents.minions.engines.builtin.turn import play
from agents.minions.engines.builtin.workbench import NoFolder, open_workbench
from agents.ports import Asked, Brief, Converse, GaveUp, Outcome, Owed, Show, WantsScope, Watch

ROLE = "primary"  # which of the configured models it talks with, where its role names none


class BuiltIn:
    """One run, or a part of one. Follows agents.ports.Minions.run."""

    def __init__(self, services: EngineServices) -> None:
        self._services = services
        self._limits, self._render = services.limits, services.render

    async def run(self, brief: Brief, watch: Watch, show: Show) -> Outcome:
        timer = asyncio.timeout(None)
        try:
            async with self._open(brief, show) as run, timer:
                timer.reschedule(asyncio.get_running_loop().time() + self._limits.minion_seconds - run.talk.seconds)
                try:
                    return await self._go_on(run, watch)
                finally:
                    await run.settle()
        except TimeoutError:
            if not timer.expired():
                raise
            return self._out_of_time()
        except NoRoom as problem:
            return GaveUp(ending=Ending.NO_SANDBOX, problem=str(problem))
        except (OutOfScope, NoFolder) as problem:
            return GaveUp(ending=Ending.NO_GROUND, problem=str(problem))

    @asynccontextmanager
    async def _open(self, brief: Brief, show: Show) -> AsyncIterator["_Run"]:
        async with open_workbench(self._services, brief, show) as bench:
            yield _Run(brief=brief, key=bench.key, executor=bench.executor, talk=bench.talk, role=bench.role)

    async def _go_on(self, run: "_Run", watch: Watch) -> Outcome:
        if outcome := await self._begin(run):
            return outcome
        while (outcome := self._limit(run.talk)) is None:
            outcome = await self._turn(run)
            if isinstance(outcome, Asked | WantsScope):
                return outcome
            if said := await watch(run.talk.progress):
                words = transcript.words(self._render, run.brief.task, wishes=said)
                self._tell(run, words, last_number(said))
            elif outcome is not None:
                return outcome
        return outcome

    async def _begin(self, run: "_Run") -> Outcome | None:
        """Begin, or go on where the transcript ends. What it ended with is returned again if nothing came of it."""
        brief, talk = run.brief, run.talk
        if not talk.rows:
            pack = await self._services.pack(brief)
            words = self._services.words_of(run.role)
            system, first = transcript.opening(self._render, brief, pack, run.executor.skills, words)
            self._note(run, opening_row(system, self._services.redact(first), last_number(brief.task.wishes)))
        going_on = transcript.going_on(self._render, brief, talk)
        if not isinstance(going_on, list):
            return going_on
        if going_on:
            self._tell(run, going_on, last_number(brief.task.wishes))
        return None

    async def _turn(self, run: "_Run") -> Outcome | None:
        """One call of the model, and what it wants done. Kept whole, or not at all."""
        brief, talk, began = run.brief, run.talk, self._services.clock()
        about = {
            "question": "work",
            "subtask": brief.subtask.number,
            "title": brief.subtask.title,
            "attempt": brief.work.attempt,
            "turn": talk.turns,
        }
        said, keep = await self._services.talker.converse(
            Converse(
                step=f"{run.key}:{talk.turns + 1}",
                role=run.role.model or ROLE,
                task=brief.task,
                messages=talk.messages,
                shorter=talk.shorten_to,
                tools=tuple(run.executor.tools.values()),
                about=about,
                policy=brief.step.retry_policy,
                first=tuple(run.owed),
            )
        )
        run.owed = [keep]
        meant = [run.executor.find(call.name) for call in said.calls]
        looks = all(spec is not None and spec.looks for spec in meant)
        if not looks:
            await run.settle()
        run.executor.remember(talk.questions, talk.fixes, talk.strays, again=said.again)
        turn = await play(said, run.executor, talk, self._services.redact)
        turn.seconds = self._services.clock() - began
        self._note(run, turn.row())
        if not looks:
            await run.settle()
        return turn.ended.outcome if turn.ended else None

    def _limit(self, talk: Talk) -> GaveUp | None:
        if talk.seconds >= self._limits.minion_seconds:
            return self._out_of_time()
        if talk.errors >= self._limits.tool_errors:
            last = " ".join(str(talk.messages[-1]["content"]).split())[:300]
            return GaveUp(ending=Ending.ERRORS, problem=f"{talk.errors} turns in a row failed, the last with: {last}")
        if talk.turns >= self._limits.minion_turns:
            return GaveUp(ending=Ending.TURNS, problem=f"It was not done after {talk.turns} turns.")
        return None

    def _out_of_time(self) -> GaveUp:
        minutes = self._limits.minion_seconds / 60
        return GaveUp(ending=Ending.TIMEOUT, problem=f"It was not done after {minutes:g} minutes.")

    def _tell(self, run: "_Run", messages: Sequence[Message], heard: int) -> None:
        """Idempotent: skipped if it repeats the last row."""
        row = told_row(messages, heard)
        if run.talk.last != row:
            self._note(run, row)

    def _note(self, run: "_Run", row: Row) -> None:
        run.owed.append(partial(self._services.turns.add, run.key, run.talk.rows, row))
        run.talk.take(row)


@dataclass(slots=True, kw_only=True)
class _Run:
    brief: Brief
    key: str
    executor: ToolExecutor
    talk: Talk
    role: Role
    owed: list[Owed] = field(default_factory=list)  # not on disk yet, in the order in which it must come there

    async def settle(self) -> None:
        owed, self.owed = self.owed, []
        await asyncio.gather(*(each() for each in owed))


BUILTIN = Engine(
    name=EngineName.BUILTIN,
    title=TITLES[EngineName.BUILTIN],
    run=lambda services, brief, watch, show: BuiltIn(services).run(brief, watch, show),
)
