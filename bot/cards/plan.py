"""A plan as a person reads it before approving: what, in which order, what the reviewers say, and at what cost."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from agents.domain.decisions.decision import Decision
from agents.domain.decisions.subject import OfPlan
from agents.domain.phases.feature_ids import component_ids, phase_id
from agents.domain.planning.decomposition import Assumption, Decomposition, Edge, Level, PlanPhase, StartAfter, Subtask
from agents.domain.planning.ladder import TODO
from agents.domain.planning.work_kind import Expected
from agents.domain.task.task import Task
from agents.domain.task.wishes import Source
from agents.domain.text.dollars import dollars
from agents.domain.text.sanitize import cut, one_line
from agents.domain.workflow.steps import GATE, HUMAN, REVIEW
from agents.domain.workflow.workflow import DEFAULT, Workflow
from bot.cards.planning.argument import argument_rows, debate_rows, is_contested
from bot.cards.planning.ground import ground_rows
from bot.cards.reasons import put
from bot.cards.scene import Bill, duration_in_words, rows_of, step_in_words
from bot.cards.work.commits import early_rows, plan_git_rows
from bot.messages import Arrow, Graph, Node, Row

_CONFIDENCE = {level: f"confidence {level}" for level in ("low", "medium", "high")}
# What a reader of a plan should know of how it came about.
LEVEL: dict[Level, tuple[str, str]] = {
    Level.PRIMARY: ("", ""),
    Level.SIMPLIFIED: (
        "Simplified plan",
        "The planner could not take in or finish the whole, so it was shown the request and the top of the project "
        "alone. Look twice at the files.",
    ),
    Level.MINIMAL: (
        "One-step plan",
        "No model could plan this, so the request is one subtask, with TODO where you know more than I do.",
    ),
}

SHORT_LEVEL: dict[Level, str] = {
    Level.PRIMARY: "",
    Level.SIMPLIFIED: "simplified, from less than all there is",
    Level.MINIMAL: "a one-step plan",
}
ABOUT_PLANS = (Source.PLAN, Source.EDIT, Source.CLARIFICATION)
_MOST = 5  # assumptions and risks that are shown; the counts of the rest are


def plan_rows(task: Task, bill: Bill) -> tuple[Row, ...]:
    """The whole plan, short enough to be read on a phone. Where the reviewers are the news, they come first."""
    if task.plan.draft is None:
        return ()
    argument = [*argument_rows(task.plan.review), *debate_rows(task.plan.debate)]
    goal, summary = task.plan.draft.goal, cut(one_line(task.plan.draft.summary, 400), 400)
    before = ("Sent back before", cut("; ".join(task.plan.feedback), 300))
    refused = ("Edit not taken", cut("; ".join(task.plan.edit_refused), 600))
    changes = ("Changes asked for", _asked_for(task))
    asked = rows_of(refused, changes, before, ("Goal", goal), ("Summary", summary))
    plan = [*asked, *_steps(task, task.plan.draft)]
    rows = [*argument, *plan] if is_contested(task) else [*plan, *argument]
    left_out = (f"`{file}`: {one_line(why, 200)}" for file, why in task.plan.guidance_left_out[:_MOST])
    return (
        *rows_of(_level(task), ("Short path", _short(task))),
        *rows,
        *_caveats(task.plan.draft),
        *_read(task),
        *ground_rows(task),
        *rows_of(*(("Guidance left out", each) for each in left_out), ("Workflow", _workflow(task))),
        *rows_of(*(("Workflow, left out", one_line(each, 300)) for each in task.plan.workflow_left_out[:_MOST])),
        *plan_git_rows(task),
        *early_rows(task.plan.proposed),
        *rows_of(("Cost", _price(task, bill))),
    )


def _asked_for(task: Task) -> str:
    """What people asked of it, the latest first."""
    asked = (wish for wish in reversed(task.wishes) if wish.source in ABOUT_PLANS)
    return cut("; ".join(f"{wish.about} {wish.words}".strip() for wish in asked), 300)


def shows_plan(task: Task, decision: Decision) -> bool:
    """Only the version that is decided on is shown."""
    about = decision.subject
    return isinstance(about, OfPlan) and task.plan.draft is not None and task.plan.draft.hash == about.hash


def rows_of_shown_plan(task: Task, decision: Decision, bill: Bill) -> tuple[Row, ...]:
    return plan_rows(task, bill) if shows_plan(task, decision) else ()


def plan_footer(task: Task, decision: Decision) -> Iterator[str]:
    yield "Anybody here may ask for changes, by button or in words."
    if task.plan.rehearsal:
        yield "A rehearsal: a script plays planner and reviewers, no model was asked."


def _level(task: Task) -> tuple[str, str]:
    """Says that it is no ordinary plan, and why."""
    label, text = LEVEL[task.plan.level]
    return label, f"{text} Why: {one_line(put(task.plan.level_why), 300)}" if text and task.plan.level_why else text


def _short(task: Task) -> str:
    """“one file, low risk”."""
    files = len(task.plan.draft.paths) if task.plan.draft else 0
    return f"{'one file' if files == 1 else f'{files} files'}, low risk" if task.plan.short else ""


def size_in_words(plan: Decomposition) -> str:
    """“3 subtasks in 2 phases”."""
    count = len(plan.steps)
    phases = f" in {len(plan.phase_numbers)} phases" if len(plan.phase_numbers) > 1 else ""
    return f"{count} subtask{'s' if count != 1 else ''}{phases}"


def order_in_words(plan: Decomposition) -> str:
    """“1, then 2 and 3 side by side, then 4”."""
    waves = [_and([str(number) for number in sorted(wave)]) for wave in plan.order()]
    beside = [f"{words} side by side" if " and " in words else words for words in waves]
    return ", then ".join(beside)


def _informs(plan: Decomposition) -> str:
    """“1 ~> 3”: what is handed on without being waited for, which an order does not show."""
    edges = ((need, s.number) for s in plan.subtasks for need in s.needs if need.edge is Edge.INFORMS)
    return ", ".join(f"{need.number} ~> {number}" for need, number in edges)


def graph_of(task: Task) -> Graph | None:
    """The picture of what waits for what; none where there is nothing to see."""
    plan = task.plan.draft
    if plan is None or len(plan.subtasks) < 3:
        return None
    columns = {number: column for column, wave in enumerate(plan.order()) for number in wave}
    nodes = tuple(Node(id=str(s.number), label=_label(s, plan), column=columns.get(s.number, 0)) for s in plan.subtasks)
    arrows = tuple(
        Arrow(start=str(need.number), end=str(s.number), dashed=need.edge is Edge.INFORMS)
        for s in plan.subtasks
        for need in s.needs
        if not plan.is_closing(s.number) or not _reached(plan, need.number)
    )
    return Graph(nodes=nodes, arrows=arrows, text=f"Order: {order_in_words(plan)}")


def _reached(plan: Decomposition, number: int) -> bool:
    """Another subtask waits for this one already, so the closing one need not be drawn to wait for it too."""
    return any(number in s.blocked_by for s in plan.steps)


def _and(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _steps(task: Task, plan: Decomposition) -> list[Row]:
    marks, gone = _marks(task.plan.previous, plan)
    rows = [
        Row(label=f"{task.id}.{s.number}", value=f"{marks.get(s.number, '')}{_subtask(s, task)}") for s in plan.subtasks
    ]
    same = task.plan.previous and not marks and not gone
    return [
        *rows,
        *rows_of(*(("Gone", title) for title in gone), ("Changed", "nothing but the wording" if same else "")),
        *rows_of(("Order", order_in_words(plan) if len(plan.subtasks) > 1 else ""), ("Informs", _informs(plan))),
        *rows_of(*((_phase_label(plan, task, phase), _phase(phase)) for phase in plan.phases[:_MOST])),
    ]


def _subtask(subtask: Subtask, task: Task) -> str:
    """“Count failed tries · fix · small · 2 files · after 1 · confidence high”."""
    assert task.plan.draft is not None
    if task.plan.is_closing(subtask.number):
        return "Verify that all of it together does what was asked for"
    files = f"{len(subtask.files)} file{'s' if len(subtask.files) != 1 else ''}" if subtask.files else ""
    phase = f"phase {subtask.phase}" if len(task.plan.draft.phase_numbers) > 1 else ""
    role = f"role {subtask.role}" if subtask.role else ""
    sure = _CONFIDENCE[subtask.confidence]
    named = component_ids(task.plan.draft, task.id).get(subtask.number, "") if task.plan.draft.feature else ""
    parts = (named, kind_in_words(subtask), subtask.size, files, after_in_words(subtask), sure, phase, role)
    title = f"Find out: {subtask.title}" if subtask.spike else subtask.title
    return " · ".join((title, *(part for part in parts if part)))


def _phase(phase: PlanPhase) -> str:
    """“Storage; agreed on: Store.expires(code); begins as soon as interfaces are locked”."""
    named = (*phase.interfaces, *(f"{draft.name} ({draft.form.replace('_', ' ')})" for draft in phase.drafts))
    agreed = f"agreed on: {cut('; '.join(named), 200)}" if named else ""
    early = "begins as soon as interfaces are locked" if phase.start_after is StartAfter.INTERFACES else ""
    return "; ".join(part for part in (phase.title, agreed, early) if part)


def _phase_label(plan: Decomposition, task: Task, phase: PlanPhase) -> str:
    """With the id that a feature file gives it."""
    return f"Phase {phase.number}" + (f" ({phase_id(plan, task.id, phase.number)})" if plan.feature else "")


def kind_in_words(subtask: Subtask) -> str:
    """“fix, changes existing tests”; a kind that no planner named is marked."""
    assumed = " (assumed from its files)" if "kind" in subtask.assumed else ""
    return f"{subtask.kind}{assumed}{', changes existing tests' if subtask.changes_tests else ''}"


def after_in_words(subtask: Subtask) -> str:
    """“after 1 and 2”."""
    return f"after {_and([str(number) for number in subtask.blocked_by])}" if subtask.blocked_by else ""


def subtask_table(plan: Decomposition | None) -> list[tuple[str, ...]]:
    """Number, title, kind, size, confidence and order of each, for a page that is wide enough."""
    steps = plan.steps if plan else ()
    return [(str(s.number), s.title, kind_in_words(s), s.size, s.confidence, after_in_words(s)) for s in steps]


def _label(subtask: Subtask, plan: Decomposition) -> str:
    return "Verify the whole" if plan.is_closing(subtask.number) else one_line(subtask.title, 50)


def _marks(old: Decomposition | None, new: Decomposition) -> tuple[dict[int, str], list[str]]:
    """For someone who has read the version before: a word for each subtask that is another, and those that went."""
    if old is None:
        return {}, []
    before = {s.title: s for s in old.steps}
    after = {s.title: s for s in new.steps}
    marks = {s.number: "New: " for title, s in after.items() if title not in before}
    marks |= {s.number: "Changed: " for t, s in after.items() if t in before and _content(before[t]) != _content(s)}
    return marks, [title for title in before if title not in after]


def _content(subtask: Subtask) -> tuple[object, ...]:
    typed = (subtask.kind, subtask.changes_tests, subtask.role, subtask.project)
    return (subtask.files, subtask.test, subtask.why, len(subtask.needs), subtask.phase, *typed)


def _caveats(plan: Decomposition) -> list[Row]:
    rows = [_assumed(each) for each in plan.assumptions[:_MOST]]
    rows += [Row(label="Open issue", value=because(each.what, each.why)) for each in plan.issues[:_MOST]]
    rows += [Row(label="Risk", value=str(risk)) for risk in plan.risks[:_MOST]]
    hidden = sum(max(0, len(each) - _MOST) for each in (plan.assumptions, plan.issues, plan.risks))
    return rows + rows_of(
        ("And", f"{hidden} more assumptions, issues and risks; say `why` to read on" if hidden else ""),
        ("Merges into", plan.into or "the branch that the project is on when work begins"),
        ("Paths", cut(", ".join(plan.paths), 400)),
    )


def _read(task: Task) -> list[Row]:
    """What was opened, in one line each; the whole list is in the plan's own text."""
    plan, review = task.plan.draft, task.plan.review
    turns = f", in {task.plan.looked} turn{'s' if task.plan.looked != 1 else ''}" if task.plan.looked else ""
    by_planner = f"{_some_of(plan.read)}{turns}" if plan and plan.read else ""
    return rows_of(("Planner read", by_planner), ("Critic checked", _some_of(review.critic.read) if review else ""))


def _some_of(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _MOST} more" if len(paths) > _MOST else ""
    return f"{', '.join(one_line(path, 80) for path in paths[:_MOST])}{more}"


def because(what: str, why: str) -> str:
    return f"{what} ({why})" if why else what


def _assumed(assumption: Assumption) -> Row:
    text = because(assumption.what, assumption.why)
    to_do = text.startswith(TODO)
    return Row(label=TODO.rstrip(": "), value=text.removeprefix(TODO)) if to_do else Row(label="Assumes", value=text)


def _workflow(task: Task) -> str:
    """“mvp (no new tests asked for; one review; no extra approvals)”; the default one needs no words, unless somebody
    named one."""
    asked, workflow = task.request.workflow, task.plan.proposed or DEFAULT
    refused = f"you asked for {asked}, which may not be chosen here: see `on_request` in overlord.yaml"
    said = "" if not asked else "as you asked" if asked == workflow.name else refused
    role = f"done as {task.request.role}, as you asked" if task.request.role else ""
    described, more = _describe(workflow), "; ".join(each for each in (said, role) if each)
    return f"{described or workflow.name}; {more}" if more else described


def _describe(workflow: Workflow) -> str:
    if workflow == DEFAULT:
        return ""
    usual = {step.name for step in DEFAULT.steps}
    readers = sum(step.parallel for step in workflow.steps if step.type == REVIEW.name)
    people = [step_in_words(step.name) for step in workflow.steps if step.type == HUMAN.name]
    checks = [step_in_words(step.name) for step in workflow.steps if step.type == GATE.name and step.name not in usual]
    said = (
        "" if workflow.require_tests else "no new tests asked for",
        {0: "no review of the work", 1: "one review"}.get(readers, f"{readers} reviews"),
        f"also checked: {', '.join(checks)}" if checks else "",
        f"a person is asked at {_and(people)}" if people else "no extra approvals",
    )
    return cut(f"{workflow.name} ({'; '.join(each for each in said if each)})", 400)


def _price(task: Task, bill: Bill) -> str:
    """What such work took before, beside what it may cost; before there is a record, the sizes alone say it."""
    expected, budget = task.plan.expected, bill.limit(task)
    if task.plan.rehearsal:
        return "nothing, as this is a rehearsal"
    most = f"budget {dollars(budget)}" if budget is not None else ""
    if expected is None:
        return f"{most}; at the budget it stops and asks" if most else ""
    beyond = "at the budget it stops and asks" if budget is not None and expected.most.cost > budget else ""
    return "; ".join(part for part in (expected_in_words(expected), most, beyond) if part)


def expected_in_words(expected: Expected) -> str:
    """“about $0.40 to $1.10 and 10 min to 25 min of work, as half and nine in ten of the last 42 subtasks took”."""
    usual, most = expected.usual, expected.most
    times = (duration_in_words(timedelta(seconds=each.seconds)) for each in (usual, most))
    cost = f"${usual.cost:.2f} to ${most.cost:.2f} and " if most.cost else ""
    return f"about {cost}{' to '.join(times)} of work, as half and nine in ten of the last {expected.of} subtasks took"
