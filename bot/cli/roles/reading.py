"""`overlord roles context`: what a role would read of a task or of files, what not and why, in tokens."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from agents.catalog.library import load_catalog
from agents.catalog.roles.project_roles import with_project_roles
from agents.domain.context.packing import Packed, Part, Section
from agents.domain.context.papers import choose_papers, fill_papers, matching
from agents.domain.errors import OverlordError
from agents.domain.planning.decomposition import Subtask
from agents.domain.planning.work_kind import WorkKind
from agents.domain.task.task import Task
from agents.domain.text.redact import Redactor
from agents.domain.text.sanitize import clean
from agents.domain.work.work import Work
from agents.domain.workflow.roles import Base, Role
from agents.llm.tokens import Tokens
from agents.minions.pack import BranchSoFar, Packer, delta_of
from agents.minions.reading import Counts
from agents.ports import Checkout
from agents.workspace.files.safe_open import Tree
from agents.workspace.git.checkouts import GitCheckouts
from agents.workspace.git.objects import of_checkout
from agents.workspace.projects import SAMPLE, GitProjects
from bot.app import open_queries
from bot.cli import session
from bot.cli.roles import app
from bot.cli.session import Json
from bot.config.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a role would work on."""

    project: str
    path: Path
    subtask: Subtask
    work: Work | None = None
    task: Task | None = None


@app.command("context")
def show_context(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="ROLE", help="Such as implementer.")],
    task: Annotated[str, typer.Option("--task", metavar="TASK", help="A task, or a subtask such as T-3.2.")] = "",
    project: Annotated[str, typer.Option("--project", help="Instead of a task: a project, and files of it.")] = "",
    files: Annotated[list[str] | None, typer.Option("--file", help="A file that would be changed.")] = None,
    json: Json = False,
) -> None:
    """Show what a role would read, what not, and why."""
    settings = session.settings_of(context)
    about = asyncio.run(_of_task(settings, task)) if task else _of_files(settings, project, files or ())
    role, packs = asyncio.run(_read(settings, name, about))
    if json:
        session.show_json(
            {"role": role.name, "budget": role.context.budget, "packs": [_as_json(pack) for pack in packs]}
        )
        return
    for at, pack in enumerate(packs, 1):
        part = f", part {at} of {len(packs)}" if len(packs) > 1 else ""
        typer.echo(f"{role.name} reads {pack.tokens:,} of at most {role.context.budget:,} tokens{part}\n")
        rows = [_row(section, pack) for section in pack.kept]
        session.show_table(("part", "what", "tokens", ""), rows, none="Nothing.")
        for label, names in (("Left out, for there is no room", pack.left_out), ("Not shown", pack.skipped)):
            for each in names:
                typer.echo(clean(f"{label}: {each}"))


def _row(section: Section, pack: Packed) -> tuple[str, ...]:
    cut = "cut" if section.name in pack.cut else ""
    return section.part.value, clean(section.name), f"{section.tokens:,}", cut


def _as_json(pack: Packed) -> dict[str, object]:
    sections = [
        {"part": s.part.value, "name": s.name, "tokens": s.tokens, "cut": s.name in pack.cut} for s in pack.kept
    ]
    return {"tokens": pack.tokens, "sections": sections, "left_out": pack.left_out, "skipped": pack.skipped}


async def _of_task(settings: Settings, written: str) -> About:
    id, _, number = written.partition(".")
    async with open_queries(settings) as queries:
        task = (await session.page_of(queries, id)).task
    wanted = int(number) if number.isdigit() else 1
    found = (
        next((each for each in task.plan.draft.subtasks if each.number == wanted), None) if task.plan.draft else None
    )
    if found is None:
        raise OverlordError(f"{task.id} has no subtask {wanted}", next_step="It has them once it is planned.")
    work = next((each for each in task.work.subtasks if each.number == wanted), None)
    path = _places(settings).get(task.project or "")
    if path is None:
        raise OverlordError(f"The project of {task.id} is not on this machine", next_step="Name another task.")
    return About(project=task.project or "", path=path, subtask=found, work=work, task=task)


def _of_files(settings: Settings, project: str, files: Sequence[str]) -> About:
    places = _places(settings)
    name = project or (next(iter(places)) if len(places) == 1 else "")
    if name not in places:
        raise OverlordError("Say what it would read of", next_step=f"--task T-1, or --project: {', '.join(places)}.")
    made = Subtask(number=1, title="(no task)", why="", kind=WorkKind.FEATURE, files=tuple(files))
    return About(project=name, path=places[name], subtask=made)


def _places(settings: Settings) -> dict[str, Path]:
    return {each.name: each.path for each in settings.projects if each.path} or {SAMPLE: settings.home / SAMPLE}


async def _read(settings: Settings, name: str, about: About) -> tuple[Role, Sequence[Packed]]:
    checkouts = GitCheckouts({about.project: about.path}, settings.home)
    commit = (about.work.commit or about.work.base if about.work else "") or await checkouts.tip(about.project, "HEAD")
    projects = GitProjects({about.project: about.path})
    base = about.task.work.base if about.task else ""
    catalog, _ = with_project_roles(load_catalog(settings.declared), await projects.role_files(about.project, base))
    if name not in catalog.roles:
        raise OverlordError(f"There is no role {name}", next_step="See `overlord roles list`.")
    role, packer = catalog.roles[name], _packer()
    if role.base is Base.PLANNER:
        return role, [await _papers(role, projects, about)]
    async with checkouts.lend(about.project, commit) as workspace:
        at = Checkout(project=about.project, branch="", base=commit, head=commit, workspace=workspace)
        if role.base is Base.REVIEWER:
            if about.task is None or about.work is None or not about.work.commit:
                raise OverlordError("Nothing is handed in yet that it could read", next_step="Name a task with work.")
            delta = await delta_of(checkouts, about.task, about.work.base, commit)
            return role, (await packer.for_review(at, delta, role.context)).packed
        diff, attempt = "", about.work.attempt if about.work else 1
        if about.work and about.work.base and about.work.base != commit:
            diff, _ = await checkouts.difference(about.project, about.work.base, commit)
        so_far = BranchSoFar(diff=clean(diff), attempt=attempt)
        return role, [await packer.pack_work(at, about.subtask, role.context, so_far)]


def _packer() -> Packer:
    return Packer(open_tree=Tree, list_files=of_checkout, counts=Counts(Tokens()), redact=Redactor())


async def _papers(role: Role, projects: GitProjects, about: About) -> Packed:
    """A planner reads names of files and papers; it looks at the rest by itself."""
    files = await projects.files(about.project)
    request = about.task.request.text if about.task else ""
    papers = choose_papers(files, request, matching(role.context, files))
    count, read = Tokens(), await projects.read(about.project, [paper.path for paper in papers])
    texts = [("\n".join(files), f"names of {len(files):,} files", Part.TREE)]
    texts += [
        (paper.text, paper.path, Part.RELATED)
        for paper in fill_papers((p, read[p.path]) for p in papers if p.path in read)
    ]
    kept = tuple(Section(part=part, name=name, text=text, tokens=count(text)) for text, name, part in texts)
    return Packed(text="", tokens=sum(section.tokens for section in kept), kept=kept)
