"""`overlord workflows`: how tasks go from a plan to a merge, and where the subtasks of one stand."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

import typer

from agents.catalog.library import Catalog, load_catalog
from agents.catalog.validation import did_you_mean
from agents.domain.errors import OverlordError
from agents.domain.text.sanitize import clean
from agents.domain.work.stepping import stands_at, workflow_pinned
from agents.domain.work.work import SubtaskState
from agents.domain.workflow.steps import HUMAN, MERGE, Setting, Step
from agents.domain.workflow.workflow import Workflow
from bot.cards.scene import duration_in_words
from bot.cli import session
from bot.cli.session import Json, page_of
from bot.queries import TaskPage
from bot.queries.query_api import QueryApi

app = typer.Typer(rich_markup_mode=None)
OURS = "(comes with Overlord)"
HEADINGS = ("step", "type", "level", "who or what", "next", "refused work goes to", "retries")


@session.lists(app)
def list_workflows(context: typer.Context, json: Json = False) -> None:
    """List workflows that can be chosen."""
    catalog = _catalog(context)
    if json:
        session.show_json([_as_json(workflow, catalog) for workflow in catalog.workflows.values()])
        return
    rows = [_row(workflow, catalog) for workflow in catalog.workflows.values()]
    session.show_table(("workflow", "of", "steps", "what for"), rows, none="There is no workflow.")
    typer.echo(f"\nWhere nothing else is chosen: {catalog.workflow.name}")


def _row(workflow: Workflow, catalog: Catalog) -> tuple[str, ...]:
    origin = catalog.origins[workflow.name]
    steps = ", ".join(step.name for step in workflow.steps)
    return workflow.name, origin.source or OURS, steps, origin.description


def _as_json(workflow: Workflow, catalog: Catalog) -> dict[str, object]:
    origin = catalog.origins[workflow.name]
    return {
        "name": workflow.name,
        "hash": workflow.hash,
        "description": origin.description,
        "source": origin.source,
        "require_tests": workflow.require_tests,
        "steps": workflow.steps,
    }


@app.command()
def show(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="[WORKFLOW | TASK]", help="Such as mvp, or T-3.", show_default=False)
    ] = "",
    task: Annotated[str, typer.Option("--task", metavar="TASK", help="The one that this task keeps.")] = "",
    json: Json = False,
) -> None:
    """Show one workflow step by step, or the one that a task keeps."""
    if not task and re.fullmatch(r"[tT]-\d+", name):
        name, task = "", name
    if bool(name) == bool(task):
        raise OverlordError("Say which workflow", next_step="Write its name, or --task and a task such as T-3.")
    if task:
        _show_of_task(context, task, json)
    else:
        _show(_catalog(context), name, json)


def _show(catalog: Catalog, name: str, json: bool) -> None:
    workflow = catalog.workflows.get(name)
    if workflow is None:
        raise OverlordError(f"There is no workflow {name}", next_step=did_you_mean(name, catalog.workflows))
    if json:
        session.show_json(_as_json(workflow, catalog))
        return
    origin = catalog.origins[name]
    typer.echo(clean(f"{name}, version {workflow.version}, {origin.source or OURS}\n{origin.description}\n"))
    session.show_table(HEADINGS, [_step_row(step) for step in workflow.steps], none="")
    if not workflow.require_tests:
        typer.echo("\nMinions are not told to add tests; those that are there are run.")


def _step_row(step: Step) -> tuple[str, ...]:
    retries = str(step.max_retries) if step.back or "max_retries" in step.kind.obeys else ""
    return (step.name, step.type, step.level, _who(step), step.next or "(the end)", step.back, retries)


def _who(step: Step) -> str:
    """Whose it is and what it runs; where nothing is said, the Overlord does it by itself."""
    readers = " twice" if step.parallel > len(step.roles) else ""
    parts = [f"{', '.join(step.roles)}{readers}"] if step.roles else []
    parts += [f"`{step.command}`"] if step.command else []
    parts += [f"{key}: {_value(value)}" for key, value in step.config.items()]
    parts += ["a person"] if step.type in (HUMAN.name, MERGE.name) or step.human_approval else []
    return "; ".join(parts) or "Overlord"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where one subtask is."""

    subtask: str
    state: SubtaskState
    step: str  # empty: it has not begun, or is settled
    visits: dict[str, int]
    seconds: dict[str, float]  # that each step took


@session.with_queries
async def _show_of_task(queries: QueryApi, written: str, json: bool) -> None:
    page = await page_of(queries, written)
    task = page.task
    if not task.plan.accepted:
        step = "It is chosen when its plan is approved; see `overlord workflows list`."
        raise OverlordError(f"{task.id} keeps no workflow yet", next_step=step)
    workflow, standing = workflow_pinned(task), _standing(page)
    if json:
        kept = {"name": workflow.name, "hash": workflow.hash, "steps": workflow.steps}
        session.show_json({"task": task.id, "workflow": kept, "subtasks": standing})
        return
    typer.echo(f"{task.id} goes by {workflow.name}, version {workflow.version}\n")
    rows = [
        (*_step_row(step), _here(step, standing), _visits(step, standing), _took(step, standing))
        for step in workflow.steps
    ]
    session.show_table((*HEADINGS, "stands here", "visits", "took"), rows, none="")
    elsewhere = [f"{each.subtask} {each.state.replace('_', ' ')}" for each in standing if not each.step]
    if elsewhere:
        typer.echo(f"\nAt no step: {', '.join(elsewhere)}")


def _standing(page: TaskPage) -> list[Standing]:
    task = page.task
    return [
        Standing(
            subtask=f"{task.id}.{work.number}",
            state=work.state,
            step=at.name if (at := stands_at(task, work)) else "",
            visits=work.visits,
            seconds={step: took.total_seconds() for (of, step), took in page.times.items() if of == work.number},
        )
        for work in task.work.subtasks
    ]


def _here(step: Step, standing: Sequence[Standing]) -> str:
    return ", ".join(f"{each.subtask} ({each.state.replace('_', ' ')})" for each in standing if each.step == step.name)


def _visits(step: Step, standing: Sequence[Standing]) -> str:
    seen = ((each.subtask, each.visits.get(step.name, 0)) for each in standing)
    return ", ".join(f"{subtask}: {times}" for subtask, times in seen if times)


def _took(step: Step, standing: Sequence[Standing]) -> str:
    spent = ((each.subtask, each.seconds[step.name]) for each in standing if step.name in each.seconds)
    return ", ".join(f"{subtask}: {duration_in_words(timedelta(seconds=took))}" for subtask, took in spent)


def _catalog(context: typer.Context) -> Catalog:
    return load_catalog(session.settings_of(context).declared)


def _value(written: Setting) -> str:
    """As people write it."""
    if isinstance(written, tuple):
        return ", ".join(written)
    return str(written).lower() if isinstance(written, bool) else str(written)
