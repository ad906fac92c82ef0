"""Metrics in words and rows, the same on the command line and in the console."""

from collections.abc import Iterator

from agents.domain.metrics.figures import Metrics, OfKind, OfRole, OfWorkflow
from agents.domain.metrics.run_row import BY_PROGRAM
from agents.domain.workflow.roles import TITLES

ROLE_HEADINGS = ("role", "success", "judged", "average time", "average cost", "retries", "tokens")
WORKFLOW_HEADINGS = ("workflow", "tasks", "success", "average steps", "retry rate")
BEST = "✓ best"
NONE = "–"


def role_row(each: OfRole) -> tuple[str, ...]:
    of = each.figures
    if not of.judged:
        return (each.role, NONE, f"0 of {of.runs}", NONE, NONE, f"{of.retry_rate:.1f} a task", NONE)
    return (
        each.role,
        percent(of.success),
        f"{of.judged} of {of.runs}",
        took(of.seconds),
        dollars(of.cost),
        f"{of.retry_rate:.1f} a task",
        f"{of.tokens:,}",
    )


def workflow_row(each: OfWorkflow) -> tuple[str, ...]:
    steps, rate = f"{each.steps:.1f}", f"{each.retry_rate:.1f} a task"
    return (each.workflow, str(each.tasks), percent(each.success), steps, rate)


def engines_by_kind(found: Metrics) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """One column for each engine with its model, one row for each kind of work; the best of a row is marked."""
    columns = sorted({(each.engine, each.model) for each in found.kinds})
    cells = {(each.kind, each.engine, each.model): _cell(each) for each in found.kinds}
    kinds = dict.fromkeys(each.kind for each in found.kinds)
    rows = [(kind, *(cells.get((kind, *column), "") for column in columns)) for kind in kinds]
    return ("work", *(f"{TITLES[engine]}{_of_model(model)}" for engine, model in columns)), rows


def of_tasks(found: Metrics) -> Iterator[tuple[str, str]]:
    of = found.tasks
    yield "Tasks", f"{of.tasks}, {of.merged} of them merged"
    yield "Autonomy", f"{percent(of.autonomy)} merged with no work of a person" if of.merged else NONE
    yield "Cycle time", f"{_hours(of.cycle_hours)} from request to merge, in the middle" if of.merged else NONE
    yield "Cost", f"{dollars(of.cost_of_merged or 0.0)} a merged task" if of.merged else NONE
    yield "Sent back", f"{percent(of.sent_back)} of what minions handed in" if of.sent_back is not None else NONE


def percent(share: float | None) -> str:
    return NONE if share is None else f"{share:.0%}"


def dollars(cost: float) -> str:
    return f"${cost:.2f}" if cost >= 0.995 or not cost else f"${cost:.3f}"


def took(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _hours(hours: float | None) -> str:
    if hours is None:
        return NONE
    return f"{hours * 60:.0f} min" if hours < 2 else f"{hours:.1f} h" if hours < 48 else f"{hours / 24:.1f} days"


def _cell(each: OfKind) -> str:
    if not each.figures.judged:
        return NONE
    return f"{percent(each.figures.success)} of {each.figures.judged}{f' {BEST}' if each.best else ''}"


def _of_model(model: str) -> str:
    provider, _, bare = model.partition("/")
    shown = bare if provider.endswith(BY_PROGRAM) else model
    return f", {shown}" if shown else ""
