"""A minion that is a command-line agent: started in the sandbox, watched by what it asks of its model, and started
again where it was sent back, was answered, or broke off.

Each turn is on disk before its model is asked again. What the program claims is not believed: turns, costs and failures
are counted at the gateway, and what it changed is judged as the work of any minion.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from agents.domain.errors import NoAnswer, OverlordError
from agents.domain.models.failure import ErrorClass, Failure, next_try
from agents.domain.text.sanitize import clean, one_line
from agents.domain.work.work import Ending
from agents.minions.engines import Engine, EngineServices, ProgramServices
from agents.minions.engines.builtin.executor import NoRoom, OutOfScope
from agents.minions.engines.builtin.workbench import NoFolder, open_workbench
from agents.minions.engines.cli.errands import read_end
from agents.minions.engines.cli.program import Cli
from agents.minions.engines.cli.run import CliRun
from agents.minions.engines.cli.starting import start
from agents.ports import Brief, GaveUp, LentModel, Loan, Outcome, Program, Ran, Show, Watch

SILENT = "You ended without a word. If the work is done, call `task_complete` and say what you did; else go on."
LAST_WORDS = 3.0  # seconds for it to end by itself, once its run is over


@dataclass(frozen=True, slots=True, kw_only=True)
class CliMinion:
    """One run, or a part of one. Follows agents.ports.Minions.run."""

    cli: Cli
    services: EngineServices

    async def run(self, brief: Brief, watch: Watch, show: Show) -> Outcome:
        timer, limits = asyncio.timeout(None), self.services.limits
        try:
            async with self._open(brief, watch, show) as run, timer:
                timer.reschedule(asyncio.get_running_loop().time() + limits.minion_seconds - run.talk.seconds)
                return await self._go_on(run)
        except TimeoutError:
            if not timer.expired():
                raise
            minutes = limits.minion_seconds / 60
            return GaveUp(ending=Ending.TIMEOUT, problem=f"It was not done after {minutes:g} minutes.")
        except NoRoom as problem:
            return GaveUp(ending=Ending.NO_SANDBOX, problem=str(problem))
        except (OutOfScope, NoFolder) as problem:
            return GaveUp(ending=Ending.NO_GROUND, problem=str(problem))

    @asynccontextmanager
    async def _open(self, brief: Brief, watch: Watch, show: Show) -> AsyncIterator[CliRun]:
        async with open_workbench(self.services, brief, show) as bench:
            yield CliRun(
                cli=self.cli,
                services=self.services,
                brief=brief,
                key=bench.key,
                role=bench.role,
                executor=bench.executor,
                talk=bench.talk,
                watch=watch,
            )

    async def _go_on(self, run: CliRun) -> Outcome:
        if ended := await run.begin():
            return ended
        failures = 0
        while (outcome := run.limit()) is None:
            failure = await self._start(run)
            if run.waits or (run.own.outcome and not run.news):
                assert run.own.outcome is not None
                return run.own.outcome
            if run.news:  # it has not heard them yet
                await run.take_news()
            elif failure is not None:
                failures += 1
                await self._wait(run, failure, failures)
            elif not run.out_of_turns and (said := await _take_as_done(run)):
                await run.say(said)
            elif run.own.outcome:
                await run.end("")
                return run.own.outcome
        return outcome

    @property
    def _programs(self) -> ProgramServices:
        if self.services.programs is None:
            raise NoAnswer(
                f"{self.cli.title} cannot be run here",
                next_step="Name the role's engine `builtin`.",
                error=ErrorClass.RESOURCE,
            )
        return self.services.programs

    async def _start(self, run: CliRun) -> Failure | None:
        """One start of the program, to its end, and why that is none. Raises BudgetReached, NoAnswer and NoRoom."""
        run.renew()
        programs = self._programs
        program = await self._find(programs)
        lent = programs.lender.lend(
            Loan(
                engine=self.cli.name,
                run=run.key,
                task=run.brief.task,
                model=run.role.model,
                tools=run.own.answer,
                next_turn=run.next_turn,
            )
        )
        playing = asyncio.create_task(start(run, program, lent, programs.profile))
        ends = (lent.until_spent(), run.own.ended.wait(), run.until_silent(programs.silence))
        stops = [asyncio.create_task(each) for each in ends]
        try:
            await asyncio.wait({playing, *stops}, return_when=asyncio.FIRST_COMPLETED)
            if run.own.ended.is_set():
                await asyncio.wait({playing}, timeout=LAST_WORDS)
            ran = playing.result() if playing.done() else None
            for stop in stops:
                if stop.done():
                    stop.result()  # raises BudgetReached
        finally:
            for each in (playing, *stops):
                each.cancel()
            await asyncio.gather(playing, *stops, return_exceptions=True)
            await run.settle_turn()
        if run.own.problem:
            raise NoRoom(run.own.problem)
        text, failure = self._read(ran, lent)
        await run.end(text)
        return None if run.own.outcome or run.out_of_turns else failure

    async def _find(self, programs: ProgramServices) -> Program:
        try:
            return await asyncio.to_thread(programs.find, self.cli.name)
        except OverlordError as gone:  # a person can mend that, and nobody else
            raise NoAnswer(gone.what, next_step=gone.next_step, error=ErrorClass.RESOURCE) from gone

    def _read(self, ran: Ran | None, lent: LentModel) -> tuple[str, Failure | None]:
        if ran is None:
            return "", Failure(
                error=ErrorClass.NETWORK, message=f"{self.cli.title} said nothing for too long", late=True
            )
        return read_end(self.cli, ran, lent)

    async def _wait(self, run: CliRun, failure: Failure, failures: int) -> None:
        """Until it is started once more, by the policy of its step. Raises NoAnswer where it is not."""
        programs = self._programs
        again = next_try(failure, failures, programs.policy(run.brief.step.retry_policy), programs.chance())
        if again is None:
            said = one_line(clean(failure.message), 300)
            raise NoAnswer(
                f"{self.cli.title} broke off{'' if failures == 1 else f' {failures} times'}: {said}",
                next_step="See what its provider says, or name another engine for this role.",
                error=failure.error,
            )
        await programs.wait(again.wait)


async def _take_as_done(run: CliRun) -> str:
    """A program that ended without a word to us: its last words are its summary. Returns what speaks against it."""
    return SILENT if run.ended_in_silence() else await run.own.finish(run.last_words)


def engine_of(cli: Cli) -> Engine:
    return Engine(
        name=cli.name,
        title=cli.title,
        run=lambda services, brief, watch, show: CliMinion(cli=cli, services=services).run(brief, watch, show),
    )
