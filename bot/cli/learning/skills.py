"""`overlord skills`: the skills that minions may use, how they fared, and drafts that wait for a person."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import typer

from agents.catalog.skills import Skills, packaged_skills, read_skills
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.errors import OverlordError
from agents.domain.skills.fared import Fared
from agents.domain.skills.registry import SkillRow, register
from agents.domain.skills.spec import to_fields
from agents.domain.task.task import Task
from agents.domain.text.sanitize import clean
from agents.workspace.git.objects import committed_files
from bot.app import open_queries, open_skills
from bot.cards.kinds.learning.skill_draft import STATE
from bot.cli import session
from bot.cli.session import Json
from bot.config.settings import Settings
from bot.field_forms import write_fields
from bot.queries.query_api import QueryApi

skills = typer.Typer(rich_markup_mode=None)
OfProject = Annotated[str, typer.Option("--project", help="Of this project alone.", show_default=False)]
Draft = Annotated[str, typer.Argument(metavar="DRAFT", help="The task that makes it, such as T-3, or its name.")]
OURS = "(comes with Overlord)"


@session.lists(skills)
def list_skills(context: typer.Context, project: OfProject = "", json: Json = False) -> None:
    """List skills, where each came from, and how the tasks fared that used one."""
    settings = session.settings_of(context)
    by_project = _skills_of(settings, project).values()
    broken = [skill for each in by_project for skill in each.broken]
    made, fared = asyncio.run(_known(settings)) if settings.home.exists() else (set(), {})
    found = register([skill for each in by_project for skill in each.skills], made, fared)
    if json:
        told = [{**session.plain(each.skill), "origin": each.origin, "used": each.fared} for each in found]
        session.show_json({"skills": told, "broken": broken})
        return
    rows = [
        (s.skill.name, s.skill.version, s.skill.source or OURS, s.origin, _rate(s.fared), s.skill.description)
        for s in found
    ]
    session.show_table(("skill", "version", "of", "origin", "used by", "what for"), rows, none="There is no skill.")
    for each in broken:
        typer.echo(clean(f"\nBroken, so it is not used: {each.path} ({each.source or OURS})"))
        for problem in each.problems:
            typer.echo(clean(f"- {problem}"))


def _rate(fared: Fared) -> str:
    if not fared.tasks:
        return "nobody yet"
    return f"{fared.tasks} task{'s' * (fared.tasks != 1)}, {fared.passed} merged"


async def _known(settings: Settings) -> tuple[set[tuple[str, str]], dict[tuple[str, str], Fared]]:
    async with open_skills(settings) as queries:
        return await queries.evolved_names(), await queries.outcomes()


@skills.command("show")
def show_skill(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="SKILL", help="Such as python-tests.")],
    project: OfProject = "",
    json: Json = False,
) -> None:
    """Show one skill with its instructions; or a draft, by its task."""
    settings = session.settings_of(context)
    found = _skills_of(settings, project)
    skill = next((skill for each in reversed(found.values()) if (skill := each.find(name))), None)
    row = None if skill or not settings.home.exists() else asyncio.run(_draft(settings, name))
    if skill is None and row is None:
        raise OverlordError(f"There is no skill {name}", next_step="See `overlord skills list`.")
    if json:
        session.show_json(skill or row)
        return
    if row:
        _show_draft(row)
        return
    assert skill is not None
    typer.echo(f"{skill.name} {skill.version}, {skill.source or OURS}")
    typer.echo(clean(f"{skill.description}\n"))
    _show_lines(("Tags", skill.tags), ("Suggested by the words", skill.keywords))
    _show_lines(("Suggested by files", skill.file_patterns))
    typer.echo(clean(f"\n{skill.instructions}"))


def _show_lines(*lines: tuple[str, Sequence[str]]) -> None:
    for label, values in lines:
        if values:
            typer.echo(clean(f"{label}: {', '.join(values)}"))


def _show_draft(row: SkillRow) -> None:
    typer.echo(clean(f"{row.name or '(no name yet)'}, {row.task}: {STATE[row.state]}"))
    for field, text in to_fields(row.spec).items():
        typer.echo(clean(f"\n{field.replace('_', ' ')}:\n{text or '(nothing)'}"))


@skills.command("drafts")
def list_drafts(
    context: typer.Context,
    all: Annotated[bool, typer.Option("--all", help="Also those that were decided on.")] = False,
    json: Json = False,
) -> None:
    """List drafts of skills that wait for a person, oldest first."""
    settings = session.settings_of(context)
    found = asyncio.run(_rows(settings, open_only=not all)) if settings.home.exists() else []
    headings = ("draft", "skill", "of", "state", "what for")
    none = "No draft of a skill waits for a person."
    session.show_list(
        found,
        json,
        headings,
        lambda row: (row.task, row.name or "(no name yet)", row.project, STATE[row.state], row.spec.description),
        none=none,
    )


@skills.command()
def edit(
    context: typer.Context,
    draft: Draft,
    name: Annotated[str | None, typer.Option(help="Small letters, digits and dashes.")] = None,
    description: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    keywords: Annotated[str | None, typer.Option(help="Words that call for it, a comma apart.")] = None,
    file_patterns: Annotated[str | None, typer.Option(help="Patterns of paths, a comma apart.")] = None,
    instructions: Annotated[str | None, typer.Option(help="Its instructions, in outline.")] = None,
) -> None:
    """Change a draft before it is approved; what you do not name stays as it is."""
    given = {
        "name": name,
        "description": description,
        "keywords": keywords,
        "file_patterns": file_patterns,
        "instructions": instructions,
    }
    fields = {field: text for field, text in given.items() if text is not None}
    if not fields:
        raise OverlordError("Nothing is to be changed", next_step="Name a field, such as --keywords.")
    asyncio.run(_decide(session.settings_of(context), draft, "edit", write_fields(fields)))
    typer.echo("Edited. It is looked at while `overlord up` runs; then see `overlord skills drafts`.")


@skills.command()
def approve(context: typer.Context, draft: Draft) -> None:
    """Approve a draft: a minion writes its file, and a person merges that."""
    asyncio.run(_decide(session.settings_of(context), draft, "approve", ""))
    typer.echo("Approved. A minion writes it while `overlord up` runs.")


@skills.command()
def reject(
    context: typer.Context,
    draft: Draft,
    reason: Annotated[str, typer.Option(help="Why; it is kept.")] = "not wanted",
) -> None:
    """Reject a draft."""
    asyncio.run(_decide(session.settings_of(context), draft, "reject", reason))
    typer.echo("Rejected.")


async def _rows(settings: Settings, *, open_only: bool) -> list[SkillRow]:
    async with open_skills(settings) as queries:
        return await queries.rows(open_only=open_only)


async def _draft(settings: Settings, named: str) -> SkillRow | None:
    found = await _rows(settings, open_only=False)
    return next((row for row in reversed(found) if named in (row.task, row.name)), None)


async def _decide(settings: Settings, named: str, choice: str, words: str) -> None:
    """As every other decision is made: what was shown must still be what is decided on."""
    row = await _draft(settings, named)
    if row is None:
        raise OverlordError(f"There is no draft {named}", next_step="See `overlord skills drafts`.")
    async with open_queries(settings) as queries:
        task, decision = await _open_decision(queries, row)
        option = next((option for option in decision.options if option.value == choice), None)
        if option is None:
            faults = "; ".join(decision.plain_evidence)
            raise OverlordError(f"It cannot be approved as it is: {faults}", next_step="Change it with `skills edit`.")
        await session.send(queries, session.press_for(task, decision, option.letter, words))


async def _open_decision(queries: QueryApi, row: SkillRow) -> tuple[Task, Decision]:
    page = await queries.page(row.task, session.me())
    decision = page.task.of_kind(Kind.SKILL_DRAFT) if page else None
    if page is None or decision is None:
        raise OverlordError(f"{row.task} waits for nobody", next_step="See `overlord skills drafts --all`.")
    return page.task, decision


def _skills_of(settings: Settings, project: str) -> dict[str, Skills]:
    """By project; ours under an empty name."""
    wanted = [each for each in settings.projects if project in ("", each.name)]
    if project and not wanted:
        raise OverlordError(f"There is no project {project}", next_step="Name it in overlord.yaml, or leave --project.")
    found = {"": packaged_skills()}
    for each in wanted:
        if each.path:
            files = asyncio.run(committed_files(each.path, each.skills))
            found[each.name] = read_skills(files, each.name)
    # a project's own win over ours; of one project that is what its minions are offered
    return {project: found.get(project, Skills()).over(found[""])} if project else found
