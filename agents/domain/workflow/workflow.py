"""Workflows: how a task goes from a plan to a merge, step by step. A task keeps the one its plan was approved under."""

from dataclasses import dataclass
from typing import Any

from agents.domain.ids import fingerprint

PLAN, PLAN_REVIEW, IMPLEMENT, TEST, REVIEW, COMMIT = "plan", "plan_review", "implement", "test", "review", "commit"
ORDER = (PLAN, PLAN_REVIEW, IMPLEMENT, TEST, REVIEW, COMMIT)  # the one that the program can run today


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """As far as a workflow is obeyed. No defaults: what a task was approved under stays as it was written down, also
    where a later version of the program would choose otherwise."""

    name: str
    next: str  # empty: the last
    role: str  # empty: nobody's, the Overlord does it itself
    max_retries: int  # how often it may be done again before a person is asked
    parallel: int  # how many do it side by side; all must agree
    human_approval: bool  # a person decides, whatever a channel's policy says
    retry_policy: str  # of calls to models


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    name: str
    steps: tuple[Step, ...]

    @property
    def hash(self) -> str:
        """Which version of it this is."""
        return fingerprint(self.name, *(repr(step) for step in self.steps))

    @property
    def version(self) -> str:
        """Enough of the hash for people to tell two apart."""
        return self.hash[:8]

    def step(self, name: str) -> Step:
        return next(step for step in self.steps if step.name == name)

    @property
    def plan(self) -> Step:
        return self.step(PLAN)

    @property
    def plan_review(self) -> Step:
        return self.step(PLAN_REVIEW)

    @property
    def implement(self) -> Step:
        return self.step(IMPLEMENT)

    @property
    def review(self) -> Step:
        return self.step(REVIEW)


def step_of(name: str, **given: Any) -> Step:
    """What is not given of a step is none of its business."""
    return Step(name=name, next=(*ORDER, "")[ORDER.index(name) + 1], **{**_PLAIN, **given})


_PLAIN = {"role": "", "max_retries": 0, "parallel": 1, "human_approval": False, "retry_policy": "default"}

# Manifests/workflows/default.yaml says the same. Plans that were approved before workflows were kept ran under it.
DEFAULT = Workflow(
    name="default",
    steps=(
        step_of(PLAN, role="planner", max_retries=2),
        step_of(PLAN_REVIEW, retry_policy="conservative"),
        step_of(IMPLEMENT, role="implementer", max_retries=2, retry_policy="aggressive"),
        step_of(TEST),
        step_of(REVIEW, role="reviewer", retry_policy="conservative"),
        step_of(COMMIT),
    ),
)
