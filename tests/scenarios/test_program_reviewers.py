"""Command-line agents that plan and review: two different ones read finished work, and both must approve."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.domain.events import StepRefused
from agents.domain.workflow.roles import EngineName
from tests.fakes.model_server import KEY, Answer, ModelServer, Says as Spoken
from tests.fakes.program import MODELS, WIRES, lay_program
from tests.fakes.work import Workshop
from tests.scenarios.conftest import Given, Opened, Play, on
from tests.scenarios.plans import GO, OK, means
from tests.scenarios.working import APPROVED, ONE, at_work

REVIEWERS = """
roles:
  planner: {{engine: claude}}
  reviewer_gemini: {{engine: gemini}}
  reviewer_codex: {{engine: codex}}
workflow:
  overrides:
    review: {{roles: [reviewer_gemini, reviewer_codex], parallel: 2}}
models:
  primary: {{model: "%s", base_url: "%s", api_key_env: FAKE_KEY}}
  critic: claude-cli
"""
ENGINE = """
  {engine}: {{path: "{path}", model: {model}, base_url: "{url}", api_key_env: FAKE_KEY}}
"""
WRONG = {"status": "changes_requested", "issues": ["It has no label"]}


@dataclass
class Reviewers:
    """Those who may be asked: a model of ours, and three programs with a provider each."""

    place: Path
    primary: ModelServer
    behind: dict[EngineName, ModelServer]

    def say(self, **code_review: Answer) -> None:
        for engine, server in self.behind.items():
            server.answers("decompose", ONE)
            server.answers("critic", GO)
            server.answers("code_review", code_review.get(engine.value, APPROVED))

    async def at_work(self, opened: Opened) -> tuple[Play, str]:
        engines = "".join(
            ENGINE.format(
                engine=engine, path=lay_program(self.place / engine, engine), model=MODELS[engine], url=server.url
            ).replace("{", "{{").replace("}", "}}")
            for engine, server in self.behind.items()
        )  # fmt: skip
        config = REVIEWERS % (self.primary.named(), self.primary.url)
        scene = Given(work=Workshop(), config=f"{config}engines:{engines}", environ={"FAKE_KEY": KEY})
        return await at_work(opened, scene)

    def asked(self, engine: EngineName, question: str) -> int:
        return self.behind[engine].count(question)


@pytest.fixture
async def reviewers(tmp_path: Path) -> AsyncIterator[Reviewers]:
    async with AsyncExitStack() as stack:
        primary = await stack.enter_async_context(ModelServer())
        primary.answers("custodiet", OK)
        primary.answers("intent", means("other"))
        behind = {
            engine: await stack.enter_async_context(ModelServer(wire=wire, models=(MODELS[engine],)))
            for engine, wire in WIRES.items()
        }
        yield Reviewers(tmp_path / "programs", primary, behind)


@on("console")
async def test_programs_plan_and_review_and_both_who_read_must_approve(opened: Opened, reviewers: Reviewers) -> None:
    reviewers.say()
    play, thread = await reviewers.at_work(opened)
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert reviewers.asked(EngineName.CLAUDE, "decompose") == reviewers.asked(EngineName.CLAUDE, "critic") == 1
    assert reviewers.asked(EngineName.GEMINI, "code_review") and reviewers.asked(EngineName.CODEX, "code_review")
    assert not reviewers.primary.count("code_review") and not reviewers.primary.count("decompose")
    task = await play.task()
    read = task.work.subtasks[0].checked.reviews
    assert [review.title for review in read] == ["reviewer gemini", "reviewer codex"]
    used = {usage.model for fact in await play.log() for usage in getattr(fact.event, "usage", ())}
    behind = {"anthropic/claude-sonnet-5", "gemini/gemini-pro-latest", "openai/gpt-5.4"}
    assert behind <= used, "what they asked is told and paid under their models' names"


@on("console")
async def test_what_one_of_them_rejects_is_not_approved(opened: Opened, reviewers: Reviewers) -> None:
    reviewers.say(codex=WRONG)
    play, thread = await reviewers.at_work(opened)
    await play.happened("StepRefused")
    (refused, *_) = [fact.event for fact in await play.log() if isinstance(fact.event, StepRefused)]
    assert refused.step == "review"
    await play.sees("lead", thread, "It has no label")
    assert "SubtaskDone" not in await play.facts()


@on("console")
async def test_where_one_says_nothing_that_counts_a_person_decides(opened: Opened, reviewers: Reviewers) -> None:
    reviewers.say(gemini=Spoken(text="Looks good to me!"))
    play, thread = await reviewers.at_work(opened)
    card = await play.sees("lead", thread, "gave no verdict", offers="Continue")
    assert "reviewer gemini" in card.text.lower()
    assert "T-1 is ready to merge" not in "".join(m.text for m in await play.stage.shown("lead", thread))
