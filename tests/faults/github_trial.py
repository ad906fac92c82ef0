"""An issue worked off on a GitHub that counts, while the bot is killed again and again."""

import asyncio
import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.request import urlopen

from agents.domain.work.work import Ending
from agents.ports import Brief, Finished, GaveUp, Outcome, Ports, Progress, Watch
from tests.fakes.github import TOKEN, FakeGitHub
from tests.fakes.github.ci import every_push
from tests.fakes.github.fake import serving
from tests.fakes.llm import ScriptedLlm
from tests.fakes.ports import free_port
from tests.fakes.work import ScriptedGates, ScriptedMinions
from tests.faults.console_trial import the_bot
from tests.faults.killing import Mortal, Ready, living
from tests.faults.outside import Glimpse
from tests.faults.visit import Visit
from tests.scenarios.github_stage import ANSWERS, FILES
from tests.workspace import repositories as repos

CONFIG = """
limits: {{reminder: 600000, quota_per_person: 10000, quota_per_channel: 10000, job_recoveries: 50,
         medium_gate: 600000, issues_apart: 10, checks_apart: 1, checks_grace: 1}}
projects:
  - {{name: shop, url: {url}}}
{workflow}
"""
EARLY = "workflow: {template: open_source, overrides: {create_pr: {config: {draft: early}}}}"
PATIENCE = 120.0
# What must be seen at GitHub when all is done: a run that timed out, and then the pull request, are told on the issue.
ONCE = {"push": 1, "pull": 1, "comment": 2, "label": 1, "merge": 1}


@dataclass
class Trial:
    kills: list[int]  # after how many steps of its loop each life of the bot ends
    early: bool = False  # shown as a draft, and checked on GitHub, before it is finished
    died: int = 0
    steps: int = 0  # of the last life
    wrongs: list[str] = field(default_factory=list)


async def _times_out_then_writes(brief: Brief, watch: Watch) -> Outcome:
    await watch(Progress(turns=brief.work.turns + 1, seconds=1, doing="writing", changed=1))
    if brief.work.attempt == 1:
        return GaveUp(ending=Ending.TIMEOUT, problem="It took half an hour")
    (brief.checkout.workspace.path / "shop.py").write_text('PRICE = 1\nCURRENCY = "EUR"\n')
    return Finished(summary="It has a currency")


def _swap(ports: Ports) -> Ports:
    minions = ScriptedMinions(always=_times_out_then_writes)
    return replace(ports, llm=ScriptedLlm(always=ANSWERS), minions=minions, gates=ScriptedGates())


@contextmanager
def counting(fake: FakeGitHub, log: Path) -> Iterator[Callable[[str], int]]:
    """GitHub in a process of its own, which nobody kills; what is yielded counts the effects of a kind."""

    async def main(ready: Ready) -> None:
        async with serving(fake):
            ready(fake.web_url)
            await asyncio.Event().wait()

    def count(kind: str) -> int:
        with urlopen(f"{fake.web_url}/_effects") as answer:
            return sum(effect == kind for effect in json.load(answer))

    with living(Mortal(main, log)) as hub:
        fake.web_url = hub.address
        yield count


def deliver_it(trial: Trial) -> Trial:
    home = Path(tempfile.mkdtemp(prefix="overlord-kill-github-"))
    fake = FakeGitHub(home / "hub")
    repo = fake.world.add("acme", "shop", repos.somebodys(home / "theirs", FILES), fake.folder)
    repo.ci.on_push = every_push("success")
    fake.world.label(repo, fake.world.open_issue(repo, "Give prices a currency"), "overlord")
    try:
        with counting(fake, home / "hub.log") as count:
            url = fake.web_url.replace("http:", "https:") + "/acme/shop"
            (home / "overlord.yaml").write_text(CONFIG.format(url=url, workflow=EARLY if trial.early else ""))
            environ = {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": fake.api_url}
            mortal = Mortal(the_bot(home, free_port(), _swap, environ), home / "bot.log", list(trial.kills))
            with living(mortal):
                visit = Visit(home, mortal)
                _walk(visit)
                trial.died, trial.steps = mortal.died, mortal.steps.made
                trial.wrongs += [*visit.stalled, *_wrongs(visit, count, {**ONCE, "ready": int(trial.early)})]
                visit.person.close()
        if "EUR" not in repos.git(repo.path, "show", "main:shop.py"):
            trial.wrongs.append("the work is not on GitHub's main")
    except AssertionError as problem:
        trial.wrongs.append(str(problem)[-4000:])
    if trial.wrongs:
        trial.wrongs.append(f"what it left behind: {home}")
    else:
        shutil.rmtree(home)
    return trial


def _walk(visit: Visit) -> None:
    """A person who presses whatever is open, until it is merged and all is said."""
    pressed, late = set[str](), time.monotonic() + PATIENCE
    while time.monotonic() < late:
        visit.mortal.revive()
        with visit.outside.look() as glimpse:
            visit.stalled += glimpse.stalled
            if "Merged" in glimpse.facts and glimpse.is_idle:
                return
            threads = [row.thread for row in glimpse.rows("threads")]
            shown = [(card, thread) for thread in threads for card in glimpse.thread(thread)]
        for card, thread in shown:
            if card.card and card.key.startswith("decision:") and card.card.buttons and card.key not in pressed:
                pressed.add(card.key)
                visit.person.press(card.card.buttons[0], card, thread)
        time.sleep(0.05)
    raise AssertionError(f"not merged within {PATIENCE:g} s:\n{visit.mortal.log.read_text()[-3000:]}")


def _wrongs(visit: Visit, count: Callable[[str], int], once: Mapping[str, int]) -> list[str]:
    with visit.outside.look() as glimpse:
        wrongs = [*glimpse.wrongs(), *_wrong_facts(glimpse)]
    return wrongs + [f"{kind} at GitHub: {count(kind)}" for kind, wanted in once.items() if count(kind) != wanted]


def _wrong_facts(glimpse: Glimpse) -> list[str]:
    counted = Counter(glimpse.facts)
    once = ("TaskRequested", "ProjectChosen", "PlanAccepted", "MinionFailed", "PullOpened", "MergeApproved", "Merged")
    return [f"{kind} happened {counted[kind]} times" for kind in once if counted[kind] != 1]
