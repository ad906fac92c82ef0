"""Supervisors on every platform: when they look, what a person makes of what they ask for, and how it all ends."""

from typing import Any

from agents.domain.ids import project_id
from agents.domain.knowledge.note import Supervisor
from agents.domain.supervision.facts import Occasion, SupervisorsCalled
from agents.domain.work.work import Ending
from agents.ports import GaveUp
from tests.builders.supervision import SILENT, STYLE_SAYS
from tests.fakes.llm import no_answer
from tests.fakes.work import ScriptedMinions, Workshop, says
from tests.scenarios.conftest import THREE, Given, Opened, Play
from tests.scenarios.plans import Says, subtask
from tests.scenarios.working import at_work, given

STAGES = THREE
CONFIG = "supervisors:\n  enabled: true\n"
DESIGN, INTERNALISER, CODE_STYLE = Supervisor.DESIGN, Supervisor.INTERNALISER, Supervisor.CODE_STYLE
SIX: Says = {
    "status": "COMPLETE",
    "goal": "Logging in works",
    "subtasks": [subtask(f"Do part {n}", *([n - 1] if n > 1 else []), files=[f"part_{n}.py"]) for n in range(1, 7)],
}
PHASES: Says = {
    "status": "COMPLETE",
    "goal": "Logging in works",
    "subtasks": [
        subtask("Write the form", files=["form.py"]),
        subtask("Put it on the page", 1, files=["app.py"], phase=2),
    ],
}
CRITICAL: dict[str, Any] = {
    "directives": [
        {
            "type": "functional",
            "description": "Keep passwords out of the log",
            "rationale": "Everybody reads it",
            "priority": "critical",
            "files": ["src/app.py"],
        }
    ],
    "summary": "The form logs what people type.",
}
MAJOR = {"verdict": "major_divergence", "why": "nobody can log out any more"}
REST = {"add": [{"title": "Let people log out", "why": "it was asked for", "files": ["out.py"]}], "summary": "More."}


def supervised(plan: Says, work: Workshop | None = None, **answers: Any) -> Given:
    each: Says = {"directives": [{"number": 1, "answer": "task"}]}
    quiet = {"assess": {"verdict": "aligned"}, "address": each, **SILENT}
    return given(work or Workshop(), CONFIG, decompose=plan, **{**quiet, **answers})


async def called(play: Play) -> list[tuple[tuple[Supervisor, ...], Occasion]]:
    on = project_id((await play.task()).project or "")
    recorded = await play.program.services.database.read(lambda tx: tx.log.facts(on, kinds=(SupervisorsCalled,)))
    facts = [each.event for each in recorded]
    return [(fact.supervisors, fact.occasion) for fact in facts if isinstance(fact, SupervisorsCalled)]


async def test_they_look_after_the_third_and_the_fifth_subtask_and_at_the_end(opened: Opened) -> None:
    play, thread = await at_work(opened, supervised(SIX))
    await play.sees("ana", thread, "T-1 is ready to merge")
    assert await called(play) == [
        ((INTERNALISER,), Occasion.INTERVAL),
        ((CODE_STYLE,), Occasion.INTERVAL),
        ((CODE_STYLE, DESIGN, INTERNALISER), Occasion.PHASE),
    ]
    status = await play.sees("ana", thread, "Code Style Supervisor", "found nothing new", "Internaliser")
    assert sum("Code Style Supervisor" in m.text for m in await play.stage.shown("ana", thread)) == 1, status.text


async def test_all_of_them_look_at_once_after_a_subtask_was_dropped(opened: Opened) -> None:
    stuck = GaveUp(ending=Ending.TURNS, problem="it runs in circles")
    work = Workshop(minions=ScriptedMinions(scripts={1: [says(stuck)]}))
    free: Says = {
        **PHASES,
        "subtasks": [subtask("Write the form", files=["form.py"]), subtask("Explain", files=["a.md"])],
    }
    play, thread = await at_work(opened, supervised(free, work))
    await play.sees("ana", thread, "T-1.1 (Write the form) needs you")
    await play.stage.press("ana", thread, "Drop subtask")
    await play.sees("ana", thread, "T-1 is ready to merge")
    assert ((CODE_STYLE, DESIGN, INTERNALISER), Occasion.URGENT) in await called(play)


async def test_a_critical_directive_stops_new_starts_until_a_person_decides(opened: Opened) -> None:
    scene = supervised(PHASES)
    scene.llm.then("design", CRITICAL)  # type: ignore[union-attr]
    play, thread = await at_work(opened, scene)
    card = await play.sees(
        "ana", thread, "a supervisor asks for a correction", "no new subtask starts until you decide"
    )
    assert "Keep passwords out of the log" in card.text and "Everybody reads it" in card.text
    assert {"Add to this task", "Own task", "Dismiss"} <= set(card.buttons)
    await play.sees("ana", thread, "Held", "Design Supervisor", "found 1 thing, created 1 functional directive")
    assert [work.attempt for work in (await play.task()).work.subtasks] == [1, 0, 0]
    await play.stage.press("mallory", thread, "Add to this task")
    assert (await play.sees("mallory", thread, "This is not yours to decide")).private
    await play.stage.press("lead", thread, "Add to this task")
    await play.sees("ana", thread, "T-1.4", "Keep passwords out of the log")
    await play.sees("ana", thread, "T-1 is ready to merge")
    assert [work.attempt for work in (await play.task()).work.subtasks] == [1, 1, 1, 1]


async def test_cleanups_wait_for_a_press_and_polishing_ends(opened: Opened) -> None:
    scene = supervised(PHASES)
    scene.llm.always(code_style=STYLE_SAYS)  # type: ignore[union-attr]
    play, thread = await at_work(opened, scene)
    card = await play.sees("ana", thread, "clean up before it is checked as a whole?", "Use one name for the logger")
    assert {"Clean up now", "Go on without"} <= set(card.buttons)
    await play.sees("ana", thread, "found 3 things, created 2 cleanup directives and 1 note")
    await play.stage.press("lead", thread, "Clean up now")
    await play.sees("ana", thread, "T-1 is ready to merge")
    await play.sees("ana", thread, "Clean-up", "Cleaned up: 2 of 2 subtasks")


async def test_a_major_divergence_leads_to_another_plan_that_a_person_takes(opened: Opened) -> None:
    scene = supervised(PHASES, remainder=REST)
    scene.llm.then("assess", MAJOR)  # type: ignore[union-attr]
    play, thread = await at_work(opened, scene)
    card = await play.sees("ana", thread, "please look at the rest of the plan", "nobody can log out any more")
    assert "Let people log out" in card.text and {"Take the new plan", "Keep the plan"} <= set(card.buttons)
    await play.stage.press("lead", thread, "Take the new plan")
    await play.sees("ana", thread, "T-1 is ready to merge")
    task = await play.task()
    assert (task.plan.number, task.plan.subtask(4).title) == (2, "Let people log out")


async def test_without_a_model_they_are_skipped_with_one_line_and_work_goes_on(opened: Opened) -> None:
    down: dict[str, Any] = dict.fromkeys(SILENT, no_answer("the model is down"))
    play, thread = await at_work(opened, supervised(PHASES, None, **down, assess=no_answer("the model is down")))
    await play.sees("ana", thread, "T-1 is ready to merge")
    await play.sees("ana", thread, "Code Style Supervisor", "skipped: the model is down")
    assert not any("got stuck" in m.text for m in await play.stage.shown("ana", thread))
