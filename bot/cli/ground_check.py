"""What `overlord doctor` says of each project's ground: what is installed, and which checks fail before any change."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from agents.domain.errors import OverlordError
from agents.domain.project.ground import Baseline
from agents.domain.text.redact import Redactor
from agents.domain.text.sanitize import cut
from agents.ports import Ground, Listener
from agents.workspace.environments.grounds import GroundTools, ProjectGrounds
from agents.workspace.files.artefacts import FileArtefacts
from agents.workspace.gates.gate_runner import GateTools
from agents.workspace.gates.judge import SandboxGates
from agents.workspace.git.checkouts import GitCheckouts
from agents.workspace.sandbox.sandbox_choice import ChosenSandbox
from bot.cards.planning.ground import NO_TESTS, baseline_in_words
from bot.config.settings import Settings
from bot.doctor_check import Check, fail, ok, warn
from bot.running.workshop import Site, WorkshopSettings, make_gate_configs, make_grounds

Confirm = Callable[[str], bool]
NOT_DONE = "not done yet"


def check_grounds(settings: Settings, *, set_up: bool, confirm: Confirm = typer.confirm) -> Iterator[Check]:
    """For projects that are here. `set_up`: whoever asks for the check is asked to consent, and it is run."""
    sites = {
        project.name: Site(
            path=project.path, commands=project.gates, environment=project.environment, secrets=project.secrets
        )
        for project in settings.projects
        if project.path is not None
    }
    if sites:
        yield from asyncio.run(_all(_Grounds.of(settings, sites), set_up=set_up, confirm=confirm))


async def _all(grounds: "_Grounds", *, set_up: bool, confirm: Confirm) -> list[Check]:
    found = list[Check]()
    for name in grounds.sites:
        try:
            found += [check async for check in grounds.check(name, set_up=set_up, confirm=confirm)]
        except OverlordError as problem:
            found.append(warn(f"ground of {name}", problem.what, problem.next_step))
    return found


class _Grounds:
    def __init__(
        self, sites: dict[str, Site], checkouts: GitCheckouts, made: tuple[ProjectGrounds, SandboxGates]
    ) -> None:
        self.sites, self._checkouts = sites, checkouts
        self._grounds, self._gates = made

    @classmethod
    def of(cls, settings: Settings, sites: dict[str, Site]) -> "_Grounds":
        home, redact = settings.home, Redactor(settings.secrets)
        sandbox, artefacts = ChosenSandbox(settings.sandbox), FileArtefacts(home, redact)
        checkouts = GitCheckouts({name: site.path for name, site in sites.items()}, home)
        config = WorkshopSettings(home=home, sandbox=settings.sandbox, console="", packages=settings.packages)
        grounds = make_grounds(sites, checkouts, config, GroundTools(sandbox=sandbox, artefacts=artefacts))
        tools = GateTools(sandbox=sandbox, artefacts=artefacts, redact=redact)
        gates = SandboxGates(make_gate_configs(sites, checkouts), home, tools, attach=grounds.attach)
        return cls(sites, checkouts, (grounds, gates))

    async def check(self, name: str, *, set_up: bool, confirm: Confirm) -> AsyncIterator[Check]:
        head = await self._checkouts.tip(name, "HEAD")
        if not head:
            step = "Commit something; work begins from a commit."
            yield warn(f"ground of {name}", f"{self.sites[name].path} has no commit", step)
            return
        ground = await self._grounds.find(name, head)
        for path in _missing(self.sites[name].path, ground):
            step = f"Put it there, or take it off `carry:` of {name}."
            yield warn(f"carried files of {name}", f"{path} is not in {self.sites[name].path}", step)
        if not ground.ready and set_up:
            yield await self._set_up(name, head, ground, confirm)
            ground = await self._grounds.find(name, head)
        elif not ground.ready:
            yield _not_set_up(name, ground)
        if ground.ready:
            yield _unread(name, ground) if ground.clues else _installed(name, ground)
            yield _of_baseline(name, await self._gates.baseline(name, head, ground.key, _tell))

    async def _set_up(self, name: str, head: str, ground: Ground, confirm: Confirm) -> Check:
        commands = "\n".join(f"  {command}" for command in ground.environment.setup)
        asked = f"To set {name} up, these run with a network, in a sandbox:\n{commands}\nRun them?"
        if not confirm(asked):
            return _not_set_up(name, ground)
        ended = await self._grounds.set_up(name, head, _tell)
        if ended.problem:
            return fail(f"set-up of {name}", cut(ended.problem, 400), f"{ended.next_step} Its log: {ended.log}.")
        return ok(f"set-up of {name}", f"done in {ended.seconds:.0f} s")


def _missing(checkout: Path, ground: Ground) -> list[str]:
    return [path for path in ground.environment.carry if not (checkout / path).is_file()]


def _not_set_up(name: str, ground: Ground) -> Check:
    commands = "; ".join(ground.environment.setup)
    step = "Run `overlord doctor --set-up`, or ask for work: you are asked for leave then."
    return warn(f"set-up of {name}", cut(f"{NOT_DONE}: {commands}", 400), step)


def _unread(name: str, ground: Ground) -> Check:
    step = "Write the commands under `environment: setup:` of the project (an empty list: none); a model is asked else."
    return warn(f"set-up of {name}", f"code finds nothing to install, but {', '.join(ground.clues)} may say how", step)


def _installed(name: str, ground: Ground) -> Check:
    seen = ", ".join(dict.fromkeys(part.seen for part in ground.environment.parts))
    if not ground.environment.setup:
        return ok(f"environment of {name}", "nothing has to be installed")
    return ok(f"environment of {name}", f"installed{f', by {seen}' if seen else ''}")


def _of_baseline(name: str, baseline: Baseline | None) -> Check:
    what = f"checks of {name}"
    said = baseline_in_words(baseline) if baseline else NO_TESTS
    if baseline is None or said.startswith(NO_TESTS):
        return warn(what, said, "Name a command under `gates: tests:`, or have a minion write some.")
    took = sum(check.seconds for check in baseline.checks)
    if said == "all checks pass":
        return ok(what, f"{said}, three times, at most {took:.0f} s a time")
    if any(check.problem for check in baseline.checks):
        return warn(what, said, "Install what is missing: write it under `environment: setup:` of the project.")
    return warn(what, said, "Work is not held to what failed before it; fix it when you can.")


@contextmanager
def _tell(command: str, gate: str = "") -> Iterator[Listener]:
    typer.echo(f"{gate or 'Runs'}: {cut(command, 100)}", err=True)
    yield lambda last: None
