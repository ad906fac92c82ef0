"""Roles as the console shows them: what each extends, reads, may use and is judged by, and what came of its runs."""

from collections.abc import Mapping
from dataclasses import dataclass

from agents.catalog.library import Catalog
from agents.domain.workflow.roles import Base, Role
from store.streams.runs import RoleRecord, by_role
from store.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleShown:
    role: Role
    steps: tuple[str, ...]  # of the workflow in use, that it works at
    record: RoleRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class RolesShown:
    """By kind, and the packs and other places that they come from."""

    kinds: Mapping[str, tuple[RoleShown, ...]]
    sources: tuple[str, ...]

    def find(self, name: str) -> RoleShown | None:
        return next((each for roles in self.kinds.values() for each in roles if each.role.name == name), None)


def read_roles(tx: Transaction, catalog: Catalog) -> RolesShown:
    records, steps = by_role(tx.db), catalog.workflow.steps
    shown = [
        RoleShown(
            role=role,
            steps=tuple(step.name for step in steps if role.name in step.roles),
            record=records.get(role.name, RoleRecord()),
        )
        for role in catalog.roles.values()
    ]
    kinds = {base.value: tuple(each for each in shown if each.role.base is base) for base in Base}
    return RolesShown(kinds=kinds, sources=tuple(bundle.source for bundle in catalog.declared.bundles))
