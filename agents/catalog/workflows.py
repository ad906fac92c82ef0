"""The workflow as YAML: manifests/workflows/default.yaml, with what overlord.yaml says about its steps laid over."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator
from typing_extensions import TypedDict

from agents.catalog.fields import Flag, Name, written_as
from agents.catalog.validation import Model
from agents.catalog.yaml import Document, read_yaml
from agents.domain.models.failure import POLICIES
from agents.domain.text.sanitize import Between
from agents.domain.workflow.workflow import ORDER, Step, Workflow, step_of
from manifests import packaged

MOST_RETRIES = 5  # each is paid for
MOST_READERS = 2  # there are two models that read finished work: critic and custodiet


def _policy(written: str) -> str:
    if written not in POLICIES:
        raise ValueError(f"there is no retry policy `{written[:60]}`. Write one of {', '.join(POLICIES)}.")
    return written


def _after(name: str) -> AfterValidator:
    """The name of the step that follows this one."""
    follows = ORDER[ORDER.index(name) + 1]

    def check(written: str) -> str:
        if written != follows:
            step = f"Write `next: {follows}`: steps have one order."
            raise ValueError(f"`{written[:60]}` does not follow `{name}`. {step}")
        return written

    return AfterValidator(check)


Retries = Annotated[int, Between(0, MOST_RETRIES)]
RetryPolicy = Annotated[str, AfterValidator(_policy)]


# Each step has the attributes that it obeys; all others are refused.
class Plan(TypedDict, total=False):
    role: Name
    max_retries: Retries
    retry_policy: RetryPolicy
    next: Annotated[str, _after("plan")]


class PlanReview(TypedDict, total=False):
    human_approval: Flag
    retry_policy: RetryPolicy
    next: Annotated[str, _after("plan_review")]


class Implement(TypedDict, total=False):
    role: Name
    max_retries: Retries
    retry_policy: RetryPolicy
    next: Annotated[str, _after("implement")]


class Test(TypedDict, total=False):
    next: Annotated[str, _after("test")]


class Review(TypedDict, total=False):
    role: Name
    parallel: Annotated[int, Between(1, MOST_READERS)]
    retry_policy: RetryPolicy
    next: Annotated[str, _after("review")]


class Commit(TypedDict, total=False):
    pass


class Steps(TypedDict):
    plan: Plan
    plan_review: PlanReview
    implement: Implement
    test: Test
    review: Review
    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenWorkflow:
    name: Name
    description: str = ""
    steps: Steps

    def workflow(self) -> Workflow:
        return Workflow(name=self.name, steps=tuple(_step(name, self.steps) for name in ORDER))


def _step(name: str, steps: Any) -> Step:
    return step_of(name, **{key: value for key, value in steps[name].items() if key != "next"})


WrittenSteps = Annotated[Workflow, written_as(WrittenWorkflow, WrittenWorkflow.workflow)]
WORKFLOW: Model[Workflow] = Model(WrittenSteps)


def packaged_workflow() -> Document:
    return read_yaml(packaged("workflows", "default.yaml"))
