"""What is declared in manifests/ and overlord.yaml: contexts, roles and workflows, and whether they fit together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from agents.catalog.roles.bundles import Bundle
from agents.catalog.roles.context_files import CONTEXTS
from agents.catalog.roles.pack_files import packaged_packs
from agents.catalog.roles.role_files import ROLES
from agents.catalog.validation import Odd, Problem, did_you_mean
from agents.catalog.workflow_choice import compose_all, templates_with
from agents.catalog.workflow_graph import RoleKinds
from agents.catalog.workflows import ChosenWorkflow, WorkflowPart
from agents.catalog.yaml import Where, read_packaged
from agents.domain.context.strategy import Strategy
from agents.domain.context.variables import INTERNALS
from agents.domain.errors import SettingsProblem
from agents.domain.models.failure import POLICIES
from agents.domain.models.routing import by_program
from agents.domain.planning.decomposition import Subtask
from agents.domain.planning.fitting import why_unfit
from agents.domain.workflow.custom_tools import CustomTool
from agents.domain.workflow.role_layers import BadRole, Layer, Roles, odd_context
from agents.domain.workflow.roles import Base, EngineName, Role, RolePart, acting_as, good_for
from agents.domain.workflow.steps import PLAN, PLAN_REVIEW, REVIEW, WORKER, Step
from agents.domain.workflow.workflow import DEFAULT, Workflow
from manifests import packaged_path

SOURCE = "overlord.yaml"
# The kind of role that each type of step needs.
BASE_OF: dict[str, Base] = {
    PLAN.name: Base.PLANNER,
    PLAN_REVIEW.name: Base.REVIEWER,
    WORKER.name: Base.IMPLEMENTER,
    REVIEW.name: Base.REVIEWER,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What overlord.yaml says. None: as it comes with the program."""

    contexts: Mapping[str, Strategy] | None = None
    roles: Mapping[str, RolePart] = field(default_factory=dict)
    tools: Mapping[str, CustomTool] = field(default_factory=dict)  # that roles may name
    bundles: tuple[Bundle, ...] = ()  # packs that are on, then the user's own folder
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
    prompts: Mapping[str, str] = field(default_factory=dict)  # templates of roles, beside ours or over them

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

    def role_for(self, name: str, base: Base) -> Role:
        """As it works there: whoever reviews may also be asked to write down what they see, or attack it."""
        found = self.role(name)
        return acting_as(found, self.role(base)) if _may_also(found, base) else found

    def worker_roles(self) -> dict[str, str]:
        """Those that may do a subtask, each with what it is for and good at."""
        usual = self.roles[Base.IMPLEMENTER].strengths if Base.IMPLEMENTER in self.roles else ()
        return {role.name: good_for(role, usual) for role in self.roles.values() if role.for_subtasks}

    @property
    def models(self) -> dict[str, str]:
        """That roles name, each with one that does. A minion's engine asks its own."""
        asked = [role for role in self.roles.values() if role.base is not Base.IMPLEMENTER or not _engine_of(role)]
        return {model: role.name for role in asked if (model := self.model_of(role.name))}

    def model_of(self, role: str) -> str:
        """The model that serves a role that plans or reviews; empty: that of the question."""
        found = self.roles.get(role)
        if found and (engine := _engine_of(found)):
            return by_program(engine, found.model)
        return found.model if found else ""

    def unfit(self, role: str, subtask: Subtask) -> str:
        return why_unfit(self.roles[role], subtask) if role in self.roles else ""

    def gates_of(self, role: str) -> tuple[str, ...]:
        """Of a role that reads: an implementer's are run with the project's own."""
        found = self.role(role)
        return tuple(gate.name for gate in found.gates) if found.base is Base.REVIEWER else ()

    def context(self, role: str, scope: str = "", base: Base | None = None) -> Strategy:
        """What a role reads at a step; `scope`: what the step says of it; `base`: as what it is there. Raises
        SettingsProblem where either is gone since."""
        found = self.role_for(role, base) if base else self.role(role)
        if not scope:
            return found.context
        if scope not in self.contexts:
            step = f"Put it back under `contexts:` in overlord.yaml. There are: {', '.join(self.contexts)}."
            raise SettingsProblem(f"There is no context `{scope}` any more", next_step=step)
        return found.reading(self.contexts[scope])


def _engine_of(role: Role) -> str:
    """Empty: our own."""
    return "" if role.engine is EngineName.BUILTIN else role.engine.value


def load_catalog(declared: Declared | None = None) -> Catalog:
    """Raises SettingsProblem with all that is wrong."""
    catalog, odd = _loaded(declared or Declared())
    if odd:
        told = "; ".join(
            str(Problem(name=".".join(map(str, where)), what=what, instead=step)) for where, what, step in odd
        )
        raise SettingsProblem(told, next_step="Fix it and start again.")
    return catalog


def odd_declared(declared: Declared) -> Iterator[Odd]:
    """What does not fit together, for whoever wrote it."""
    return iter(_loaded(declared)[1])


def role_names(declared: Declared | None) -> tuple[str, ...]:
    """As far as they can be read."""
    return tuple(_loaded(declared or Declared())[0].roles)


def _loaded(declared: Declared) -> tuple[Catalog, list[Odd]]:
    contexts = contexts_of(declared)
    roles, bad = Roles(layers_of(declared), contexts, packaged_prompts()).resolve()
    workflows, odd_workflows = compose_all(declared.workflow, declared.workflows, role_kinds(roles))
    odd: list[Odd] = [(_where(each, declared), each.what, each.step) for each in bad]
    chosen = declared.workflow.template if declared.workflow else DEFAULT.name
    catalog = Catalog(
        contexts=contexts,
        roles=roles,
        workflow=workflows.get(chosen, DEFAULT),
        workflows=workflows,
        origins={name: _origin(name, declared) for name in workflows},
        declared=declared,
        prompts={name: text for bundle in declared.bundles for name, text in bundle.prompts.items()},
    )
    return catalog, [*odd, *odd_workflows, *_odd_steps(catalog, declared, odd)]


def with_engines(catalog: Catalog, engines: Mapping[str, EngineName]) -> Catalog:
    """With roles that run on another engine than is written for them; model and flags of that one go with it."""
    moved = {
        name: replace(role, engine=engines[name], model="", flags=())
        for name, role in catalog.roles.items()
        if engines.get(name, role.engine) is not role.engine
    }
    return replace(catalog, roles={**catalog.roles, **moved}) if moved else catalog


def role_kinds(roles: Mapping[str, Role]) -> RoleKinds:
    return RoleKinds(
        reviewers=frozenset(name for name, role in roles.items() if role.base is Base.REVIEWER),
        blind=frozenset(name for name, role in roles.items() if INTERNALS in role.context.exclude),
    )


def with_asked_role(workflow: Workflow, catalog: Catalog, role: str) -> Workflow:
    """With the role that a request names: at the first step of its kind, in place of the usual one."""
    found = catalog.roles.get(role)
    if found is None:
        return workflow
    wanted = next((step for step in workflow.steps if _is_usual(step, found.base, workflow)), None)
    steps = tuple(replace(step, roles=(role,)) if step is wanted else step for step in workflow.steps)
    return replace(workflow, steps=steps)


def _is_usual(step: Step, base: Base, workflow: Workflow) -> bool:
    if base is Base.IMPLEMENTER:
        return step.name == workflow.implement.name
    return step.type == (PLAN.name if base is Base.PLANNER else REVIEW.name)


def _origin(name: str, declared: Declared) -> Origin:
    chosen = declared.workflow if declared.workflow and declared.workflow.template == name else ChosenWorkflow()
    changed = replace(chosen, template="default") != ChosenWorkflow()
    template = templates_with(declared.workflows)[name]
    description = chosen.description or template.description
    return Origin(description=description, source=SOURCE if changed or name in declared.workflows else "")


# What comes with the program stays as it is, and YAML takes long to read.
_our_contexts = cache(lambda: CONTEXTS.read(read_packaged("contexts").data))
_our_roles = cache(lambda: ROLES.read(read_packaged("roles").data))
packaged_prompts = cache(lambda: tuple(sorted(path.stem for path in packaged_path("prompts", "roles").glob("*.j2"))))


def layers_of(declared: Declared) -> list[Layer]:
    ours = Layer(source="", parts=_our_roles(), ours=True)
    yours = Layer(source=SOURCE, parts=declared.roles, tools=declared.tools)
    return [
        ours,
        *(bundle.layer for bundle in declared.bundles),
        *([yours] if declared.roles or declared.tools else []),
    ]


def contexts_of(declared: Declared) -> dict[str, Strategy]:
    """Those of overlord.yaml over the user's own, over those of packs, over ours."""
    ours = _our_contexts()
    found = {name: each for bundle in declared.bundles for name, each in bundle.contexts.items()}
    yours = {name: each for name, each in (declared.contexts or {}).items() if each != ours.get(name)}
    return {**ours, **found, **yours}


def _where(bad: BadRole, declared: Declared) -> Where:
    """In overlord.yaml, or in a file of its own."""
    for bundle in declared.bundles:
        if bundle.source == bad.source:
            return (*bundle.where, "roles", *bad.where)
    return ("roles", *bad.where)


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
        pack = next((pack.name for pack in packaged_packs().values() if role in pack.roles_named), "")
        other = f"Switch on the pack that has it: `packs: [{pack}]`" if pack else f"Write {base}"
        return f"there is no role `{role}`", f"{other}, or add the role under `roles:`."
    if base and roles[role].base is not base and not _may_also(roles[role], base):
        return f"`{role}` is no {base}", f"Write {base}, or a role that extends it."
    return None


def _may_also(role: Role, base: Base) -> bool:
    """A persona who reviews may also be asked to write down what they see, or attack it."""
    return role.base is Base.REVIEWER and base is Base.IMPLEMENTER and role.name != role.base


def _written_at(declared: Declared, workflow: str, step: str) -> Where:
    chosen = declared.workflow
    if chosen and workflow == chosen.template and step in chosen.overrides:
        return ("workflow", "overrides", step)
    if chosen and workflow == chosen.template and step in chosen.steps:
        return ("workflow", "steps", step)
    return ("workflows", workflow, "steps", step)
