"""An accepted plan that is worked off, flow by flow: minions, gates and the forge are played at their ports."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.decisions import answering, pressing
from agents.domain.decisions.answering import Utterance
from agents.domain.decisions.authority import Group, Kind, Presser
from agents.domain.decisions.pressing import Press
from agents.domain.ids import PersonId
from agents.domain.work.work import SubtaskState
from agents.ports import Brief
from bot.services import Services
from store.chat.deliveries import Received
from store.codec import Cause
from store.transaction import Transaction
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import Workshop
from tests.flows.world import ANA, CHANNEL, Planning, planning
from tests.scenarios.plans import GO, OK, Says, subtask

LEAD = Presser(person=PersonId("lead"), groups=frozenset(Group))
PLAN: Says = {
    "status": "COMPLETE",
    "goal": "Logging in works",
    "subtasks": [
        subtask("Write the form", files=["form.py"]),
        subtask("Check the password", files=["password.py"]),
        subtask("Put both together", 1, 2, files=["app.py"]),
    ],
}
APPROVED: Says = {"status": "approved"}


class Work(Planning):
    """A plan of three subtasks, two side by side, that is accepted and worked off."""

    async def accepted(self) -> None:
        await self.run_next("intake", "decompose", "review")
        await self.press(Kind.PLAN, "approve")

    async def press(self, kind: Kind, value: str, words: str = "", by: Presser = LEAD) -> None:
        def transaction(tx: Transaction) -> None:
            task = tx.log.in_thread(self.task)
            decision = next(d for d in task.open if d.kind is kind)
            option = next(o for o in decision.options if value in (o.value, o.label))
            key = note_delivery(tx, f"press:{decision.id}:{by.person}", self.office)
            pressed = Press(decision=decision.id, letter=option.letter, words=words)
            moment = self.office.moment(task.request.channel, key)
            now = replace(moment, project=lambda: tx.log.project_of(task))
            facts = pressing.press(task, pressed, by, now)
            tx.log.append(task.id, facts, Cause(actor="console:lead", delivery=key))

        await self.office.database.write(transaction)

    async def say(self, text: str, by: Presser = ANA, *, mentioned: bool = False) -> None:
        def transaction(tx: Transaction) -> None:
            task = tx.log.task(self.task)
            moment = self.office.moment(task.request.channel, note_delivery(tx, text, self.office))
            facts = answering.reply(task, Utterance(text=text, mentioned=mentioned), by, moment)
            tx.log.append(task.id, facts, Cause(actor="console:ana", delivery=text))

        await self.office.database.write(transaction)

    async def time_passes(self) -> list[Kind]:
        """All that has a clock comes to its end; what that was."""

        def transaction(tx: Transaction) -> list[Kind]:
            task = tx.log.task(self.task)
            ended = []
            for decision, due in ((each, each.due) for each in task.open if each.due):
                moment = replace(self.office.moment(task.request.channel, f"timer:{decision.id}"), at=due)
                facts = pressing.when_due(tx.log.task(self.task), decision.id, moment)
                tx.log.append(task.id, facts, Cause(actor="overlord", delivery=moment.cause))
                ended.append(decision.kind)
            return ended

        return await self.office.database.write(transaction)

    async def stop(self) -> None:
        def transaction(tx: Transaction) -> None:
            task = tx.log.task(self.task)
            facts = pressing.stop(task, ANA, "", self.office.moment(task.request.channel, "stop"))
            tx.log.append(task.id, facts, Cause(actor="console:ana", delivery="stop"))

        await self.office.database.write(transaction)

    async def settle(self) -> list[str]:
        """Run jobs until none is left; which they were."""
        ran = []
        while job := await self.any_job():
            ran.append(job.flow)
            await self.run(job)
        return ran

    def told(self, number: int) -> Brief:
        """What the last run on a subtask was told."""
        return [brief for brief in self.workshop.minions.briefs if brief.subtask.number == number][-1]

    async def states(self) -> list[SubtaskState]:
        return [work.state for work in (await self.now()).work.subtasks]


@pytest.fixture
async def work(tmp_path: Path) -> AsyncIterator[Work]:
    llm = ScriptedLlm(always={"decompose": PLAN, "critic": GO, "custodiet": OK, "code_review": APPROVED})
    async with planning(tmp_path, lambda office: lambda job: llm) as plan:
        yield Work(plan.office, plan.llm, plan.task, workshop=Workshop())


def note_delivery(tx: Transaction, key: str, office: Services) -> str:
    """Every decision refers to a delivery that was received."""
    at = office.clock.now()
    received = Received(key=key, kind="Said", body="{}", account="console:ana", channel=CHANNEL, thread="t", at=at)
    tx.deliveries.keep(received)
    return key
