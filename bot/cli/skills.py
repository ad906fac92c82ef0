"""`overlord skills`: the skills that minions may use, of each project, and what is wrong with those that are broken."""

from collections.abc import Mapping
from typing import Annotated

import typer

from agents.catalog.skills import Skills, packaged_skills, read_skills
from agents.domain.errors import OverlordError
from agents.domain.learning import skill
from agents.domain.learning.skill import Uses
from agents.domain.text.sanitize import clean
from agents.workspace.git.objects import committed_files
from bot.cli import session
from bot.config.settings import Settings

app = typer.Typer(rich_markup_mode=None)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Of = Annotated[str, typer.Option("--project", help="Of this project alone.", show_default=False)]
OURS = "(comes with Overlord)"
MOST_TASKS = 10_000  # the newest; a skill's first years need not be counted


@app.callback(invoke_without_command=True)
def skills(context: typer.Context, project: Of = "", json: Json = False) -> None:
    """List skills."""
    if context.invoked_subcommand is None:
        _list(session.settings_of(context), project, json)


@app.command("list")
def list_skills(context: typer.Context, project: Of = "", json: Json = False) -> None:
    """List skills."""
    _list(session.settings_of(context), project, json)


@app.command()
def show(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="SKILL", help="Such as python-tests.")],
    project: Of = "",
    json: Json = False,
) -> None:
    """Show one skill with its instructions."""
    found = _found(session.settings_of(context), project)
    skill = next((skill for skills in reversed(found.values()) if (skill := skills.find(name))), None)
    if skill is None:
        raise OverlordError(f"There is no skill {name}", next_step="See `overlord skills list`.")
    if json:
        session.show_json(skill)
        return
    typer.echo(f"{skill.name} {skill.version}, {skill.source or OURS}")
    typer.echo(clean(f"{skill.description}\n"))
    for said, values in (
        ("Tags", skill.tags),
        ("Suggested by the words", skill.keywords),
        ("Suggested by files", skill.file_patterns),
    ):
        if values:
            typer.echo(clean(f"{said}: {', '.join(values)}"))
    typer.echo(clean(f"\n{skill.instructions}"))


def _list(settings: Settings, project: str, json: bool) -> None:
    found = _found(settings, project)
    uses = session.run(_uses(settings)) if settings.home.exists() else {}
    if json:
        session.show_json(
            {
                "skills": [skill for skills in found.values() for skill in skills.skills],
                "broken": [broken for skills in found.values() for broken in skills.broken],
                "uses": uses,
            }
        )
        return
    rows = [
        (s.name, s.version, s.source or OURS, _told(uses.get(s.name)), s.description)
        for all in found.values()
        for s in all.skills
    ]
    session.show_table(("skill", "version", "of", "used by", "what for"), rows, none="There is no skill.")
    _tell_broken(found)


async def _uses(settings: Settings) -> dict[str, Uses]:
    async with session.open_desk(settings) as desk:
        return skill.uses(await desk.tasks(session.me(), ended=True, limit=MOST_TASKS))


def _told(uses: Uses | None) -> str:
    if uses is None:
        return "nobody yet"
    return f"{uses.subtasks} subtask{'s' * (uses.subtasks != 1)}, {uses.accepted} accepted"


def _tell_broken(found: Mapping[str, Skills]) -> None:
    for skills in found.values():
        for broken in skills.broken:
            typer.echo(clean(f"\nBroken, so it is not used: {broken.path} ({broken.source or OURS})"))
            for problem in broken.problems:
                typer.echo(clean(f"- {problem}"))


def _found(settings: Settings, project: str) -> dict[str, Skills]:
    """By project; ours under an empty name."""
    wanted = [each for each in settings.projects if project in ("", each.name)]
    if project and not wanted:
        raise OverlordError(f"There is no project {project}", next_step="Name it in overlord.yaml, or leave --project.")
    found = {"": packaged_skills()}
    for each in wanted:
        if each.path:
            files = session.run(committed_files(each.path, each.skills))
            found[each.name] = read_skills(files, each.name)
    # a project's own win over ours; of one project that is what its minions are offered
    return {project: found.get(project, Skills()).over(found[""])} if project else found
