"""A question about the code, which becomes a task whose planner and critic look too, while the bot is killed.

The code is the sample's, read by the real tools; the models are a server of their own, which counts what it was asked.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from agents.ports import Checkouts, Ports
from store.running.calls import CallState
from tests.fakes.model_server import KEY, LARGE, ModelServer, Says, Seen
from tests.fakes.work import MemoryCheckouts, asking
from tests.faults.killing import Mortal, Ready, living
from tests.faults.one_kill import end, home_of, visiting
from tests.faults.outside import Glimpse
from tests.faults.planning_trial import CONFIG, PaidTrial
from tests.faults.visit import Visit
from tests.scenarios.plans import GO, OK, plan, subtask

ONCE = ("AnswerWanted", "QuestionAnswered", "ChangeWanted", "DecompositionDrafted", "DecompositionApproved")
STEPS = {"route": 1, "ask": 2, "decompose": 2, "critic": 2, "custodiet": 1}
READ = ("read_file", '{"path": "shortlinks/store.py"}')
_ANSWER = ("give_answer", '{"answer": "In a JSON file.", "evidence": ["shortlinks/store.py:1"]}')
_PLAN = plan(subtasks=[subtask("Store an expiry"), subtask("Show it", 1)])
_ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "route": {"route": "question", "confidence": 0.99},
    "decompose": _PLAN,
    "critic": GO,
    "custodiet": OK,
}


def _says(seen: Seen) -> Says:
    """Whoever may look, looks once. Tools stand in the requests of others as well, so that all begin alike."""
    looked = any(message["role"] == "tool" for message in seen.body["messages"])
    if "tools" in seen.body and not looked and seen.question != "custodiet":
        return Says(calls=(READ,), finish="tool_calls")
    if seen.question == "any":
        return Says(calls=(_ANSWER,), finish="tool_calls")
    return Says(value=_ANSWERS[seen.question])


@contextmanager
def models(asked: Path) -> Iterator[str]:
    """A provider in a process of its own, which writes a line for each request."""

    def answer(seen: Seen) -> Says:
        with asked.open("a") as out:
            out.write(f"{'ask' if seen.question == 'any' else seen.question} {len(seen.body['messages'])}\n")
        return _says(seen)

    async def main(ready: Ready) -> None:
        async with ModelServer() as server:
            server.answers("any", answer)
            server.answers("route", answer)
            ready(server.url)
            await asyncio.Event().wait()

    with living(Mortal(main, asked.with_suffix(".log"))) as provider:
        yield provider.address


@dataclass
class AtHead(MemoryCheckouts):
    """Played, but for where the project really is."""

    real: Checkouts | None = None

    async def tip(self, project: str, branch: str) -> str:
        if branch == "HEAD" and self.real:
            return await self.real.tip(project, branch)
        return await super().tip(project, branch)


def swap(ports: Ports) -> Ports:
    """Minions and git are played; whoever looks at the code does."""
    played = replace(asking(), checkouts=AtHead(real=ports.checkouts)).swap(ports)
    return replace(played, reader=ports.reader)


def ask_it(kill_at: int) -> PaidTrial:
    trial = PaidTrial(kill_at)
    with (
        home_of(trial, "question") as home,
        models(asked := home / "asked.txt") as url,
        visiting(trial, home, swap, CONFIG % (LARGE, url), {"FAKE_KEY": KEY}) as visit,
    ):
        _walk(visit, asked, trial)
    return trial


def _walk(visit: Visit, asked: Path, trial: PaidTrial) -> None:
    visit.mortal.on_death = partial(_count_flights, visit, trial)
    thread = visit.person.say("@overlord how are links stored?")
    card = visit.waited_for(thread, "how are links stored?")
    visit.until(lambda glimpse: "QuestionAnswered" in glimpse.facts, "the question is answered")
    card = visit.waited_for(thread, "how are links stored?")
    visit.until_idle()
    visit.press("Turn this into a task", visit.waited_for(thread, card.title), thread)
    visit.waited_for(thread, "please look at the plan")
    end(visit, trial, _wrongs)
    paid = Counter(asked.read_text().split("\n")[:-1])
    trial.repeated = paid.total() - len(paid)
    if trial.repeated > trial.in_flight:
        trial.wrongs.append(f"{trial.in_flight} were in flight, and {trial.repeated} were asked again: {paid}")


def _count_flights(visit: Visit, trial: PaidTrial) -> None:
    if visit.outside.exists:
        with visit.outside.look() as glimpse:
            trial.in_flight += sum(row.state == CallState.RESERVED for row in glimpse.rows("calls"))


def _wrongs(glimpse: Glimpse) -> list[str]:
    facts = {kind: glimpse.facts.count(kind) for kind in ONCE}
    wrongs = [] if set(facts.values()) == {1} else [f"the facts are {glimpse.facts}"]
    calls = glimpse.rows("calls")
    wrongs += [f"{row.step} is {row.state}" for row in calls if row.state != CallState.DONE]
    found = Counter(row.question for row in calls)
    return wrongs if found == STEPS else [*wrongs, f"the steps in the book are {dict(found)}"]


def told(trial: PaidTrial) -> str:
    return "\n  ".join([f"killed at step {trial.kill_at}", *trial.wrongs])
