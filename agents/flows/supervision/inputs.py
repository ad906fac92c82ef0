"""What a supervisor is shown, compressed: the state of a task in short, never all of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.domain.checks.evaluation import Score
from agents.domain.knowledge.document import Note, Status
from agents.domain.knowledge.owners import OWNER, Supervisor
from agents.domain.supervision.directive import Directive, in_order
from agents.domain.supervision.facts import Supervision
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from agents.domain.work.work import SubtaskState, Work

# Characters of each part. All of them together, the rules and the schema stay within the 5,000 tokens of the role.
REQUEST, GOAL, LINE, PLAN, RESULTS, CHANGES, NOTES, PATTERNS, WISHES = 900, 300, 140, 1800, 1500, 2500, 1800, 700, 600
REASONING = 500
RECENT = 6  # subtasks whose results are told


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was looked up for it."""

    files: Sequence[str] = ()  # of the project
    patch: str = ""  # what was done since work on the task began
    notes: Sequence[Note] = ()  # of the project, as work on the task began

    @property
    def is_bootstrap(self) -> bool:
        """Nothing is known of the project yet: then it is established, not compared."""
        return not self.notes


def compress(task: Task, state: Supervision, supervisor: Supervisor | None, seen: Seen) -> dict[str, object]:
    works = task.work.subtasks
    done = [each for each in works if each.is_settled]
    return {
        "bootstrap": seen.is_bootstrap,
        "request": cut(task.request.text, REQUEST),
        "goal": cut(task.plan.draft.goal, GOAL) if task.plan.draft else "",
        "reasoning": cut("\n".join(_reasoning(task)), REASONING),
        "wishes": cut("\n".join(one_line(wish.words, LINE) for wish in task.wishes[-4:]), WISHES),
        "done": _within([_line(task, each) for each in done], PLAN),
        "remaining": _within([_line(task, each) for each in works if not each.is_settled], PLAN),
        "results": _within([line for each in done[-RECENT:] for line in _results(task, each)], RESULTS),
        "changes": cut(seen.patch, CHANGES),
        "notes": _notes(seen, supervisor),
        "patterns": cut(_patterns(seen.files), PATTERNS) if supervisor is Supervisor.CODE_STYLE else "",
        "directives": [describe(each) for each in in_order(state.directives_of(task.id))][:10],
        "before": _before(state, supervisor),
    }


def _reasoning(task: Task) -> list[str]:
    """What the planner took for granted, and how the rest of the plan was changed since it was accepted."""
    plan, at = task.plan.draft, task.supervision
    said = [f"assumed: {one_line(each.what, LINE)}" for each in plan.assumptions[:3]] if plan else []
    added = [
        each for each in (plan.steps if plan else ()) if plan and plan.closing and each.number > plan.closing.number
    ]
    said += [f"added since: {each.number}. {one_line(each.title, LINE)}" for each in added[-3:]]
    dropped = (each for each in task.work.subtasks if each.state is SubtaskState.CANCELLED)
    said += [f"dropped since: {each.number}: {one_line(str(each.problem), LINE)}" for each in dropped]
    return [*said, *([f"drift: {one_line(at.drift_why, LINE)}"] if at.drift_why else [])]


def describe(directive: Directive) -> str:
    """One of them in a line, as a model is told it."""
    where = f" ({', '.join(directive.files[:4])})" if directive.files else ""
    return one_line(f"{directive.priority} {directive.type}: {directive.description}{where}", 300)


def _line(task: Task, work: Work) -> str:
    subtask = task.plan.subtask(work.number)
    files = f" [{', '.join(subtask.files[:4])}]" if subtask.files else ""
    return f"{work.number}. {one_line(subtask.title, LINE)} ({work.state}, phase {subtask.phase}){files}"


def _results(task: Task, work: Work) -> list[str]:
    """What its minion says of it, what the checks said against it, and where it had to go to a person."""
    found = [f"{work.number}: {one_line(work.summary, 200)}"] if work.summary else []
    if work.tries > 1:
        found.append(f"{work.number}: took {work.tries} attempts")
    judged = work.evaluation
    bad = [gate for gate in judged.gates if gate.score is not Score.PASS] if judged else []
    found += [f"{work.number}: check {gate.name}: {one_line(gate.why, LINE)}" for gate in bad[:2]]
    reviews = judged.reviews if judged else ()
    found += [f"{work.number}: review: {one_line(each, LINE)}" for r in reviews for each in r.suggestions[:1]]
    if work.state in (SubtaskState.FAILED, SubtaskState.CANCELLED, SubtaskState.BLOCKED):
        found.append(f"{work.number}: {work.state}: {one_line(str(work.problem), LINE)}")
    if work.note:
        found.append(f"{work.number}: note: {one_line(work.note, 200)}")
    return found


def _within(lines: Sequence[str], most: int) -> str:
    """The newest lines for which there is room."""
    kept = list[str]()
    for line in reversed(lines):
        most -= len(line) + 1
        if most < 0:
            return "\n".join((f"({len(lines) - len(kept)} earlier ones are left out)", *reversed(kept)))
        kept.append(line)
    return "\n".join(reversed(kept))


def _notes(seen: Seen, supervisor: Supervisor | None) -> str:
    """Its own first; what no longer applies is left out."""
    active = [note for note in seen.notes if note.status is not Status.DEPRECATED]
    ordered = sorted(active, key=lambda note: (OWNER[note.folder] is not supervisor, note.name))
    return cut("\n".join(f"{note.name} ({note.status}): {' '.join(note.rules)}" for note in ordered), NOTES)


def _patterns(files: Sequence[str]) -> str:
    """How the repository is laid out: its folders, and how many files of which ending are in each."""
    counted = dict[str, int]()
    for path in files:
        folder, _, name = path.rpartition("/")
        ending = name.rpartition(".")[2] if "." in name else "no ending"
        place = "/".join(folder.split("/")[:2]) or "."
        counted[f"{place}: {ending}"] = counted.get(f"{place}: {ending}", 0) + 1
    common = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    return "\n".join(f"{place} × {many}" for place, many in common[:25])


def _before(state: Supervision, supervisor: Supervisor | None) -> str:
    ran = [each for each in state.log if each.by is supervisor and not each.skipped]
    return one_line(ran[-1].summary, 300) if ran else ""
