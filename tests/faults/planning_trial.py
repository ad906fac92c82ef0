"""A whole planning against a model server while the bot is killed; the server counts what it was asked."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from agents.llm.prompts import Prompts
from store.running.calls import CallState
from tests.fakes.llm import A_CHANGE
from tests.fakes.model_server import KEY, LARGE, ModelServer, Says, Seen, tag_of
from tests.fakes.work import asking
from tests.faults.killing import Mortal, Ready, living
from tests.faults.one_kill import Trial, end, home_of, visiting
from tests.faults.outside import Glimpse
from tests.faults.visit import Visit
from tests.llm.rig import files
from tests.scenarios.plans import OK, REVISE, plan, subtask

REQUEST = "add a login page"
FACTS = ("TaskRequested", "ProjectChosen", "DecompositionDrafted", "ReviewersDisagreed", "DebateRoundHeld")
ONCE = (*FACTS, "DecompositionApproved", "PlanAccepted")
# Two reviewers and two specialists are asked side by side; the reviewers disagree, argue, and agree.
STEPS = {"route": 1, "decompose": 1, "critic": 1, "custodiet": 1, "specialist": 2, "debate": 2}
IN_FLIGHT = 4
CONFIG = """
models:
  primary: {model: hosted_vllm/%s, base_url: "%s", api_key_env: FAKE_KEY}
limits: {control_every: 0, reminder: 600000, quota_per_person: 10000, quota_per_channel: 10000}
"""
_GIVES_WAY = {"position": "revise", "point": "The form is tested in subtask 1", "evidence": ["add a login page"]}
_KEEPS_TO_IT = {"position": "maintain", "point": "It was asked for", "evidence": ["add a login page"]}
_TAGGED = plan("Show a form", subtasks=[subtask("Show a form", tags=["security", "api"])])


def _says(seen: Seen) -> Mapping[str, Any]:
    match seen.question:
        case "route":
            return A_CHANGE
        case "decompose":
            return _TAGGED
        case "critic":
            return REVISE
        case "custodiet":
            return OK
        case "specialist":
            return {"concerns": ["Passwords are guessed"]}
        case _:
            return _GIVES_WAY if "You speak for the critic" in seen.text else _KEEPS_TO_IT


@dataclass(frozen=True, slots=True)
class Meter:
    """What the models were asked, as they saw it: a line for each request, which outlives everybody."""

    file: Path

    def note(self, seen: Seen) -> None:
        with self.file.open("a") as out:
            out.write(f"{seen.question} {tag_of(seen.text)}\n")

    def read(self) -> Counter[str]:
        """How often each step was asked: a step has one tag, whoever asks it."""
        return Counter(self.file.read_text().split("\n")[:-1] if self.file.exists() else [])


@contextmanager
def models(meter: Meter, takes: float) -> Iterator[str]:
    """A provider in a process of its own, which needs `takes` seconds for each answer."""

    def answer(seen: Seen) -> Says:
        meter.note(seen)
        return Says(value=_says(seen), wait=takes)

    async def main(ready: Ready) -> None:
        async with ModelServer() as server:
            server.answers("any", answer)
            server.answers("route", answer)  # which the server would answer by itself, and nobody would count it
            ready(server.url)
            await asyncio.Event().wait()

    with living(Mortal(main, meter.file.with_suffix(".log"))) as provider:
        yield provider.address


@dataclass
class PaidTrial(Trial):
    repeated: int = 0  # requests for a step that had been asked already
    in_flight: int = 0  # steps that were begun and not finished when it died
    finished: list[str] = field(default_factory=list)  # of the steps that were finished then: those asked again


def plan_it(kill_at: int, takes: float) -> PaidTrial:
    """Ask, wait for the plan, approve it; the bot dies at that step of its loop and is started again."""
    trial = PaidTrial(kill_at)
    with (
        home_of(trial, "planning") as home,
        models(meter := Meter(home / "asked.txt"), takes) as url,
        visiting(trial, home, asking().swap, CONFIG % (LARGE, url), {"FAKE_KEY": KEY}) as visit,
    ):
        _walk(visit, meter, trial)
    return trial


def _walk(visit: Visit, meter: Meter, trial: PaidTrial) -> None:
    deaths: list[tuple[set[str], Counter[str]]] = []  # which steps were finished, and what had been asked
    visit.mortal.on_death = partial(_look_at_what_is_left, visit, meter, trial, deaths)
    thread = visit.person.say(f"@overlord {REQUEST}")
    card = visit.waited_for(thread, "please look at the plan")
    visit.press("Approve", card, thread)
    visit.until(lambda glimpse: "PlanAccepted" in glimpse.facts, "the plan is accepted")
    end(visit, trial, _wrong_facts, lambda glimpse: _wrong_calls(glimpse, meter.read()))
    asked = meter.read()
    trial.repeated = asked.total() - len(asked)
    trial.finished = [step for done, before in deaths for step in done if asked[step] != before[step]]
    trial.wrongs += [f"finished, and asked again: {step}" for step in trial.finished]
    if trial.repeated > trial.in_flight:
        trial.wrongs.append(f"{trial.in_flight} were in flight, and {trial.repeated} were asked again: {asked}")


def _look_at_what_is_left(
    visit: Visit, meter: Meter, trial: PaidTrial, deaths: list[tuple[set[str], Counter[str]]]
) -> None:
    """Only what is on disk when the process is gone is finished."""
    if not visit.outside.exists:
        return
    with visit.outside.look() as glimpse:
        calls = glimpse.rows("calls")
    prompts = Prompts((visit.home / "prompts.secret").read_bytes(), files=files)
    done = {f"{row.question} {prompts.nonce(row.id)}" for row in calls if row.state == CallState.DONE}
    trial.in_flight += sum(row.state == CallState.RESERVED for row in calls)
    deaths.append((done, meter.read()))


def _wrong_facts(glimpse: Glimpse) -> list[str]:
    found = {kind: glimpse.facts.count(kind) for kind in ONCE}
    wrongs = [] if set(found.values()) == {1} else [f"the facts are {glimpse.facts}"]
    decided = [row.state for row in glimpse.rows("decisions") if row.kind == "plan"]
    return wrongs if decided == ["decided"] else [*wrongs, f"the plan's decisions are {decided}"]


def _wrong_calls(glimpse: Glimpse, asked: Counter[str]) -> list[str]:
    """Each step is in the book once, finished, and was really asked."""
    calls = glimpse.rows("calls")
    wrongs = [f"{row.question} is {row.state}" for row in calls if row.state != CallState.DONE]
    for where, found in (("book", Counter(row.question for row in calls)), ("meter", _questions(asked))):
        if found != STEPS:
            wrongs.append(f"the steps in the {where} are {dict(found)}")
    return wrongs


def _questions(asked: Counter[str]) -> Counter[str]:
    return Counter(step.partition(" ")[0] for step in asked)


def told(trial: PaidTrial) -> str:
    return "\n  ".join([f"killed at step {trial.kill_at}", *trial.wrongs])
