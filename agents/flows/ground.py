"""See that what a project needs is installed, with leave; then learn which checks fail before any change."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Moment
from agents.domain.decisions.kinds.work.consent import consent_question, standing_of
from agents.domain.decisions.table import ask
from agents.domain.events import Event
from agents.domain.ids import project_id
from agents.domain.project.ground import Baseline, Standing
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut
from agents.flows.setup_proposal import find_ground, propose_setup
from agents.ports import ForgeFailed, Ground, Ports, SetUpEnded

PROBLEM = 800
NOTES, NOTE = 6, 300  # notes of a repository, and characters of one


async def prepare_ground(event: Event, ports: Ports) -> None:
    task = await ports.store.task(event.task)
    base = "" if task.has_ended else await _base_of(task, ports)
    if not base:
        await ports.store.record(task.id, _let_begin)
        return
    await _note_states(task, ports)
    ground = await propose_setup(task, base, await find_ground(task, base, ports), ports)
    if ground.ready:
        await ports.store.note(task.id, _let_begin)
    elif not await _set_up(task, base, ground, ports):
        return
    await _measure(task, base, ground, ports)


async def _base_of(task: Task, ports: Ports) -> str:
    """The commit that work begins from: once a plan is approved that of its branch, whatever is checked out."""
    project = task.project or ""
    if not project or not task.in_work:
        return await ports.checkouts.tip(project, "HEAD") if project else ""
    try:
        into = (task.plan.draft.into if task.plan.draft else "") or await ports.forge.base(project)
    except ForgeFailed:
        return ""  # beginning the work says so
    return await ports.checkouts.source(project, into)


async def _note_states(task: Task, ports: Ports) -> None:
    """What is odd about the repository is said with the plan, where people decide; and that checks are to be tried."""
    notes = tuple(cut(note, NOTE) for note in await ports.projects.notes(task.project or ""))[:NOTES]
    measures = ports.gates.measures(task.project or "")

    def note(now: Task, moment: Moment) -> Sequence[Event]:
        if now.has_ended:
            return []
        noted = e.GroundNoted(task=now.id, at=moment.at, notes=notes, unread=now.ground.unread)
        begun = e.BaselineBegun(task=now.id, at=moment.at)
        return [
            *([noted] if now.ground.notes != notes else []),
            *([begun] if measures and not now.ground.measuring else []),
        ]

    await ports.store.note(task.id, note)


def _let_begin(task: Task, moment: Moment) -> Sequence[Event]:
    """Work that waited until it was known what the project needs goes on."""
    waits = task.in_work and not task.work.branch
    return [e.GroundSettled(task=task.id, at=moment.at)] if waits else []


async def _set_up(task: Task, base: str, ground: Ground, ports: Ports) -> bool:
    """Whether it is there now. Where it is not, the job has ended, and a person was asked."""
    stands = Standing.ASKED

    def look(now: Task, moment: Moment) -> Sequence[Event]:
        nonlocal stands
        stands = standing_of(now, moment.project(), ground.environment)
        asked = now.of_kind(Kind.CONSENT)
        return ask(now, consent_question(ground.environment), moment) if stands is Standing.ASKED and not asked else []

    await ports.store.note(task.id, look)
    if stands is not Standing.ALLOWED:
        await ports.store.record(task.id, lambda now, moment: [])
        return False
    await ports.store.note(task.id, lambda now, moment: _begun(now, ground, moment))
    environment = ground.environment
    proposed = environment.setup if environment.proposed else ()
    ended = await ports.grounds.set_up(task.project or "", base, ports.live(task.id, 0), proposed)
    said = await ports.artefacts.read(ended.log) if ended.log else None
    log = await ports.artefacts.keep(f"{task.id}-setup", said) if said else ""
    if ended.problem:
        ended = replace(ended, own_log=log)
        await ports.store.record(task.id, lambda now, moment: _failed(now, ground, ended, moment))
        return False
    await ports.store.note(task.id, lambda now, moment: _ready(now, ground, replace(ended, own_log=log), moment))
    return True


def _begun(task: Task, ground: Ground, moment: Moment) -> Sequence[Event]:
    many = len(ground.environment.setup)
    return [] if task.has_ended else [e.SetupBegun(task=task.id, at=moment.at, commands=many)]


def _ready(task: Task, ground: Ground, ended: SetUpEnded, moment: Moment) -> Sequence[Event]:
    ready = e.EnvironmentReady(
        task=task.id,
        project=project_id(task.project or ""),
        at=moment.at,
        key=ended.key,
        consent=ground.environment.consent,
        seconds=ended.seconds,
        log=ended.log,
    )
    settled = e.GroundSettled(task=task.id, at=moment.at, log=ended.own_log, seconds=ended.seconds)
    return [ready] if task.has_ended else [ready, settled]


def _failed(task: Task, ground: Ground, ended: SetUpEnded, moment: Moment) -> Sequence[Event]:
    failed = e.EnvironmentFailed(
        task=task.id,
        project=project_id(task.project or ""),
        at=moment.at,
        key=ended.key,
        consent=ground.environment.consent,
        problem=cut(ended.problem, PROBLEM),
        log=ended.log,
    )
    if task.has_ended:
        return [failed]
    told = [failed, e.SetupFailed(task=task.id, at=moment.at, log=ended.own_log)]
    again = consent_question(ground.environment, failed.problem, ended.next_step)
    return told if task.of_kind(Kind.CONSENT) else [*told, *ask(task, again, moment)]


async def _measure(task: Task, base: str, ground: Ground, ports: Ports) -> None:
    """What is known of this tree and environment already is told, not measured again."""
    project, tree = task.project or "", await ports.checkouts.tree(task.project or "", base)
    wanted, found = ports.gates.measures(project), cast("Baseline | None", None)

    def look_up(now: Task, moment: Moment) -> Sequence[Event]:
        nonlocal found
        about = moment.project()
        same = about and about.baseline and (about.baseline.tree, about.baseline.key) == (tree, ground.key)
        found = about.baseline if about and same else None
        return []

    await ports.store.note(task.id, look_up)
    measures = found is None and wanted
    new = await ports.gates.baseline(project, base, ground.key, ports.live(task.id, 0)) if measures else None

    def tell(now: Task, moment: Moment) -> Sequence[Event]:
        measured = new or found
        if measured is None:
            return []
        kept = e.BaselineMeasured(task=now.id, project=project_id(project), at=moment.at, baseline=measured)
        told = e.BaselineMeasured(task=now.id, at=moment.at, baseline=measured)
        return [*([kept] if new else []), *([] if now.has_ended else [told])]

    await ports.store.record(task.id, tell)
