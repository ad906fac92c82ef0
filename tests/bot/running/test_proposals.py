"""What becomes of an approval: a thread and a task, once, also where a platform does not take it at first."""

from dataclasses import dataclass, field, replace

import pytest

from agents.domain.decisions.kind import Chosen
from agents.domain.decisions.kinds.learning.proposal import about, apply_proposal
from agents.domain.decisions.table import open_questions
from agents.domain.events import ApprovalOffered, ProposalApproved
from agents.domain.ids import Account, ProposalId, Thread
from agents.domain.learning import proposing
from agents.domain.learning.proposal import Listed
from agents.domain.task import decide
from agents.domain.task.facts import Request
from agents.domain.task.task import Task
from bot.intake.inbox import Inbox
from bot.messages import Later, Refused
from bot.platforms.console.platform import ConsolePlatform
from bot.running.new_threads import ApprovedProposals, Elsewhere, Threads
from store.chat.deliveries import DeliveryState
from store.codec import Cause
from store.database import Database
from store.transaction import Transaction
from tests.builders.proposals import proposal_of
from tests.store.room import ANA, EVE, LEAD, MORNING, Room, is_whole, office_of

HERE, ELSEWHERE = "slack:T1:C1", Elsewhere(open="console:general", alone="console:@operator")
APPROVE, REJECT = "a", "b"


class Doorkeeper(ConsolePlatform):
    """Begins threads as the console does, unless it is told what to raise instead."""

    def __init__(self, room: Room) -> None:
        super().__init__(room.database, room.clock)
        self.raises: Exception | None = None
        self.begun: list[str] = []

    async def begin(self, channel: str, key: str, words: str) -> Thread:
        if self.raises:
            raise self.raises
        self.begun.append(words)
        return await super().begin(channel, key, words)


@dataclass
class House:
    room: Room
    task: Task
    slack: Doorkeeper = field(init=False)
    approved: ApprovedProposals = field(init=False)

    def __post_init__(self) -> None:
        self.slack = Doorkeeper(self.room)
        self.approved = self.carrier()

    def carrier(self) -> ApprovedProposals:
        """As the program makes one when it starts."""
        platforms = {"slack": self.slack, "console": ConsolePlatform(self.room.database, self.room.clock)}
        services = self.room.office
        threads = Threads(services=services, inbox=Inbox(services), platforms=platforms, elsewhere=ELSEWHERE)
        return ApprovedProposals(threads)

    async def pressed(self, by: Account, letter: str) -> DeliveryState:
        [decision] = [d for d in (await self.now()).open if d.kind == "proposal"]
        return (await self.room.press(by, decision, letter)).state

    async def now(self) -> Task:
        return await self.room.database.read(lambda tx: tx.log.in_thread(self.task.id))

    async def settled(self) -> list[Task]:
        """What the tasks are once everything that came in is settled, the new ones first."""
        for received in await self.room.inbox.waiting():
            await self.room.inbox.settle(received)
        return await self.room.database.read(lambda tx: tx.log.tasks(ended=True, limit=10))

    async def listed(self) -> Listed:
        [only] = await self.room.database.read(lambda tx: tx.proposals.all(pending=False))
        return only


@pytest.fixture
async def house(database: Database) -> House:
    return await proposed(database)


async def proposed(database: Database, *, direct: bool = False) -> House:
    room = Room(office_of(database))

    def asked(tx: Transaction) -> Task:
        moment, thread = room.office.moment(HERE, "said:1"), Thread(f"{HERE}:1")
        ana = tx.people.of(ANA).id
        request = Request(text="add login", by=ana, thread=thread, channel=HERE, at=moment.at, direct=direct)
        facts = decide.open_task(tx.log.next_id(), request, moment)
        return tx.log.open(facts, Cause(actor=ANA, delivery="said:1"))

    task = await database.write(asked)

    def propose(tx: Transaction) -> None:
        moment = room.office.moment(HERE, "job:1")
        facts = open_questions(
            task, proposing.propose(task, proposal_of("There is no compiler", task.id), moment), moment
        )
        tx.log.append(task.id, facts, Cause(actor="overlord", delivery="job:1"))

    await database.write(propose)
    return House(room, task)


async def test_an_approval_is_carried_out_once_in_the_name_of_whoever_approved(house: House) -> None:
    assert await house.pressed(EVE, APPROVE) is DeliveryState.REFUSED
    await house.approved.begin_waiting()
    assert len(await house.settled()) == 1 and not house.slack.begun, "nothing before a person decides"

    assert await house.pressed(LEAD, APPROVE) is DeliveryState.HANDLED
    for carrier in (house.approved, house.approved, house.carrier()):
        await carrier.begin_waiting()
    new, old = await house.settled()
    await house.carrier().begin_waiting()
    assert len(house.slack.begun) == 1 and len(await house.settled()) == 2
    assert old.id in house.slack.begun[0] and "There is no compiler" in house.slack.begun[0]
    assert (new.request.channel, new.request.mandate and new.request.mandate.thread) == (HERE, old.request.thread)
    assert new.request.by == (await house.room.database.write(lambda tx: tx.people.of(LEAD).id))
    found = await house.listed()
    assert (found.proposal.status, found.account, found.carried_out_by) == ("approved", LEAD, new.id)
    assert await house.room.database.read(is_whole)


async def test_of_a_rejected_one_nothing_comes(house: House) -> None:
    await house.pressed(LEAD, REJECT)
    await house.approved.begin_waiting()
    assert len(await house.settled()) == 1 and not house.slack.begun


async def test_where_the_channel_refuses_it_is_heard_in_the_console(house: House) -> None:
    house.slack.raises = Refused("not_in_channel")
    await house.pressed(LEAD, APPROVE)
    await house.approved.begin_waiting()
    new, _ = await house.settled()
    assert new.request.channel == ELSEWHERE.open and new.request.thread.startswith(f"{ELSEWHERE.open}:")


async def test_what_was_said_to_the_bot_alone_is_carried_out_as_privately(database: Database) -> None:
    house = await proposed(database, direct=True)
    house.slack.raises = Refused("a direct channel has no threads")
    await house.pressed(LEAD, APPROVE)
    await house.approved.begin_waiting()
    new, _ = await house.settled()
    assert new.request.direct and new.request.channel == ELSEWHERE.alone


async def test_a_platform_that_is_busy_is_left_alone_for_a_while(house: House) -> None:
    house.slack.raises = Later(5)
    await house.pressed(LEAD, APPROVE)
    await house.approved.begin_waiting()
    house.slack.raises = None
    await house.approved.begin_waiting()
    assert len(await house.settled()) == 1
    house.room.clock.pass_(31)
    await house.approved.begin_waiting()
    assert len(await house.settled()) == 2


async def test_a_proposal_that_was_shown_otherwise_is_not_decided_on(house: House) -> None:
    """Attack 13: the fingerprint is of the whole proposal."""
    [decision] = [d for d in (await house.now()).open if d.kind == "proposal"]
    other = replace(proposal_of("There is no compiler", house.task.id), proposed_action="Delete the tests")
    shown = replace(decision, subject=about(other))
    pressed = house.room.pressed(LEAD, decision, APPROVE, shown=shown.fingerprint)
    assert (await house.room.hear(pressed)).state is DeliveryState.REFUSED
    assert (await house.listed()).proposal.status == "pending"


async def test_words_bring_the_button_of_a_proposal_and_decide_nothing(house: House) -> None:
    await house.room.database.write(lambda tx: tx.threads.start(house.task.request.thread, HERE, ANA, MORNING))
    await house.room.database.write(lambda tx: tx.threads.bind(house.task.request.thread, house.task.id))
    await house.room.say(LEAD, "approve", house.task.request.thread)
    [decision] = [d for d in (await house.now()).open if d.kind == "proposal"]
    facts = await house.room.database.read(lambda tx: tx.log.facts(house.task.id))
    offered = facts[-1].event
    assert isinstance(offered, ApprovalOffered) and offered.decision == decision.id
    assert (await house.listed()).proposal.status == "pending"


async def test_a_press_decides_on_the_proposal_that_it_was_shown_with(house: House) -> None:
    """Two wait at once; each button has the id and the hash of its own."""

    def propose(tx: Transaction) -> None:
        moment = house.room.office.moment(HERE, "job:2")
        made = proposing.propose(house.task, proposal_of("There is no linter", house.task.id), moment)
        facts = open_questions(house.task, made, moment)
        tx.log.append(house.task.id, facts, Cause(actor="overlord", delivery="job:2"))

    await house.room.database.write(propose)
    first, second = [d for d in (await house.now()).open if d.kind == "proposal"]
    crossed = house.room.pressed(LEAD, second, APPROVE, shown=first.fingerprint)
    assert (await house.room.hear(crossed)).state is DeliveryState.REFUSED
    assert await statuses(house) == {"There is no compiler": "pending", "There is no linter": "pending"}
    assert (await house.room.press(LEAD, second, APPROVE)).state is DeliveryState.HANDLED
    assert await statuses(house) == {"There is no compiler": "pending", "There is no linter": "approved"}
    assert (await house.room.press(LEAD, first, REJECT)).state is DeliveryState.HANDLED
    assert await statuses(house) == {"There is no compiler": "rejected", "There is no linter": "approved"}


async def statuses(house: House) -> dict[str, str]:
    every = await house.room.database.read(lambda tx: tx.proposals.all(pending=False))
    return {each.proposal.title: str(each.proposal.status) for each in every}


async def test_a_button_whose_proposal_has_changed_since_decides_nothing(house: House) -> None:
    task = await house.now()
    [decision] = [d for d in task.open if d.kind == "proposal"]
    [proposal] = task.proposals
    by = await house.room.database.write(lambda tx: tx.people.of(LEAD).id)
    chosen = Chosen(decision=decision, option=decision.option(APPROVE), by=(by,))
    moment, subject = house.room.office.moment(HERE, "press:1"), about(proposal)
    assert [type(fact) for fact in apply_proposal(task, subject, chosen, moment)] == [ProposalApproved]
    for other in (replace(proposal, proposed_action="Delete the tests"), replace(proposal, id=ProposalId("another"))):
        assert apply_proposal(replace(task, proposals=(other,)), subject, chosen, moment) == []
