"""Answers to “how does it stand”, “why” and “what did it cost”, made from what is recorded."""

from agents.domain.decision import NameOf
from agents.domain.task import Task
from bot.cards import words
from bot.cards.plan import debate_lines, order_in_words
from bot.cards.status import status_card
from bot.messages import Card, Row


def about_card(task: Task, about: str, name: NameOf, spent: float) -> Card:
    match about:
        case "why":
            return why_card(task, name)
        case "cost":
            return cost_card(task, spent)
        case _:
            card = status_card(task, name)
            return Card(title=card.title, text=card.text, rows=card.rows, lines=card.lines, tone=card.tone)


def cost_card(task: Task, spent: float) -> Card:
    if not spent:
        return Card(title=f"{task.id} has cost nothing so far", text="No model that costs money was asked for it.")
    rows = [Row(label="Spent on models", value=f"${spent:.2f}")]
    if task.estimate:
        rows.append(Row(label="Estimate for the work", value=f"${task.estimate:.2f}"))
    if task.budget is not None:
        rows.append(Row(label="Budget", value=f"${task.budget:.2f}, as raised"))
    return Card(title=f"{task.id} has cost ${spent:.2f} so far", rows=tuple(rows))


def why_card(task: Task, name: NameOf) -> Card:
    """Why it is where it is: what was said about the plan, and what is waited for."""
    lines = [f"It waits for {name(d.put_to)} to decide {words.KIND[d.kind]}." for d in task.questions]
    if task.problem:
        lines.append(f"What stood in the way: {task.problem}")
    if task.feedback:
        lines += [f"The plan must heed: {text}" for text in task.feedback]
    if task.plan:
        lines.append(f"The order is {order_in_words(task.plan)}, because of what waits for what.")
        lines += [f"{task.id}.{s.number} is there because {s.why}" for s in task.plan.subtasks if s.why]
    if task.review:
        lines += [f"A reviewer said: {reason}" for reason in task.review.reasons]
    if task.debate:
        lines += debate_lines(task.debate)
    return Card(title=f"{task.id}: {words.state_of(task)}", lines=tuple(lines) or ("Nothing has been decided yet.",))
