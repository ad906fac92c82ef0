"""A skill is drafted, edited, approved, written and merged while the bot is killed."""

import json
from functools import partial

from tests.fakes.work import Workshop
from tests.faults.one_kill import Trial, end, home_of, visiting
from tests.faults.outside import Glimpse, Shown
from tests.faults.visit import Visit
from tests.scenarios.test_skills import DRAFT
from tests.scenarios.working import given

ONCE = ("SkillWanted", "SkillEdited", "SkillApproved", "PlanAccepted", "MergeApproved", "Merged")


def draft_it(kill_at: int) -> Trial:
    """The bot dies at that step of its loop and is started again; 0: it lives."""
    trial = Trial(kill_at)
    scene = given(Workshop(), draft_skill=DRAFT)
    with home_of(trial, "skill") as home, visiting(trial, home, scene.swap) as visit:
        _walk(visit, trial)
    return trial


def _walk(visit: Visit, trial: Trial) -> None:
    thread = visit.person.say("@overlord draft a skill for adding endpoints")
    asked = visit.waited_for(thread, "T-1: please look at a skill “add-endpoint”")
    assert asked.card
    edit = next(button for button in asked.card.buttons if button.label == "Edit skill")
    visit.person.press(edit, asked, thread, words=json.dumps({"keywords": "handler"}))
    visit.press(
        "Approve skill", visit.waited_for(thread, "T-1: please look at a skill “add-endpoint”, draft 2"), thread
    )
    while "review step" in (card := _next_card(visit, thread)).title:
        visit.press("Continue", card, thread)
        visit.until(partial(_is_answered, thread, card.title), f"an answer to “{card.title}”")
    visit.press("Merge it", card, thread)
    visit.until(lambda glimpse: "Merged" in glimpse.facts, "the skill is merged")
    end(visit, trial, _wrong_facts)


def _with_buttons(glimpse: Glimpse, thread: str, *titles: str) -> list[Shown]:
    asking = [each for each in glimpse.thread(thread) if each.card and each.card.buttons]
    return [each for each in asking if any(title in each.title for title in titles)]


def _is_answered(thread: str, title: str, glimpse: Glimpse) -> bool:
    return not _with_buttons(glimpse, thread, title)


def _next_card(visit: Visit, thread: str) -> Shown:
    """The step, or the merge. Checkouts that are played forget what was judged when the bot dies, so the whole may be
    asked about, too."""
    titles = ("T-1: review step", "T-1 is ready to merge")
    visit.until(lambda glimpse: bool(_with_buttons(glimpse, thread, *titles)), "a step or the merge")
    return next(s for s in visit.thread(thread) if s.card and s.card.buttons and any(t in s.title for t in titles))


def _wrong_facts(glimpse: Glimpse) -> list[str]:
    if any(glimpse.facts.count(kind) != 1 for kind in ONCE) or glimpse.facts.count("SkillDrafted") != 2:
        return [f"the facts are {glimpse.facts}"]
    [row] = glimpse.rows("skills")
    became = (row.state, row.draft, bool(row.decision), bool(row.merge))
    return [] if became == ("merged", 2, True, True) else [f"the skill is {became}"]


def told(trial: Trial) -> str:
    return "\n  ".join([f"killed at step {trial.kill_at}", *trial.wrongs])
