"""Answers about code that nobody has to read."""

import asyncio
from dataclasses import dataclass, field

from agents.ports import AskBrief, Found, GoesOn, Show, show_nothing


@dataclass
class ScriptedReader:
    """Answers questions about the code, one after the other; the last answer again and again."""

    answers: list[Found] = field(default_factory=lambda: [Found(answer="Look into src/app.py.", turns=1)])
    asked: list[AskBrief] = field(default_factory=list)
    until: asyncio.Event | None = None  # not before this

    async def answer(self, brief: AskBrief, goes_on: GoesOn, show: Show = show_nothing) -> Found | None:
        self.asked.append(brief)
        if self.until:
            await self.until.wait()
        if not await goes_on():
            return None
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
