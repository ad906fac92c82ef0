"""A blocker, or a failure that repeats, becomes a proposal in the thread; a person rejects it, or approves it and it
becomes a task of its own."""

from agents.domain.learning.proposal import Listed
from agents.domain.task.task import Task, TaskState
from agents.domain.work.work import Ending
from agents.ports import GaveUp
from store.streams import audit
from tests.fakes.work import ScriptedGates, ScriptedMinions, Workshop, failing, says
from tests.scenarios.conftest import THREE, Opened, Play
from tests.scenarios.stage import OPERATOR, until
from tests.scenarios.working import APPROVED, THREE_SUBTASKS, at_work, given

STAGES = THREE
BLOCKER = "The sandbox has no compiler"
BUTTONS = {"Approve proposal", "Reject proposal", "Reject, and say why", "Discuss"}


def blocked() -> Workshop:
    return Workshop(minions=ScriptedMinions(scripts={1: [says(GaveUp(ending=Ending.BLOCKED, problem=BLOCKER))]}))


async def listed(play: Play) -> Listed:
    [only] = await play.program.services.database.read(lambda tx: tx.proposals.all(pending=False))
    return only


async def task_number(play: Play, number: int) -> Task:
    async def look() -> Task | None:
        return next((t for t in await play.program.queries.tasks(OPERATOR, ended=True) if t.id == f"T-{number}"), None)

    return await until(look, f"T-{number}")


async def proposed(opened: Opened) -> tuple[Play, str]:
    play, thread = await at_work(opened, given(blocked(), decompose=THREE_SUBTASKS))
    await play.sees("ana", thread, "T-1.1 (Write the form) needs you", BLOCKER)
    card = await play.sees("ana", thread, "T-1 gave rise to a proposal", "Remove what blocked “Write the form”")
    assert set(card.buttons) == BUTTONS
    for words in ("a minion reported", BLOCKER, "Estimated impact", "high", "Risk", "medium", "an approver"):
        assert words in card.text
    await play.stage.press("mallory", thread, "Approve proposal")
    assert (await play.sees("mallory", thread, "This is not yours to decide", "an approver")).private
    return play, thread


async def test_a_proposal_is_rejected_with_a_reason_that_is_kept(opened: Opened) -> None:
    play, thread = await proposed(opened)
    await play.stage.press("lead", thread, "Reject, and say why", words="we never compile")
    await play.sees(
        "ana", thread, "gave rise to a proposal", "we never compile", "Proposal rejected by", gone="Approve proposal"
    )
    found = await listed(play)
    assert found.proposal.status == "rejected" and found.reason == "we never compile"
    await play.silence("ana", thread)
    assert len(await play.program.queries.tasks(OPERATOR, ended=True)) == 1, "nothing came of it"


async def test_an_approved_proposal_becomes_a_task_of_its_own_and_is_implemented_with_it(opened: Opened) -> None:
    """Its first task has ended meanwhile, and the bot was restarted."""
    play, thread = await proposed(opened)
    await play.stage.press("ana", thread, "Cancel task", words="not now")
    await play.sees("ana", thread, "Cancelled: not now")
    await play.host.restart()
    await play.stage.press("lead", thread, "Approve proposal")
    await play.sees("ana", thread, "gave rise to a proposal", "Proposal approved by", gone="Approve proposal")
    await play.sees("ana", thread, "T-2 carries out the proposal", "Remove what blocked")

    task = await task_number(play, 2)
    assert task.request.thread != thread and task.request.thread.startswith(f"{play.stage.channel}:")
    first = (await play.stage.shown("lead", task.request.thread))[0]
    assert "Write the form" in first.text
    owner = await play.program.queries.names([task.request.by])
    assert BLOCKER in task.request.text and task.request.mandate and "lead" in owner[task.request.by].casefold()
    assert (await listed(play)).carried_out_by == "T-2"
    await play.sees("lead", task.request.thread, "please look at the plan")
    assert (await task_number(play, 2)).project == (await task_number(play, 1)).project

    await play.stage.press("lead", task.request.thread, "Approve plan")
    await play.sees("lead", task.request.thread, "T-2 is ready to merge")
    assert (await listed(play)).proposal.status == "approved"
    await play.stage.press("lead", task.request.thread, "Merge it")
    await play.sees("lead", task.request.thread, "T-2 is merged")
    await play.sees("ana", thread, "T-2 is merged, so it is implemented")
    assert (await listed(play)).proposal.status == "implemented"
    assert (await task_number(play, 1)).state is TaskState.CANCELLED
    assert await play.program.services.database.read(lambda tx: audit.examine(tx.db).apart) == ()


async def merged(play: Play, number: int) -> str:
    thread = await play.stage.say("ana", f"add login page number {number}", mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("ana", thread, f"T-{number} is ready to merge")
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, f"T-{number} is merged")
    return thread


async def test_what_two_tasks_failed_on_alike_is_one_proposal_and_once_rejected_never_comes_back(
    opened: Opened,
) -> None:
    gates = ScriptedGates(says={f"T-{number}.1-1": (failing(),) for number in (1, 2, 3)})
    play = await opened(given(Workshop(gates=gates)))
    await merged(play, 1)
    assert await play.program.services.database.read(lambda tx: tx.proposals.all(pending=False)) == []
    thread = await merged(play, 2)
    card = await play.sees("ana", thread, "T-2 gave rise to a proposal", "Remove what 2 tasks failed on")
    for words in ("test_login", "T-1 met it", "T-2 met it", "an approver"):
        assert words in card.text, card.text
    await play.stage.press("lead", thread, "Reject, and say why", words="it is how we work")
    await play.sees("ana", thread, "gave rise to a proposal", "it is how we work", gone="Approve proposal")
    await merged(play, 3)
    found = await listed(play)
    assert (found.proposal.status, found.proposal.related_tasks) == ("rejected", ("T-1", "T-2"))
    assert await play.program.services.database.read(lambda tx: audit.examine(tx.db).apart) == ()


FLAGS = [
    {"kind": "new_skill", "what": "Handlers have no `error_format` convention", "action": "Write down how errors look"},
    {"kind": "config_change", "what": "`COVERAGE_MIN` is set nowhere", "action": "Set it in the settings"},
]


async def test_what_a_reviewer_flags_is_one_message_with_buttons_for_each_and_can_be_talked_about(
    opened: Opened,
) -> None:
    play = await opened(given(Workshop(), code_review={**APPROVED, "systemic": FLAGS}))
    thread = await merged(play, 1)
    card = await play.sees("ana", thread, "T-1 gave rise to 2 proposals", "error_format", "COVERAGE_MIN")
    assert "a new skill" in card.text and "a change of settings" in card.text, "the kind is the reviewer's choice"
    assert {"1: Approve proposal", "1: Discuss", "2: Approve proposal", "2: Reject, and say why"} <= set(card.buttons)
    await play.stage.press("mallory", thread, "1: Approve proposal")
    assert (await play.sees("mallory", thread, "This is not yours to decide")).private
    await play.stage.press("lead", thread, "2: Reject, and say why", words="it is set elsewhere")
    await play.sees("ana", thread, "COVERAGE_MIN", "Proposal rejected by", "it is set elsewhere", gone="2: Discuss")

    await play.stage.press("ana", thread, "1: Discuss")
    talk = await task_number(play, 2)
    assert talk.request.thread != thread and "error_format" in talk.request.text
    first = (await play.stage.shown("ana", talk.request.thread))[0]
    assert "Fix project-wide: Handlers have no" in first.text
    assert (await until(lambda: _asked(play, 2), "a question")).is_question
    await play.sees("ana", thread, "T-1 gave rise to a proposal", "error_format", offers="Approve proposal")
    statuses = [each.proposal.status for each in await play.program.queries.proposals(OPERATOR, pending=False)]
    assert sorted(statuses) == ["pending", "rejected"]
    await merged(play, 3)
    assert len(await play.program.queries.proposals(OPERATOR, pending=False)) == 2, "neither is proposed again"


async def _asked(play: Play, number: int) -> Task | None:
    found = await task_number(play, number)
    return found if found.is_question else None
