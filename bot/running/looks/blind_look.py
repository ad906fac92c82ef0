"""What a minion is told that works without the code, when it calls its tests done: they ran in the whole project."""

import asyncio
import shlex
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from agents.domain.checks.file_kinds import is_test
from agents.domain.errors import OverlordError
from agents.ports import Brief, Trial, Workspace
from agents.workspace.blind.blind_folders import own_files
from agents.workspace.blind.blind_results import few_or_dumb, in_words, looks_at_code, names_of, read_results
from agents.workspace.files.safe_open import Tree
from agents.workspace.gates.judge import SandboxGates
from agents.workspace.git import objects
from agents.workspace.git.checkouts import GitCheckouts
from agents.workspace.sandbox.sandbox_choice import ChosenSandbox
from agents.workspace.sandbox.walls import GATE

REPORT = "/tmp/blind/report.xml"
# The product is there as bytecode alone, so that no test finds a line of its source; stdout is nobody's business.
_RUN = f"""
set -e
mkdir -p /tmp/blind && cp -R . /tmp/blind/tree && cd /tmp/blind/tree && rm -rf .git
for file in "$@"; do "$python" -I -m compileall -q -b "$file" >/dev/null 2>&1 && rm -f "$file" || true; done
"$python" -m pytest -q -p no:cacheprovider --junitxml={REPORT} -- OWN >/dev/null 2>&1 || true
cat {REPORT}
"""


@dataclass(frozen=True, slots=True)
class BlindLook:
    """Implements agents.minions.engines.HandIn. What is outside its folders is not copied, so nothing strays."""

    checkouts: GitCheckouts
    gates: SandboxGates
    sandbox: ChosenSandbox
    brief: Brief

    async def strays(self) -> Mapping[str, str]:
        return {}

    async def put_back(self, paths: Sequence[str]) -> Sequence[str]:
        return [f"{path}: nothing outside of your folders was taken" for path in paths]

    async def trials(self) -> Sequence[Trial]:
        return ()

    async def why_not_yet(self) -> str:
        checkout = self.brief.checkout
        if said := await self.checkouts.why_uncommittable(checkout):
            return said
        tests = await asyncio.to_thread(self._own_tests)
        least = self.brief.step.config.get("min_tests", 0)
        if said := few_or_dumb(tests, least if isinstance(least, int) else 0):
            return said
        try:
            return await self._run(tests)
        except OverlordError:
            return ""  # the gate says so, with what to do

    def _own_tests(self) -> dict[str, str]:
        with closing(Tree(self.brief.checkout.workspace.path)) as tree:
            files = own_files(tree, self.brief.checkout.blind)
        return {path: body.decode(errors="replace") for path, body in files.items() if path.endswith(".py")}

    async def _run(self, tests: Mapping[str, str]) -> str:
        """Empty: all passed, or they are not run by pytest, and then the gate runs them."""
        checkout = self.brief.checkout
        whole = await self.checkouts.whole(checkout)
        command = await self.gates.trial(checkout.project, checkout.base, whole.path)
        python = _python_of(command)
        if not python or not tests:
            return ""
        there = await objects.entries(self.checkouts.repository(checkout.project), checkout.head)
        product = [path for path in there if path.endswith(".py") and not is_test(path) and path not in tests]
        said = await self._report(whole, python, tests, product)
        withheld = any(map(looks_at_code, tests.values()))
        results = read_results(said, names_of(tests), withheld=withheld)
        if not results or all(each.ended in ("passed", "skipped") for each in results):
            return ""
        told = in_words(results, withheld=withheld)
        return f"{told}\nMend a test that is wrong. One that shows a fault of the product is right: leave it."

    async def _report(
        self, whole: Workspace, python: Sequence[str], tests: Mapping[str, str], product: Sequence[str]
    ) -> str:
        own = " ".join(shlex.quote(path) for path in sorted(tests))
        script = f"python={shlex.quote(python[-1])}\n{_RUN.replace('OWN', own)}"
        command = (*python[:-1], "/bin/sh", "-c", script, "sh", *product)
        sandbox = await self.sandbox()
        return (await sandbox.once(whole, GATE, command)).output


def _python_of(command: Trial | None) -> tuple[str, ...]:
    """What stands before `-m pytest` in the command that the gate will use: settings, and the interpreter."""
    if command is None or "pytest" not in command.argv:
        return ()
    at = command.argv.index("pytest")
    return command.argv[: at - 1] if at > 1 and command.argv[at - 1] == "-m" else ()
