"""All that is declared, as loaded: contexts, roles and the steps of the workflow, and whether they fit together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator
from typing_extensions import TypedDict

from agents.catalog.roles import CONTEXTS, ROLES
from agents.catalog.validation import Flag, Model, Name, Odd, Problem, written_as
from agents.catalog.yaml import read_packaged
from agents.domain.context.strategy import Strategy
from agents.domain.errors import SettingsProblem
from agents.domain.models.failure import POLICIES
from agents.domain.text.sanitize import Between
from agents.domain.workflow.roles import BadRole, Base, Layer, Role, RolePart, Roles
from agents.domain.workflow.workflow import IMPLEMENT, ORDER, PLAN, REVIEW, Step, Workflow, step_of

MOST_RETRIES = 5  # each is paid for
MOST_READERS = 2  # there are two models that read finished work: critic and custodiet
SOURCE = "overlord.yaml"
BASE_OF: dict[str, Base] = {PLAN: Base.PLANNER, IMPLEMENT: Base.IMPLEMENTER, REVIEW: Base.REVIEWER}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What overlord.yaml says. None: as it comes with the program."""

    contexts: Mapping[str, Strategy] | None = None
    roles: Mapping[str, RolePart] = field(default_factory=dict)
    workflow: Workflow | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    contexts: Mapping[str, Strategy]
    roles: Mapping[str, Role]
    workflow: Workflow

    def role(self, name: str) -> Role:
        """Raises SettingsProblem: a task may have been approved under a workflow whose role is gone since."""
        if name not in self.roles:
            step = f"Put it back under `roles:` in overlord.yaml. There are: {', '.join(self.roles)}."
            raise SettingsProblem(f"There is no role `{name}` any more", next_step=step)
        return self.roles[name]


def load_catalog(declared: Declared | None = None) -> Catalog:
    """Raises SettingsProblem with all that is wrong."""
    catalog, odd = _load(declared or Declared())
    if odd:
        told = "; ".join(
            str(Problem(name=".".join(map(str, where)), what=what, instead=step)) for where, what, step in odd
        )
        raise SettingsProblem(told, next_step="Mend it and start again.")
    return catalog


def odd_declared(declared: Declared) -> Iterator[Odd]:
    """What does not fit together, for whoever wrote it."""
    return iter(_load(declared)[1])


def _load(declared: Declared) -> tuple[Catalog, list[Odd]]:
    contexts = declared.contexts or _our_contexts()
    ours = Layer(source="", parts=_our_roles())
    yours = [Layer(source=SOURCE, parts=declared.roles)] if declared.roles else []
    roles, bad = Roles([ours, *yours], contexts).resolved()
    workflow = declared.workflow or _our_workflow()
    odd: list[Odd] = [_describe(each) for each in bad]
    return Catalog(contexts=contexts, roles=roles, workflow=workflow), [*odd, *_odd_steps(workflow, roles, odd)]


# What comes with the program stays as it is, and YAML takes long to read.
_our_contexts = cache(lambda: CONTEXTS.read(read_packaged("contexts").data))
_our_roles = cache(lambda: ROLES.read(read_packaged("roles").data))
_our_workflow = cache(lambda: WORKFLOW.read(read_packaged("workflows", "default.yaml").data))


def _describe(bad: BadRole) -> Odd:
    return ("roles", *bad.where), bad.what, bad.step


def _odd_steps(workflow: Workflow, roles: Mapping[str, Role], odd: list[Odd]) -> Iterator[Odd]:
    """Steps whose role is not there, or is another kind of role. One that is broken is told already."""
    broken = {where[1] for where, _, _ in odd}
    for name, base in BASE_OF.items():
        role, where = workflow.step(name).role, ("workflow", "steps", name, "role")
        if role not in roles and role not in broken:
            yield where, f"there is no role `{role}`", f"Write {base}, or add the role under `roles:`."
        elif role in roles and roles[role].base is not base:
            yield where, f"`{role}` is no {base}", f"Write {base}, or a role that extends it."
