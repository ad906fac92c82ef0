"""One walk with a clumsy model: a person approves what was approved and merges what is ready, and does nothing else."""

import asyncio
import re
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.events import Event
from agents.domain.planning.review import Critic, Custodiet, Review
from agents.domain.task.task import Task
from agents.domain.work.work import Ending
from bot.app import Program
from bot.queries import Need
from tests.bench.clumsy.clumsiness import Call, Clumsy
from tests.bench.clumsy.stories import End, Story, story_of
from tests.fakes.clock import ScaledClock
from tests.fakes.llm import A_CHANGE, NOTHING_AGAINST
from tests.fakes.model_server import KEY, Answer, ModelServer, Seen, tag_of
from tests.fakes.wires import WIRES
from tests.scenarios.console_stage import ConsoleStage, open_stage
from tests.scenarios.plans import means
from tests.scenarios.rehearsed import git
from tests.scenarios.stage import Setup

WHO = "lead"
PATIENCE = 240.0  # seconds of a walk, on a busy machine
SCALE, ASKED = 10, 80  # how much faster time goes; seconds of that time until a call counts as hanging
CONFIG = """
groups:
  approver: [{lead}]
  tech_lead: [{lead}]
limits: {{model_step: %d}}
models:
  primary: {{model: "%s", base_url: "%s", api_key_env: FAKE_KEY}}
"""
PRESSES = {Kind.PLAN: "Approve plan", Kind.MERGE: "Merge it"}
BY_FORM = (Ending.ERRORS, Ending.TURNS, Ending.NO_ANSWER)
SILENT = ("did not answer in time", "Rate limit", "overloaded")
_SUBTASK = re.compile(r"^Subtask (\d+)", re.MULTILINE)


@dataclass(kw_only=True)
class Result:
    """How a walk ended. `wrong`: what was taken and never meant: verdicts, plans, and what was merged beside."""

    number: int
    wire: str
    story: str
    right: bool = False
    ended: str = ""
    calls: int = 0
    wrong: list[str] = field(default_factory=list)
    by_form: list[str] = field(default_factory=list)  # runs of minions that ended by form alone
    did: dict[str, int] = field(default_factory=dict)
    again: list[str] = field(default_factory=list)  # why models were asked again
    seconds: float = 0.0
    thread: str = ""  # where it missed

    def dump(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(kw_only=True)
class Model:
    """What the story's model truly means, said by a clumsy one."""

    story: Story
    clumsy: Clumsy

    def put_into(self, server: ModelServer) -> None:
        story = self.story
        truths = {
            "route": A_CHANGE, "decompose": story.plan, "critic": story.critic, "custodiet": story.custodiet,
            "code_review": story.review, "intent": means("other"), "wish": NOTHING_AGAINST,
            "setup": {"commands": [], "why": "nothing is needed"},
        }  # fmt: skip
        for question, truth in truths.items():
            server.answers(question, self._answers(question, truth))
        server.answers("any", self._turn)

    def _answers(self, question: str, truth: dict[str, Any]) -> Any:
        return lambda seen: self.clumsy.answer(question, truth, tag_of(seen.text))

    def _turn(self, seen: Seen) -> Answer:
        found = _SUBTASK.search(seen.text)
        number = min(int(found[1]) if found else 1, len(self.story.writes))
        return self.clumsy.turn(f"minion {number}", self._right(seen, self.story.writes[number - 1]))

    def _right(self, seen: Seen, writes: Any) -> tuple[Call, ...]:
        """What is next, as its tools have answered so far."""
        said = [str(message.get("content")) for message in seen.talk if message["role"] == "tool"]
        if not any("README.md, lines" in each for each in said):
            return (("read_file", {"path": "README.md"}),)
        missing = [path for path in writes if not any(f"{path} is written" in each for each in said)]
        if missing:
            return tuple(("write_file", {"path": path, "content": writes[path]}) for path in missing)
        strays = any("put_back set to true" in each for each in said[-6:])
        more = {"put_back": True} if strays else {}
        return (("task_complete", {"summary": "It is written as the subtask says.", **more}),)


async def walk(number: int, seed: str, home: Path, rate: float = 1.0) -> Result:
    wire = [*WIRES][number % len(WIRES)]
    story = story_of(number)
    return await walk_story(
        story, wire, number, Clumsy(seed=f"{seed}:{number}", hang=ASKED / SCALE + 2, rate=rate), home
    )


async def walk_story(story: Story, wire: str, number: int, clumsy: Clumsy, home: Path) -> Result:
    result, began = Result(number=number, wire=wire, story=story.name), time.monotonic()
    async with ModelServer(wire=wire, models=(WIRES[wire].model,)) as server, AsyncExitStack() as stack:
        Model(story=story, clumsy=clumsy).put_into(server)
        config = CONFIG % (ASKED, server.named(), server.url)
        setup = Setup(
            home=home,
            config=lambda stage: config.format(lead=stage.account(WHO)),
            clock=ScaledClock(SCALE, since=time.time()),
            environ={"FAKE_KEY": KEY},
        )
        stage, host = await open_stage(stack, setup)
        assert host.program is not None
        person = _Person(stage=stage, program=host.program, story=story)
        thread = await stage.say(WHO, story.request, mention=True)
        try:
            async with asyncio.timeout(PATIENCE):
                result.ended = await person.go(thread)
        except TimeoutError:
            result.ended = f"nothing more happened within {PATIENCE:g} s"
        facts = await person.facts()
        if result.ended == End.MERGED:
            result.wrong += _unmerged(story, home)
        result.wrong += wrong_in(facts, story)
        failed = [fact for fact in facts if isinstance(fact, e.MinionFailed)]
        result.by_form = [f"{fact.ending.value}: {fact.problem}" for fact in failed if _is_by_form(fact)]
        result.again = [f"{f.question}: {f.why}" for f in facts if isinstance(f, e.ModelAskedAgain)]
        result.calls, result.did = len(server.seen), dict(clumsy.did)
        result.right = result.ended == story.end and not result.wrong
        if not result.right:
            result.thread = "\n---\n".join(shown.text for shown in await stage.shown(WHO, thread))
    result.seconds = round(time.monotonic() - began, 1)
    return result


@dataclass(kw_only=True)
class _Person:
    stage: ConsoleStage
    program: Program
    story: Story
    task: Task | None = None
    done: set[str] = field(default_factory=set)

    async def go(self, thread: str) -> str:
        """How it ended, in words."""
        while True:
            tasks = await self.program.queries.tasks(self.stage.account(WHO), ended=True, limit=1)
            self.task = tasks[0] if tasks else None
            if self.task and self.task.has_ended:
                return End.MERGED if self.task.delivery.merged_into else f"it is {self.task.state.value}"
            for need in await self.program.queries.needs(self.stage.account(WHO)):
                if need.decision.id in self.done:
                    continue
                if ended := await self._see(thread, need):
                    return ended
            await asyncio.sleep(0.1)

    async def _see(self, thread: str, need: Need) -> str:
        """Press what is pressed on the usual way; else what is asked is the end."""
        kind, facts = need.decision.kind, await self.facts()
        review = _last_review(facts)
        stopped = review and (review.critic.verdict is Critic.HALT or review.custodiet.verdict is Custodiet.BLOCK)
        if self.story.end is End.PLAN_STOPPED and stopped:
            return End.PLAN_STOPPED
        if kind is Kind.GATE:
            return await self._press(thread, need, need.card.buttons[0].label)
        if kind in PRESSES and (kind is Kind.MERGE or _approved(facts)):
            return await self._press(thread, need, PRESSES[kind])
        judged = [fact.evaluation for fact in facts if isinstance(fact, e.WorkEvaluated)]
        if kind is Kind.ESCALATION and judged:
            if any(review.opinion == "rejected" for each in judged for review in each.reviews):
                return End.WORK_REFUSED
            if any(gate.name == "tests" and gate.score != "pass" for gate in judged[-1].gates):
                return End.TESTS_FAIL
        return f"a person is asked ({kind.value}): {need.card.title}: {need.card.text}"[:300]

    async def _press(self, thread: str, need: Need, label: str) -> str:
        shown = {each for message in await self.stage.shown(WHO, thread) for each in message.buttons}
        if label not in shown:
            return ""
        self.done.add(need.decision.id)
        await self.stage.press(WHO, thread, label)
        return ""

    async def facts(self) -> list[Event]:
        task = self.task
        if task is None:
            return []
        return [each.event for each in await self.program.services.database.read(lambda tx: tx.log.facts(task.id))]


def _is_by_form(fact: e.MinionFailed) -> bool:
    """A model that was silent as often as it was asked is another matter: nobody can read that."""
    return fact.ending in BY_FORM and not any(silent in fact.problem for silent in SILENT)


def _reviews(facts: Sequence[Event]) -> list[Review]:
    found = [getattr(fact, "review", None) for fact in facts]
    return [review for review in found if isinstance(review, Review)]


def _last_review(facts: Sequence[Event]) -> Review | None:
    found = _reviews(facts)
    return found[-1] if found else None


def _approved(facts: Sequence[Event]) -> bool:
    """By the reviewers: a person who reads the card sees no doubt."""
    ends = (e.DecompositionApproved, e.DecompositionBlocked, e.DecompositionEscalated, e.DecompositionSentBack)
    found = [fact for fact in facts if isinstance(fact, ends)]
    return bool(found) and isinstance(found[-1], e.DecompositionApproved)


def wrong_in(facts: Sequence[Event], story: Story) -> list[str]:
    """What stands in the record and was never meant. No verdict is not wrong: it approves nothing."""
    wrong = list[str]()
    for review in _reviews(facts):
        told = {
            "critic": (review.critic.verdict.value, story.critic),
            "custodiet": (review.custodiet.verdict.value, story.custodiet),
        }
        wrong += [f"{who}: {v}" for who, (v, truth) in told.items() if v not in (truth["verdict"], "no_verdict")]
    for fact in facts:
        if isinstance(fact, e.DecompositionDrafted):
            planned = [list(step.files) for step in fact.plan.steps]
            wrong += [] if planned == [step["files"] for step in story.subtasks] else [f"plan: {planned}"]
        if isinstance(fact, e.WorkEvaluated):
            said = [review.opinion.value for review in fact.evaluation.reviews]
            wrong += [f"code_review: {each}" for each in said if each not in (story.review["status"], "no_verdict")]
    return wrong


def _unmerged(story: Story, home: Path) -> list[str]:
    """It is really there, and nothing beside it."""
    sample = home / "sample"
    wanted = {path: text for writes in story.writes for path, text in writes.items()}
    first = git(sample, "rev-list", "--max-parents=0", "main").split()[0]
    names = git(sample, "diff", "--name-only", first, "main").split()
    wrong = [f"merged beside it: {name}" for name in names if name not in wanted]
    found = {path: git(sample, "show", f"main:{path}") for path in wanted if path in names}
    same = {path for path, text in found.items() if text.strip() == wanted[path].strip()}  # a formatter may end it anew
    return wrong + [f"not merged: {path}" for path in wanted if path not in same]
