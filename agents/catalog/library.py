"""All that is declared, as loaded: contexts, roles and the workflow, and whether they fit together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from agents.catalog.contexts import CONTEXTS, packaged_contexts
from agents.catalog.roles import ROLES, packaged_roles
from agents.catalog.validation import Odd, Problem
from agents.catalog.workflows import WORKFLOW, packaged_workflow
from agents.domain.context.strategy import Strategy
from agents.domain.errors import SettingsProblem
from agents.domain.workflow.roles import BadRole, Base, Layer, Role, RolePart, Roles
from agents.domain.workflow.workflow import IMPLEMENT, PLAN, REVIEW, Workflow

SOURCE = "overlord.yaml"
BASE_OF: dict[str, Base] = {PLAN: Base.PLANNER, IMPLEMENT: Base.IMPLEMENTER, REVIEW: Base.REVIEWER}


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
    roles, bad = Roles([ours, *yours], contexts).resolved()
    workflow = declared.workflow or _our_workflow()
    odd: list[Odd] = [_describe(each) for each in bad]
    return Catalog(contexts=contexts, roles=roles, workflow=workflow), [*odd, *_odd_steps(workflow, roles, odd)]


# What comes with the program stays as it is, and YAML takes long to read.
_our_contexts = cache(lambda: CONTEXTS.read(packaged_contexts().data))
_our_roles = cache(lambda: ROLES.read(packaged_roles().data))
_our_workflow = cache(lambda: WORKFLOW.read(packaged_workflow().data))


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
