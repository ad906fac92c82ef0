"""The bot is killed at steps spread over a planning: one plan, one approval, no finished step paid twice (P5, P24)."""

import random
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.faults.console_trial import free_port, the_bot
from tests.faults.killing import Mortal, living, side_by_side
from tests.faults.outside import Glimpse
from tests.faults.visit import Visit

REQUEST = "Let people choose their own short code"  # its reviewers disagree, argue, and agree
ONCE = ("TaskRequested", "ProjectChosen", "DecompositionDrafted", "ReviewersDisagreed", "DecompositionApproved")
STEPS = {"decompose": 1, "critic": 1, "custodiet": 1, "debate": 2}  # and as many specialists as its tags call
IN_FLIGHT = 4  # two reviewers and two specialists are asked side by side; a kill repeats at most these
TRIALS, AT_LEAST = 38, 30  # trials, and how many of them must really die
CONFIG = "limits: {reminder: 600000, quota_per_person: 10000, quota_per_channel: 10000}\n"


@dataclass
class Trial:
    kill_at: int
    steps: int = 0
    died: int = 0
    repeated: int = 0  # calls that were made again
    wrongs: list[str] = field(default_factory=list)


def plan_it(kill_at: int) -> Trial:
    """Ask, wait for the plan, approve it; the bot dies at that step and is started again."""
    trial, home = Trial(kill_at), Path(tempfile.mkdtemp(prefix="overlord-kill-planning-"))
    (home / "overlord.yaml").write_text(CONFIG)
    mortal = Mortal(the_bot(home, free_port()), home / "bot.log", [kill_at] if kill_at else [])
    try:
        with living(mortal):
            visit = Visit(home, mortal)
            thread = visit.person.say(f"@overlord {REQUEST}")
            card = visit.waited_for(thread, "please look at the plan")
            visit.press("Approve", card, thread)
            visit.until(lambda glimpse: "PlanAccepted" in glimpse.facts, "the plan is accepted")
            visit.until_idle()
            trial.steps, trial.died = mortal.steps.made, mortal.died
            with visit.outside.look() as glimpse:
                trial.wrongs += [
                    *visit.stalled,
                    *glimpse.wrongs(),
                    *_wrong_facts(glimpse),
                    *_wrong_calls(glimpse, trial),
                ]
            visit.person.close()
    except AssertionError as problem:
        trial.wrongs.append(str(problem))
    if trial.wrongs:
        trial.wrongs.append(f"what it left behind: {home}")
    else:
        shutil.rmtree(home)
    return trial


def _wrong_facts(glimpse: Glimpse) -> list[str]:
    wanted = {kind: 1 for kind in (*ONCE, "PlanAccepted")}
    found = {kind: glimpse.facts.count(kind) for kind in wanted}
    wrongs = [] if found == wanted else [f"the facts are {glimpse.facts}"]
    decided = [row for row in glimpse.rows("decisions") if row.kind == "plan"]
    if [row.state for row in decided] != ["decided"]:
        wrongs.append(f"the plan's decisions are {[row.state for row in decided]}")
    return wrongs


def _wrong_calls(glimpse: Glimpse, trial: Trial) -> list[str]:
    """Each step is in the book once and finished; only what was in flight at a kill was asked again."""
    calls = glimpse.rows("calls")
    trial.repeated = sum(row.attempts - 1 for row in calls)
    asked = {question: sum(row.question == question for row in calls) for question in STEPS}
    wrongs = [] if asked == STEPS else [f"the steps are {asked}"]
    wrongs += [f"{row.question} is {row.state}" for row in calls if row.state != "done"]
    if trial.repeated > IN_FLIGHT * trial.died:
        wrongs.append(f"asked too often: {[(row.question, row.attempts) for row in calls]}")
    return wrongs


def told(trial: Trial) -> str:
    return "\n  ".join([f"killed at step {trial.kill_at}", *trial.wrongs])


@pytest.mark.timeout(400)
def test_whenever_the_bot_is_killed_there_is_one_plan_one_approval_and_no_step_is_paid_twice() -> None:
    calm = min((plan_it(0), plan_it(0)), key=lambda trial: trial.steps)  # a busy machine makes more steps
    assert not calm.wrongs, told(calm)
    assert calm.repeated == 0 and calm.steps > 100
    seed = random.SystemRandom().randrange(10**6)
    chance = random.Random(seed)
    spread = [1 + round(at * (calm.steps - 1) / (TRIALS // 2 - 1)) for at in range(TRIALS // 2)]
    at = [*spread, *(chance.randint(1, calm.steps) for _ in range(TRIALS - len(spread)))]
    done = list(side_by_side(plan_it, at, at_once=2))
    wrong = [trial for trial in done if trial.wrongs]
    assert not wrong, f"seed {seed}, {calm.steps} steps\n" + "\n".join(map(told, wrong))
    assert sum(trial.died for trial in done) >= AT_LEAST, "most trials should reach the step they die at"
