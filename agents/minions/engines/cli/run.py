"""One run of a command-line agent: its rows on disk, what it is told at its next start, and how far it is."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.domain.task.wishes import Wish, last_number
from agents.domain.text.sanitize import clean, cut, one_line
from agents.domain.work.work import Ending
from agents.domain.workflow.roles import Role
from agents.minions.engines import EngineServices
from agents.minions.engines.builtin import transcript
from agents.minions.engines.builtin.executor import ToolExecutor
from agents.minions.engines.builtin.transcript import OPENING, Ended, Talk, Turn, opening_row, told_row
from agents.minions.engines.cli.program import SERVER, Cli
from agents.minions.engines.cli.tools import OwnTools
from agents.ports import Act, Asked, Brief, GaveUp, Outcome, WantsScope, Watch

LONGEST = 4_000  # characters of what it said last
CALL = "cli"  # stands for the call that ended a run


@dataclass(slots=True, kw_only=True)
class CliRun:
    cli: Cli
    services: EngineServices
    brief: Brief
    key: str
    role: Role
    executor: ToolExecutor
    talk: Talk
    watch: Watch
    own: OwnTools = field(init=False)
    news: list[Wish] = field(default_factory=list)  # what people said that it has not heard
    out_of_turns: bool = False
    last_words: str = ""
    _began: float | None = None  # the turn that is under way
    _ended: bool = False  # what it ended with is on disk
    _sign: float = 0.0
    _silent: bool = False

    def __post_init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """For the next start."""
        self.own = OwnTools(executor=self.executor, redact=self.services.redact, news=self.take_news)
        self._ended = False
        self.executor.questions, self.executor.fixes = self.talk.questions, self.talk.fixes

    async def begin(self) -> Outcome | None:
        """Begin, or go on where the rows end. What it ended with is returned again if nothing came of it."""
        brief, services = self.brief, self.services
        if not self.talk.rows:
            pack = await services.pack(brief)
            system, first = transcript.opening(
                services.render, brief, pack, self.executor.skills, services.words_of(self.role)
            )
            await self._note(opening_row(system, services.redact(first), last_number(brief.task.wishes)))
        going_on = transcript.going_on(services.render, brief, self.talk)
        if not isinstance(going_on, list):
            return going_on
        if going_on:
            await self._tell(going_on, last_number(brief.task.wishes))
        return None

    def prompt(self) -> str:
        """Everything it is told at a start: programs of others keep nothing between two."""
        system, first = (str(message["content"]) for message in self.talk.messages[:OPENING])
        about = {"program": self.cli.title, "server": SERVER, "tools": list(self.own.names)}
        how = self.services.render("_minion_cli", about, self.brief.task)
        since = [str(message["content"]) for message in self.talk.messages[OPENING:] if message["role"] != "assistant"]
        before = [self.services.render("_minion_cli_again", {"said": since, "last": self.last_words}, self.brief.task)]
        return "\n\n".join([system, how, first, *(before if self.talk.turns or since else [])])

    async def next_turn(self, acts: Sequence[Act]) -> str:
        """Before its model is asked again: what it did is on disk, and told. Returns why there is no next turn."""
        self.give_sign()
        if self._began is not None:
            await self.settle_turn(acts)
            self.news += await self.watch(self.talk.progress)
        if self.own.outcome is not None:
            return "This run is over. End now."  # a last word of its model would only cost
        if self.talk.turns >= self.services.limits.minion_turns:
            self.out_of_turns = True
            self.own.ended.set()
            return "This run has no turns left. End now."
        self._began = self.services.clock()
        return ""

    async def settle_turn(self, acts: Sequence[Act] = (), *, text: str = "") -> None:
        """The turn that was under way, as a row; none, if none was."""
        if self._began is None:
            return
        root = f"{self.executor.workspace.path}/"
        shown = [
            one_line(clean(self.cli.describe(act).replace(root, "")), 80) for act in acts if SERVER not in act.name
        ]
        wrote = [self.executor.inside(path) for act in acts if (path := self.cli.path_written(act))]
        outcome, self._ended = self.own.outcome if not self._ended else None, self.own.outcome is not None
        turn = Turn(
            message={"role": "assistant", "content": text or "; ".join(shown) or "(nothing)"},
            errors=0,
            seconds=self.services.clock() - self._began,
            wrote=wrote,
            skills=list(self.own.skills),
            fixes=self.own.take_fixes(),
            ended=Ended(call=CALL, outcome=outcome) if outcome else None,
            doing=(shown[-1] if shown else "") or self.executor.doing or f"working with {self.cli.title}",
        )
        self._began = None
        await self._note(turn.row())

    async def end(self, text: str) -> None:
        """A start is over."""
        self.last_words = cut(clean(text), LONGEST)
        if self._began is not None:
            await self.settle_turn(text=self.services.redact(self.last_words))
            self.news += await self.watch(self.talk.progress)
        elif self.own.outcome is not None and not self._ended:  # with no turn to write it into
            self._began = self.services.clock()
            await self.settle_turn()

    async def take_news(self) -> str:
        """What people said that it has not heard, which counts as told from here on."""
        if not self.news:
            return ""
        words = transcript.words(self.services.render, self.brief.task, wishes=self.news)
        self.news, heard = [], last_number(self.news)
        await self._tell(words, heard)
        return str(words[0]["content"])

    async def say(self, text: str) -> None:
        await self._tell([{"role": "user", "content": text}])

    def ended_in_silence(self) -> bool:
        """Said once a run: an empty answer is no sign that the work is done."""
        first, self._silent = not self._silent, self._silent or not self.last_words.strip()
        return first and self._silent

    def limit(self) -> GaveUp | None:
        most = self.services.limits.minion_turns
        if self.talk.turns >= most:
            return GaveUp(ending=Ending.TURNS, problem=f"It was not done after {self.talk.turns} turns.")
        return None

    @property
    def waits(self) -> bool:
        """For a person."""
        return isinstance(self.own.outcome, Asked | WantsScope)

    def give_sign(self) -> None:
        self._sign = time.monotonic()

    async def until_silent(self, seconds: float) -> None:
        """Returns when nothing was heard of it for long. A tool of ours that runs is no silence."""
        self.give_sign()
        while (left := self._sign + seconds - time.monotonic()) > 0:
            await asyncio.sleep(left)
            if self.own.busy:
                self.give_sign()

    async def _tell(self, messages: Sequence[transcript.Message], heard: int = 0) -> None:
        """Idempotent: skipped if it repeats the last row."""
        row = told_row(messages, heard)
        if self.talk.last != row:
            await self._note(row)

    async def _note(self, row: transcript.Row) -> None:
        await self.services.turns.add(self.key, self.talk.rows, row)
        self.talk.take(row)
