"""One walk through the console while the bot is killed once: its folder, the bot in it, and what was found wrong."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from tests.fakes.ports import free_port
from tests.faults.console_trial import Swap, the_bot
from tests.faults.killing import Mortal, living
from tests.faults.outside import Glimpse
from tests.faults.visit import Visit

CONFIG = "limits: {reminder: 600000, quota_per_person: 10000, quota_per_channel: 10000}\n"


@dataclass
class Trial:
    kill_at: int  # step of the loop at which it dies and is started again; 0: it lives
    steps: int = 0
    died: int = 0
    wrongs: list[str] = field(default_factory=list)


@contextmanager
def home_of(trial: Trial, name: str) -> Iterator[Path]:
    """A folder that stays only where something went wrong."""
    home = Path(tempfile.mkdtemp(prefix=f"overlord-kill-{name}-"))
    try:
        yield home
    except AssertionError as problem:
        trial.wrongs.append(str(problem))
    if trial.wrongs:
        trial.wrongs.append(f"what it left behind: {home}")
    else:
        shutil.rmtree(home)


@contextmanager
def visiting(
    trial: Trial,
    home: Path,
    swap: Swap,
    config: str = CONFIG,
    environ: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Visit]:
    (home / "overlord.yaml").write_text(config)
    bot = the_bot(home, free_port(), swap, environ)
    with living(Mortal(bot, home / "bot.log", [trial.kill_at] if trial.kill_at else [])) as mortal:
        yield Visit(home, mortal)


def end(visit: Visit, trial: Trial, *more: Callable[[Glimpse], list[str]]) -> None:
    """Once nothing runs any more: what a look from outside finds wrong."""
    visit.until_idle()
    visit.person.close()
    trial.steps, trial.died = visit.mortal.steps.made, visit.mortal.died
    with visit.outside.look() as glimpse:
        trial.wrongs += [*visit.stalled, *glimpse.wrongs(), *(wrong for look in more for wrong in look(glimpse))]
