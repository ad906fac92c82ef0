"""Workflows: how a task goes from a plan to a merge, step by step. A task keeps the one its plan was approved under."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from agents.domain.checks.evaluation import Score
from agents.domain.ids import fingerprint
from agents.domain.workflow.steps import (
    GATE,
    HUMAN,
    JOIN,
    MERGE,
    PLAN,
    PLAN_REVIEW,
    PULL,
    REVIEW,
    RULES,
    WORKER,
    Drafts,
    Predicate,
    Step,
    StepLevel,
    StepType,
)


class Part(StrEnum):
    """Which steps a subtask goes through. Code adds the opening and the closing one."""

    OPENING = "opening"  # the task's steps before the others
    ORDINARY = "ordinary"
    CLOSING = "closing"  # the same steps for the whole, then the task's last ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """A resolved graph: every step has its place, and nothing in it depends on defaults."""

    name: str
    require_tests: bool  # whether minions are told to add tests
    steps: tuple[Step, ...]  # in their order; the first two are the plan and its review

    @property
    def hash(self) -> str:
        """Which version of it this is."""
        return fingerprint(self.name, str(self.require_tests), *(repr(step) for step in self.steps))

    @property
    def version(self) -> str:
        """Enough of the hash for people to tell two apart."""
        return self.hash[:8]

    def step(self, name: str) -> Step:
        return next(step for step in self.steps if step.name == name)

    def first(self, kind: StepType) -> Step:
        return next(step for step in self.steps if step.type == kind.name)

    @property
    def plan(self) -> Step:
        return self.first(PLAN)

    @property
    def plan_review(self) -> Step:
        return self.first(PLAN_REVIEW)

    @property
    def implement(self) -> Step:
        """The first that works on ordinary subtasks."""
        return self.worker(Part.ORDINARY)

    def worker(self, part: Part) -> Step:
        """The first that works on such a subtask."""
        return next(step for step in self.part(part) if step.type == WORKER.name)

    def mender(self, part: Part, at: str, *, passed: bool = False) -> Step:
        """The worker that is asked when a person sends such a subtask back from a step, or from what comes after it."""
        steps = self.part(part)
        here = next((index for index, step in enumerate(steps) if step.name == at), len(steps) - 1)
        step = steps[min(here + passed, len(steps) - 1)]
        if step.type == WORKER.name or step.back:
            return step if step.type == WORKER.name else self.step(step.back)
        able = [each for each in steps if each.type == WORKER.name]
        return [each for each in able if not each.only_adds][-1] if any(not e.only_adds for e in able) else able[-1]

    @property
    def review(self) -> Step:
        return self.first(REVIEW)

    @property
    def waits_for_review(self) -> bool:
        """A person says when the pull request was read, before its merge is asked for."""
        return any(step.type == HUMAN.name and step.level is StepLevel.TASK for step in self.part(Part.CLOSING))

    @property
    def drafts(self) -> Drafts:
        return Drafts(str(self.first(PULL).config.get("draft", Drafts.NONE)))

    @property
    def keeps_audit(self) -> bool:
        """Who did and decided what is kept as a document of its own."""
        return bool(self.first(PULL).config.get("audit"))

    @property
    def waits_for_forge(self) -> bool:
        """What the forge's own checks say is waited for, so the work is pushed before it is finished."""
        return any(step.waits_for_forge for step in self.steps)

    def part(self, part: Part) -> tuple[Step, ...]:
        """The steps that such a subtask goes through, in their order."""
        rest = self.steps[2:]
        levels = [step.level for step in rest]
        begin = levels.index(StepLevel.SUBTASK)
        end = len(levels) - levels[::-1].index(StepLevel.SUBTASK)
        return {Part.OPENING: rest[:begin], Part.ORDINARY: rest[begin:end], Part.CLOSING: rest[begin:]}[part]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A workflow with what a project's own files add to it."""

    workflow: Workflow
    left_out: tuple[str, ...] = ()  # what of them may not stand there: the line, what is wrong, and where it may


class Stuck(StrEnum):
    """Why a person is asked in place of another attempt."""

    HOPELESS = "hopeless"  # another attempt would not fix it
    SPENT = "spent"  # all attempts that the workflow allows failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Go:
    """On to a step; none is left where it is None."""

    step: Step | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Back:
    """Another attempt by a worker."""

    step: Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    why: Stuck


Move = Go | Back | Ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What was done of a subtask since a person last had a word in it, this time included."""

    attempts: int
    visits: Mapping[str, int]  # how often each step looked at the work


def follow(workflow: Workflow, part: Part, at: str, score: Score, done: Done) -> Move:
    """What comes after a step that came to `score`. Refused work only ever goes back to a worker, which is another
    attempt, and attempts are limited, so every subtask ends."""
    steps = workflow.part(part)
    here = next(index for index, step in enumerate(steps) if step.name == at)
    step = steps[here]
    if score is Score.PASS:
        return Go(step=steps[here + 1] if here + 1 < len(steps) else None)
    if score is Score.FAIL or not step.back:
        return Ask(why=Stuck.HOPELESS)
    worker = workflow.step(step.back)
    if done.visits.get(at, 1) > step.max_retries or done.attempts > worker.max_retries:
        return Ask(why=Stuck.SPENT)
    return Back(step=worker)


def _step(name: str, kind: StepType, next: str, **given: Any) -> Step:
    return Step(**{"name": name, "type": kind.name, "next": next, "level": kind.level, **_PLAIN, **given})


_PLAIN: dict[str, Any] = {
    "back": "",
    "roles": (),
    "parallel": 1,
    "command": "",
    "config": {},
    "gate": "",
    "outputs": (),
    "max_retries": 2,
    "human_approval": False,
    "retry_policy": "conservative",
    "context_scope": "",
    "required": False,
    "description": "",
}

# Manifests/workflows/default.yaml says the same. Plans that were approved before workflows were kept ran under it.
DEFAULT = Workflow(
    name="default",
    require_tests=True,
    steps=(
        _step("plan", PLAN, "plan_review", roles=("planner",), retry_policy="default"),
        _step("plan_review", PLAN_REVIEW, "implement", back="plan"),
        _step("implement", WORKER, "rules", roles=("implementer",), retry_policy="aggressive"),
        _step("rules", RULES, "test", back="implement"),
        _step("test", GATE, "review", back="implement", config={"check": "project"}),
        _step("review", REVIEW, "commit", back="implement", roles=("reviewer",), gate=Predicate.ALL_APPROVED.value),
        _step("commit", JOIN, "ci"),
        _step("ci", GATE, "pull", back="implement", level=StepLevel.TASK, config={"check": "ci"}),
        _step("pull", PULL, "merge"),
        _step("merge", MERGE, ""),
    ),
)
