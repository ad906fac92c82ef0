"""What a person is shown before approving, such as kinds and principles, and where reviewers' points go afterwards."""

from agents.domain.ids import TaskId
from agents.domain.task.task import TaskState
from store.streams import runs
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import Workshop
from tests.scenarios.conftest import BY_TURNS, THREE, Given, Opened, on
from tests.scenarios.plans import GO, OK, subtask
from tests.scenarios.working import given

STAGES = BY_TURNS
REQUEST = "add a login page"
TYPED = {
    "status": "COMPLETE",
    "goal": "Logging in works",
    "summary": "First the form, then the check.",
    "subtasks": [
        subtask("Write the form", files=["form.py"], kind="bug fix", changes_tests=True, size="small"),
        subtask("Say how", 1, files=["README.md"], role="ui_designer"),
    ],
    "assumptions": [{"what": "One form is enough", "why": "nobody named another"}],
    "issues": [{"what": "The style guide is old", "why": "the form follows it"}],
}
POINTS = [
    {"what": "No test for an empty name", "fix": "Add one", "subtask": 1, "principle": "A5"},
    {"what": "The text is long", "subtask": 2, "principle": "A99"},
]


@on(*THREE)
async def test_what_is_approved_is_typed_and_kept_points_go_on_into_the_work(opened: Opened) -> None:
    work = Workshop()
    scene = given(work, decompose=TYPED, critic={**GO, "issues": POINTS})
    play = await opened(scene)
    thread = await play.stage.say("ana", REQUEST, mention=True)
    shown = (
        "First the form, then the check.", "fix, changes existing tests · small", "docs (assumed from its files)",
        "after 1", "role ui_designer", "One form is enough (nobody named another)", "The style guide is old",
        "No test for an empty name (A5) → Add one", "A99: no such principle",
    )  # fmt: skip
    card = await play.sees("ana", thread, "please look at the plan", *shown)
    assert "blocks" not in card.text
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("lead", thread, "T-1 is ready to merge")

    told = {brief.subtask.number: brief for brief in work.minions.briefs}
    assert [point.what for point in told[1].task.plan.points] == [point["what"] for point in POINTS]
    assert (told[1].step.role, told[2].step.role) == ("implementer", "ui_designer")
    assert isinstance(scene.llm, ScriptedLlm)
    asked = [each.about for each in scene.llm.asked if each.question == "code_review"]
    read: dict[int, object] = {about["subtask"]["number"]: about["points"] for about in asked}  # type: ignore[index]
    assert read[1] == ["critic: No test for an empty name Suggested: Add one"]
    assert read[2] == ["critic: The text is long"]
    history = await play.program.services.database.read(lambda tx: runs.history(tx.db, TaskId("T-1")))
    made = {run.subtask: (run.role, run.task_type) for run in history if run.step == "implement"}
    assert made == {1: ("implementer", "fix"), 2: ("ui_designer", "docs")}


async def test_a_stop_names_who_why_which_principle_and_what_would_resolve_it(opened: Opened) -> None:
    halt = {
        "verdict": "HALT",
        "issues": [{"what": "It deletes every account", "fix": "Lock them instead", "principle": "A3"}],
    }
    guard = {
        "verdict": "BLOCK",
        "issue": " ".join(f"word{n}" for n in range(30)),
        "principle": "Use no permission that was not given",
        "suggestion": "Ask for an account of its own",
    }
    llm = ScriptedLlm(decompose=[TYPED], critic=[halt], custodiet=[guard])
    play = await opened(Given(llm=llm))
    thread = await play.stage.say("ana", REQUEST, mention=True)
    card = await play.sees(
        "ana", thread, "the critic says stop", "stops it: It deletes every account", "Lock them instead",
        "A3 destroy nothing without explicit leave", "A2 use no permission that was not given",
        "Ask for an account of its own",
    )  # fmt: skip
    assert "word14 …" in card.text and "word15" not in card.text, "fifteen words"
    assert (await play.task()).state is TaskState.BLOCKED


async def test_cannot_assess_is_no_verdict_and_the_core_of_a_debate_is_one_sentence(opened: Opened) -> None:
    revise = {"verdict": "revise", "issues": ["Nothing is tested"], "changes": ["Add a test"]}
    tension = "The critic wants a test first, while the scope guard holds that nobody asked for one"
    keeps = {"position": "maintain", "point": "It was asked for", "evidence": [REQUEST], "tension": tension}
    llm = ScriptedLlm(
        decompose=[TYPED, TYPED],
        critic=[revise, GO],
        custodiet=[OK, {"verdict": "CANNOT_ASSESS"}, {"verdict": "block"}, OK],
        always={"debate": keeps},
    )
    play = await opened(Given(llm=llm))
    thread = await play.stage.say("ana", REQUEST, mention=True)
    await play.sees("ana", thread, "the plan needs your judgement", f"{tension}.", "Nothing is tested")
    await play.stage.press("lead", thread, "Narrow scope", words="only the form")
    await play.sees("ana", thread, "the plan needs your judgement", "No verdict from the scope guard")
    await play.stage.press("ana", thread, "Ask again")
    card = await play.sees("ana", thread, "the plan needs your judgement", "and gives no reason", offers="Ask again")
    assert "stops it" not in card.text, "a stop without a reason is no verdict"
    await play.stage.press("ana", thread, "Ask again")
    await play.sees("ana", thread, "please look at the plan")
    assert (llm.count("critic"), llm.count("custodiet")) == (2, 4), "only those who gave no verdict are asked again"


async def test_a_specialist_of_ones_own_is_asked_with_its_focus(opened: Opened) -> None:
    files = ["form.py", "font.py", "style.py"]  # too many for the short path
    tagged = {**TYPED, "subtasks": [subtask("Write the form", files=files, tags=["Licence"])]}
    llm = ScriptedLlm(
        decompose=[tagged], critic=[GO], custodiet=[OK], specialist=[{"concerns": ["The font is not free"]}]
    )
    config = "specialists: [{{name: legal, domains: [licence], focus: What may be shipped.}}]"
    play = await opened(Given(llm=llm, config=config))
    thread = await play.stage.say("ana", REQUEST, mention=True)
    await play.sees("ana", thread, "please look at the plan", "Advice, legal", "The font is not free")
    (asked,) = (each for each in llm.asked if each.question == "specialist")
    assert (asked.about["specialist"], asked.about["focus"]) == ("legal", "What may be shipped.")
    principles = next(each.about["principles"] for each in llm.asked if each.question == "critic")
    assert isinstance(principles, list) and "A1" in [each["id"] for each in principles]
