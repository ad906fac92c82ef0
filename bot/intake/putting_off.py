"""“Later”: takes a decision out of one person's list until the next reminder; no timer stops."""

from datetime import datetime

from agents.domain.decisions.authority import Presser, check
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import Moment
from agents.domain.decisions.table import closed_by_silence, rule_of
from agents.domain.task.task import Task
from bot.cards.replies import put_off_card
from bot.messages import Card
from store.transaction import Transaction


def put_off(task: Task, decision: Decision, speaker: Presser, moment: Moment, tx: Transaction) -> Card:
    """What to tell them alone. Raises NotYours for a decision that is not in their list anyway."""
    rule = rule_of(decision)
    if not (rule.put_to and speaker.is_(decision.put_to)):
        check(rule, speaker, task.request.by, moment.channel)
    until = next_reminder(decision, moment)
    tx.put_off.put(decision.id, speaker.person, until)
    return put_off_card(task, decision, until)


def next_reminder(decision: Decision, moment: Moment) -> datetime:
    """When it is said again; for what nobody is reminded of, after the same time."""
    if decision.due is not None and decision.due > moment.at and not closed_by_silence(decision):
        return decision.due
    return moment.at + moment.limits.within("reminder")
