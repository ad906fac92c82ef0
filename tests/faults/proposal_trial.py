"""A blocker becomes a proposal, a person approves it, and a task comes of it, while the bot is killed."""

from functools import partial

from agents.domain.work.work import Ending
from agents.ports import GaveUp
from tests.fakes.work import ScriptedMinions, Workshop, says
from tests.faults.one_kill import Trial, end, home_of, visiting
from tests.faults.outside import Glimpse
from tests.faults.visit import Visit
from tests.scenarios.working import given

REQUEST = "add a login page"
PROPOSED = "T-1 gave rise to a proposal: Remove what blocked “Write the form”"
ONCE = ("MinionFailed", "ProposalMade", "ProposalApproved")


def propose_it(kill_at: int) -> Trial:
    """The bot dies at that step of its loop and is started again; 0: it lives."""
    trial = Trial(kill_at)
    blocked = says(GaveUp(ending=Ending.BLOCKED, problem="There is no compiler"))
    scene = given(Workshop(minions=ScriptedMinions(scripts={1: [blocked]})))
    with home_of(trial, "proposal") as home, visiting(trial, home, scene.swap) as visit:
        _walk(visit, trial)
    return trial


def _walk(visit: Visit, trial: Trial) -> None:
    thread = visit.person.say(f"@overlord {REQUEST}")
    visit.press("Approve", visit.waited_for(thread, "please look at the plan"), thread)
    visit.press("Approve proposal", visit.waited_for(thread, PROPOSED), thread)
    visit.until(lambda glimpse: glimpse.facts.count("DecompositionApproved") == 2, "the proposal's own task is planned")
    end(visit, trial, _wrong_facts, partial(_wrong_cards, thread=thread))


def _wrong_facts(glimpse: Glimpse) -> list[str]:
    """The failure and the proposal are there together, on the streams of the task and of its project."""
    found = {row.kind: row for row in glimpse.rows("events") if row.kind in ONCE}
    if any(glimpse.facts.count(kind) != 1 for kind in ONCE) or glimpse.facts.count("TaskRequested") != 2:
        return [f"the facts are {glimpse.facts}"]
    failed, made = found["MinionFailed"], found["ProposalMade"]
    wrongs = [] if failed.delivery == made.delivery else ["two transactions recorded the failure and the proposal"]
    if failed.stream != "T-1" or not made.stream.startswith("P-"):
        wrongs.append(f"they are on {failed.stream} and {made.stream}")
    [row] = glimpse.rows("proposals")
    became = (row.status, row.carried_out_by, row.stream)
    return wrongs if became == ("approved", "T-2", made.stream) else [*wrongs, f"the proposal is {became}"]


def _wrong_cards(glimpse: Glimpse, thread: str) -> list[str]:
    titles = [each.title for each in glimpse.thread(thread)]
    shown = sum("gave rise to a proposal" in title for title in titles)
    return [] if shown == 1 and any("T-2 carries out" in title for title in titles) else [f"the cards are {titles}"]


def told(trial: Trial) -> str:
    return "\n  ".join([f"killed at step {trial.kill_at}", *trial.wrongs])
