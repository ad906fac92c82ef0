"""Several things to decide that no work waits for, of one task, in one message: each with its own buttons."""

from dataclasses import replace

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from bot.cards.decisions import button, decision_card, outcome_in_words
from bot.cards.kinds import CARDS
from bot.cards.scene import NO_BILL, Posting, Scene
from bot.messages import Button, Card, Row, Tone

BATCHED = frozenset({Kind.PROPOSAL})
MOST = 5  # items of a message, so that every platform has room for their buttons
SHOWN = 700  # characters of one item


def batch_key(decision: Decision) -> str:
    """Of the message that this decision may be shown in beside others; empty: it has one of its own."""
    at = f"{decision.opened_at.timestamp():.6f}"
    return f"batch:{decision.task}:{at}" if decision.kind in BATCHED else ""


def batch_of(known: Decision, scene: Scene) -> Posting | None:
    """The message that this decision is shown in beside others; None: it has a card of its own."""
    if not (key := batch_key(known)):
        return None
    shown = scene.shown(key)
    if shown is None:
        items = [each for each in scene.task.open if each.kind in BATCHED and each.opened_at == known.opened_at][:MOST]
        if len(items) < 2 or known not in items:
            return None
        return Posting(key=key, card=_card(scene, items, ()))
    ids = list(dict.fromkeys(each.choice.decision for each in shown.buttons))
    if known.id not in ids:
        return None
    items = [found for id in ids if (found := scene.decision(id)) and found.state is DecisionState.OPEN]
    done = () if known.state is DecisionState.OPEN else (_done(known, scene),)
    lines = shown.lines if done and done[0] in shown.lines else (*shown.lines, *done)
    return Posting(key=key, card=_card(scene, items, lines))


def _card(scene: Scene, items: list[Decision], lines: tuple[str, ...]) -> Card:
    task, count = scene.task, len(items)
    who = scene.deciders(items[0]) if items else ()
    title = f"{task.id} gave rise to {count} proposals" if count > 1 else f"{task.id} gave rise to proposals"
    text = "No work waits for these. What is approved becomes a task of its own, with a plan to approve."
    rows = tuple(_row(scene, number, each) for number, each in enumerate(items, 1))
    buttons = tuple(_button(number, each, at) for number, each in enumerate(items, 1) for at in _offered(each))
    return Card(
        title=title,
        text=text if items else "",
        rows=rows,
        lines=(*lines, *([nobody] if items and (nobody := scene.nobody(items[0])) else ())),
        buttons=buttons,
        notify=who,
        footer=decision_card(task, items[0], scene.name).footer if items else "",
        tone=Tone.ASKING if items else Tone.PLAIN,
    )


def _offered(decision: Decision) -> tuple[int, ...]:
    """Of two ways to say no the one that keeps why."""
    skip = "reject" if any(each.value == "reject_because" for each in decision.options) else ""
    return tuple(at for at, option in enumerate(decision.options) if option.value != skip)


def _button(number: int, decision: Decision, at: int) -> Button:
    made = button(decision, decision.options[at])
    return replace(made, label=f"{number}: {made.label}")


def _row(scene: Scene, number: int, decision: Decision) -> Row:
    said = (f"{row.label}: {one_line(row.value, 200)}" for row in _rows(scene.task, decision) if row.value)
    return Row(label=f"{number}", value=cut(f"{one_line(decision.question, 160)}. {'; '.join(said)}", SHOWN))


def _rows(task: Task, decision: Decision) -> list[Row]:
    return list(CARDS[decision.kind].rows(task, decision, NO_BILL))


def _done(decision: Decision, scene: Scene) -> str:
    return f"{one_line(decision.question, 120)}: {outcome_in_words(scene.task, decision, scene.name)}"
