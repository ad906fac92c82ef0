"""Every word that people read about a kind of decision, and the one table of them.

Each kind is one file, of the same name as in `agents/domain/decisions/kinds`.
"""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import KindCard, Label
from bot.cards.kinds.learning import directives, notes, notes_merge, polish, proposal, replan, skill_draft
from bot.cards.kinds.phases import phase_change, unreverted
from bot.cards.kinds.plan import change, clarification, debate, no_plan, plan
from bot.cards.kinds.task import (
    budget,
    cancel,
    controls,
    correction,
    intake,
    meant,
    project,
    reroute,
    route,
    second,
    snoozed,
    stopped,
    stuck,
)
from bot.cards.kinds.work import (
    accept_tests,
    against_plan,
    consent,
    escalation,
    gate,
    interface,
    late_checks,
    merge,
    outside_review,
    question,
    scope,
    start_scope,
    taken,
    unmerged,
)

# Where several are open while a task is at work, the first one says its state.
_ALL = (
    *(
        merge,
        outside_review,
        unmerged,
        unreverted,
        phase_change,
        stuck,
        consent,
        escalation,
        late_checks,
        accept_tests,
        taken,
        question,
        scope,
        interface,
        start_scope,
    ),
    *(gate, against_plan),
    *(replan, polish, directives, proposal, skill_draft, notes, notes_merge),
    *(clarification, no_plan, change, plan, debate),
    *(intake, route, project, budget, correction, stopped, snoozed, cancel, controls, meant, second, reroute),
)
CARDS: dict[Kind, KindCard] = {card.CARD.kind: card.CARD for card in _ALL}


def kind_in_words(decision: Decision) -> str:
    """What is to be decided."""
    return CARDS[decision.kind].name_of(decision)


def label(decision: Decision, option: Option) -> Label:
    return CARDS[decision.kind].label(decision, option)


def label_of(decision: Decision, option: Option) -> str:
    """What the button of an option says."""
    return label(decision, option).text


def title_of(task: Task, decision: Decision) -> str:
    return CARDS[decision.kind].title(task, decision)


def prompt(decision: Decision, option: Option) -> str:
    """What its form asks; empty where it takes no words."""
    if not option.needs_words:
        return ""
    asks = CARDS[decision.kind].asks
    return asks(decision) if asks else label(decision, option).asks


def outcome_label(decision: Decision) -> str:
    """What was decided, in words."""
    if not decision.outcome:
        return decision.words
    text = label_of(decision, decision.option(decision.outcome))
    return f"{text}: {decision.words}" if decision.words else text
