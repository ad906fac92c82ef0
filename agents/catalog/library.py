"""What is declared in manifests/ and overlord.yaml: contexts, roles and the workflow, and whether they fit together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, Field, Strict, create_model
from typing_extensions import TypedDict

from agents.catalog.validation import CONFIG, Model, Name, Named, Odd, Problem, Title, fields_of, pattern, written_as
from agents.catalog.yaml import read_packaged
from agents.domain.checks.evaluation import ExtraGate
from agents.domain.context.packing import MAX_BUDGET, Part, secret_path
from agents.domain.context.strategy import MEASURES, Input, Strategy, odd_order
from agents.domain.errors import SettingsProblem
from agents.domain.models.failure import POLICIES
from agents.domain.text.sanitize import Between
from agents.domain.workflow.roles import Base, EngineName, Layer, Role, RolePart, Roles, ToolName
from agents.domain.workflow.workflow import IMPLEMENT, ORDER, PLAN, REVIEW, Workflow, step_of

T = TypeVar("T")
LONGEST_ADDITIONS = 4_000  # characters; every turn of every minion carries them
LEAST_BUDGET = 1_000  # tokens; the rules and a task alone need so many
Budget = Annotated[int, Between(LEAST_BUDGET, MAX_BUDGET)]
_counts: dict[str, Any] = {name: (Annotated[int, Between(0, measure.most)], 0) for name, measure in MEASURES.items()}
_WrittenInputs = create_model("WrittenInputs", __config__=CONFIG, **_counts)
MOST_RETRIES = 5  # each is paid for
MOST_READERS = 2  # there are two models that read finished work: critic and custodiet
SOURCE = "overlord.yaml"
BASE_OF: dict[str, Base] = {PLAN: Base.PLANNER, IMPLEMENT: Base.IMPLEMENTER, REVIEW: Base.REVIEWER}


def _used_inputs(written: BaseModel) -> dict[Input, int]:
    return {Input(name): most for name, most in written if most}


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenContext:
    name: Title = ""
    description: str = ""
    token_budget: Budget
    priority_order: tuple[Part, ...]
    inputs: Annotated[Mapping[Input, int], written_as(_WrittenInputs, _used_inputs)]

    def strategy(self) -> Strategy:
        if problem := odd_order(self.priority_order, self.inputs):
            raise ValueError(f"its `priority_order` cannot be used: {problem}")
        return Strategy(**fields_of(self))


Context = Annotated[Strategy, written_as(WrittenContext, WrittenContext.strategy)]
Contexts = Named[Context]
CONTEXT: Model[Strategy] = Model(Context)
CONTEXTS: Model[Mapping[str, Strategy]] = Model(Contexts)


def _refuse_secrets(written: str) -> str:
    """Files that may hold secrets are never packed, so a pattern that names them would promise what does not happen."""
    if secret_path(written):
        raise ValueError(f"`{written[:60]}` may hold secrets, and those are never read. Leave it out.")
    return written


Few = Annotated[tuple[T, ...], Field(max_length=30)]
_Pattern = Annotated[str, pattern("docs/**/*.md")]
_STRIPPED = AfterValidator(str.strip)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenReading:
    """What a role reads."""

    strategy: Name = ""
    token_budget: Budget | None = None
    always_include: Few[Annotated[_Pattern, AfterValidator(_refuse_secrets)]] = ()
    exclude: Few[_Pattern] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRole:
    name: Title = ""
    extends: Name = ""
    description: Annotated[str, Field(max_length=500), _STRIPPED] = ""
    system_prompt_additions: Annotated[str, Field(max_length=LONGEST_ADDITIONS), _STRIPPED] = ""
    context: WrittenReading = field(default_factory=WrittenReading)
    allowed_tools: tuple[ToolName, ...] | None = None
    gates: Few[ExtraGate] = ()
    strengths: Few[Annotated[str, Field(max_length=200), _STRIPPED]] = ()
    engine: EngineName | None = None

    def part(self) -> RolePart:
        same = fields_of(self, "context", "system_prompt_additions")
        return RolePart(**same, **fields_of(self.context), additions=self.system_prompt_additions)


_Role = Annotated[RolePart, written_as(WrittenRole, WrittenRole.part)]
RolesByName = Named[_Role]
ROLE: Model[RolePart] = Model(_Role)
ROLES: Model[Mapping[str, RolePart]] = Model(RolesByName)


def _policy(written: str) -> str:
    if written not in POLICIES:
        raise ValueError(f"there is no retry policy `{written[:60]}`. Write one of {', '.join(POLICIES)}.")
    return written


# The attributes that each step obeys; all others are refused.
OBEYED: dict[str, tuple[str, ...]] = {
    "plan": ("role", "max_retries", "retry_policy"),
    "plan_review": ("human_approval", "retry_policy"),
    "implement": ("role", "max_retries", "retry_policy"),
    "test": (),
    "review": ("role", "parallel", "retry_policy"),
    "commit": (),
}
_ATTRIBUTES: dict[str, Any] = {
    "role": Name,
    "max_retries": Annotated[int, Between(0, MOST_RETRIES)],
    "retry_policy": Annotated[str, AfterValidator(_policy)],
    "human_approval": Annotated[bool, Strict()],
    "parallel": Annotated[int, Between(1, MOST_READERS)],
}
_TypedDict: Any = TypedDict  # mypy wants to read its names


def _step_type(name: str) -> Any:
    """What may be written of a step, with the name of the one that follows it."""
    written = {each: _ATTRIBUTES[each] for each in OBEYED[name]}
    if name != ORDER[-1]:
        written["next"] = Annotated[str, _follows(name)]
    return _TypedDict(name, written, total=False)


def _follows(name: str) -> AfterValidator:
    follows = ORDER[ORDER.index(name) + 1]

    def check(written: str) -> str:
        if written != follows:
            step = f"Write `next: {follows}`: steps have one order."
            raise ValueError(f"`{written[:60]}` does not follow `{name}`. {step}")
        return written

    return AfterValidator(check)


Steps = _TypedDict("Steps", {name: _step_type(name) for name in OBEYED})


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenWorkflow:
    name: Name
    description: str = ""
    steps: Annotated[Mapping[str, Any], written_as(Steps, dict)]

    def workflow(self) -> Workflow:
        given = {name: {key: value for key, value in self.steps[name].items() if key != "next"} for name in ORDER}
        return Workflow(name=self.name, steps=tuple(step_of(name, **given[name]) for name in ORDER))


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
    odd: list[Odd] = [(("roles", *each.where), each.what, each.step) for each in bad]
    return Catalog(contexts=contexts, roles=roles, workflow=workflow), [*odd, *_odd_steps(workflow, roles, odd)]


# What comes with the program stays as it is, and YAML takes long to read.
_our_contexts = cache(lambda: CONTEXTS.read(read_packaged("contexts").data))
_our_roles = cache(lambda: ROLES.read(read_packaged("roles").data))
_our_workflow = cache(lambda: WORKFLOW.read(read_packaged("workflows", "default.yaml").data))


def _odd_steps(workflow: Workflow, roles: Mapping[str, Role], odd: list[Odd]) -> Iterator[Odd]:
    """Steps whose role is not there, or is another kind of role. One that is broken is told already."""
    broken = {where[1] for where, _, _ in odd}
    for name, base in BASE_OF.items():
        role, where = workflow.step(name).role, ("workflow", "steps", name, "role")
        if role not in roles and role not in broken:
            yield where, f"there is no role `{role}`", f"Write {base}, or add the role under `roles:`."
        elif role in roles and roles[role].base is not base:
            yield where, f"`{role}` is no {base}", f"Write {base}, or a role that extends it."
