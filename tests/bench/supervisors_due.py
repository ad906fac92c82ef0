"""Which supervisors are due, and one more finished subtask counted, after 10,000 finished subtasks beside 100.

The project is read and written as it is kept, for a counter that grew would show there.
"""

import time
from collections.abc import Iterator
from functools import reduce

from agents.domain.fact import Event
from agents.domain.knowledge.owners import Supervisor
from agents.domain.project.project import Project
from agents.domain.supervision.counting import due
from agents.domain.supervision.facts import Supervision, fold_counts
from agents.domain.supervision.tuning import SupervisorSettings
from store.codec import dump, shape
from tests.bench.rows import Row, Say, compared, in_turn
from tests.builders.supervision import AT, SHOP, called, counted, directive, ran

FEW, MANY, ROUNDS, TIMES = 100, 10_000, 41, 100
ON = SupervisorSettings(enabled=True)


def run(say: Say) -> list[Row]:
    kept = {name: dump(Project(id=SHOP, changed_at=AT, supervision=_past(many))) for name, many in _SIDES.items()}
    took: dict[str, list[float]] = {name: [] for name in _SIDES}
    for number in range(ROUNDS):
        for name in in_turn(number, *_SIDES):
            began = time.perf_counter()
            for _ in range(TIMES):
                _look(kept[name])
            took[name].append((time.perf_counter() - began) / TIMES)
    say(", ".join(f"{name}: {len(text):,} bytes" for name, text in kept.items()))
    return [compared("supervisors_due", took["ours"], took["theirs"], beside="after 100 subtasks", most=1.2)]


_SIDES = {"ours": MANY, "theirs": FEW}


def _past(finished: int) -> Supervision:
    """With a run and what it found after every fifth subtask."""
    return reduce(fold_counts, _facts(finished), Supervision())


def _facts(finished: int) -> Iterator[Event]:
    for number in range(finished):
        yield counted()
        if number % 5 == 4:
            yield called(*Supervisor, call=str(number))
            yield ran(directives=(directive(f"rename {chr(97 + number % 26)} and {chr(97 + number % 23)}"),))


def _look(kept: str) -> None:
    project = shape(Project).validate_json(kept)
    state = fold_counts(project.supervision, counted())
    due(state, (), ON)
    dump(project)
