"""A role with a size is given no more to read, told what is missing, and answers no longer than it may."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agents.catalog.models import MODELS
from agents.catalog.yaml import read_packaged
from agents.domain.errors import NoAnswer
from agents.domain.models.ability import THINKING
from agents.domain.models.routing import Model, Size
from agents.domain.planning.decomposition import Decomposition, Subtask
from agents.domain.planning.facts import PlanState
from agents.domain.planning.work_kind import WorkKind
from agents.domain.task.task import Task
from agents.flows.review_answers import SpecialistAnswer
from agents.llm.context import FLOOR, by_folder
from agents.llm.gateway import BYTES_A_TOKEN, MOST_TOKENS, Gateway
from agents.llm.prompts import Prompts
from agents.llm.tokens import Tokens
from tests.fakes.model_server import Says, Seen, common
from tests.llm.prompt_texts import REVIEW, fenced
from tests.llm.rig import FILES, SECRET, Rig, asked, rigged, task

SIZE = Size(input=5000, output=1000)
MARGIN = 20  # tokens: pieces counted one by one are a few more or fewer than the whole
NOTHING: dict[str, object] = {"concerns": [], "suggestions": []}
MANY = tuple(f"src/area_{n % 40}/part_{n % 7}/module_{n}.py" for n in range(4000))
REQUEST = "please mend the login, it is broken in many ways.\n" * 300
count = Tokens()


def plan(subtasks: int, version: int = 1) -> Decomposition:
    made = tuple(
        Subtask(
            number=n, title=f"Do part {n} of version {version}", why="it is a part of what was asked for " * 4,
            kind=WorkKind.FEATURE, files=(f"src/part_{n}.py",),
            test=f"pytest -k part_{n} shows that it holds " * 3, tags=("security",),
        )
        for n in range(1, subtasks + 1)
    )  # fmt: skip
    return Decomposition(goal="all parts are done", subtasks=made)


def large(subtasks: int = 60, version: int = 1) -> Task:
    feedback = tuple(f"heed point {n}" for n in range(200))
    draft, before = plan(subtasks, version), plan(subtasks, 0)
    state = PlanState(draft=draft, previous=before, number=version, review=REVIEW, feedback=feedback)
    return task(request=REQUEST, plan=state)


def read(seen: Seen) -> int:
    return sum(count(str(message["content"])) for message in seen.body["messages"])


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with rigged(tmp_path) as made:
        made.sizes = {"supervisor": SIZE}
        made.server.answers("specialist", NOTHING)
        yield made


async def specialist(rig: Rig, about: Task, files: Sequence[str], job: str = "job-1", name: str = "security") -> Seen:
    given = {"specialist": name, "focus": "Who could abuse this.", "files": files}
    ask = asked("specialist", role="supervisor", task=about, about=given, policy="conservative")
    await rig.job(job).ask(ask, SpecialistAnswer)
    return rig.server.seen[-1]


@pytest.mark.parametrize("subtasks", [1, 7, 20, 60])
@pytest.mark.parametrize("files", [FILES, MANY, MANY * 5], ids=["4", "4000", "20000"])
async def test_however_much_there_is_about_5000_tokens_arrive(rig: Rig, subtasks: int, files: Sequence[str]) -> None:
    seen = await specialist(rig, large(subtasks), files)
    assert read(seen) <= SIZE.input + MARGIN  # type: ignore[operator]
    assert read(seen) > 0.75 * SIZE.input, "room is used"  # type: ignore[operator]
    assert seen.body["max_tokens"] == (SIZE.output or 0) + THINKING
    assert seen.text.startswith("# Handbook") and "if you cannot assess it." in seen.text, "rules are whole"
    assert "Who could abuse this." in seen.text and "An answer of more than 1000 tokens is cut off" in seen.text


async def test_what_is_missing_is_said_with_how_much_it_is(rig: Rig) -> None:
    text = (await specialist(rig, large(), MANY)).text
    assert "now (4000), by folder" in text
    assert "src/area_3/ (100 files)" in fenced(text, "files")[0]
    assert f'name="request" note="cut from {len(REQUEST)} characters"' in text
    assert "of its 60 subtasks are left out" in text and "Do part 1 of version 1" in text
    assert "Left out, for there is no room: what the next plan must heed (" in text
    assert "the plan that people saw before (" in text and " tokens)." in text


async def test_a_question_is_never_cut_however_little_room_it_leaves(rig: Rig) -> None:
    long = "Who could abuse this? " * 1500
    given = {"specialist": "security", "focus": long, "files": MANY}
    await rig.job().ask(asked("specialist", role="supervisor", task=large(), about=given), SpecialistAnswer)
    (seen,) = rig.server.seen
    focus = count(long[:10_000])
    assert long[:9_000] in seen.text and "mend the login" in seen.text
    assert read(seen) < 2_602 + focus + 400 + FLOOR


async def test_what_fits_is_shown_as_it_is_to_everybody(rig: Rig) -> None:
    small = task(plan=PlanState(draft=plan(2), number=1))
    seen = await specialist(rig, small, FILES)
    plain = await Prompts(SECRET, files=_none).prompt(
        asked("custodiet", task=small, about={"files": FILES}), "{}", "tag"
    )
    assert "\n\n".join(plain.context) in seen.text


async def test_a_role_without_a_size_is_given_all_and_told_no_limit(rig: Rig) -> None:
    rig.server.answers("custodiet", NOTHING)
    await rig.job().ask(asked(task=large(), about={"files": MANY[:500]}), SpecialistAnswer)
    (seen,) = rig.server.seen
    assert MANY[499] in seen.text and "is cut off" not in seen.text
    assert seen.body["max_tokens"] == MOST_TOKENS + THINKING


async def test_the_next_one_finds_the_beginning_that_the_last_one_had(rig: Rig) -> None:
    first = await specialist(rig, large(20), MANY)
    second = await specialist(rig, large(20), MANY, "job-2", name="data")
    assert common(first.text, second.text) > 0.9 * len(second.text)
    third = await specialist(rig, large(20, 2), MANY, "job-3")
    kept = common(third.text, first.text)
    assert "## The plan, version 1" not in third.text[:kept] and fenced(third.text[:kept], "request")


async def test_an_answer_that_is_cut_off_is_none(rig: Rig) -> None:
    """P17: and the second try says why."""
    rig.server.answers("specialist", Says(value=NOTHING, finish="length"))
    with pytest.raises(NoAnswer, match="cut off in the middle"):
        await specialist(rig, large(), MANY)
    assert rig.server.count("specialist") == 2


async def test_a_call_is_reserved_for_the_answer_that_may_come(rig: Rig) -> None:
    client = replace(rig, route="openai", models=("gpt-4.1",)).client()
    (model,) = client.chosen["supervisor"].models
    short, long = [await client.gateway.worst_case(model, 3000, most) for most in (1000, None)]
    assert 0 < short < long / 5


async def test_a_talk_stays_within_the_size_too(rig: Rig) -> None:
    models = replace(rig, route="openai", models=("gpt-4.1",)).client()
    assert await models.window("supervisor") == 5000
    assert (await models.window("primary") or 0) > 100_000


def test_a_supervisor_has_a_size_and_a_name_alone_keeps_it() -> None:
    packaged = read_packaged("policies", "models.yaml").data
    sizes = MODELS.read(packaged).to_written().sizes
    assert sizes["supervisor"] == SIZE
    assert {size for role, size in sizes.items() if role != "supervisor"} == {Size()}
    for named in ("openai/gpt-5.4", "a/b, c/d"):
        assert MODELS.read({**packaged, "supervisor": named}).to_written().sizes["supervisor"] == SIZE
    lifted = MODELS.read({"supervisor": {"model": "a/b", "input_tokens": None, "output_tokens": 2000}})
    assert lifted.to_written().sizes["supervisor"] == Size(output=2000)


def test_files_are_told_by_folder() -> None:
    files = ("README.md", "src/a.py", "src/b/c.py", "src/b/d.py")
    assert by_folder(files, 1) == ["README.md", "src/ (3 files)"]
    assert by_folder(files, 2) == ["README.md", "src/a.py", "src/b/ (2 files)"]
    assert by_folder(files, 3) == list(files)


async def _none(project: str) -> Sequence[str]:
    return ()


async def test_what_a_sized_role_may_cost_at_most_is_known_before_it_is_asked() -> None:
    """Two to four cents a run with the large model that is shipped, so six to twelve for two or three."""
    size = MODELS.read(read_packaged("policies", "models.yaml").data).to_written().sizes["supervisor"]
    assert size.input and size.output
    model = Model(name="anthropic/claude-sonnet-4-5")
    most = await Gateway().worst_case(model, size.input * BYTES_A_TOKEN, size.output)
    assert 0.02 <= most <= 0.04 and 0.06 <= 3 * most <= 0.12
