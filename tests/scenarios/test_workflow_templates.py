"""Each workflow that comes with the program, walked to a merge; and a refusal with a second attempt at each step."""

from collections import Counter

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
from tests.scenarios.working import APPROVED, THREE_SUBTASKS, at_work, given

STAGES = BY_TURNS
DISSENT: Says = {"status": "changes_requested", "issues": ["It has no label"]}
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


@on("console")
@pytest.mark.parametrize("template", STEPS)
async def test_a_template_is_walked_to_its_merge(opened: Opened, template: str) -> None:
    await walk(opened, template)


@on(*THREE[1:])
async def test_the_one_with_the_most_steps_is_walked_on_other_platforms(opened: Opened) -> None:
    await walk(opened, "open_source")


async def walk(opened: Opened, template: str) -> None:
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


def refusals(template: str) -> list[tuple[str, int, int]]:
    """Each step of it once, with the subtask and attempt that it refuses: two of each subtask, for so many it may."""
    whole = [(step, 4, 1) for step in STEPS[template] if step in OF_THE_WHOLE]
    others = [step for step in STEPS[template] if step not in OF_THE_WHOLE]
    return [*((step, at // 2 + 1, at % 2 + 1) for at, step in enumerate(others)), *whole]


@pytest.mark.parametrize("template", STEPS)
async def test_what_each_step_refuses_is_done_again_and_merged(opened: Opened, template: str) -> None:
    work, wanted = Workshop(), refusals(template)
    reviews = {f"code_review:critic:{subtask}:{attempt}" for step, subtask, attempt in wanted if "review" in step}
    for step, subtask, attempt in wanted:
        check = CHECK.get(f"{template} {step}", CHECK.get(step, step))
        work.gates.checks[check, f"T-1.{subtask}-{attempt}"] = (failing(step),)

    async def read(asked: Ask) -> Says:
        return DISSENT if asked.step in reviews else APPROVED

    scene = given(work, under(template), decompose=THREE_SUBTASKS, code_review=read)
    play, thread = await at_work(opened, scene)
    await merge(play, thread, template)
    refused = [fact.event for fact in await play.log() if isinstance(fact.event, StepRefused)]
    assert sorted((each.step, each.subtask, each.attempt) for each in refused) == sorted(wanted)
    assert {each.score for each in refused} == {Score.NEEDS_REVISION}
    tries = Counter(subtask for _, subtask, _ in wanted)
    works = (await play.task()).work.subtasks
    assert [(each.state, each.attempt) for each in works] == [(SubtaskState.DONE, 1 + tries[n]) for n in (1, 2, 3, 4)]
    assert len(work.minions.briefs) == 3 + len(wanted), "the first attempt at the whole has no minion"


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
