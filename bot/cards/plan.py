"""A plan as a person reads it before approving: what, in which order, what the reviewers say, and at what cost."""

from collections.abc import Iterator

from agents.domain.decisions.decision import Decision
from agents.domain.decisions.subject import OfPlan
from agents.domain.planning.decomposition import Decomposition, Edge, Level, Subtask
from agents.domain.planning.ladder import TODO
from agents.domain.planning.review import Advice, Argument, Critic, Custodiet, Debate, Position, Review, Ruling
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from agents.domain.workflow.steps import GATE, HUMAN, REVIEW
from agents.domain.workflow.workflow import DEFAULT, Workflow
from bot.cards.git_preview import early_rows
from bot.cards.scene import Bill, rows_of
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
POSITION: dict[Position, str] = {Position.MAINTAIN: "keeps to it", Position.REVISE: "gives way"}
_MOST = 5  # assumptions and risks that are shown; the counts of the rest are


def plan_rows(task: Task, bill: Bill) -> tuple[Row, ...]:
    """The whole plan, short enough to be read on a phone. Where the reviewers are the news, they come first."""
    if task.plan.draft is None:
        return ()
    argument = [*argument_rows(task.plan.review), *debate_rows(task.plan.debate)]
    again = "Sent back before" if task.plan.tries > 1 else "Changes asked for"
    asked = rows_of((again, cut("; ".join(task.plan.feedback), 300)), ("Goal", task.plan.draft.goal))
    plan = [*asked, *_steps(task, task.plan.draft)]
    rows = [*argument, *plan] if is_contested(task) else [*plan, *argument]
    left_out = (f"`{file}`: {one_line(why, 200)}" for file, why in task.plan.guidance_left_out[:_MOST])
    return (
        *rows_of(_level(task)),
        *rows,
        *_caveats(task.plan.draft),
        *rows_of(*(("Guidance left out", each) for each in left_out), ("Workflow", _workflow(task.plan.proposed))),
        *early_rows(task.plan.proposed),
        *rows_of(("Cost", _price(task, bill))),
    )


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
    return label, f"{text} Why: {one_line(task.plan.level_why, 300)}" if text and task.plan.level_why else text


def is_contested(task: Task) -> bool:
    """A reviewer says stop, gave no verdict, or two of them could not agree."""
    if task.plan.debate is not None and not task.plan.debate.is_settled:
        return True
    return task.plan.review is not None and task.plan.review.ruling in (Ruling.BLOCKED, Ruling.ESCALATE_TO_HUMAN)


def size_in_words(plan: Decomposition) -> str:
    """“3 subtasks in 2 phases”."""
    count = len(plan.steps)
    phases = f" in {len(plan.phases)} phases" if len(plan.phases) > 1 else ""
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
    ]


def _subtask(subtask: Subtask, task: Task) -> str:
    files = f" · {len(subtask.files)} file{'s' if len(subtask.files) != 1 else ''}" if subtask.files else ""
    kind = "Find out: " if subtask.spike else ""
    phase = f" · phase {subtask.phase}" if task.plan.draft and len(task.plan.draft.phases) > 1 else ""
    closing = task.plan.is_closing(subtask.number)
    title = "Verify that all of it together does what was asked for" if closing else subtask.title
    sure = "" if closing else f" · {_CONFIDENCE[subtask.confidence]}"
    return f"{kind}{title}{files}{sure}{phase}"


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
    return (subtask.files, subtask.test, subtask.why, len(subtask.needs), subtask.phase)


def _caveats(plan: Decomposition) -> list[Row]:
    rows = [_assumed(text) for text in plan.assumptions[:_MOST]]
    rows += [Row(label="Risk", value=f"{risk.what} → {risk.mitigation}") for risk in plan.risks[:_MOST]]
    hidden = max(0, len(plan.assumptions) - _MOST) + max(0, len(plan.risks) - _MOST)
    return rows + rows_of(
        ("And", f"{hidden} more assumptions and risks; say `why` to read on" if hidden else ""),
        ("Merges into", plan.into or "the branch that the project is on when work begins"),
        ("Paths", cut(", ".join(plan.paths), 400)),
    )


def _assumed(text: str) -> Row:
    to_do = text.startswith(TODO)
    return Row(label=TODO.rstrip(": "), value=text.removeprefix(TODO)) if to_do else Row(label="Assumes", value=text)


def _workflow(workflow: Workflow | None) -> str:
    """“mvp (no new tests asked for; one review; no extra approvals)”; the default one needs no words."""
    if workflow in (None, DEFAULT):
        return ""
    usual = {step.name for step in DEFAULT.steps}
    readers = sum(step.parallel for step in workflow.steps if step.type == REVIEW.name)
    people = [step.name for step in workflow.steps if step.type == HUMAN.name]
    checks = [step.name for step in workflow.steps if step.type == GATE.name and step.name not in usual]
    said = (
        "" if workflow.require_tests else "no new tests asked for",
        {0: "no review of the work", 1: "one review"}.get(readers, f"{readers} reviews"),
        f"also checked: {', '.join(checks)}" if checks else "",
        f"a person is asked at {_and(people)}" if people else "no extra approvals",
    )
    return cut(f"{workflow.name} ({'; '.join(each for each in said if each)})", 400)


def _price(task: Task, bill: Bill) -> str:
    estimate, budget = task.plan.estimate, bill.limit(task)
    if task.plan.rehearsal:
        return "nothing, as this is a rehearsal"
    if not estimate:
        return ""
    if budget is None:
        return f"estimate ${estimate:.2f} of model time"
    beyond = "; at the budget it stops and asks" if estimate > budget else ""
    return f"estimate ${estimate:.2f} of a budget of ${budget:.2f}{beyond}"


CRITIC = {
    Critic.PROCEED: "approves",
    Critic.REVISE: "asks for changes",
    Critic.HALT: "stops it",
    Critic.NO_VERDICT: "no usable verdict this time",
}
SCOPE_GUARD = {
    Custodiet.OK: "within the request",
    Custodiet.WARN: "concern",
    Custodiet.BLOCK: "stops it",
    Custodiet.NO_VERDICT: "no usable verdict this time",
}


def argument_rows(review: Review | None) -> list[Row]:
    if review is None:
        return []
    return [
        Row(label="Critic", value=_critic(review)),
        Row(label="Scope guard", value=_custodiet(review)),
        *_advice(review.advice),
    ]


def debate_rows(debate: Debate | None, *, goes_on: bool = False) -> list[Row]:
    """What moved in each round, how it ended and what it cost."""
    if debate is None:
        return []
    rows = []
    for round in debate.rounds:
        rows.append(Row(label=f"Round {round.number}, critic", value=_point(round.critic)))
        rows.append(Row(label=f"Round {round.number}, scope guard", value=_point(round.custodiet)))
    return rows if goes_on else [*rows, Row(label="Debate", value=_ended(debate))]


def _ended(debate: Debate) -> str:
    cost = f"; arguing cost ${debate.cost:.2f}" if debate.cost else ""
    if not debate.is_settled:
        return f"they still disagree{cost}"
    went_on = debate.now.ruling is Ruling.APPROVED
    return f"they agree {'to go on' if went_on else 'that it must change'}{cost}"


def _point(argument: Argument) -> str:
    moved = POSITION[argument.position]
    cited = f" [{cut('; '.join(argument.evidence), 120)}]" if argument.evidence else " [no evidence]"
    return f"{moved}: {one_line(argument.point, 200)}{cited}"


def _critic(review: Review) -> str:
    said = review.critic
    untested = (f"untested: {each}" for each in said.assumptions)
    points = said.why_none or cut("; ".join((*said.issues, *said.changes, *untested)), 500)
    return f"{CRITIC[said.verdict]}{f': {points}' if points else ''}"


def _custodiet(review: Review) -> str:
    """The issue, the principle it touches, and what would resolve it."""
    said = review.custodiet
    parts = (said.issue, f"it touches: {said.principle}" if said.principle else "", said.suggestion)
    points = said.why_none or "; ".join(part for part in parts if part)
    return f"{SCOPE_GUARD[said.verdict]}{f': {points}' if points else ''}"


def _advice(advice: tuple[Advice, ...]) -> list[Row]:
    """Specialists who say the same are heard once, and so is what kept them from saying anything."""
    said: dict[str, list[str]] = {}
    for each in advice:
        points = f"none: {each.why_none}" if each.why_none else "; ".join((*each.concerns, *each.suggestions))
        if points:
            said.setdefault(points, []).append(each.specialist)
    return [Row(label=f"Advice, {' and '.join(names)}", value=cut(points, 300)) for points, names in said.items()]
