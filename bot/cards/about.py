"""Answers to “how does it stand”, “why” and “what did it cost”, made from what is recorded."""

from agents.domain.decisions.authority import Group
from agents.domain.decisions.decision import NameOf
from agents.domain.decisions.table import questions, rule_of
from agents.domain.planning.planning import stands_at
from agents.domain.task.task import Task, TaskState
from agents.domain.text.sanitize import cut, one_line
from bot.cards.kinds.table import kind_in_words
from bot.cards.parts.argument import argument_rows, debate_rows
from bot.cards.parts.bill import Bill
from bot.cards.parts.plan import order_in_words
from bot.cards.parts.rights import who_may
from bot.cards.scene import Scene
from bot.cards.states import state_of
from bot.cards.status import status_card
from bot.messages import Card, Row


def about_card(scene: Scene, about: str) -> Card:
    match about:
        case "why":
            return why_card(scene.task, scene.name)
        case "cost":
            return cost_card(scene.task, scene.bill())
        case _:
            card = status_card(scene.task, scene.name, scene.bill())
            return Card(title=card.title, text=card.text, rows=card.rows, lines=card.lines, tone=card.tone)


def cost_card(task: Task, bill: Bill) -> Card:
    spent, budget = bill.spent, bill.budget
    if not spent:
        return Card(title=f"{task.id} has cost nothing so far", text="No model that costs money was asked for it.")
    rows = [Row(label="Spent on models", value=f"${spent:.2f}")]
    if task.plan.estimate:
        rows.append(Row(label="Estimate for the work", value=f"${task.plan.estimate:.2f}"))
    if task.money.budget is not None:
        rows.append(Row(label="Budget", value=f"${task.money.budget:.2f}, as raised"))
    elif budget is not None:
        rows.append(Row(label="Budget", value=f"${budget:.2f}"))
    return Card(title=f"{task.id} has cost ${spent:.2f} so far", rows=tuple(rows))


def why_card(task: Task, name: NameOf) -> Card:
    """Why it is where it is: what is waited for, what stood in the way, what was said, and why each subtask exists."""
    rows = [Row(label="Waits for", value=_whom(task, number, name)) for number in range(len(questions(task)))]
    if task.problem:
        rows.append(Row(label="In the way", value=cut(one_line(task.problem, 400), 400)))
    if task.plan.feedback:
        rows.append(Row(label="The plan must heed", value=cut("; ".join(task.plan.feedback), 400)))
    rows += [
        *argument_rows(task.plan.review),
        *debate_rows(task.plan.debate, goes_on=stands_at(task, TaskState.IN_REVIEW)),
    ]
    if task.plan.draft:
        rows.append(Row(label="Order", value=f"{order_in_words(task.plan.draft)}, because of what waits for what"))
        rows += [
            Row(label=f"{task.id}.{s.number}", value=f"is there because {s.why}")
            for s in task.plan.draft.steps
            if s.why
        ]
        rows += [Row(label="Assumes", value=text) for text in task.plan.draft.assumptions]
        rows += [Row(label="Risk", value=f"{risk.what} → {risk.mitigation}") for risk in task.plan.draft.risks]
    nothing = "" if rows else "Nothing has been decided about it yet."
    return Card(title=f"{task.id}: {state_of(task)}", text=nothing, rows=tuple(rows))


def _whom(task: Task, number: int, name: NameOf) -> str:
    asked = questions(task)[number]
    who = name(asked.put_to) if Group.OWNER in rule_of(asked).who else who_may(rule_of(asked))
    return f"{who}, to decide {kind_in_words(asked)}"
