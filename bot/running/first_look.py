"""What a minion is told when it calls its work done, before it costs an attempt: scope, lint, tests."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.ports import Brief, Trial
from agents.workspace.gates.judge import SandboxGates
from agents.workspace.gates.rules import why_outside
from agents.workspace.git.checkouts import GitCheckouts


@dataclass(frozen=True, slots=True)
class FirstLook:
    checkouts: GitCheckouts
    gates: SandboxGates

    async def why_not_yet(self, brief: Brief) -> str:
        """Why work is not taken: it cannot be committed, is out of scope, or its tests would be sent back."""
        checkout, changes = brief.checkout, brief.subtask.changes_tests
        if said := await self.checkouts.why_uncommittable(checkout):
            return said
        if said := why_outside(await self.checkouts.unsaved_paths(checkout), brief.work.scope):
            return said
        folder = checkout.workspace.path
        return await self.gates.read_tests(checkout.project, checkout.base, folder, changes_tests=changes)

    async def trials(self, brief: Brief) -> Sequence[Trial]:
        """Commands for the minion's own sandbox. The linter first: it is quick."""
        checkout, folder = brief.checkout, brief.checkout.workspace.path
        changed = await self.checkouts.unsaved_paths(checkout)
        lint = await self.gates.lint_trial(checkout.project, checkout.base, folder, changed)
        tests = await self.gates.trial(checkout.project, checkout.base, folder)
        return [trial for trial in (lint, tests) if trial]
