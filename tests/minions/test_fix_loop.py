"""Work that is called done is tried with the project's tests; what fails comes back, at most three times."""

import shlex

import pytest

from agents.domain.errors import NoAnswer
from agents.domain.limits import Limits
from agents.ports import Finished, Trial
from tests.fakes.llm import ScriptedTalker, no_answer
from tests.minions.field import DONE, Field

MARK = "shortlinks/mark.txt"
FINISHED = Finished(summary="It is done.", note="Nothing to know.")


def trial(script: str) -> Trial:
    return Trial(argv=("/bin/sh", "-c", script), shown="make test")


# As many runs as there are lines in a file of the sandbox's own; content once there is a mark.
COUNTED = trial(f'echo run >> /tmp/runs; [ -e {MARK} ] && exit 0; echo "no mark"; echo "said aside" >&2; exit 2')
MEND = [("write_file", {"path": MARK, "content": "here\n"})]
HOW_OFTEN = [("run_command", {"command": "wc -l < /tmp/runs"})]


def heard(talker: ScriptedTalker) -> list[str]:
    return [str(message["content"]) for message in talker.heard[-1] if message["role"] == "tool"]


async def test_what_fails_comes_back_with_its_output_and_is_mended_in_the_same_run(ground: Field) -> None:
    ground.trials = [COUNTED]
    outcome, talker = await ground.run(DONE, MEND, DONE)
    assert outcome == FINISHED
    told = heard(talker)[0]
    assert told.startswith("Not taken yet, fix attempt 1 of 3: make test ends with exit code 2.")
    assert "no mark" in told and "said aside" in told and "task_complete again" in told
    assert [each.doing for each in ground.progress] == ["trying make test", f"writing {MARK}", "trying make test"]


async def test_what_cannot_be_committed_comes_back_before_the_tests_are_tried(ground: Field) -> None:
    ground.trials, ground.refused = [COUNTED], ["'lib/': it is a repository of its own. Remove it."]
    outcome, talker = await ground.run(DONE, MEND, DONE)
    assert outcome == FINISHED
    told = heard(talker)[0]
    assert told.startswith("Not taken yet, fix attempt 1 of 3: 'lib/': it is a repository") and "no mark" not in told


async def test_it_comes_back_three_times_at_most_and_is_then_judged_as_it_is(ground: Field) -> None:
    ground.refused = ["'lib/': it is a repository of its own. Remove it."] * 9
    outcome, talker = await ground.run(DONE, DONE, DONE, DONE)
    assert outcome == FINISHED and len(heard(talker)) == 3


async def test_after_three_times_it_is_handed_in_as_it_is_and_not_tried_again(ground: Field) -> None:
    """Nor do these count as tool errors in a row, of which three end a run."""
    ground.trials = [COUNTED]
    outcome, talker = await ground.run(DONE, DONE, DONE, HOW_OFTEN, DONE)
    assert outcome == FINISHED
    *fixes, runs = heard(talker)
    assert [text.split(":")[0] for text in fixes] == [f"Not taken yet, fix attempt {n} of 3" for n in (1, 2, 3)]
    assert runs.split()[-1] == "3"


async def test_a_crash_forgets_none_of_them(ground: Field) -> None:
    ground.trials = [COUNTED]
    for _ in range(2):  # each time the talk breaks off
        with pytest.raises(NoAnswer):
            await ground.run(DONE, no_answer())
    outcome, talker = await ground.run(DONE, DONE)
    assert outcome == FINISHED
    assert heard(talker)[-1].startswith("Not taken yet, fix attempt 3 of 3")


@pytest.mark.parametrize("script", ["no-such-program", "exit 126", "sleep 60", "kill -9 $$"])
async def test_what_is_no_word_about_the_work_does_not_hold_it_up(ground: Field, script: str) -> None:
    ground.trials, ground.limits = [trial(script)], Limits(command_seconds=1)
    outcome, _ = await ground.run(DONE)
    assert outcome == FINISHED


async def test_a_project_may_leave_it_to_the_gates(ground: Field) -> None:
    ground.trials, ground.limits = [COUNTED], Limits(fixes=0)
    outcome, _ = await ground.run(DONE)
    assert outcome == FINISHED


async def test_a_secret_that_tests_print_is_not_told(ground: Field) -> None:
    key = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"
    ground.trials = [trial(f"echo {shlex.quote(key)}; exit 1")]
    talker = ScriptedTalker(DONE, MEND, DONE, DONE, DONE)
    hides = ground.engine(talker, redact=lambda text: text.replace(key, "[hidden]"))
    assert await hides.run(ground.brief(), ground.watch) == FINISHED
    assert "[hidden]" in heard(talker)[0] and key not in str(talker.heard)


LINT = Trial(
    argv=("/bin/sh", "-c", f"cat {MARK} 2>/dev/null; echo 'a.py:3:1: F401 `os` unused'; exit 1"),
    shown="ruff check a.py",
    before=("/bin/sh", "-c", "echo 'a.py:1:1: F401 `os` unused'; exit 0"),
)
UNTIDY, TIDY = (
    [("write_file", {"path": MARK, "content": text})] for text in ("a.py:9:1: F821 `x` is nowhere\n", "fine\n")
)


async def test_a_linter_sends_back_what_it_did_not_find_before_and_nothing_else(ground: Field) -> None:
    ground.trials = [LINT]
    outcome, talker = await ground.run(UNTIDY, DONE, TIDY, DONE)
    assert outcome == FINISHED
    told = next(text for text in heard(talker) if text.startswith("Not taken"))
    assert "1 of 3: ruff check a.py finds what it did not find before." in told
    assert "F821" in told and "F401" not in told


async def test_the_next_is_tried_once_the_first_is_content(ground: Field) -> None:
    ground.trials = [trial("exit 0"), trial("echo the second; exit 3")]
    _, talker = await ground.run(DONE, DONE, DONE, DONE)
    assert all("the second" in text and "exit code 3" in text for text in heard(talker))
