"""Kills bot and gateway, command-line agents and their sandboxes at random while minions work on them.

python -m tests.bench.kill_programs                     each engine a hundred times: some half an hour
python -m tests.bench.kill_programs --engine codex --trials 20 --seed 7
"""

import argparse
import random
import sys

from agents.catalog.models import PROGRAMS
from agents.domain.workflow.roles import EngineName
from tests.conformance.cli_rig import is_here
from tests.faults.killing import side_by_side
from tests.faults.program_trial import Trial, told, trials, work_through


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=[engine.value for engine in PROGRAMS])
    parser.add_argument("--trials", type=int, default=100, help="of each engine")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 10**6))
    parser.add_argument("--played", action="store_true", help="a script of ours in place of the real program")
    parser.add_argument("--at-once", type=int, default=2, help="trials side by side")
    asked = parser.parse_args()
    print(f"seed {asked.seed}")
    wrong = 0
    for engine in [EngineName(asked.engine)] if asked.engine else PROGRAMS:
        wrong += _kill(engine, asked, real=is_here(engine) and not asked.played)
    return 1 if wrong else 0


def _kill(engine: EngineName, asked: argparse.Namespace, *, real: bool) -> int:
    calm = work_through(Trial(engine, real=real))
    planned = trials(engine, asked.trials, calm.steps, asked.seed, real=real)
    done = [calm, *side_by_side(work_through, planned, asked.at_once)]
    wrong = [trial for trial in done if trial.wrongs]
    for trial in wrong:
        print(f"WRONG: {told(trial)}", flush=True)
    bots, others = sum(trial.died for trial in done), sum(trial.stabbed for trial in done)
    kind = "the real program" if real else "a played one"
    print(f"{engine} ({kind}): trials {len(planned)} | bots killed {bots}, others {others} | wrong {len(wrong)}")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
