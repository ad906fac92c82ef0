"""The `overlord` command: its groups, the flags all of them share, and how an error reaches the person."""

from importlib import import_module, metadata
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from agents.domain.errors import OverlordError

# A command, or a group of them: where it is, and what it is for. Only the one that is asked for is loaded.
COMMANDS: dict[str, tuple[str, str]] = {
    "up": ("bot.cli.installation:up", "Start Overlord; Ctrl-C stops it."),
    "demo": ("bot.cli.demo:demo", "Play a request on the sample project, offline and unattended."),
    "doctor": ("bot.cli.doctor:doctor", "Check machine, settings, chats, GitHub, models and store."),
    "init": ("bot.cli.naming:init", "Look at a folder, and name it as a project."),
    "projects": ("bot.cli.naming:projects", "See the projects that are named, add and remove them."),
    "models": ("bot.cli.naming:models", "See the models that are named for each role, and name others."),
    "ask": ("bot.cli.asking:ask", "Ask something about the code; nothing is changed."),
    "tasks": ("bot.cli.tasks:app", "See tasks and steer them."),
    "queue": ("bot.cli.tasks:queue", "See whether new work starts, pause it and resume it."),
    "decisions": ("bot.cli.decisions:decisions", "See what waits for a person, and decide it."),
    "proposals": ("bot.cli.decisions:proposals", "See what the system suggests, and approve or reject it."),
    "people": ("bot.cli.people:app", "See people, link their accounts, and give them console logins."),
    "skills": ("bot.cli.learning.skills:skills", "See the skills that minions may use, and decide on drafts."),
    "knowledge": ("bot.cli.learning.knowledge:app", "See, search and check what projects have learnt."),
    "supervisors": ("bot.cli.learning.supervisors:app", "See who looks across finished work, and what each run cost."),
    "engines": ("bot.cli.engines.engines:app", "See the engines that minions run on, install and try them."),
    "metrics": ("bot.cli.engines.metrics:metrics", "See what came of the work, by role, engine and workflow."),
    "roles": ("bot.cli.roles.group:app", "See roles, check files of them, and what they would read."),
    "workflows": ("bot.cli.workflows:app", "See the workflows that tasks go by, step by step."),
    "settings": ("bot.cli.installation:settings_app", "See which settings file is read, and accept one."),
    "backup": ("bot.cli.installation:backup", "Write everything that matters into one file."),
    "restore": ("bot.cli.installation:restore", "Bring a backup into an empty state folder."),
    "manifest": ("bot.cli.manifest:app", "Print app manifests for chat platforms, and schemas for editors."),
}


def load_command(name: str) -> Any:
    path, purpose = COMMANDS[name]
    module, _, attribute = path.partition(":")
    found, holder = getattr(import_module(module), attribute), typer.Typer(rich_markup_mode=None)
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=name, help=purpose)
    else:
        holder.command(name)(found)
    return get_group(holder).commands[name]


class OverlordGroup(TyperGroup):
    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]  # loaded when asked for

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, purpose) for name, (_, purpose) in COMMANDS.items()])

    def invoke(self, ctx: Any) -> Any:
        """An error that a person can act on is told in words; anything else keeps its traceback."""
        try:
            return super().invoke(ctx)
        except OverlordError as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(1) from error


app = typer.Typer(
    name="overlord",
    cls=OverlordGroup,
    help="A chat-ops bot that supervises coding minions. `overlord up` starts it.",
    no_args_is_help=True,
    rich_markup_mode=None,  # rich costs more than everything else that --help imports
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"overlord {version()}")
        raise typer.Exit


def version() -> str:
    try:
        return metadata.version("overlord")
    except metadata.PackageNotFoundError:
        return "(not installed)"


@app.callback()
def root(
    context: typer.Context,
    home: Annotated[str, typer.Option(help="State folder, instead of OVERLORD_HOME.", show_default=False)] = "",
    config: Annotated[str, typer.Option(help="Settings file, instead of OVERLORD_CONFIG.", show_default=False)] = "",
    version: Annotated[
        bool, typer.Option("--version", help="Say which version this is.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    given = {"--home": home, "--config": config}
    context.obj = {name: value for name, value in given.items() if value}
