"""Calls and tokens for three standard requests on a real project, beside mini-swe-agent on the same server.

One policy plays both programs alike: it reads the same files, makes the same changes, runs the tests once and ends.
What is left is what each program says around that. All that is sent counts, also the descriptions of tools. What an
earlier call of the same request began with as well counts as cached, from 1,024 tokens on and in steps of 128, as
providers keep it. Consent to a project's set-up is asked once a project, and is not counted as a press.
"""

import asyncio
import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.app import running
from bot.config.settings_source import load_settings
from tests.bench.ask_prefix import tokens
from tests.bench.floor import folder
from tests.bench.peers import PYTHON
from tests.bench.rows import Row, Say
from tests.bench.standard_requests import STANDARD
from tests.bench.token_policy import Policy, Standard
from tests.corpus.fetching import NotFetched, fetch
from tests.corpus.projects import PROJECTS
from tests.corpus.script import MODEL
from tests.corpus.unpacking import unpack
from tests.corpus.walking import PATIENCE, WHO, Behind, Person, Walk, add_model, environ, init
from tests.fakes.model_server import CACHE_STEP, KEY, LEAST_CACHED, ModelServer, Seen, common
from tests.scenarios.console_stage import ConsoleStage

PROJECT = PROJECTS["py-src"]
PEER = Path(__file__).parent / "mini_peer.py"


@dataclass(slots=True, kw_only=True)
class Spent:
    """What one program sent for one request."""

    calls: list[str] = field(default_factory=list)  # what each was for
    told: list[str] = field(default_factory=list)  # and how much was sent
    whole: int = 0  # tokens
    cached: int = 0
    presses: int = 0
    problem: str = ""

    @property
    def new(self) -> int:
        return self.whole - self.cached

    def besides(self, *own: str) -> int:
        return sum(call not in own for call in self.calls)


def run(say: Say) -> list[Row]:
    if not PYTHON.exists():
        return [Row(name="tokens", ours=0, unit="", failed="no .venv-bench: run .ci/setup bench")]
    try:
        archive, _ = fetch(PROJECT)
    except NotFetched as why:
        return [Row(name="tokens", ours=0, unit="", beside=f"not measured: {why}")]
    with folder() as here:
        ours = asyncio.run(_ours(unpack(PROJECT, archive, here / PROJECT.name), here / "home", say))
        theirs = {}
        for standard in STANDARD:
            copy = unpack(PROJECT, archive, here / standard.name)
            theirs[standard.name] = asyncio.run(_theirs(standard, copy, say))
    return _rows(ours, theirs)


async def _ours(repository: Path, home: Path, say: Say) -> dict[str, Spent]:
    await asyncio.to_thread(init, repository, home, PROJECT.name)
    spent = {}
    async with ModelServer(models=(MODEL,)) as server:
        given = {**environ(home), "OVERLORD_CONSOLE_PORT": "0", "WALK_KEY": KEY}
        given["OVERLORD_CONFIG"] = str(add_model(home, server.url))
        behind = Behind()
        stage = ConsoleStage(behind)
        async with running(load_settings(given, cwd=home, user=WHO)) as program:
            behind.program = program
            for standard in STANDARD:
                Policy(standard).put_into(server)
                before, result = len(server.seen), Walk(project=PROJECT)
                thread = await stage.say(WHO, standard.request, mention=True)
                async with asyncio.timeout(PATIENCE):
                    await Person(stage, program, result).go(thread)
                spent[standard.name] = made = _spent(server.seen[before:])
                made.presses = sum(not press.startswith("consent") for press in result.pressed)
                made.problem = "" if standard.is_question or result.merged else result.stopped
                say(f"{standard.name}: {', '.join(made.told)}; {', '.join(result.pressed)}")
    return spent


async def _theirs(standard: Standard, repository: Path, say: Say) -> Spent:
    async with ModelServer(models=(MODEL,)) as server:
        Policy(standard).put_into(server)
        command = [str(PYTHON), str(PEER), server.url, KEY, MODEL, str(repository), standard.request]
        ran = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=PATIENCE)
        made = _spent(server.seen)
    ended = ran.stdout.strip().splitlines()[-1:] or [ran.stderr[-300:]]
    made.problem = "" if ended == ["Submitted"] else f"mini-swe-agent ended with {ended[0]}"
    say(f"{standard.name}, mini-swe-agent: {', '.join(made.told)}")
    return made


def _spent(seen: Sequence[Seen]) -> Spent:
    made, before = Spent(), list[str]()
    for each in seen:
        text = _sent(each.body)
        kept = max((common(text, earlier) for earlier in before), default=0)
        cached = tokens(text[:kept]) // CACHE_STEP * CACHE_STEP
        cached, whole = cached if cached >= LEAST_CACHED else 0, tokens(text)
        made.calls.append(_purpose(each))
        made.told.append(f"{_purpose(each)} {whole:,} ({whole - cached:,} new)")
        made.whole += whole
        made.cached += cached
        before.append(text)
    return made


def _sent(body: dict[str, Any]) -> str:
    """As providers lay it out: tools, then messages."""
    messages = (f"{each['role']}\n{_words(each)}" for each in body["messages"])
    return "\n".join((json.dumps(body.get("tools", [])), *messages))


def _words(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    text = content if isinstance(content, str) else "".join(part["text"] for part in content)
    return f"{text}{json.dumps(message['tool_calls'])}" if message.get("tool_calls") else text


def _purpose(seen: Seen) -> str:
    """The question that a role is asked, `reading` for each further call after it has looked; or whose turn it is."""
    tools = {each["function"]["name"] for each in seen.body.get("tools", ())}
    if "task_complete" in tools:
        return "minion"
    if seen.question == "any":
        return "answer" if "give_answer" in tools else "turn"
    return "reading" if seen.body["messages"][-1]["role"] == "tool" else seen.question


def _rows(ours: dict[str, Spent], theirs: dict[str, Spent]) -> list[Row]:
    question, fix, three = (ours[standard.name] for standard in STANDARD)
    calls = len(question.calls)
    rows = [
        Row(name="question_calls", ours=calls, theirs=len(theirs["question"].calls), unit="", most_ours=5),
        _beside("question_tokens", question.whole, theirs["question"].whole, most=2.0),
        Row(name="fix_calls", ours=fix.besides("minion", "reading"), unit="", most_ours=5, beside=_besides(fix)),
        Row(name="fix_reading_turns", ours=fix.calls.count("reading"), unit="", most_ours=3),
        Row(name="fix_presses", ours=fix.presses, unit="", most_ours=2),
        _beside("fix_new_tokens", fix.new, theirs["fix"].new, most_ours=15_000),
        _beside("fix_tokens", fix.whole, theirs["fix"].whole),
        Row(name="three_calls", ours=three.besides("minion"), unit="", most_ours=18, beside=_besides(three)),
        _beside("three_tokens", three.whole, theirs["three"].whole, most_ours=100_000),
        Row(name="three_not_cached", ours=100 * three.new / max(1, three.whole), unit="%", most_ours=20,
            theirs=100 * theirs["three"].new / max(1, theirs["three"].whole), beside="of input tokens"),
    ]  # fmt: skip
    problems = [each.problem for each in (*ours.values(), *theirs.values()) if each.problem]
    return [*rows, *(Row(name="tokens", ours=0, unit="", failed=problem[:300]) for problem in problems)]


def _besides(spent: Spent) -> str:
    return f"besides {spent.calls.count('minion')} turns of minions and {spent.calls.count('reading')} of reading"


def _beside(name: str, ours: int, theirs: int, *, most: float | None = None, most_ours: float | None = None) -> Row:
    told = f"mini-swe-agent; overhead {ours - theirs:+,} tokens"
    ratio = ours / max(1, theirs)
    return Row(name=name, ours=ours, theirs=theirs, ratio=ratio, unit="", beside=told, most=most, most_ours=most_ours)
