"""A plan as a person reads it before approving: what, in which order, at what cost, and what the reviewers say."""

from agents.domain.debate import Debate, Position, Round
from agents.domain.decomposition import Decomposition, Edge, Subtask
from agents.domain.task import Task
from agents.domain.text import cut, one_line
from agents.domain.verdicts import Critic, Custodiet, Review, Ruling
from bot.messages import Arrow, Graph, Node, Row

_CONFIDENCE = {"low": "not sure", "medium": "fairly sure", "high": "sure"}


def plan_rows(task: Task) -> tuple[Row, ...]:
    """The whole plan, in rows; short enough to be read on a phone."""
    plan = task.plan
    if plan is None:
        return ()
    rows = [Row(label="Goal", value=plan.goal)]
    rows += [Row(label=f"{task.id}.{s.number}", value=_subtask(s)) for s in plan.subtasks]
    rows.append(Row(label="Order", value=order_in_words(plan)))
    if plan.paths:
        rows.append(Row(label="Paths", value=cut(", ".join(plan.paths), 400)))
    if spikes := [s for s in plan.subtasks if s.spike]:
        rows.append(Row(label="To find out first", value="; ".join(s.title for s in spikes)))
    rows += [Row(label="Assumes", value=text) for text in plan.assumptions[:5]]
    rows += [Row(label="Risk", value=f"{risk.what} → {risk.mitigation}") for risk in plan.risks[:5]]
    rows += _reviewers(task.review)
    rows.append(Row(label="Cost", value=f"about ${task.estimate:.2f} of model time" if task.estimate else "nothing"))
    return tuple(rows)


def plan_lines(task: Task) -> tuple[str, ...]:
    """What changed since the version people saw, and what the debate moved."""
    lines = list(_changes(task.previous_plan, task.plan)) if task.previous_plan and task.plan else []
    if task.debate:
        lines += debate_lines(task.debate)
    return tuple(lines)


def _subtask(subtask: Subtask) -> str:
    files = f" · {len(subtask.files)} file{'s' if len(subtask.files) != 1 else ''}" if subtask.files else ""
    kind = "Find out: " if subtask.spike else ""
    return f"{kind}{subtask.title} · {subtask.hours:g} h{files} · {_CONFIDENCE[subtask.confidence]}"


def order_in_words(plan: Decomposition) -> str:
    """“1, then 2 and 3 side by side, then 4”."""
    waves = [_and([str(number) for number in sorted(wave)]) for wave in plan.order()]
    beside = [f"{words} side by side" if " and " in words else words for words in waves]
    return ", then ".join(beside)


def graph_of(task: Task) -> Graph | None:
    """The picture of what waits for what; none where there is nothing to see."""
    plan = task.plan
    if plan is None or len(plan.subtasks) < 3:
        return None
    columns = {number: column for column, wave in enumerate(plan.order()) for number in wave}
    nodes = tuple(
        Node(id=str(s.number), label=one_line(s.title, 40), column=columns.get(s.number, 0)) for s in plan.subtasks
    )
    arrows = tuple(
        Arrow(start=str(need.number), end=str(s.number), dashed=need.edge is Edge.INFORMS)
        for s in plan.subtasks
        for need in s.needs
        if not s.title.startswith("Verify: ") or not _reached(plan, need.number)
    )
    return Graph(nodes=nodes, arrows=arrows, text=f"Order: {order_in_words(plan)}")


def _reached(plan: Decomposition, number: int) -> bool:
    """Another subtask waits for this one already, so the closing one need not be drawn to wait for it too."""
    return any(number in s.blocked_by for s in plan.subtasks if not s.title.startswith("Verify: "))


def _and(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _reviewers(review: Review | None) -> list[Row]:
    if review is None:
        return []
    rows = [Row(label="Critic", value=_critic(review)), Row(label="Custodiet", value=_custodiet(review))]
    rows += [
        Row(label=f"Advice, {advice.specialist}", value=cut("; ".join((*advice.concerns, *advice.suggestions)), 300))
        for advice in review.advice
        if advice.concerns or advice.suggestions
    ]
    return rows


def _critic(review: Review) -> str:
    said = review.critic
    if said.verdict is Critic.NO_VERDICT:
        return f"no verdict: {said.why_none}"
    points = (*said.issues, *said.changes, *(f"untested: {a}" for a in said.assumptions))
    return f"{said.verdict.upper()}{': ' + cut('; '.join(points), 500) if points else ''}"


def _custodiet(review: Review) -> str:
    said = review.custodiet
    if said.verdict is Custodiet.NO_VERDICT:
        return f"no verdict: {said.why_none}"
    parts = (said.issue, f"principle: {said.principle}" if said.principle else "", said.suggestion)
    points = "; ".join(part for part in parts if part)
    return f"{said.verdict.upper()}{': ' + points if points else ''}"


def debate_lines(debate: Debate) -> list[str]:
    lines = [line for round in debate.rounds for line in _round(round)]
    cost = f" (the debate cost ${debate.cost:.2f})" if debate.cost else ""
    if debate.settled:
        ended = "They agree to go on" if debate.now.ruling is Ruling.APPROVED else "They agree that it must change"
        return [*lines, f"{ended}{cost}."]
    return [*lines, f"They still disagree{cost}. {debate.tension}"]


def _round(round: Round) -> list[str]:
    lines = []
    for name, argument in (("critic", round.critic), ("custodiet", round.custodiet)):
        moved = "keeps to it" if argument.position is Position.MAINTAIN else "gives way"
        cited = f" [{cut('; '.join(argument.evidence), 120)}]" if argument.evidence else " [no evidence]"
        lines.append(f"Round {round.number}, {name} {moved}: {one_line(argument.point, 200)}{cited}")
    return lines


def _changes(old: Decomposition, new: Decomposition) -> list[str]:
    """What is different for someone who has read the version before."""
    before = {s.title: s for s in old.subtasks}
    after = {s.title: s for s in new.subtasks}
    lines = [f"New: {title}" for title in after if title not in before]
    lines += [f"Gone: {title}" for title in before if title not in after]
    lines += [f"Changed: {t}" for t, s in after.items() if t in before and _content(before[t]) != _content(s)]
    if old.goal != new.goal:
        lines.insert(0, f"The goal was: {old.goal}")
    return lines or ["Nothing changed but the wording."]


def _content(subtask: Subtask) -> tuple[object, ...]:
    return (subtask.files, subtask.hours, subtask.test, subtask.why, len(subtask.needs))
