"""The opening subtask: it carries the task's steps of a workflow that come before all others. Code alone makes one."""

from dataclasses import replace

from agents.domain.planning.decomposition import Decomposition, Need, PlanIssue, StartAfter, Subtask
from agents.domain.workflow.steps import WORKER, Step
from agents.domain.workflow.workflow import Part, Workflow

PREPARE = "Prepare: "
INTERFACES = "interfaces"  # what a step hands in whose files are locked


def with_opening(plan: Decomposition, workflow: Workflow) -> Decomposition:
    """Add the subtask that goes before all others, as number 1, where the workflow has steps for it. Every other waits
    for it, and is given its note. `plan`: with its closing subtask."""
    steps = workflow.part(Part.OPENING)
    closing = plan.closing
    if not steps or closing is None or any(subtask.opening for subtask in plan.subtasks):
        return plan
    workers = [step for step in steps if step.type == WORKER.name]
    opening = replace(
        closing,
        number=1,
        title=f"{PREPARE}{', '.join(step.name.replace('_', ' ') for step in workers)}",
        why="; ".join(step.description for step in workers if step.description) or f"{workflow.name} asks for it first",
        files=tuple(path for step in workers for path in files_of(step)),
        test="it is there, and says what the other subtasks need to know",
        needs=(),
        phase=min(subtask.phase for subtask in plan.subtasks),
        closing=False,
        opening=True,
    )
    later = (_later(subtask, phase=opening.phase) for subtask in plan.subtasks)
    return replace(plan, subtasks=(opening, *later))


def interface_steps(workflow: Workflow) -> tuple[Step, ...]:
    """The workers before all others who agree on interfaces."""
    opening = workflow.part(Part.OPENING)
    return tuple(step for step in opening if step.type == WORKER.name and INTERFACES in step.outputs)


def without_early_starts(plan: Decomposition, workflow: Workflow) -> Decomposition:
    """Where nobody writes interfaces none is ever locked: such a phase waits for those before it, and people see so."""
    early = [phase for phase in plan.phases if phase.start_after is StartAfter.INTERFACES]
    if not early or interface_steps(workflow):
        return plan
    what = f"Phase {', '.join(str(phase.number) for phase in early)} was to begin as soon as interfaces are locked"
    why = f"the workflow {workflow.name} has no step that writes them, so it waits for the phases before it"
    phases = tuple(replace(phase, start_after=StartAfter.PHASES) for phase in plan.phases)
    return replace(plan, phases=phases, issues=(*plan.issues, PlanIssue(what=what, why=why)))


def files_of(step: Step) -> tuple[str, ...]:
    """What a worker before the subtasks may write; nothing, where its workflow does not say: a person is asked."""
    return tuple(str(step.config.get("files", "")).replace(",", " ").split())


def _later(subtask: Subtask, phase: int) -> Subtask:
    """One number on; those of the first phase wait for the opening subtask by name, all others by their phase."""
    moved = tuple(replace(need, number=need.number + 1) for need in subtask.needs)
    first = (Need(number=1),) if subtask.phase == phase else ()
    return replace(subtask, number=subtask.number + 1, needs=(*first, *moved))
