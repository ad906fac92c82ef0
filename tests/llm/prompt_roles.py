"""Every prompt as a model would be shown it, for one sample task: the texts that are kept in `tests/llm/prompts/`."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.knowledge.choosing import Choice
from agents.domain.planning.decomposition import (
    Assumption,
    Confidence,
    Decomposition,
    Need,
    PlanPhase,
    Risk,
    Subtask,
    with_closing,
)
from agents.domain.planning.facts import PlanState
from agents.domain.planning.review import Point
from agents.domain.planning.work_kind import WorkKind
from agents.domain.task.task import Task
from agents.domain.task.wishes import Source
from agents.domain.work.work import SubtaskState, Work, WorkState
from agents.llm.prompts import Prompt, Prompts, names
from agents.llm.rendering import Fence, packaged_text
from agents.minions.engines.builtin.transcript import opening, words
from agents.ports import Brief, Checkout, Workspace
from tests.builders.wishes import wish
from tests.llm.notes import NOTES, choice, with_notes
from tests.llm.prompt_texts import REVIEW, TAG, prompts
from tests.llm.rig import ABOUT, SECRET, asked, files, task

SCHEMA = "(the JSON schema of the answer stands here: manifests/schema/answers/)"
PLAN = with_closing(
    Decomposition(
        goal="Logins are limited",
        summary="Count failures first, then refuse.",
        subtasks=(
            Subtask(number=1, title="Find the hot path", why="nobody knows it", kind=WorkKind.SPIKE, test="a number"),
            Subtask(
                number=2, title="Count failed tries", why="without counting nothing can be limited",
                kind=WorkKind.FEATURE, files=("src/login.py", "tests/test_login.py"), needs=(Need(number=1),),
                confidence=Confidence.HIGH, test="pytest tests/test_login.py", tags=("security",),
            ),
        ),
        assumptions=(Assumption(what="one process serves all logins"),),
        risks=(Risk(what="people are locked out", mitigation="a short window"),),
    )
)  # fmt: skip
WISHES = (
    wish("keep the old mobile app working", 1, source=Source.PLAN, entitled=True),
    wish("ten tries are enough", 2, source=Source.REMARK),
)
POINTS = (Point(by="critic", what="No test for an empty name", fix="Add one", subtask=2),)
FRESH = task()
DRAFTED = task(plan=PlanState(draft=PLAN, number=1))
AT_WORK = replace(
    task(plan=PlanState(draft=PLAN, number=1, review=REVIEW, points=POINTS)),
    wishes=WISHES,
    work=WorkState(subtasks=tuple(Work(number=each.number) for each in PLAN.subtasks), branch="ai/t-1", base="c" * 40),
)
# Told to a minion alone: what the parts agreed on, and what holds because nobody answered.
AROUND = replace(
    AT_WORK,
    plan=replace(AT_WORK.plan, draft=replace(PLAN, phases=(PlanPhase(number=1, interfaces=("failed(name) counts",)),))),
    work=replace(
        AT_WORK.work,
        subtasks=(
            Work(
                number=1, state=SubtaskState.DONE, summary="check_password is called three times a login.",
                settled=("How many tries are enough? Nobody answered in time, so your default holds: ten",),
            ),
            *AT_WORK.work.subtasks[1:],
        ),
    ),
)  # fmt: skip
AGAIN = task(plan=PlanState(draft=None, previous=PLAN, number=1, review=REVIEW, feedback=("split 2",)))
OF_THE_WHOLE = {**ABOUT["code_review"], "whole": True, "feedback": [], "notes": ["T-1.1: the hot path is here"]}
OF_A_SPIKE = {
    **ABOUT["code_review"], "spike": True, "feedback": [], "notes": ["check_password is called three times a login."],
}  # fmt: skip
FOLLOWS = {
    "task": "T-7", "state": "merged", "request": "count logins", "goal": "Logins are counted", "steps": ["T-7.1 Count"],
    "said": ["ana: only failed ones"], "notes": ["the counter is in login.py"], "merged": "c0ffee12",
    "diff": "+ count()",
}  # fmt: skip
NOTHING = Choice()
DIRECTIVES = ["functional, normal: Count tries in one place (src/login.py). Two counters differ."]
ANSWERED = [{"question": "how long is a session?", "answer": "20 minutes", "places": ["src/login.py:3"]}]
BEFORE = {"follows": FOLLOWS, "answers": ANSWERED}
# The task as it is when each question is asked; questions that are not here are asked before there is a plan.
WHEN: dict[str, Task] = {
    **dict.fromkeys(("critic", "custodiet", "specialist", "debate"), DRAFTED),
    **dict.fromkeys(("code_review", "wish", "address", "assess", "remainder"), AT_WORK),
}


async def _question(name: str, now: Task, **more: object) -> str:
    return _text(await prompts().prompt(asked(name, task=now, **more), SCHEMA, TAG))


async def _with_notes(name: str, now: Task, **more: object) -> str:
    return _text(await with_notes().prompt(asked(name, task=now, **more), SCHEMA, TAG))


def _text(made: Prompt) -> str:
    return "\n\n".join((*made.context, made.question))


def _minion(number: int, knowledge: Choice = NOTHING, **more: object) -> str:
    work = Work(
        number=number, attempt=2 if more else 1, scope=Scope(mode=ScopeMode.EXPLICIT, patterns=("src/login.py",))
    )
    given = Workspace(path=Path("/nowhere"), ways=(("Tests", "python -m pytest -q"),))
    place = Checkout(project="shop", branch="ai/t-1.2", base="c" * 40, head="c" * 40, workspace=given)
    brief = Brief(
        task=AROUND, subtask=AROUND.plan.subtask(number), work=replace(work, **more),  # type: ignore[arg-type]
        checkout=place, notes=("T-1.1: the hot path is check_password",),
        knowledge=knowledge,
    )  # fmt: skip
    return "\n\n".join(opening(Prompts(SECRET, files=files).text, brief, "src/login.py\ndef check_password(): ...", ()))


def _told() -> str:
    return str(words(Prompts(SECRET, files=files).text, AT_WORK, ("You were interrupted.",), WISHES[1:])[0]["content"])


def _asking(*, first: bool) -> str:
    text = Prompts(SECRET, files=files).text
    about: dict[str, object] = {
        "first": first, "project": "shop", "commit": "c" * 10, "moved": not first, "question": "how long is a session?",
        "files": ["src/app.py", "src/login.py"], "more": 3, "readme": "A shop.", "earlier": [],
    }  # fmt: skip
    said = text("_ask_question", about, FRESH)
    return "\n\n".join((text("_ask", {"most": 20}, FRESH), said)) if first else said


def _program(name: str, **about: object) -> str:
    return Prompts(SECRET, files=files).text(name, about, AT_WORK)


_TOOLS = ("ask_human", "request_scope", "task_complete", "task_blocked")


async def _now(text: str) -> str:
    return text


ROLES: dict[str, Callable[[], Awaitable[str]]] = {
    "handbook": lambda: _now(packaged_text("_base", {}, Fence("data"))),
    "handbook_of_talk": lambda: _now(packaged_text("_talk", {}, Fence("data"))),
    "handbook_of_supervisors": lambda: _now(packaged_text("_supervise", {}, Fence("data"))),
    **{name: partial(_question, name, WHEN.get(name, FRESH)) for name in sorted(names())},
    "design_at_first": partial(_question, "design", FRESH, about={**ABOUT["design"], "bootstrap": True, "notes": ""}),
    "decompose_with_notes": lambda: _with_notes("decompose", FRESH, about={"directives": DIRECTIVES}),
    "critic_with_notes": lambda: _with_notes("critic", DRAFTED),
    "minion_with_notes": lambda: _now(_minion(2, knowledge=choice(*NOTES))),
    "decompose_again": partial(_question, "decompose", AGAIN),
    "decompose_follow_up": partial(_question, "decompose", FRESH, about=BEFORE),
    "decompose_in_brief": partial(_question, "decompose", FRESH, brief=True),
    "code_review_of_the_whole": partial(_question, "code_review", AT_WORK, about=OF_THE_WHOLE),
    "code_review_of_a_spike": partial(_question, "code_review", AT_WORK, about=OF_A_SPIKE),
    "minion": lambda: _now(_minion(2)),
    "minion_closing": lambda: _now(_minion(3, feedback=("tests: 1 failed: test_login",))),
    "minion_told": lambda: _now(_told()),
    "minion_on_a_program": lambda: _now(_program("_minion_cli", program="Codex", server="overlord", tools=_TOOLS)),
    "minion_on_a_program_again": lambda: _now(_program("_minion_cli_again", last="Half done.", said=["Take B."])),
    "answer_by_a_program": lambda: _now(_program("_answer_cli", program="Codex", looks=True)),
    "answer_by_a_program_without_files": lambda: _now(_program("_answer_cli", program="Codex", looks=False)),
    "ask": lambda: _now(_asking(first=True)),
    "ask_follow_up": lambda: _now(_asking(first=False)),
}
