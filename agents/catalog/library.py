"""What is declared in manifests/ and overlord.yaml: contexts, roles and workflows, and whether they fit together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, Field, create_model

from agents.catalog.validation import (
    CONFIG,
    Model,
    Name,
    Named,
    Odd,
    Problem,
    Title,
    did_you_mean,
    fields_of,
    pattern,
    written_as,
)
from agents.catalog.workflow_choice import compose_all, templates_with
from agents.catalog.workflows import ChosenWorkflow, WorkflowPart
from agents.catalog.yaml import Where, read_packaged
from agents.domain.checks.evaluation import ExtraGate
from agents.domain.context.packing import MAX_BUDGET, Part, secret_path
from agents.domain.context.strategy import MEASURES, Input, Strategy, odd_order
from agents.domain.errors import SettingsProblem
from agents.domain.models.failure import POLICIES
from agents.domain.text.sanitize import Between
from agents.domain.workflow.roles import Base, EngineName, Layer, Role, RolePart, Roles, ToolName, odd_context
from agents.domain.workflow.steps import PLAN, REVIEW, WORKER, Step
from agents.domain.workflow.workflow import DEFAULT, Workflow

T = TypeVar("T")
LONGEST_ADDITIONS = 4_000  # characters; every turn of every minion carries them
LEAST_BUDGET = 1_000  # tokens; the rules and a task alone need so many
Budget = Annotated[int, Between(LEAST_BUDGET, MAX_BUDGET)]
_counts: dict[str, Any] = {name: (Annotated[int, Between(0, measure.most)], 0) for name, measure in MEASURES.items()}
_WrittenInputs = create_model("WrittenInputs", __config__=CONFIG, **_counts)
SOURCE = "overlord.yaml"
# The kind of role that each type of step needs.
BASE_OF: dict[str, Base] = {PLAN.name: Base.PLANNER, WORKER.name: Base.IMPLEMENTER, REVIEW.name: Base.REVIEWER}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What overlord.yaml says. None: as it comes with the program."""

    contexts: Mapping[str, Strategy] | None = None
    roles: Mapping[str, RolePart] = field(default_factory=dict)
    workflow: ChosenWorkflow | None = None
    workflows: Mapping[str, WorkflowPart] = field(default_factory=dict)  # templates beside ours
    retries: frozenset[str] = frozenset(POLICIES)  # names of retry policies


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What a workflow is for, and where it is written."""

    description: str = ""
    source: str = ""  # empty: it comes with Overlord


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    contexts: Mapping[str, Strategy]
    roles: Mapping[str, Role]
    workflow: Workflow  # that tasks run under where nobody chooses another
    workflows: Mapping[str, Workflow]  # that can be chosen
    origins: Mapping[str, Origin]  # of each of them
    declared: Declared

    def choose(self, own: str, asked: str = "") -> Workflow:
        """`own`: what the project or the channel is set to. A request may choose what the settings list; where there
        is no list, any workflow, unless the project or the channel is set to one."""
        listed = self.declared.workflow.on_request if self.declared.workflow else None
        allowed = listed if listed is not None else (own,) if own else tuple(self.workflows)
        name = asked if asked in allowed and asked in self.workflows else own
        return self.workflows[name] if name else self.workflow

    def role(self, name: str) -> Role:
        """Raises SettingsProblem: a task may have been approved under a workflow whose role is gone since."""
        if name not in self.roles:
            step = f"Put it back under `roles:` in overlord.yaml. There are: {', '.join(self.roles)}."
            raise SettingsProblem(f"There is no role `{name}` any more", next_step=step)
        return self.roles[name]

    def worker_roles(self) -> dict[str, str]:
        """Those that may do a subtask, each with what it is for."""
        return {role.name: role.description for role in self.roles.values() if role.base is Base.IMPLEMENTER}

    def context(self, role: str, scope: str = "") -> Strategy:
        """What a role reads at a step; `scope`: what the step says of it. Raises SettingsProblem where either is
        gone since."""
        found = self.role(role)
        if not scope:
            return found.context
        if scope not in self.contexts:
            step = f"Put it back under `contexts:` in overlord.yaml. There are: {', '.join(self.contexts)}."
            raise SettingsProblem(f"There is no context `{scope}` any more", next_step=step)
        return found.reading(self.contexts[scope])


def load_catalog(declared: Declared | None = None) -> Catalog:
    """Raises SettingsProblem with all that is wrong."""
    catalog, odd = _loaded(declared or Declared())
    if odd:
        told = "; ".join(
            str(Problem(name=".".join(map(str, where)), what=what, instead=step)) for where, what, step in odd
        )
        raise SettingsProblem(told, next_step="Mend it and start again.")
    return catalog


def odd_declared(declared: Declared) -> Iterator[Odd]:
    """What does not fit together, for whoever wrote it."""
    return iter(_loaded(declared)[1])


def _loaded(declared: Declared) -> tuple[Catalog, list[Odd]]:
    contexts = declared.contexts or _our_contexts()
    ours = Layer(source="", parts=_our_roles())
    yours = [Layer(source=SOURCE, parts=declared.roles)] if declared.roles else []
    roles, bad = Roles([ours, *yours], contexts).resolve()
    workflows, odd_workflows = compose_all(declared.workflow, declared.workflows)
    odd: list[Odd] = [(("roles", *each.where), each.what, each.step) for each in bad]
    chosen = declared.workflow.template if declared.workflow else DEFAULT.name
    catalog = Catalog(
        contexts=contexts,
        roles=roles,
        workflow=workflows.get(chosen, DEFAULT),
        workflows=workflows,
        origins={name: _origin(name, declared) for name in workflows},
        declared=declared,
    )
    return catalog, [*odd, *odd_workflows, *_odd_steps(catalog, declared, odd)]


def _origin(name: str, declared: Declared) -> Origin:
    chosen = declared.workflow if declared.workflow and declared.workflow.template == name else ChosenWorkflow()
    changed = replace(chosen, template="default") != ChosenWorkflow()
    template = templates_with(declared.workflows)[name]
    description = chosen.description or template.description
    return Origin(description=description, source=SOURCE if changed or name in declared.workflows else "")


# What comes with the program stays as it is, and YAML takes long to read.
_our_contexts = cache(lambda: CONTEXTS.read(read_packaged("contexts").data))
_our_roles = cache(lambda: ROLES.read(read_packaged("roles").data))


def _odd_steps(catalog: Catalog, declared: Declared, odd: list[Odd]) -> Iterator[Odd]:
    """Each thing once. A role that is broken is told already."""
    broken = {where[1] for where, _, _ in odd}
    told = set[tuple[str, str]]()
    for workflow in catalog.workflows.values():
        for step in workflow.steps:
            where = _written_at(declared, workflow.name, step.name)
            for attribute, name, what, instead in odd_names(step, catalog):
                if name not in broken and (step.name, name) not in told:
                    told.add((step.name, name))
                    yield (*where, attribute), what, instead


def odd_names(step: Step, catalog: Catalog) -> Iterator[tuple[str, str, str, str]]:
    """What a step names and is not there, or is of another kind: the attribute, the name, what is wrong, what to do."""
    for role in step.roles:
        if problem := _odd_role(role, BASE_OF.get(step.type), catalog.roles):
            yield "role", role, *problem
    policies = catalog.declared.retries
    if step.retry_policy not in policies:
        known = f"Write one of {', '.join(sorted(policies))}; or add it under `retries:`."
        yield "retry_policy", step.retry_policy, f"there is no retry policy `{step.retry_policy}`", known
    if step.context_scope and (problem := _odd_scope(step, catalog.contexts)):
        yield "context_scope", step.context_scope, *problem


def _odd_scope(step: Step, contexts: Mapping[str, Strategy]) -> tuple[str, str] | None:
    name = step.context_scope
    if name not in contexts:
        return f"there is no context `{name}`", did_you_mean(name, contexts)
    return odd_context(name, contexts[name], BASE_OF[step.type])


def _odd_role(role: str, base: Base | None, roles: Mapping[str, Role]) -> tuple[str, str] | None:
    if role not in roles:
        return f"there is no role `{role}`", f"Write {base}, or add the role under `roles:`."
    if base and roles[role].base is not base:
        return f"`{role}` is no {base}", f"Write {base}, or a role that extends it."
    return None


def _written_at(declared: Declared, workflow: str, step: str) -> Where:
    chosen = declared.workflow
    if chosen and workflow == chosen.template and step in chosen.overrides:
        return ("workflow", "overrides", step)
    if chosen and workflow == chosen.template and step in chosen.steps:
        return ("workflow", "steps", step)
    return ("workflows", workflow, "steps", step)
