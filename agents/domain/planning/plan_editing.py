"""A plan that a person changes by hand: as lines of text, and what the changed lines make of it.

One line a subtask: leave a line out to drop the subtask, move it to change the order, write over a field to change it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.domain import events as e
from agents.domain.decisions.kind import Chosen, Moment
from agents.domain.errors import PressRefused
from agents.domain.planning.decomposition import Decomposition, Edge, Need, Subtask, with_closing
from agents.domain.planning.plan_faults import Fault, find_faults
from agents.domain.planning.plan_reading import read_word
from agents.domain.planning.work_kind import WorkKind
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line

HEAD = "# number | title | kind | role | files | after"
MOST_FAULTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEdit:
    plan: Decomposition
    words: str  # what is different, for those who read it later
    grew: bool  # it asks for more than the one before


class BadEdit(PressRefused):
    """Edited lines that make no plan. Each fault has the number that its subtask had before."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        more = [f"and {len(faults) - MOST_FAULTS} more"] if len(faults) > MOST_FAULTS else []
        told = "; ".join((*(fault.text for fault in faults[:MOST_FAULTS]), *more))
        super().__init__(f"Your edit was not taken. {told}", next_step="The plan is as it was: edit it again.")
        self.faults = tuple(faults)


def to_lines(plan: Decomposition, tried: str = "") -> str:
    """What stands in the form. `tried`: lines of an edit that was not taken, each made whole; what it dropped stays
    as a line that is not read."""
    whole = {str(subtask.number): _line(subtask) for subtask in _editable(plan)}
    if not tried:
        return "\n".join((HEAD, *whole.values()))
    given = {line.partition("|")[0].strip(): line for line in tried.splitlines() if not line.lstrip().startswith("#")}
    kept = (_made_whole(line, whole[number]) for number, line in given.items() if number in whole)
    dropped = (f"# {line}" for number, line in whole.items() if number not in given)
    return "\n".join((HEAD, *kept, *dropped))


def _made_whole(line: str, before: str) -> str:
    """Fields that were left out stay as they are; a title or a kind that is empty, too."""
    new, old = ([part.strip() for part in each.split("|")] for each in (line, before))
    old += [""] * (6 - len(old))
    fields = [*new[:6], *old[len(new) :]]
    return " | ".join(fields[at] or old[at] if at in (1, 2) else fields[at] for at in range(6)).rstrip()


def edit_plan(plan: Decomposition, text: str) -> PlanEdit:
    """What the lines make of a plan. Raises BadEdit with all that is wrong with them."""
    known = {subtask.number: subtask for subtask in _editable(plan)}
    made, problems = list[Subtask](), list[Fault]()
    for at, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            found = _read_line(line, known)
            if isinstance(found, Fault):
                problems.append(replace(found, subject=f"Line {at}:"))
            else:
                made.append(found)
    problems += _wrong_numbers(made)
    if problems or not made:
        raise BadEdit(problems or [Fault(what="Every subtask was dropped: cancel the task instead")])
    edited = _renumber(plan, made)
    if wrong := find_faults(edited):
        raise BadEdit([_number_before(fault, edited, made) for fault in wrong])
    if edited.hash == plan.hash:
        raise BadEdit([Fault(what="Nothing was changed")])
    return PlanEdit(plan=edited, words="; ".join(_differences(known, made)), grew=_grew(known, made))


def faults_of_edit(task: Task, text: str) -> tuple[Fault, ...]:
    """What is wrong with the lines, as far as code can tell without the project. Empty: they may be sent."""
    if task.plan.draft is None:
        return ()
    try:
        edit_plan(task.plan.draft, text)
    except BadEdit as bad:
        return bad.faults
    return ()


def edit_by_hand(task: Task, chosen: Chosen, moment: Moment) -> e.PlanEdited:
    """Raises BadEdit. What code cannot see without the project is looked at before it becomes a version."""
    assert task.plan.draft is not None
    edit = edit_plan(task.plan.draft, chosen.words)
    by, plan = chosen.person, edit.plan
    return e.PlanEdited(
        task=task.id, at=moment.at, by=by, plan=plan, words=edit.words, grew=edit.grew, lines=chosen.words
    )


def _editable(plan: Decomposition) -> tuple[Subtask, ...]:
    """Those that a planner made; the others are code's."""
    return tuple(subtask for subtask in plan.steps if not subtask.opening)


def _line(subtask: Subtask) -> str:
    title = one_line(subtask.title.replace("|", "/"), 200)
    after = ", ".join(map(str, subtask.blocked_by))
    fields = (str(subtask.number), title, subtask.kind.value, subtask.role, ", ".join(subtask.files), after)
    return " | ".join(fields).rstrip()


def _number_before(fault: Fault, edited: Decomposition, made: Sequence[Subtask]) -> Fault:
    """With the number of its row: subtasks have been numbered anew."""
    ours = sum(subtask.opening for subtask in edited.steps)
    at = (fault.number or 0) - ours - 1
    return replace(fault, number=made[at].number if 0 <= at < len(made) else None)


def _read_line(line: str, known: Mapping[int, Subtask]) -> Subtask | Fault:
    """The subtask as the line has it, by its number before; or what is wrong. A field that is not there stays."""
    number, *given = (field.strip() for field in line.split("|"))
    before = known.get(int(number)) if number.isascii() and number.isdigit() else None
    if before is None:
        other = one_line(number, 20) or "it"
        return Fault(what=f"{other} is no subtask of this plan; to add one, ask for changes in words")
    if len(given) > 5:
        return Fault(what="it has more than six fields", number=before.number)
    title, kind, role, files, after = (given[at] if at < len(given) else None for at in range(5))
    wanted = read_word(kind, WorkKind) if kind else before.kind
    if wanted is None:
        unknown = f"{one_line(kind or '', 30)} is no kind of work; there are {', '.join(WorkKind)}"
        return Fault(what=unknown, number=before.number, field="kind")
    needs = _needs(before, after, known)
    if isinstance(needs, str):
        return Fault(what=needs, number=before.number, field="after")
    paths = before.files if files is None else tuple(dict.fromkeys(path for path in _split(files) if path))
    changed = {"title": title or before.title, "kind": wanted, "role": before.role if role is None else role}
    made = replace(before, files=paths, needs=needs, **changed)  # type: ignore[arg-type]
    theirs = {name for name in ("kind", "role", "files") if getattr(made, name) != getattr(before, name)}
    return replace(made, assumed=tuple(name for name in made.assumed if name not in theirs))


def _split(files: str) -> Iterator[str]:
    return (path.strip() for path in files.split(","))


def _needs(before: Subtask, after: str | None, known: Mapping[int, Subtask]) -> tuple[Need, ...] | str:
    if after is None:
        return before.needs
    words = [word for word in re.split(r"[\s,]+", after) if word]
    wrong = [word for word in words if not (word.isascii() and word.isdigit() and int(word) in known)]
    if wrong:
        return f"it waits for {one_line(wrong[0], 20)}, which is no subtask of this plan"
    numbers = dict.fromkeys(map(int, words))
    told = [need for need in before.needs if need.edge is Edge.INFORMS and need.number not in numbers]
    return (*(Need(number=number) for number in numbers), *told)


def _wrong_numbers(made: Sequence[Subtask]) -> list[Fault]:
    numbers = [subtask.number for subtask in made]
    twice = sorted({number for number in numbers if numbers.count(number) > 1})
    return [Fault(what=f"Subtask {number} stands there twice", number=number) for number in twice]


def _renumber(plan: Decomposition, made: Sequence[Subtask]) -> Decomposition:
    """In the order of the lines. Nothing waits for what was dropped."""
    ours = [subtask for subtask in plan.steps if subtask.opening]
    numbers = {subtask.number: at for at, subtask in enumerate((*ours, *made), 1)}
    steps = tuple(_with_numbers(subtask, numbers) for subtask in (*ours, *made))
    used = {subtask.phase for subtask in steps}
    phases = tuple(phase for phase in plan.phases if phase.number in used)
    return with_closing(replace(plan, subtasks=steps, phases=phases))


def _with_numbers(subtask: Subtask, numbers: Mapping[int, int]) -> Subtask:
    needs = tuple(replace(need, number=numbers[need.number]) for need in subtask.needs if need.number in numbers)
    return replace(subtask, number=numbers[subtask.number], needs=needs)


def _differences(known: Mapping[int, Subtask], made: Sequence[Subtask]) -> Iterator[str]:
    kept = [subtask.number for subtask in made]
    for number, old in known.items():
        if number not in kept:
            yield f"dropped {number} ({old.title})"
    for new in made:
        yield from _changes(known[new.number], new)
    if kept != [number for number in known if number in kept]:
        yield f"put them in the order {', '.join(map(str, kept))}"


def _changes(old: Subtask, new: Subtask) -> Iterator[str]:
    number = old.number
    if new.title != old.title:
        yield f"renamed {number} from “{old.title}” to “{new.title}”"
    if new.kind is not old.kind:
        yield f"made {number} a {new.kind} in place of a {old.kind}"
    if new.role != old.role:
        yield f"gave {number} to {new.role or 'the usual role'}"
    if added := [path for path in new.files if path not in old.files]:
        yield f"let {number} write {', '.join(added)}"
    if gone := [path for path in old.files if path not in new.files]:
        yield f"took {', '.join(gone)} from {number}"
    if set(new.blocked_by) != set(old.blocked_by):
        yield f"let {number} wait for {', '.join(map(str, new.blocked_by)) or 'nothing'}"


def _grew(known: Mapping[int, Subtask], made: Sequence[Subtask]) -> bool:
    """Whether it writes more, or is work of another kind or of another role than reviewers have read."""
    return any(
        new.kind is not (old := known[new.number]).kind
        or new.role != old.role
        or any(not _covers(old.files, path) for path in new.files)
        for new in made
    )


def _covers(files: Sequence[str], path: str) -> bool:
    return path in files or any(folder.endswith("/") and path.startswith(folder) for folder in files)
