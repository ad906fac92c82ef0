"""Change what remains of an accepted plan: subtasks are added, dropped or put in another order. What is done stays."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from agents.domain.planning.decomposition import Decomposition, Need, Subtask
from agents.domain.planning.work_kind import REVIEW_MINUTES, Confidence, SubtaskSize, WorkKind

TITLE, WHY = 120, 300


def small(title: str, why: str, kind: WorkKind, files: Sequence[str], test: str = "") -> Subtask:
    """A small subtask, to be added; its number and its place follow from the plan."""
    return Subtask(
        number=0,
        title=title[:TITLE],
        why=why[:WHY],
        kind=kind,
        files=tuple(files),
        hours=1.0,
        review_minutes=REVIEW_MINUTES[SubtaskSize.SMALL],
        size=SubtaskSize.SMALL,
        confidence=Confidence.LOW,
        test=test[:WHY],
    )


def add(
    plan: Decomposition,
    wanted: Sequence[Subtask],
    *,
    phase: int = 0,
    ahead_of: Collection[int] = (),
    held: bool = False,
) -> tuple[Decomposition, tuple[int, ...]]:
    """With new subtasks, and their numbers. They get numbers of their own, and the closing one keeps its number: it
    stays the last and waits for them too. They go `ahead_of` others; `held`: those
    wait for them. `phase`: 0 is the last one."""
    closing = plan.closing
    last = closing.phase if closing else max(subtask.phase for subtask in plan.subtasks)
    free = max(subtask.number for subtask in plan.subtasks) + 1
    made = tuple(replace(each, number=free + at, phase=phase or last) for at, each in enumerate(wanted))
    numbers = tuple(subtask.number for subtask in made)
    first = next((at for at, step in enumerate(plan.steps) if step.number in ahead_of), len(plan.steps))
    steps = (*plan.steps[:first], *made, *plan.steps[first:])
    waiting = (_after(step, numbers) if held and step.number in ahead_of else step for step in steps)
    end = (_after(closing, numbers),) if closing else ()
    return replace(plan, subtasks=(*waiting, *end)), numbers


def reorder(plan: Decomposition, order: Sequence[int]) -> Decomposition:
    """The named subtasks in this order, in the places that they have together; who waits for whom stays."""
    places = [at for at, step in enumerate(plan.subtasks) if step.number in order]
    known = {step.number: step for step in plan.subtasks}
    steps = list(plan.subtasks)
    for at, number in zip(places, (n for n in order if n in known), strict=False):
        steps[at] = known[number]
    return replace(plan, subtasks=tuple(steps))


def differences(old: Decomposition, new: Decomposition, gone: Mapping[int, str] | None = None) -> tuple[str, ...]:
    """What of the new version is another, a line each: `+` and the title with its files, `-` and the number, `order`
    and numbers, `files` that the version before did not name: the work grows by them."""
    before = {step.number: step for step in old.steps}
    lines = [f"+ {step.number}. {step.title}{_where(step)}" for step in new.steps if step.number not in before]
    lines += [f"- {number}. {before[number].title}: {why}" for number, why in (gone or {}).items() if number in before]
    kept = [step.number for step in new.steps if step.number in before]
    if kept != [number for number in before if number in kept]:
        lines.append(f"order: {', '.join(map(str, kept))}")
    grown = [path for path in new.paths if not covers(old.paths, path)]
    return (*lines, *([f"files: {', '.join(grown)}"] if grown else ()))


def covers(paths: Sequence[str], path: str) -> bool:
    return path in paths or any(folder.endswith("/") and path.startswith(folder) for folder in paths)


def _where(subtask: Subtask) -> str:
    return f" ({', '.join(subtask.files)})" if subtask.files else ""


def _after(subtask: Subtask, numbers: Sequence[int]) -> Subtask:
    known = {need.number for need in subtask.needs}
    return replace(subtask, needs=(*subtask.needs, *(Need(number=n) for n in numbers if n not in known)))
