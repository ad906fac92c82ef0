"""Engines that are programs of others: which of them are known, and the packages that they were tried with."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """Of the npm registry, pinned: another content than this is refused."""

    name: str
    version: str
    integrity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownEngine:
    """One that was tried with this version of Overlord."""

    model: str  # that it is given, where nobody names one
    keys: tuple[str, ...]  # variables of its provider's key; the first that is set is taken
    program: str  # in the folder of its package
    packages: Mapping[str, Package]  # by the kind of processor, or `any`

    def package(self, machine: str) -> Package | None:
        return self.packages.get(machine) or self.packages.get("any")
