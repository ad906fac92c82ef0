"""The rehearsal's minions really work: on the sample project, with the real tools, in the real sandbox."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agents.catalog.models import load_scripts
from agents.catalog.skills import packaged_skills
from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.limits import Limits
from agents.domain.models.money import Budgets
from agents.domain.models.routing import Model, Served
from agents.domain.planning.decomposition import Decomposition, Subtask, with_closing
from agents.flows.plan_answer import PlanSays
from agents.llm.client import JobLlm, Models
from agents.llm.gateway import Gateway
from agents.llm.prompts import Prompts
from agents.llm.rehearsal import MODEL
from agents.minions.engines.builtin.tools import TOOLS
from agents.ports import Asked, Finished, GaveUp, Outcome, Trial, WantsScope
from bot.services import SystemClock
from manifests import packaged_path
from store.database import Database
from store.running.port_adapters import CallLog, TurnLog
from tests.llm.rig import SECRET, files, task
from tests.minions.field import Field

SCRIPTS = load_scripts()
pytestmark = pytest.mark.timeout(240)  # litellm is loaded, and many real programs are run
EXPIRE = "Let links expire after a chosen number of days"
COUNT = "Count how often each link is used"
CHOOSE = "Let people choose their own short code"
UNUSED = "Delete links that nobody has opened for a year"
MOVE = "Move all links to our new billing database"
REHEARSAL = Gateway(scripts=SCRIPTS)


def plan(number: int, request: str = EXPIRE) -> Decomposition:
    script = next(script for script in SCRIPTS if script["request"] == request)
    drafted = PlanSays.model_validate(script["decompose"][number]).to_draft()
    assert isinstance(drafted, Decomposition)
    return with_closing(drafted)


def model(database: Database) -> JobLlm:
    chosen = {"primary": Served(models=(Model(name=MODEL),), why="a test")}
    prompts = Prompts(SECRET, files=files)
    models = Models(chosen=chosen, prompts=prompts, clock=SystemClock(), limits=Limits(), gateway=REHEARSAL)
    return JobLlm(models=models, job="job-1", calls=CallLog(database, SystemClock(), Budgets(), lambda task: None))


async def play(ground: Field, subtask: Subtask, attempt: int = 1, answer: str = "", request: str = EXPIRE) -> Outcome:
    ground.subtask, ground.attempt = subtask, attempt
    ground.task = task(request=request)
    ground.scope = Scope(mode=ScopeMode.EXPLICIT, patterns=subtask.files)
    ground.skills = packaged_skills().skills
    ground.trials = [Trial(argv=("python", "-m", "pytest", "-q", "-p", "no:cacheprovider"), shown="pytest -q")]
    talker = model(turns(ground)._database)
    outcome = await ground.engine(talker).run(ground.brief(), ground.watch)
    if isinstance(outcome, Asked):
        assert answer in outcome.options and (outcome.risky or outcome.default == outcome.options[0])
        return await ground.engine(talker).run(ground.brief(answer=answer, questions=1), ground.watch)
    return outcome


def turns(ground: Field) -> TurnLog:
    assert isinstance(ground.turns, TurnLog)
    return ground.turns


def changed(ground: Field) -> set[str]:
    """Files of the project that are not as they were."""
    before, found = packaged_path("samples", "shortlinks"), [*ground.root.glob("*/*.py"), ground.root / "README.md"]
    now = {path.relative_to(ground.root).as_posix(): path.read_bytes() for path in found}
    was = {name: (before / name).read_bytes() for name in now if (before / name).exists()}
    return {name for name, content in now.items() if was.get(name) != content}


async def sent_back(ground: Field) -> int:
    """How often the project's tests did: work that is taken after fewer than three times has passed them."""
    rows = await ground.turns.of(f"T-1.{ground.subtask.number}-{ground.attempt}")
    return sum(bool(row.get("fixes")) for row in rows)


async def lint(ground: Field) -> str:
    command = [str(Path(sys.prefix) / "bin" / "ruff"), "check", "--no-cache", "--output-format=concise", "shortlinks"]
    ran = await ground.sandbox.once(ground.checkout.workspace, ground.profile, command)
    return ran.output if ran.exit_code else ""


async def errors(ground: Field) -> list[str]:
    rows = await ground.turns.of(f"T-1.{ground.subtask.number}-{ground.attempt}")
    return [str(row["messages"]) for row in rows if row.get("errors")]


UNKNOWN, OWN = "The same as for an unknown code", "An error of its own that says since when"


async def test_the_third_subtask_does_not_wait_for_the_second(ground: Field) -> None:
    first, _, third, _ = plan(0).subtasks
    for subtask, attempt in ((first, 1), (third, 1), (third, 2)):
        assert isinstance(await play(ground, subtask, attempt), Finished)
    assert not await sent_back(ground)


async def test_where_the_tests_could_not_be_tried_the_second_attempt_mends_all(ground: Field) -> None:
    """As when somebody ends them: then the gates find what they would have found."""
    first, _, third, _ = plan(0).subtasks
    await play(ground, first)
    ground.limits = Limits(fixes=0)
    await play(ground, third)
    assert "type=int" in (ground.root / "shortlinks/cli.py").read_text()
    ground.limits = Limits()
    assert isinstance(await play(ground, third, attempt=2), Finished)
    assert not await sent_back(ground) and not await lint(ground) and not await errors(ground)


@pytest.mark.parametrize("turn", [0, 3, 4])
async def test_a_remark_derails_nobody_whenever_it_comes(ground: Field, turn: int) -> None:
    """Also when the minion has just said that it is done: then it is asked again, after the last line of its script."""
    ground.heard = [*([] for _ in range(turn)), ["thanks, and mind the README"]]
    outcome = await play(ground, plan(0).subtasks[0])
    assert isinstance(outcome, Finished) and not await errors(ground)
    assert ("is not worked in" in outcome.summary) is (turn == 4), (
        "it is done with its fifth turn; honest if it is too late"
    )


async def test_remarks_after_every_turn_and_an_answer_in_own_words_are_borne(ground: Field) -> None:
    first, second, *_ = plan(0).subtasks
    await play(ground, first)
    ground.subtask, ground.scope = second, Scope(mode=ScopeMode.EXPLICIT, patterns=second.files)
    ground.heard = [["nice"] for _ in range(9)]
    talker = model(turns(ground)._database)
    assert isinstance(await ground.engine(talker).run(ground.brief(), ground.watch), Asked)
    brief = ground.brief(answer="say since when, as its own error", questions=1, since=("and keep it short",))
    assert isinstance(await ground.engine(talker).run(brief, ground.watch), Finished)
    assert not await errors(ground)
    assert "ExpiredCode" in (ground.root / "shortlinks/service.py").read_text()


async def test_a_request_that_was_corrected_is_still_worked_off(ground: Field) -> None:
    renamed = "Let short links expire after a chosen number of days, please"
    assert isinstance(await play(ground, plan(0).subtasks[0], request=renamed), Finished)


async def test_the_changed_plan_is_worked_off_too(ground: Field) -> None:
    for subtask in plan(1).subtasks[:-1]:
        assert isinstance(await play(ground, subtask, answer=UNKNOWN), Finished)
        assert not await errors(ground) and not await sent_back(ground)
    assert "expires" in (ground.root / "README.md").read_text()


@pytest.mark.parametrize(("version", "answer"), [(0, UNKNOWN), (0, OWN), (1, UNKNOWN)])
async def test_changes_asked_for_at_the_merge_are_played_once_and_said_to_be(
    ground: Field, version: int, answer: str
) -> None:
    *parts, whole = plan(version).subtasks
    for subtask in parts:
        await play(ground, subtask, answer=answer)
        assert not await errors(ground)
        if version == 0 and subtask.number == 3:
            assert await sent_back(ground) == 1, "by the tests, in its first attempt, and then they pass"
            assert await lint(ground), "its linter, which only the gates run, sends it back after it"
            await play(ground, subtask, attempt=2)
            assert not await lint(ground)
    before = changed(ground)
    whole = replace(whole, files=tuple(path for subtask in parts for path in subtask.files))
    outcome = await play(ground, whole, attempt=2)
    assert isinstance(outcome, Finished) and "This is a rehearsal" in outcome.summary
    assert not await errors(ground) and not await sent_back(ground) and changed(ground) == before
    assert "never_ends" in (ground.root / "tests/test_service.py").read_text()
    assert ("ExpiredCode" in (ground.root / "shortlinks/service.py").read_text()) is (answer == OWN), "it is heeded"
    again = await play(ground, whole, attempt=3)
    assert isinstance(again, GaveUp) and "another attempt" in again.problem


@pytest.mark.parametrize(("request_", "version"), [(COUNT, 1), (CHOOSE, 0), (UNUSED, 0), (MOVE, 1)])
async def test_a_change_asked_for_at_the_end_derails_no_other_request_either(
    ground: Field, request_: str, version: int
) -> None:
    *parts, whole = plan(version, request_).subtasks
    for subtask in parts:
        await play(ground, subtask, answer="An SQLite file of their own", request=request_)
    before = changed(ground)
    whole = replace(whole, files=tuple(path for subtask in parts for path in subtask.files))
    outcome = await play(ground, whole, attempt=2, request=request_)
    assert isinstance(outcome, Finished) and "This is a rehearsal" in outcome.summary
    assert not await errors(ground) and not await sent_back(ground) and not await lint(ground)
    assert changed(ground) == before


@pytest.mark.parametrize(("request_", "version"), [(CHOOSE, 0), (UNUSED, 0)])
async def test_these_are_worked_off_without_a_question(ground: Field, request_: str, version: int) -> None:
    for subtask in plan(version, request_).subtasks[:-1]:
        assert isinstance(await play(ground, subtask, request=request_), Finished)
        assert not await errors(ground) and not await sent_back(ground)
        assert set(subtask.files) <= changed(ground)


async def test_what_the_reviewer_sends_back_is_mended(ground: Field) -> None:
    *_, last, _ = plan(0, UNUSED).subtasks
    for subtask in plan(0, UNUSED).subtasks[:-1]:
        await play(ground, subtask, request=UNUSED)
    assert "print(f" not in prune(ground)
    assert isinstance(await play(ground, last, attempt=2, request=UNUSED), Finished)
    assert not await errors(ground) and not await sent_back(ground) and "print(f" in prune(ground)


def prune(ground: Field) -> str:
    return (ground.root / "shortlinks/cli.py").read_text().partition('"prune":')[2].partition("else:")[0]


@pytest.mark.parametrize("allowed", [True, False])
async def test_a_minion_asks_for_one_more_file_and_heeds_what_it_is_told(ground: Field, allowed: bool) -> None:
    first, second, third, _ = plan(1, COUNT).subtasks
    for subtask in (first, second):
        assert isinstance(await play(ground, subtask, request=COUNT), Finished)
        assert not await errors(ground) and not await sent_back(ground)
    asked = await play(ground, third, request=COUNT)
    assert isinstance(asked, WantsScope) and asked.paths == ("tests/test_cli.py",)
    given = replace(ground.scope, patterns=(*third.files, *asked.paths)) if allowed else ground.scope
    answer = "You may now write these too: tests/test_cli.py" if allowed else "No, stay within what you may write."
    brief = ground.brief(scope=given, answer=answer, questions=1)
    assert isinstance(await ground.engine(model(turns(ground)._database)).run(brief, ground.watch), Finished)
    assert not await errors(ground) and not await sent_back(ground)
    assert ("tests/test_cli.py" in changed(ground)) is allowed


async def test_links_get_a_database_of_their_own_if_their_owner_says_so(ground: Field) -> None:
    spike, *others, _ = plan(1, MOVE).subtasks
    assert isinstance(await play(ground, spike, answer="An SQLite file of their own", request=MOVE), Finished)
    assert not changed(ground), "who finds something out writes nothing"
    for subtask in others:
        assert isinstance(await play(ground, subtask, request=MOVE), Finished)
        assert not await errors(ground) and not await sent_back(ground)


async def test_without_a_database_nothing_is_made_up(ground: Field) -> None:
    spike = plan(1, MOVE).subtasks[0]
    outcome = await play(ground, spike, answer="It is not decided yet", request=MOVE)
    assert isinstance(outcome, GaveUp) and "of their own" in outcome.problem


@pytest.mark.parametrize(
    ("request_", "version"), [(EXPIRE, 0), (EXPIRE, 1), (COUNT, 1), (CHOOSE, 0), (UNUSED, 0), (MOVE, 1)]
)
def test_every_subtask_of_a_plan_that_can_be_approved_has_its_lines(request_: str, version: int) -> None:
    script = next(script for script in SCRIPTS if script["request"] == request_)
    played = {(work["subtask"], work["title"]) for work in script["work"]}
    assert {(each.number, each.title) for each in plan(version, request_).subtasks[:-1]} <= played


async def test_what_has_no_script_is_said_to_have_none(ground: Field) -> None:
    subtask = plan(0).subtasks[0]
    for outcome in (
        await play(ground, subtask, request=COUNT),
        await play(ground, replace(subtask, title="Paint it green"), attempt=2),
    ):
        assert isinstance(outcome, GaveUp) and "rehearsal without a model" in outcome.problem


async def test_nobody_wrote_lines_for_one_more_attempt_and_it_says_so(ground: Field) -> None:
    outcome = await play(ground, plan(0).subtasks[0], attempt=2)
    assert isinstance(outcome, GaveUp) and "another attempt" in outcome.problem


def test_every_scripted_call_is_one_that_the_tools_take() -> None:
    for script in SCRIPTS:
        for played in script["work"]:
            for turn in (turn for attempt in played["attempts"] for turn in attempt):
                for calls in turn.values() if isinstance(turn, dict) else (turn,):
                    for name, given in (pair for call in calls for pair in call.items()):
                        TOOLS[name].takes.model_validate(given or {})
