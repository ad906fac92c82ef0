"""“Later” on a decision: out of one person's own list, back with the next reminder, and nothing else changes."""

from agents.domain.decisions.authority import Kind
from agents.domain.ids import Account
from tests.fakes.work import Workshop
from tests.scenarios.conftest import THREE, Opened, Play
from tests.scenarios.stage import OPERATOR
from tests.scenarios.working import given

STAGES = THREE
HOUR = 3600.0


async def listed(play: Play, account: Account) -> int:
    found = await play.program.queries.needs(account)
    assert len(found) == await play.program.queries.count_needs(account)
    return len(found)


async def test_a_decision_that_is_put_off_leaves_one_list_and_comes_back(opened: Opened) -> None:
    """Also when the program was gone meanwhile."""
    play = await opened(given(Workshop()))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    card = await play.sees("lead", thread, "please look at the plan")
    assert card.later
    lead = play.stage.account("lead")
    before = (await play.task()).of_kind(Kind.PLAN)
    await play.stage.press("lead", thread, "Later")
    await play.whispered("lead", thread, "the plan is out of your list for now", "its timer runs on")
    assert (await listed(play, lead), await listed(play, OPERATOR)) == (0, 1)
    assert (await play.task()).of_kind(Kind.PLAN) == before, "no timer stopped, nothing was decided"
    await play.sees("ana", thread, "please look at the plan", offers="Approve plan")

    await play.stage.press("mallory", thread, "Later")
    await play.whispered("mallory", thread, "This is not yours to decide")

    await play.host.restart()
    assert await listed(play, lead) == 0, "it is remembered"
    await play.host.restart(later=5 * HOUR)
    await play.happened("DecisionReminded")
    assert await listed(play, lead) == 1, "with the reminder it is back"
    await play.stage.press("lead", thread, "Approve plan")
    await play.happened("PlanAccepted")
