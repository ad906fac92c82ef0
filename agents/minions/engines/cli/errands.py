"""A command-line agent that plans or judges: one question, one start in the sandbox, and what it says last.

It reads a folder of the commit that is asked about, or nothing; that folder cannot be written and is thrown away.
It has no tools of ours, and reaches one model through its gateway. How its answer is read, tried again and counted is
as with any model.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.errors import BudgetReached, NoAnswer, OverlordError
from agents.domain.models.failure import ErrorClass, Failure, failure_of_step
from agents.domain.models.program_end import EndedBy, ProgramEnd, failure_of_program
from agents.minions.engines import FindSandbox, Render
from agents.minions.engines.cli.program import Cli, Launch, read_output
from agents.minions.engines.cli.starting import fixed_paths, folder_for_a_while, play
from agents.minions.looking import Lend
from agents.ports import ADDRESS, Act, Answers, Errand, FindProgram, LentModel, Loan, Profile, Ran, Workspace

A_LOOK = 3  # calls of its model for each turn that we would grant a model of ours: most look at one thing a call
AT_LEAST = 4
LOOKED_TOO_LONG = "it asked its model {calls} times and gave no answer"
Flags = Callable[[str, str], Sequence[str]]  # that a role gives to an engine


def no_flags(persona: str, engine: str) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramAnswers:
    """Implements agents.ports.AskProgram, for all jobs."""

    programs: Mapping[str, Cli]
    find: FindProgram
    sandbox: FindSandbox
    profile: Profile
    lend: Lend
    render: Render
    flags: Flags = no_flags

    async def __call__(self, engine: str, model: str, asked: str, errand: Errand) -> Answers:
        try:
            return await self._ask(engine, model, asked, errand)
        except BudgetReached:
            raise
        except OverlordError as problem:  # no program, no sandbox, no key: nothing was asked
            told = f"{problem.what}. {problem.next_step}" if problem.next_step else problem.what
            return Answers(failure=replace(failure_of_step(problem), message=told))

    async def _ask(self, engine: str, model: str, asked: str, errand: Errand) -> Answers:
        cli = self.programs.get(engine)
        if cli is None:
            raise NoAnswer(f"There is no program `{engine}-cli`", next_step="", error=ErrorClass.RESOURCE)
        turns = _Turns(most=AT_LEAST + A_LOOK * errand.looks)
        program = await asyncio.to_thread(self.find, cli.name)
        lent = errand.lender.lend(
            Loan(
                engine=cli.name,
                run=errand.run,
                task=errand.task,
                model=model,
                tools=_no_tools,
                next_turn=turns.next_turn,
                question=errand.question,
                role=errand.role,
            )
        )
        launch = Launch(
            cli=cli,
            program=program,
            model=lent.model,
            token=lent.token,
            address=ADDRESS,
            tools="",
            turns=turns.most,
            seconds=self.profile.seconds,
            flags=tuple(self.flags(errand.persona, engine)),
        )
        about = {"program": cli.title, "looks": bool(errand.commit)}
        prompt = "\n\n".join([self.render("_answer_cli", about, errand.task), asked])
        ran = await self._play(launch, prompt, lent, errand)
        text, failure = read_end(cli, ran, lent)
        if failure is not None and turns.over:
            failure = Failure(error=ErrorClass.LOGIC, message=LOOKED_TOO_LONG.format(calls=turns.most))
        return Answers(text=text, failure=failure, asking=lent.seconds)

    async def _play(self, launch: Launch, prompt: str, lent: LentModel, errand: Errand) -> Ran:
        """To its end, or to that of a budget: raises BudgetReached."""
        sandbox, profile = await self.sandbox(), replace(self.profile, door=lent)
        async with self._place(errand) as workspace:
            playing = asyncio.create_task(play(launch, prompt, workspace, lambda at: sandbox.open(at, profile)))
            spent = asyncio.create_task(lent.until_spent())
            try:
                await asyncio.wait({playing, spent}, return_when=asyncio.FIRST_COMPLETED)
                if spent.done():
                    spent.result()
                return playing.result()
            finally:
                for each in (playing, spent):
                    each.cancel()
                await asyncio.gather(playing, spent, return_exceptions=True)

    @asynccontextmanager
    async def _place(self, errand: Errand) -> AsyncIterator[Workspace]:
        if not errand.commit:
            with folder_for_a_while() as made:
                yield Workspace(path=Path(made))
            return
        async with self.lend(errand.project, errand.commit) as lent:
            nothing = Scope(mode=ScopeMode.EXPLICIT)
            yield replace(lent, fixed=await asyncio.to_thread(fixed_paths, lent.path, nothing))


@dataclass(slots=True, kw_only=True)
class _Turns:
    """How often a program may ask its model for one answer."""

    most: int
    taken: int = 0
    over: bool = field(default=False)

    async def next_turn(self, acts: Sequence[Act]) -> str:
        if self.taken >= self.most:
            self.over = True
            return "This question has no turns left. End now."
        self.taken += 1
        return ""


async def _no_tools(body: bytes) -> bytes | None:
    return None


def read_end(cli: Cli, ran: Ran, lent: LentModel) -> tuple[str, Failure | None]:
    """What it said last, and why that is none: by what its provider answered last, then how it ended, then its own
    words."""
    end, errors = read_output(cli, ran.output)
    if lent.last_failure is not None:
        return end.text, lent.last_failure
    if end.over and ran.ended_by is EndedBy.EXIT:
        return end.text, None
    told = ProgramEnd(
        program=cli.name.value,
        ended_by=ran.ended_by,
        exit_code=ran.exit_code or 1,
        errors=end.problem or errors,
        status=end.status,
    )
    return end.text, failure_of_program(told)
