"""The offline model: every script holds together, and it says honestly that it only rehearses."""

import pytest
from pydantic import BaseModel

from agents.catalog.models import load_questions, load_scripts
from agents.domain.asking.meaning import RouteAnswer
from agents.domain.asking.remarks import Understood
from agents.domain.planning.decomposition import Decomposition, with_closing
from agents.domain.planning.plan_faults import faults
from agents.domain.task.decide import Guess
from agents.flows.intake import WishAnswer
from agents.flows.learning.skills import SkillAnswer
from agents.flows.plan_answer import PlanSays
from agents.flows.review_answers import CriticAnswer, CustodietAnswer, DebateAnswer, SpecialistAnswer
from agents.flows.setup_proposal import SetupSays
from agents.flows.steps.reviews import ReviewAnswer
from agents.flows.supervision.answers import SHAPES as SUPERVISORS
from agents.llm.rehearsal import DEFAULTS, Rehearsal, Script, guess_intent
from manifests import packaged_path

SCRIPTS = load_scripts()
SHAPES: dict[str, type[BaseModel]] = {
    **{each.value: shape for each, shape in SUPERVISORS.items()},
    "decompose": PlanSays,
    "critic": CriticAnswer,
    "custodiet": CustodietAnswer,
    "specialist": SpecialistAnswer,
    "setup": SetupSays,
    "draft_skill": SkillAnswer,
    "debate_critic": DebateAnswer,
    "debate_custodiet": DebateAnswer,
    "code_review": ReviewAnswer,
    "intent": Understood,
    "route": RouteAnswer,
    "project": Guess,
    "wish": WishAnswer,
}


def sample_files() -> set[str]:
    root = packaged_path("samples", "shortlinks")
    found = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if "__pycache__" not in path.parts}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: str(script["request"]))
def test_every_scripted_answer_is_of_the_shape_that_is_asked_for(script: Script) -> None:
    said = [(question.rstrip("_0123456789"), answers) for question, answers in script.items()]
    for question, answers in said:
        for answer in answers if question in SHAPES else ():
            SHAPES[question].model_validate(answer, extra="forbid")
    assert {question for question, _ in said} <= {*SHAPES, "request", "shows", "workflow", "work"}


def test_a_subtask_may_have_lines_of_its_own_for_each_attempt() -> None:
    own = {
        "request": "add a door",
        "code_review": [{"status": "approved"}],
        "code_review_2": [{"status": "rejected"}, {}],
    }
    played = Rehearsal([own])
    assert played.answer("code_review_1", "add a door", 1) == {"status": "approved"}
    assert [played.answer("code_review_2", "add a door", n) for n in (0, 1, 7)] == [{"status": "rejected"}, {}, {}]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: str(script["request"]))
def test_every_scripted_plan_passes_the_checks_on_the_sample_project(script: Script) -> None:
    for answer in script["decompose"]:
        drafted = PlanSays.model_validate(answer).to_draft()
        assert isinstance(drafted, Decomposition)
        assert faults(with_closing(drafted), sample_files()) == []


def test_evidence_of_rehearsed_debates_counts() -> None:
    for script in SCRIPTS:
        request = str(script["request"]).casefold()
        for side in ("debate_critic", "debate_custodiet"):
            for answer in script.get(side, []):
                cited = [str(each) for each in answer["evidence"]]
                assert all(each.casefold() in request or each in sample_files() for each in cited)


@pytest.mark.parametrize("question", sorted(DEFAULTS))
def test_what_it_was_not_given_lines_for_is_never_an_approval(question: str) -> None:
    answer = Rehearsal(SCRIPTS).answer(question, "paint it green", 0)
    shape = SHAPES[question].model_validate(answer, extra="forbid")
    assert getattr(shape, "verdict", "no_verdict") == "no_verdict"
    assert getattr(shape, "status", "no_verdict") == "no_verdict"


def test_to_an_unknown_request_it_says_what_it_can_and_how_to_get_a_model() -> None:
    reason = str(Rehearsal(SCRIPTS).answer("decompose", "paint it green", 0)["reason"])
    assert PlanSays(status="BLOCKED", reason=reason)  # type: ignore[arg-type]
    for script in SCRIPTS:
        assert f"“{script['request']}”" in reason
    assert "OVERLORD_MODELS__PRIMARY" in reason and "overlord doctor" in reason


@pytest.mark.parametrize(
    ("said", "route"),
    [
        ("How are links stored?", "question"),
        ("how are the links stored", "question"),
        ("where is the file written?", "question"),
        ("Let links expire after a chosen number of days", "change"),
        ("could you let links expire after a chosen number of days?", "change"),
        ("how about a page with all links?", "change"),
        ("why not paint it green?", "change"),
        ("paint it green", "change"),
    ],
)
def test_without_a_model_it_knows_its_questions_and_what_is_plainly_one(said: str, route: str) -> None:
    assert Rehearsal([*SCRIPTS, *load_questions()]).route(said)["route"] == route


def test_it_reads_before_it_answers_and_says_which_question_it_can_answer() -> None:
    played = Rehearsal([*SCRIPTS, *load_questions()])
    messages: list[dict[str, object]] = [{"role": "user", "content": "How are links stored?"}]
    names = []
    while "give_answer" not in names:
        calls = played.read("How are links stored?", messages)
        names += [name for name, _ in calls]
        messages.append({"role": "assistant", "tool_calls": [{"function": {"name": name}} for name, _ in calls]})
    assert names == ["list_directory", "search_files", "read_file", "give_answer"]
    [(name, given)] = played.read("who wrote it?", messages)
    assert name == "give_answer" and "“How are links stored?”" in given["answer"]


@pytest.mark.parametrize(
    "said", ["let links expire after a chosen number of days.", "LET LINKS EXPIRE, after a chosen number of days!"]
)
def test_a_request_is_known_whatever_its_marks_and_capitals(said: str) -> None:
    assert Rehearsal(SCRIPTS).answer("decompose", said, 0)["status"] == "COMPLETE"


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ("Let short links expire after a chosen number of days", "stops working"),
        ("please let links expire after a chosen number of days, thanks", "stops working"),
        ("Count how often every link is used", "how often it was opened"),
        (
            "Hi! Please let links expire after a chosen number of days. No hurry, the README should say so",
            "stops working",
        ),
        ("Let links expire after a chosen nubmer of days", "stops working"),
        ("Do not let links expire after a chosen number of days", ""),
        ("Let links never expire after a chosen number of days", ""),
        ("Let people choose", ""),
        ("Delete all links", ""),
        ("", ""),
    ],
)
def test_a_request_is_known_after_a_small_correction_and_not_when_it_says_something_else(said: str, goal: str) -> None:
    assert goal in Rehearsal(SCRIPTS).answer("decompose", said, 0).get("goal", "-")
    assert bool(goal) is (Rehearsal(SCRIPTS).answer("decompose", said, 0)["status"] == "COMPLETE")


@pytest.mark.parametrize(
    ("said", "intent"),
    [
        ("leave the command line out, please", "change"),
        ("could we do it without a new file?", "change"),
        ("looks good, go ahead", "approve"),
        ("why are there three steps?", "why"),
        ("how much was that", "cost"),
        ("how far are you", "status"),
        ("my cat likes it", "other"),
    ],
)
def test_plain_remarks_are_read_well_enough_to_rehearse(said: str, intent: str) -> None:
    assert guess_intent(said)["intent"] == intent
