"""Each workflow that comes with the program, walked to a merge; and a refusal with a second attempt at each step."""

from typing import Any

import pytest

from agents.domain.checks.evaluation import Score
from agents.domain.decisions.authority import Kind
from agents.domain.events import DecisionOpened, OutsideReviewEnded, StepPassed, StepRefused
from agents.domain.work.work import SubtaskState
from agents.ports import Ask
from tests.fakes.work import Workshop, failing
from tests.scenarios.conftest import BY_TURNS, THREE, Opened, Play, on
from tests.scenarios.plans import Says
from tests.scenarios.stage import OPERATOR, until
from tests.scenarios.working import APPROVED, at_work, given

STAGES = BY_TURNS
DISSENT: Says = {"probe": "rejected", "status": "changes_requested", "issues": ["It has no label"]}
STEPS = {
    "default": ["rules", "test", "review", "ci"],
    "mvp": ["rules", "test", "quick_review", "pre_commit_lint", "pre_commit_type_check"],
    "open_source": [
        *("rules", "test", "review", "docs_check", "pre_commit_lint", "pre_commit_type_check", "changelog"),
    ],
}
CHECK = {  # what the fake gates are asked for at a step
    "default test": "project",
    "mvp test": "tests",
    "open_source test": "project",
    "docs_check": "docs",
    "pre_commit_lint": "lint",
    "pre_commit_type_check": "type_check",
}
OF_THE_WHOLE = ("ci", "changelog")


def under(template: str) -> str:
    return f"workflow: {{{{template: {template}}}}}\n"


def once(says: Says) -> Any:
    """The first review says this, all later ones approve."""
    left = [says]

    async def answer(asked: Ask) -> Says:
        return left.pop() if left else APPROVED

    return answer


async def merge(play: Play, thread: str, template: str) -> None:
    if template == "open_source":
        card = await play.sees("ana", thread, "T-1 waits for the review by people outside", offers="Review is over")
        assert "Merge it" not in card.buttons, "the merge is asked for when they are done"
        page = await play.program.queries.page((await play.task()).id, OPERATOR)
        assert page and page.needs, "it is on the task's page, too"
        await play.stage.press("ana", thread, "Review is over")
    await play.sees("lead", thread, "T-1 is ready to merge")
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")


async def steps_passed(play: Play) -> list[str]:
    return [fact.event.step for fact in await play.log() if isinstance(fact.event, StepPassed)]


@on(*THREE)
@pytest.mark.parametrize("template", STEPS)
async def test_a_template_is_walked_to_its_merge(opened: Opened, template: str) -> None:
    play, thread = await at_work(opened, given(Workshop(), under(template)))
    await merge(play, thread, template)
    task = await play.task()
    assert task.plan.workflow and task.plan.workflow.name == template
    passed = await steps_passed(play)
    assert [step for step in STEPS[template] if step not in passed] == [], "every step was done"
    timeline = [entry.words for entry in (await play.program.queries.page(task.id, OPERATOR)).timeline]  # type: ignore[union-attr]
    not_run = [words for words in timeline if "not run, the project has no such check" in words]
    assert bool(not_run) and not any(words.endswith(("ci passed", "docs_check passed")) for words in timeline)
    ended = [fact for fact in await play.log() if isinstance(fact.event, OutsideReviewEnded)]
    assert len(ended) == (template == "open_source")


@pytest.mark.parametrize(("template", "step"), [(name, step) for name, steps in STEPS.items() for step in steps])
async def test_what_a_step_refuses_is_done_again_and_merged(opened: Opened, template: str, step: str) -> None:
    work, answers = Workshop(), dict[str, Any]()
    subtask = 2 if step in OF_THE_WHOLE else 1
    if "review" in step:
        answers["code_review"] = once(DISSENT)
    else:
        check = CHECK.get(f"{template} {step}", CHECK.get(step, step))
        work.gates.checks = {(check, f"T-1.{subtask}-1"): (failing(step),)}
    play, thread = await at_work(opened, given(work, under(template), **answers))
    await merge(play, thread, template)
    refused = [fact.event for fact in await play.log() if isinstance(fact.event, StepRefused)]
    assert [(each.step, each.subtask, each.attempt, each.score) for each in refused] == [
        (step, subtask, 1, Score.NEEDS_REVISION)
    ]
    done = (await play.task()).work.on(subtask)
    assert (done.state, done.attempt) == (SubtaskState.DONE, 2)
    assert len(work.minions.briefs) == 2, "the first attempt at the whole has no minion"


async def test_nothing_is_pushed_before_the_rules_passed_on_that_commit(opened: Opened) -> None:
    work = Workshop()
    play, thread = await at_work(opened, given(work, under("open_source")))
    await merge(play, thread, "open_source")
    passed = [fact.event for fact in await play.log() if isinstance(fact.event, StepPassed)]
    (pull,) = work.forge.asked
    assert pull.head in [each.commit for each in passed if each.step == "rules"]
    assert "changelog" in [each.step for each in passed]


async def test_changes_asked_for_while_others_review_start_another_round(opened: Opened) -> None:
    play, thread = await at_work(opened, given(Workshop(), under("open_source")))
    await play.sees("ana", thread, "T-1 waits for the review by people outside", offers="Review is over")
    await play.stage.press("ana", thread, "Request changes", words="They want shorter names")

    async def asked_again() -> bool:
        facts = [fact.event for fact in await play.log()]
        opened = [each for each in facts if isinstance(each, DecisionOpened)]
        return [each.decision.kind for each in opened].count(Kind.OUTSIDE_REVIEW) == 2

    await until(asked_again)
    await play.sees("ana", thread, "Changes requested by", "They want shorter names", gone="Review is over")
    await merge(play, thread, "open_source")
    task = await play.task()
    assert task.work.on(2).attempt == 2
