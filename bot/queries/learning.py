"""The page of what is learnt: one section each for proposals, skills, directives, notes and runs of supervisors.

A section is a function of the transaction and of what its reader may see; `SECTIONS` is their order on the page.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.domain.ids import ProjectId, TaskId
from agents.domain.knowledge.document import PLACE
from agents.domain.knowledge.record import NoteState
from agents.domain.models.routing import Model
from agents.domain.skills.fared import Fared
from agents.domain.skills.registry import SkillRow
from agents.domain.supervision.directive import Directive
from agents.domain.supervision.facts import DirectiveEnded, SupervisorRan, SupervisorSkipped
from agents.domain.text.sanitize import cut, one_line
from bot.cards.kinds.learning.proposal import STATUS, TRIGGER, TYPE
from bot.cards.kinds.learning.skill_draft import STATE
from bot.cards.knowledge.notes import note_state_in_words
from bot.cards.supervision.reports import NAMES, became_in_words
from store.database import Database
from store.transaction import Transaction

MOST = 50  # items of a section, the newest
Sees = Callable[[TaskId], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearntItem:
    """One thing that was learnt, or may be: how far it has come, and the task that it is of."""

    title: str
    state: str
    lines: tuple[str, ...] = ()
    task: TaskId | None = None
    waits: bool = False  # for a person
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LearntSection:
    name: str
    none: str  # what stands there while there is nothing
    items: tuple[LearntItem, ...] = ()


def proposals_section(tx: Transaction, sees: Sees) -> LearntSection:
    found = [each for each in tx.proposals.newest(MOST) if sees(each.task)]
    items = (
        LearntItem(
            title=each.proposal.title,
            state=STATUS[each.proposal.status],
            lines=(
                f"{TYPE[each.proposal.type].capitalize()}, because {TRIGGER[each.proposal.rationale.trigger]}",
                *(one_line(line, 300) for line in each.proposal.rationale.evidence),
                *([f"Reason: {each.reason}"] if each.reason else []),
                *([f"Carried out by {each.carried_out_by}"] if each.carried_out_by else []),
            ),
            task=each.task,
            waits=each.proposal.status == "pending",
            at=each.proposal.created_at,
        )
        for each in found
    )
    none = "Nothing was proposed yet. What repeats, blocks or looks wrong everywhere is proposed here."
    return LearntSection(name="Proposals", none=none, items=tuple(items))


def skills_section(tx: Transaction, sees: Sees) -> LearntSection:
    fared = tx.skills.outcomes()

    def lines(row: SkillRow) -> Iterator[str]:
        yield one_line(row.spec.description, 300)
        if called := ", ".join((*row.spec.keywords, *row.spec.file_patterns)):
            yield f"Called for by: {called}"
        if known := fared.get((row.project, row.name)):
            yield f"Used by {known.tasks} task{'s' * (known.tasks != 1)}, {known.passed} of them merged"

    found = [each for each in tx.skills.newest(MOST) if sees(each.task)]
    items = (
        LearntItem(
            title=f"{row.name or '(no name yet)'}{f', a revision of {row.revises}' if row.revises else ''}",
            state=STATE[row.state],
            lines=tuple(line for line in lines(row) if line),
            task=row.task,
            waits=row.state == "draft",
            at=row.at,
        )
        for row in found
    )
    none = "No skill was drafted here yet. Say “draft a skill for …” in a channel."
    return LearntSection(name="Skills", none=none, items=tuple(items))


def directives_section(tx: Transaction, sees: Sees) -> LearntSection:
    """Those that nobody has dealt with first, the newest of them first; then what became of others."""
    found = [item for id in tx.log.projects() for item in _directives(tx, id)]
    items = tuple(item for item in sorted(found, key=lambda item: not item.waits) if item.task and sees(item.task))
    none = "No supervisor has asked for anything yet."
    return LearntSection(name="Directives", none=none, items=items[:MOST])


def _directives(tx: Transaction, id: ProjectId) -> Iterator[LearntItem]:
    project = tx.log.project(id)
    pending = {each.directive.id for each in project.supervision.pending} if project else set()
    facts = [each.event for each in tx.log.facts(id, last=MOST, kinds=(SupervisorRan, DirectiveEnded))]
    ended = {fact.directive: fact for fact in facts if isinstance(fact, DirectiveEnded)}
    for fact in reversed(facts):
        for each in fact.directives if isinstance(fact, SupervisorRan) else ():
            if each.id in pending or each.id in ended:
                yield _directive(each, fact.at, ended.get(each.id))


def _directive(asked: Directive, at: datetime, ended: DirectiveEnded | None) -> LearntItem:
    waits = "waits until all other work is done" if asked.is_cleanup else "waits for a person"
    return LearntItem(
        title=asked.description,
        state=became_in_words(ended) if ended else waits,
        lines=tuple(line for line in (asked.rationale, ", ".join(f"`{path}`" for path in asked.files)) if line),
        task=asked.task,
        waits=ended is None,
        at=at,
    )


def notes_section(tx: Transaction, sees: Sees) -> LearntSection:
    items = (
        LearntItem(
            title=row.change.title,
            state=note_state_in_words(row),
            lines=(*row.change.rules, f"`{PLACE}/{row.change.name}.md`"),
            task=row.task,
            waits=row.state is NoteState.WAITS,
            at=row.at,
        )
        for row in tx.notes.newest(MOST)
        if sees(row.task)
    )
    none = "No supervisor wanted anything noted yet. Notes that you write yourself: `overlord knowledge list`."
    return LearntSection(name="Notes", none=none, items=tuple(items))


def runs_section(tx: Transaction, sees: Sees) -> LearntSection:
    kinds = (SupervisorRan, SupervisorSkipped)
    facts = [each.event for id in tx.log.projects() for each in tx.log.facts(id, last=MOST, kinds=kinds)]
    found = [fact for fact in facts if isinstance(fact, kinds) and sees(fact.task)]
    items = (
        LearntItem(
            title=f"{NAMES[fact.by]}: {fact.summary if isinstance(fact, SupervisorRan) else 'skipped'}",
            state=_cost_in_words(fact) if isinstance(fact, SupervisorRan) else fact.why,
            lines=_found(fact),
            task=fact.task,
            at=fact.at,
        )
        for fact in sorted(found, key=lambda fact: fact.at, reverse=True)[:MOST]
    )
    return LearntSection(name="Runs of supervisors", none="None has run yet.", items=tuple(items))


def _cost_in_words(ran: SupervisorRan) -> str:
    return "a rehearsal, so it cost nothing" if Model(name=ran.model).rehearsal else f"${ran.cost:.3f}, {ran.model}"


def _found(fact: SupervisorRan | SupervisorSkipped) -> tuple[str, ...]:
    """“1 directive, 2 notes”, without what there is none of."""
    if isinstance(fact, SupervisorSkipped):
        return ()
    counted = ((len(fact.directives), "directive"), (len(fact.notes), "note"))
    said = ", ".join(f"{count} {what}{'s' * (count != 1)}" for count, what in counted if count)
    return (said,) if said else ()


@dataclass(frozen=True, slots=True)
class SkillQueries:
    """What the command line asks about skills; for the operator, who may see all of them."""

    _database: Database

    async def rows(self, *, open_only: bool) -> list[SkillRow]:
        return await self._database.read(lambda tx: tx.skills.all(open_only=open_only))

    async def evolved_names(self) -> set[tuple[str, str]]:
        return await self._database.read(lambda tx: tx.skills.evolved_names())

    async def outcomes(self) -> dict[tuple[str, str], Fared]:
        return await self._database.read(lambda tx: tx.skills.outcomes())


SECTIONS: tuple[Callable[[Transaction, Sees], LearntSection], ...] = (
    proposals_section,
    skills_section,
    directives_section,
    notes_section,
    runs_section,
)


def read_learning(tx: Transaction, sees: Sees, redact: Callable[[str], str]) -> Sequence[LearntSection]:
    return [_redacted(make(tx, sees), redact) for make in SECTIONS]


def _redacted(section: LearntSection, redact: Callable[[str], str]) -> LearntSection:
    items = tuple(
        LearntItem(
            title=redact(cut(each.title, 300)),
            state=each.state,
            lines=tuple(redact(cut(line, 400)) for line in each.lines),
            task=each.task,
            waits=each.waits,
            at=each.at,
        )
        for each in section.items
    )
    return LearntSection(name=section.name, none=section.none, items=items)
