"""Kills bot and gateway, command-line agents and their sandboxes at random while minions work on them.

python -m tests.bench.kill_programs                     each engine a hundred times: some half an hour
python -m tests.bench.kill_programs --engine codex --trials 20 --seed 7

Each trial is kept when it is done, in `.bench/kill_programs/`, so that the next start goes on where this one was ended,
while what is tried is the same. `--anew` begins with other kills.
"""

import argparse
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.catalog.models import PROGRAMS
from agents.domain.workflow.roles import EngineName
from tests.bench.floor import ROOT
from tests.bench.results import commit, version_of
from tests.conformance.cli_rig import is_here
from tests.faults.killing import side_by_side
from tests.faults.program_trial import Trial, told, trials, work_through

FOLDER = ROOT / ".bench" / "kill_programs"
TRIED = (
    *("agents/domain", "agents/llm/relay", "agents/minions", "agents/workspace/programs", "agents/workspace/sandbox"),
    *("store", "tests/faults/program_trial.py"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=[engine.value for engine in PROGRAMS])
    parser.add_argument("--trials", type=int, default=100, help="of each engine")
    parser.add_argument("--seed", type=int, help="by which the kills are chosen; else that of the trials that are kept")
    parser.add_argument("--anew", action="store_true", help="forget trials that are kept")
    parser.add_argument("--played", action="store_true", help="a script of ours in place of the real program")
    parser.add_argument("--at-once", type=int, default=2, help="trials side by side")
    asked = parser.parse_args()
    wrong = 0
    for engine in [EngineName(asked.engine)] if asked.engine else PROGRAMS:
        wrong += _kill(engine, asked, real=is_here(engine) and not asked.played)
    return 1 if wrong else 0


def _kill(engine: EngineName, asked: argparse.Namespace, *, real: bool) -> int:
    kind = "real" if real else "played"
    record = Record(FOLDER / f"{engine}-{kind}.jsonl", version_of(commit(), TRIED))
    known = [] if asked.anew else record.read(asked.seed)
    if not known:
        calm = work_through(Trial(engine, real=real))
        seed = asked.seed if asked.seed is not None else random.SystemRandom().randrange(1, 10**6)
        record.begin(seed, calm)
        known = record.read(seed)
    seed, steps = known[0]["seed"], known[0]["steps"]
    done = {each["number"] for each in known}
    planned = trials(engine, asked.trials, steps, seed, real=real)
    left = [trial for trial in planned if trial.number not in done]
    print(f"{engine} ({kind}), seed {seed}: {len(planned) - len(left)} trials are kept, {len(left)} to go", flush=True)
    for number, trial in enumerate(side_by_side(work_through, left, asked.at_once), 1):
        record.add(seed, trial)
        if trial.wrongs or number % 10 == 0:
            print(f"WRONG: {told(trial)}" if trial.wrongs else f"{engine}: {number} of {len(left)}", flush=True)
    return _sum_up(f"{engine} ({kind}), seed {seed}", record.read(seed))


def _sum_up(name: str, kept: Sequence[dict[str, Any]]) -> int:
    wrong = [each for each in kept if each["wrongs"]]
    bots, others = (sum(each[what] for each in kept) for what in ("died", "stabbed"))
    print(f"{name}: trials {len(kept) - 1} | bots killed {bots}, others {others} | wrong {len(wrong)}", flush=True)
    return len(wrong)


@dataclass
class Record:
    """A line for each trial that is done. Those of another version count as none."""

    file: Path
    version: str
    lines: list[dict[str, Any]] = field(default_factory=list)

    def read(self, seed: int | None) -> list[dict[str, Any]]:
        """With the last seed, or this one; nothing, where what was tried is not committed and a start begins anew."""
        if not self.lines and self.file.exists() and not self.version.endswith("+"):
            told = (json.loads(line) for line in self.file.read_text().splitlines())
            self.lines = [each for each in told if each["version"] == self.version]
        wanted = seed if seed is not None else self.lines[-1]["seed"] if self.lines else None
        return [each for each in self.lines if each["seed"] == wanted]

    def begin(self, seed: int, calm: Trial) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.unlink(missing_ok=True)
        self.lines = []
        self.add(seed, calm)

    def add(self, seed: int, trial: Trial) -> None:
        kept = {name: getattr(trial, name) for name in ("number", "steps", "died", "stabbed", "wrongs")}
        self.lines.append({"version": self.version, "seed": seed, "told": told(trial), **kept})
        with self.file.open("a") as file:
            file.write(json.dumps(self.lines[-1]) + "\n")


if __name__ == "__main__":
    sys.exit(main())
