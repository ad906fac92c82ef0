"""What a minion is told when it calls its work done, before it costs an attempt: scope, lint, tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agents.ports import Brief, Trial
from agents.workspace.gates.judge import SandboxGates
from agents.workspace.gates.rules import outside
from agents.workspace.git.checkouts import GitCheckouts


@dataclass(frozen=True, slots=True)
class FirstLook:
    """Implements agents.minions.engines.HandIn."""

    checkouts: GitCheckouts
    gates: SandboxGates
    brief: Brief

    async def strays(self) -> Mapping[str, str]:
        """As the gate will see them: all that differs from where the subtask began."""
        return outside(await self.checkouts.changed_paths(self.brief.checkout, self._base), self.brief.work.scope)

    async def put_back(self, paths: Sequence[str]) -> Sequence[str]:
        return await self.checkouts.put_back(self.brief.checkout, self._base, paths)

    async def why_not_yet(self) -> str:
        """Why work is not taken: it cannot be committed, or its tests would be sent back."""
        checkout, changes = self.brief.checkout, self.brief.subtask.changes_tests
        if said := await self.checkouts.why_uncommittable(checkout):
            return said
        folder = checkout.workspace.path
        return await self.gates.read_tests(checkout.project, checkout.base, folder, changes_tests=changes)

    async def trials(self) -> Sequence[Trial]:
        """Commands for the minion's own sandbox. The linter first: it is quick."""
        checkout, folder = self.brief.checkout, self.brief.checkout.workspace.path
        changed = await self.checkouts.unsaved_paths(checkout)
        lint = await self.gates.lint_trial(checkout.project, checkout.base, folder, changed)
        tests = await self.gates.trial(checkout.project, checkout.base, folder)
        return [trial for trial in (lint, tests) if trial]

    @property
    def _base(self) -> str:
        later = self.brief.step.config.get("files")  # it only adds to what somebody else made before it
        return self.brief.checkout.head if later else self.brief.work.base or self.brief.checkout.base
