"""Supervisors ask for something critical and for cleanups, a person has both done, and the bot is killed on the way."""

from collections import Counter

from tests.builders.supervision import STYLE_SAYS
from tests.fakes.llm import ScriptedLlm
from tests.faults.one_kill import CONFIG, Trial, end, home_of, visiting
from tests.faults.outside import Glimpse
from tests.faults.proposal_trial import REQUEST
from tests.faults.visit import Visit
from tests.scenarios.test_supervisors import CRITICAL, PHASES, supervised

ASKS = "a supervisor asks for a correction, and no new subtask starts until you decide"
ONCE = ("PolishingBegun", "PolishingEnded", "DirectivesSettled", "PullOpened")


def supervise_it(kill_at: int) -> Trial:
    """The bot dies at that step of its loop and is started again; 0: it lives."""
    trial = Trial(kill_at)
    scene = supervised(PHASES, code_style=STYLE_SAYS)
    assert isinstance(scene.llm, ScriptedLlm)
    scene.llm.always(design=CRITICAL)
    config = f"{CONFIG}supervisors: {{enabled: true}}\n"
    with home_of(trial, "supervised") as home, visiting(trial, home, scene.swap, config) as visit:
        _walk(visit, trial)
    return trial


def _walk(visit: Visit, trial: Trial) -> None:
    thread = visit.person.say(f"@overlord {REQUEST}")
    visit.press("Approve", visit.waited_for(thread, "please look at the plan"), thread)
    visit.press("Add to this task", visit.waited_for(thread, ASKS), thread)
    visit.press("Clean up now", visit.waited_for(thread, "clean up before it is checked as a whole?"), thread)
    visit.waited_for(thread, "is ready to merge")
    end(visit, trial, _wrong_facts)


def _wrong_facts(glimpse: Glimpse) -> list[str]:
    """Nothing is called, found, asked for or begun twice."""
    seen = Counter(glimpse.facts)
    wrongs = [f"{kind} is there {seen[kind]} times" for kind in ONCE if seen[kind] != 1]
    if not seen["SupervisorsCalled"] == seen["SupervisorsAwaited"] == seen["SupervisorsReported"]:
        wrongs.append(f"calls and reports differ: {dict(seen)}")
    ready = Counter(row.body for row in glimpse.rows("events") if row.kind == "WorkCounted")
    if any(count > 1 for count in ready.values()):
        wrongs.append("a subtask was counted twice")
    return wrongs if seen["DirectiveEnded"] == 3 else [*wrongs, f"{seen['DirectiveEnded']} directives have ended"]
