"""`overlord roles` and `overlord skills`: as whom minions and reviewers work, and what they may use."""

import asyncio
from typing import Annotated

import typer

from agents.catalog.library import Catalog, load_catalog
from agents.catalog.skills import Skills, packaged_skills, read_skills
from agents.domain.errors import OverlordError
from agents.domain.learning.skill import Uses, uses
from agents.domain.text.sanitize import clean
from agents.domain.workflow.roles import Role
from agents.workspace.git.objects import committed_files
from bot.app import open_queries
from bot.cli import session
from bot.cli.session import Json
from bot.config.settings import Settings

roles = typer.Typer(rich_markup_mode=None)
skills = typer.Typer(rich_markup_mode=None)
OfProject = Annotated[str, typer.Option("--project", help="Of this project alone.", show_default=False)]
OURS = "(comes with Overlord)"
MOST_TASKS = 10_000  # the newest; a skill's first years need not be counted


@session.lists(roles)
def list_roles(context: typer.Context, json: Json = False) -> None:
    """List roles."""
    catalog = _catalog(context)
    workflow = catalog.workflow
    if json:
        steps = {"name": workflow.name, "hash": workflow.hash, "steps": workflow.steps}
        session.show_json({"roles": list(catalog.roles.values()), "workflow": steps})
        return
    headings = ("role", "extends", "tokens", "tools", "works at", "of", "what for")
    rows = [_role_row(role, catalog) for role in catalog.roles.values()]
    session.show_table(headings, rows, none="There is no role.")
    typer.echo(f"\nWorkflow: {workflow.name}, version {workflow.version}")


def _role_row(role: Role, catalog: Catalog) -> tuple[str, ...]:
    tools = str(len(role.allowed_tools)) if role.allowed_tools else "none"
    steps = _steps(role, catalog) or "no step"
    return (
        role.name,
        role.extends,
        f"{role.context.budget:,}",
        tools,
        steps,
        role.source or OURS,
        role.description,
    )


@roles.command("show")
def show_role(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="ROLE", help="Such as implementer.")],
    json: Json = False,
) -> None:
    """Show one role with all that it extends."""
    catalog = _catalog(context)
    role = catalog.roles.get(name)
    if role is None:
        raise OverlordError(f"There is no role {name}", next_step="See `overlord roles list`.")
    if json:
        session.show_json(role)
        return
    typer.echo(clean(f"{role.name}, {role.source or OURS}\n{role.description}\n"))
    _show_lines(_describe(role, catalog))
    if role.additions:
        typer.echo(clean(f"\nIt is told, beside the usual:\n{role.additions}"))


def _describe(role: Role, catalog: Catalog) -> dict[str, str]:
    reads = role.context
    return {
        "Extends": role.extends,
        "Works at": _steps(role, catalog),
        "Reads": f"{reads.name}, at most {reads.budget:,} tokens",
        "Reads always": ", ".join(reads.always_include),
        "Never reads": ", ".join(reads.exclude),
        "Tools": ", ".join(role.allowed_tools),
        "Gates": ", ".join(f"{gate.name} (`{gate.command}`, on failure {gate.on_fail})" for gate in role.gates),
        "Strengths": ", ".join(role.strengths),
        "Engine": role.engine if role.allowed_tools else "",
    }


def _show_lines(lines: dict[str, str]) -> None:
    for label, value in lines.items():
        if value:
            typer.echo(clean(f"{label}: {value}"))


def _steps(role: Role, catalog: Catalog) -> str:
    return ", ".join(step.name for step in catalog.workflow.steps if step.role == role.name)


def _catalog(context: typer.Context) -> Catalog:
    return load_catalog(session.settings_of(context).declared)


@session.lists(skills)
def list_skills(context: typer.Context, project: OfProject = "", json: Json = False) -> None:
    """List skills."""
    settings = session.settings_of(context)
    by_project = _skills_of(settings, project).values()
    found = [skill for each in by_project for skill in each.skills]
    broken = [skill for each in by_project for skill in each.broken]
    used = asyncio.run(_uses(settings)) if settings.home.exists() else {}
    if json:
        session.show_json({"skills": found, "broken": broken, "uses": used})
        return
    rows = [(s.name, s.version, s.source or OURS, _count(used.get(s.name)), s.description) for s in found]
    session.show_table(("skill", "version", "of", "used by", "what for"), rows, none="There is no skill.")
    for each in broken:
        typer.echo(clean(f"\nBroken, so it is not used: {each.path} ({each.source or OURS})"))
        for problem in each.problems:
            typer.echo(clean(f"- {problem}"))


@skills.command("show")
def show_skill(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="SKILL", help="Such as python-tests.")],
    project: OfProject = "",
    json: Json = False,
) -> None:
    """Show one skill with its instructions."""
    found = _skills_of(session.settings_of(context), project)
    skill = next((skill for each in reversed(found.values()) if (skill := each.find(name))), None)
    if skill is None:
        raise OverlordError(f"There is no skill {name}", next_step="See `overlord skills list`.")
    if json:
        session.show_json(skill)
        return
    typer.echo(f"{skill.name} {skill.version}, {skill.source or OURS}")
    typer.echo(clean(f"{skill.description}\n"))
    labels = {
        "Tags": skill.tags,
        "Suggested by the words": skill.keywords,
        "Suggested by files": skill.file_patterns,
    }
    _show_lines({label: ", ".join(values) for label, values in labels.items()})
    typer.echo(clean(f"\n{skill.instructions}"))


async def _uses(settings: Settings) -> dict[str, Uses]:
    async with open_queries(settings) as queries:
        return uses(await queries.tasks(session.me(), ended=True, limit=MOST_TASKS))


def _count(uses: Uses | None) -> str:
    if uses is None:
        return "nobody yet"
    return f"{uses.subtasks} subtask{'s' * (uses.subtasks != 1)}, {uses.accepted} accepted"


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
