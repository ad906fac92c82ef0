"""A subtask whose files nobody knows: what it may write is asked before it starts, and each answer is gone through."""

import pytest

from agents.domain.checks.scope import ScopeMode
from agents.domain.task.task import TaskState
from tests.fakes.work import Workshop
from tests.scenarios.conftest import ALL, Opened, Play
from tests.scenarios.plans import Says, subtask
from tests.scenarios.working import FORM, at_work, given

STAGES = ALL
UNKNOWN: Says = {
    "status": "COMPLETE",
    "goal": "Logging in works",
    "subtasks": [{**FORM, "files": ["shortlinks/form.py"]}, subtask("Tidy up what is left", 1)],
}


async def asked(opened: Opened) -> tuple[Play, str, Workshop]:
    work = Workshop()
    play, thread = await at_work(opened, given(work, decompose=UNKNOWN))
    card = await play.sees(
        "lead", thread, "what may it write?", "The plan names no files for subtask T-1.2", "shortlinks/**"
    )
    assert {"Allow these paths", "Allow everything", "Name the paths"} <= set(card.buttons)
    return play, thread, work


@pytest.mark.parametrize(
    ("label", "words", "mode", "patterns"),
    [
        ("Allow these paths", "", ScopeMode.DIRECTORY, ("shortlinks/**",)),
        ("Name the paths", "docs/\nshortlinks/extra.py", ScopeMode.DIRECTORY, ("docs/**", "shortlinks/extra.py")),
        ("Allow everything", "", ScopeMode.UNRESTRICTED, ()),
    ],
)
async def test_each_button_leads_to_a_merge(
    opened: Opened, label: str, words: str, mode: ScopeMode, patterns: tuple[str, ...]
) -> None:
    play, thread, work = await asked(opened)
    await play.stage.press("ana", thread, label, words=words)
    assert (await play.sees("ana", thread, "This is not yours to decide", "an approver")).private
    await play.stage.press("lead", thread, label, words=words)
    await play.sees("lead", thread, "T-1 is ready to merge")
    scope = next(brief.work.scope for brief in work.minions.briefs if brief.subtask.number == 2)
    assert (scope.mode, scope.patterns) == (mode, patterns)
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")
    assert (await play.task()).state is TaskState.DONE


async def test_paths_in_words_are_allowed_by_one_press(opened: Opened) -> None:
    play, thread, work = await asked(opened)
    await play.stage.say("lead", "docs/ and shortlinks/extra.py", thread=thread, mention=True)
    card = await play.sees("lead", thread, "one press to confirm", "docs/**")
    allow = next(label for label in card.buttons if label.startswith("Allow docs"))
    await play.stage.press("lead", thread, allow)
    await play.sees("lead", thread, "T-1 is ready to merge")
    scope = next(brief.work.scope for brief in work.minions.briefs if brief.subtask.number == 2)
    assert scope.patterns == ("docs/**", "shortlinks/extra.py")
