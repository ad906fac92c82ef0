"""One conversation on the console while the bot is killed, and everything counted from outside afterwards."""

import asyncio
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from agents.catalog.models import load_scripts
from agents.llm.gateway import Gateway
from agents.ports import Ports
from bot.app import running
from bot.config.settings_source import load_settings
from bot.messages import Button
from bot.platforms.console.rendering import templates
from tests.fakes.clock import ScaledClock
from tests.fakes.ports import free_port
from tests.fakes.work import idle
from tests.faults.killing import Main, Mortal, Ready, Watched, living, until
from tests.faults.outside import Glimpse, Outside, Shown
from tests.faults.person import Person
from tests.workspace import repositories

# A minute passes in three seconds. The send lease is then 2.25 s, still more than a time-out of 0.75 s and the settle
# time that follows it, and far more than a busy machine takes for one write.
SCALE = 20.0
Swap = Callable[[Ports], Ports]
# Each must happen once, and in this order; what else happens between them is not told here.
PLANNED = ["ProjectChosen", "DecompositionDrafted", "DecompositionApproved", "PlanAccepted"]
FACTS = ["TaskRequested", *PLANNED, "TaskCancelled"]
REQUEST = "@overlord let links expire after a chosen number of days"  # one that the rehearsal model can plan
CONFIG = """
projects:
  - {name: web, path: web}
  - {name: api, path: api}
limits: {confirm: 86400, reminder: 600000, quota_per_person: 10000, quota_per_channel: 10000}
"""


def furnished(home: Path) -> Path:
    """A state folder with two projects, so that the bot has to ask."""
    for name in ("web", "api"):
        repositories.begin(home / name)
    (home / "overlord.yaml").write_text(CONFIG)
    return home


def the_bot(home: Path, port: int, swap: Swap | None = None, environ: Mapping[str, str] = MappingProxyType({})) -> Main:
    """The whole program, but with minions that never end; with `swap`, in another world."""
    warm()
    since = time.time()

    async def main(ready: Ready) -> None:
        place = {"OVERLORD_HOME": str(home), "OVERLORD_CONSOLE_PORT": str(port)}
        settings = load_settings({**place, **environ}, cwd=home)
        async with running(settings, clock=ScaledClock(SCALE, since), swap=swap or idle().swap) as program:
            ready(program.address)
            await asyncio.Event().wait()

    return main


@cache
def warm() -> None:
    """All that is slow the first time, done once before the fork and not in each child: half of what a trial costs."""
    for name in ("bot.running.world", "bot.platforms.slack.gateway", "bot.platforms.discord.gateway"):
        import_module(name)
    for name in templates().list_templates():
        templates().get_template(name)
    asyncio.run(Gateway().warm())
    load_scripts()
    asyncio.run(_talk())


async def _talk() -> None:
    """A whole conversation in this process; its threads are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="overlord-warm-") as place:
        home = furnished(Path(place) / "home")
        settings = load_settings({"OVERLORD_HOME": str(home), "OVERLORD_CONSOLE_PORT": "0"}, cwd=home)
        async with running(settings, clock=ScaledClock(SCALE, time.time()), swap=idle().swap) as program:
            bot = Immortal(address=program.address)
            person = Person(bot, "warm")
            await asyncio.to_thread(Conversation(bot, Outside(home / "overlord.db"), person).hold)
            person.close()


@dataclass
class Immortal:
    """A bot in this process."""

    address: str
    log: Path = Path(os.devnull)

    def revive(self) -> None: ...


@dataclass
class Counted:
    """What one trial came to. `wrongs` is empty when all is well."""

    kills: tuple[int, ...]
    died: int = 0
    steps: int = 0
    ticks: int = 0
    posts: int = 0
    took: float = 0.0
    wrongs: list[str] = field(default_factory=list)


class Conversation:
    """Mention, choose a project, approve the plan, change one's mind, confirm."""

    def __init__(self, bot: Watched, outside: Outside, person: Person) -> None:
        self._bot, self._outside, self._person = bot, outside, person
        self._thread = ""
        self.ticks = self.posts = 0
        self.wrongs: list[str] = []

    def hold(self) -> None:
        say, press = self._person.say, self._person.press
        self._thread = say(REQUEST)
        card = self._wait("the card that asks for the project", _asks("which project is this for?"))
        press(_button(card, "api"), card, self._thread)
        self._wait("the project on the status card", _says("T-1 ·", "api"))
        card = self._wait("the plan", _asks("please look at the plan"))
        press(_button(card, "Approve"), card, self._thread)
        self._wait("the plan is approved", _says("T-1: plan approved", "Plan approved by"))
        say("cancel because we found a better way", self._thread)
        card = self._wait("the card that asks to confirm", _asks("Cancel T-1?"))
        press(_button(card, "Cancel"), card, self._thread)
        self._wait("the end on the status card", _says("T-1 ·", "ancelled"))
        until(lambda: self._tick(lambda glimpse: glimpse.is_idle), self._bot, what="nothing is left to do")

    def _wait(self, what: str, wanted: Callable[[Shown], bool]) -> Shown:
        found: list[Shown] = []

        def there(glimpse: Glimpse) -> bool:
            found[:] = filter(wanted, glimpse.thread(self._thread))
            return bool(found)

        until(lambda: self._tick(there), self._bot, what=what)
        return found[0]

    def _tick(self, condition: Callable[[Glimpse], bool]) -> bool:
        self.ticks += 1
        with self._outside.look() as glimpse:
            self.wrongs += [f"P6: nothing moves {task}" for task in glimpse.stalled]
            return condition(glimpse)

    def look_at_what_is_left(self) -> None:
        if self._outside.exists:
            self._tick(lambda glimpse: True)

    def count(self) -> list[str]:
        """Everything that must be there once, in its place, and nothing else."""
        with self._outside.look() as glimpse:
            self.posts = glimpse.count("posts")
            asked = {f"decision:{row.id}": row.kind for row in glimpse.rows("decisions")}
            shown = glimpse.thread(self._thread)
            wrongs = glimpse.wrongs() + _wrong_thread(shown, asked) + _wrong_rows(glimpse)
        titles = re.findall(r'class="card-title"[^>]*>([^<]*)<', self._person.reads(self._thread))
        if len(titles) != sum(s.card is not None for s in shown):
            wrongs.append(f"the page shows {titles}")
        return wrongs


def _asks(title: str) -> Callable[[Shown], bool]:
    return lambda shown: shown.title.endswith(title) and shown.card is not None and bool(shown.card.buttons)


def _says(title: str, word: str) -> Callable[[Shown], bool]:
    return lambda shown: shown.title.startswith(title) and shown.card is not None and word in shown.card.fallback


def _button(shown: Shown, label: str) -> Button:
    assert shown.card
    return next(b for b in shown.card.buttons if b.label.startswith(label))


def _wrong_thread(shown: list[Shown], asked: dict[str, str]) -> list[str]:
    """Lost, doubled or out of order. `asked` are the cards of decisions and their kinds."""
    wanted = ["I", "status", "project", "plan", "I", "cancel"]
    keys = [s.key for s in shown if s.key]
    found = ["I" if s.by else asked.get(s.key, s.key.partition(":")[0]) for s in shown]
    wrongs = [f"there twice: {key}" for key in keys if keys.count(key) > 1]
    if [kind for kind in found if kind in wanted] != wanted:
        wrongs.append(f"the thread holds {found}, not {wanted}")
    wrongs += [f"not marked as seen: {s.text}" for s in shown if s.by and not s.seen]
    wrongs += [f"still has buttons: {s.title}" for s in shown if s.card and s.card.buttons]
    return wrongs


def _wrong_rows(glimpse: Glimpse) -> list[str]:
    told = [kind for kind in glimpse.facts if kind in FACTS]
    wrongs = [] if told == FACTS else [f"the facts are {glimpse.facts}"]
    if glimpse.states != ["handled"] * 5:
        wrongs.append(f"the deliveries are {glimpse.deliveries}")
    for row in glimpse.rows("posts"):
        if row.state != "sent" or row.wanted != row.shown:
            wrongs.append(f"post {row.key} is {row.state}, {row.problem}")
    for row in glimpse.rows("decisions"):
        if row.state != ("decided" if row.kind in ("project", "plan", "cancel") else "withdrawn"):
            wrongs.append(f"the decision {row.kind} is {row.state}")
    return wrongs


def converse(kills: tuple[int, ...]) -> Counted:
    """One trial: the bot dies at step kills[0], its successor at step kills[1], and so on."""
    started, counted = time.monotonic(), Counted(kills=kills)
    home = furnished(Path(tempfile.mkdtemp(prefix="overlord-kill-")))
    (home / "overlord.yaml").write_text(CONFIG.replace("limits: {", "limits: {job_recoveries: 20, "))
    mortal = Mortal(the_bot(home, free_port()), home / "bot.log", list(kills))
    outside = Outside(home / "overlord.db")
    person = Person(mortal, f"trial-{'-'.join(map(str, kills)) or 'calm'}")
    conversation = Conversation(mortal, outside, person)
    mortal.on_death = conversation.look_at_what_is_left
    try:
        with living(mortal):
            conversation.hold()
            counted.steps = mortal.steps.made
            counted.wrongs = conversation.wrongs + conversation.count()
            counted.died, counted.posts = mortal.died, conversation.posts
    except AssertionError as problem:
        counted.wrongs = [*conversation.wrongs, str(problem)]
    finally:
        person.close()
    counted.ticks, counted.took = conversation.ticks, time.monotonic() - started
    if not counted.wrongs:
        shutil.rmtree(home)
    else:
        counted.wrongs.append(f"what it left behind: {home}")
    return counted
