"""Engines that were chosen by success: each choice is an act like those of operators, and a person may take it back."""

import re
from collections.abc import Sequence
from datetime import datetime

from agents.domain.errors import OverlordError
from agents.domain.ids import Account, Thread
from agents.domain.metrics.adaptive import Choice, Looked
from agents.domain.workflow.roles import TITLES, EngineName
from store.running.acts import Act, ActState
from store.transaction import Transaction

BY_RULE = Account("overlord")
_CHOSEN = re.compile(r"engines choose (?P<role>\S+) (?P<engine>\S+) because (?P<why>.+)")
_BY_PERSON = re.compile(r"engines\s+(?P<what>undo|adapt)\s+(?P<role>\S+)", re.IGNORECASE)
FORM = _BY_PERSON.pattern


def read_choices(tx: Transaction) -> dict[str, Choice]:
    """The last word on each role."""
    found = dict[str, Choice]()
    for act in tx.acts.starting_with("engines "):
        if chosen := _CHOSEN.fullmatch(act.words):
            role, engine, why = chosen.groups()
            if engine in list(EngineName):
                found[role] = Choice(role=role, engine=EngineName(engine), at=act.at, why=why)
        elif said := _BY_PERSON.fullmatch(act.words):
            role, before = said["role"], found.pop(said["role"], None)
            if before and said["what"].lower() == "undo":
                found[role] = Choice(role=role, engine=before.engine, at=act.at, undone=True, why=before.why)
    return found


def record_choices(tx: Transaction, looked: Sequence[Looked], at: datetime) -> int:
    """Those that change something. A choice of one day is recorded once, however many processes look."""
    made = 0
    for each in looked:
        if not each.changes:
            continue
        scores = ", ".join(
            f"{TITLES[engine]} scored {of:.2f} over {each.samples[engine]} runs" for engine, of in each.scores.items()
        )
        words = f"engines choose {each.role} {each.engine} because {scores}"
        told = f"{each.role} runs on {TITLES[each.engine]} now. Say `engines undo {each.role}` to take it back"
        act = _act(f"adapt:{each.role}:{at.date()}", BY_RULE, words, at, told)
        made += tx.acts.record(act)
    return made


def obey_words(tx: Transaction, words: str, key: str, by: Account, at: datetime) -> str:
    """What a person said of one role, and what came of it. Raises OverlordError where nothing was chosen for it."""
    said = _BY_PERSON.fullmatch(words)
    assert said is not None
    known, (what, role) = read_choices(tx), said.groups()
    if role not in known:
        chosen = ", ".join(known) or "none"
        step = f"Roles with an engine that was chosen: {chosen}."
        raise OverlordError(f"No engine was chosen for {role}", next_step=step)
    if what.lower() == "undo":
        told = f"{role} runs on the engine that is written for it, and keeps it. `engines adapt {role}` lets it go"
    else:
        told = f"{role} may be given the engine that does best again"
    tx.acts.record(_act(key, by, f"engines {what.lower()} {role}", at, told))
    return told


def _act(key: str, by: Account, words: str, at: datetime, told: str) -> Act:
    return Act(key=key, at=at, actor=by, words=words, thread=Thread(""), state=ActState.DONE, outcome=told)
