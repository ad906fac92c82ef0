"""Which facts are a wish of somebody, and what becomes of the wishes of a task."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from agents.domain.asking.facts import CommandMeant, QuestionAsked
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, DecisionMade
from agents.domain.decisions.subject import OfRun, OfStep
from agents.domain.fact import Event, Fold
from agents.domain.ids import PersonId
from agents.domain.planning.facts import ClarificationAnswered, PlanChangeRequested, PlanEdited
from agents.domain.task.facts import RemarkMade, RequestCorrected, TaskAskedAbout, WishSettled, WishWeighed
from agents.domain.task.wishes import Source, Standing, Wish, last_number
from agents.domain.work.facts import MinionAnswered
from agents.domain.work.work import WorkState

EDITED = "The request was edited after the plan was approved. It now says: "
# Options that are a wish, by the kind of their decision. What other facts say of themselves is not here.
FROM_DECISIONS: dict[tuple[Kind, str], Source] = {
    (Kind.GATE, "reject"): Source.STEP,
    (Kind.CHECKS, "fix"): Source.STEP,
    (Kind.ACCEPT_TESTS, "fix"): Source.STEP,
    **{(Kind.ESCALATION, value): Source.HINT for value in ("hint", "core", "stub")},
    (Kind.SCOPE, "refuse"): Source.SCOPE,
    (Kind.INTERFACE, "keep"): Source.SCOPE,
    (Kind.MERGE, "changes"): Source.MERGE,
    (Kind.OUTSIDE_REVIEW, "changes"): Source.MERGE,
    (Kind.CORRECTION, "change"): Source.CORRECTION,
}
# Said while minions work, these may contradict the plan; others ask for a change of it in so many words.
WEIGHED = frozenset({Source.REMARK, Source.ANSWER, Source.SCOPE, Source.HINT, Source.STEP})


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """What is known of a task when something is said about it."""

    wishes: tuple[Wish, ...]
    last: int  # the number of the last wish, also of one that was none: who was told that many hears the next
    owner: PersonId
    in_work: bool
    open: tuple[Decision, ...]
    work: WorkState


class _Said(TypedDict, total=False):
    by: PersonId
    words: str
    source: Source
    about: str
    subtask: int | None
    entitled: bool
    urgent: bool
    standing: Standing


def listen(known: Hearing, fact: Event) -> tuple[Wish, ...]:
    """The wishes of a task after one more fact."""
    wishes = _fold(known.wishes, fact)
    said = _said_in(known, fact)
    if said is None or not said["words"].strip():
        return wishes
    if said["source"] is not Source.SETTLED and _repeats(wishes, said):
        became = replace(wishes[-1], source=said["source"]) if said["source"] is Source.PLAN else wishes[-1]
        return (*wishes[:-1], became)
    weighed = known.in_work and said["source"] in WEIGHED
    number = max(known.last, last_number(wishes)) + 1
    return (*wishes, Wish(number=number, at=fact.at, unweighed=weighed, **said))


def _repeats(wishes: tuple[Wish, ...], said: _Said) -> bool:
    """The same words twice in a row: as a remark, and as what came of it."""
    last = wishes[-1] if wishes else None
    return last is not None and (last.by, last.words, last.subtask) == (said["by"], said["words"], said.get("subtask"))


def _said_in(known: Hearing, fact: Event) -> _Said | None:
    read = _READ.get(type(fact))
    return read(known, fact) if read else None


def _on_plan(known: Hearing, fact: PlanChangeRequested) -> _Said:
    entitled = fact.entitled or fact.by == known.owner
    return {"by": fact.by, "words": fact.words, "source": Source.PLAN, "entitled": entitled}


def _by_hand(known: Hearing, fact: PlanEdited) -> _Said:
    return {"by": fact.by, "words": fact.words, "source": Source.EDIT}


def _to_planner(known: Hearing, fact: ClarificationAnswered) -> _Said:
    return {"by": fact.by, "words": fact.answer, "source": Source.CLARIFICATION, "about": fact.question}


def _remarked(known: Hearing, fact: RemarkMade) -> _Said | None:
    if not fact.entitled or fact.asks or fact.talk:
        return None
    return {"by": fact.by, "words": fact.text, "source": Source.REMARK, "urgent": fact.urgent}


def _corrected(known: Hearing, fact: RequestCorrected) -> _Said | None:
    """Before there is a plan to work on, the request itself is another one."""
    words = f"The request was corrected. It is now: {fact.request}"
    return {"by": fact.by, "words": words, "source": Source.CORRECTION, "urgent": True} if known.in_work else None


def _to_minion(known: Hearing, fact: MinionAnswered) -> _Said | None:
    """What silence answers is nobody's wish."""
    if not fact.by:
        return None
    about = known.work.on(fact.subtask).doing
    answer: _Said = {"by": fact.by[0], "words": fact.answer, "source": Source.ANSWER}
    return {**answer, "about": about, "subtask": fact.subtask}


def _settled(known: Hearing, fact: WishSettled) -> _Said | None:
    chosen = next((wish for wish in known.wishes if wish.number == fact.wish), None)
    standing = Standing.FIRST if fact.first else Standing.OVERRULED
    settled: _Said = {"by": fact.by, "source": Source.SETTLED, "urgent": True, "standing": standing}
    return {**settled, "words": chosen.words} if chosen else None


def _into_form(known: Hearing, fact: DecisionMade) -> _Said | None:
    """What was written into the form of an option that asks for something."""
    asked = next((decision for decision in known.open if decision.id == fact.decision), None)
    option = next((each for each in asked.options if each.letter == fact.option), None) if asked else None
    source = FROM_DECISIONS.get((asked.kind, option.value)) if asked and option else None
    if asked and option and fact.by and (asked.kind, option.value) == (Kind.INTERFACE, "change"):
        return _agreed_anew(asked, fact)
    if asked is None or source is None or not fact.by:
        return None
    words = f"{EDITED}{asked.question}" if source is Source.CORRECTION else fact.words
    urgent = source is Source.CORRECTION
    return {"by": fact.by[0], "words": words, "source": source, "subtask": _subtask_of(asked), "urgent": urgent}


def _agreed_anew(asked: Decision, fact: DecisionMade) -> _Said:
    """It is for everybody at once: others were promised what now changes."""
    paths, about = ", ".join(asked.plain_evidence), _subtask_of(asked)
    words = f"Subtask {about} may change the agreed interface {paths}: {asked.wording} {fact.words}".strip()
    return {"by": fact.by[0], "words": words, "source": Source.INTERFACE, "urgent": True}


def _subtask_of(decision: Decision) -> int | None:
    about = decision.subject
    return about.subtask if isinstance(about, OfRun | OfStep) else None


# Facts that may hold a wish, and who reads it off them.
_READ: dict[type[Event], Callable[[Hearing, Any], _Said | None]] = {
    PlanChangeRequested: _on_plan,
    PlanEdited: _by_hand,
    ClarificationAnswered: _to_planner,
    RemarkMade: _remarked,
    RequestCorrected: _corrected,
    MinionAnswered: _to_minion,
    DecisionMade: _into_form,
    WishSettled: _settled,
}
TELLING: frozenset[type[Event]] = frozenset(
    {*_READ, WishWeighed, CommandMeant, QuestionAsked, TaskAskedAbout}
)  # of these a wish comes, or one changes

_fold = Fold[tuple[Wish, ...]]()


@_fold.on(WishWeighed)
def _(wishes: tuple[Wish, ...], fact: WishWeighed) -> tuple[Wish, ...]:
    standing = Standing.DISPUTED if fact.contradicts else Standing.HOLDS

    def note_weighing(wish: Wish) -> Wish:
        return replace(wish, unweighed=False, unclear=fact.unclear, standing=standing, against=fact.contradicts)

    return _change(wishes, fact.wish, note_weighing)


@_fold.on(CommandMeant)
def _(wishes: tuple[Wish, ...], fact: CommandMeant) -> tuple[Wish, ...]:
    """It was told us and not to minions: "please stop it" is no wish for the work."""
    return _without(wishes, fact.by, fact.words)


@_fold.on(QuestionAsked)
def _(wishes: tuple[Wish, ...], fact: QuestionAsked) -> tuple[Wish, ...]:
    return _without(wishes, fact.by, fact.text)


@_fold.on(TaskAskedAbout)
def _(wishes: tuple[Wish, ...], fact: TaskAskedAbout) -> tuple[Wish, ...]:
    return _without(wishes, fact.by, fact.words)


def _without(wishes: tuple[Wish, ...], by: PersonId, words: str) -> tuple[Wish, ...]:
    return tuple(wish for wish in wishes if wish.words != words or wish.by != by)


@_fold.on(WishSettled)
def _(wishes: tuple[Wish, ...], fact: WishSettled) -> tuple[Wish, ...]:
    standing = Standing.FIRST if fact.first else Standing.OVERRULED
    return _change(wishes, fact.wish, lambda wish: replace(wish, standing=standing))


def _change(wishes: tuple[Wish, ...], number: int, change: Callable[[Wish], Wish]) -> tuple[Wish, ...]:
    return tuple(change(wish) if wish.number == number else wish for wish in wishes)
