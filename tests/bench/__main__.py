"""`make bench`: measures, prints a table, and fails if a target is missed. Results are kept in `.bench/parts/`."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict

from tests.bench import (
    ack,
    ack_at_work,
    ask,
    ask_prefix,
    ask_turns,
    attach,
    checkout,
    corpus,
    defer,
    durable_step,
    engine,
    first_request,
    gates,
    growth,
    idle,
    installed,
    judged,
    long_past,
    long_task,
    loop_stall,
    managers,
    newcomer,
    next_step,
    noisy_minions,
    pack,
    patterns,
    press,
    program_runs,
    ready,
    ready_set,
    results,
    review,
    sandbox,
    soak,
    suites,
    supervisors_due,
    tiny,
    tokens,
    walk,
    walk_modules,
)
from tests.bench.clumsy import record as clumsy
from tests.bench.judge import record
from tests.bench.rows import Row, Say, table

Bench = Callable[[Say], list[Row]]

# The first table is speed. The second is what was promised to hold however often it is tried, too long for `make test`;
# `--quick` leaves it out. The third takes longer still, and is asked for.
QUICK: dict[str, Bench] = {
    "noisy_minions": noisy_minions.run,  # first: memory that others took stays with the process
    "durable_step": durable_step.run,
    "next_step": next_step.run,
    "press_to_durable_ack": press.run,
    "task_of_10000_facts": long_task.run,
    "look_after_10000": long_past.run,
    "patterns_after_10000": patterns.run,
    "growth": growth.run,
    "idle": idle.run,
    "ready": ready.run,
    "installed": installed.run,
    "loop_stall": loop_stall.run,
    "accept_event": ack.run,
    "press_on_discord": defer.run,
    "ask": ask.run,
    "ask_prefix": ask_prefix.run,
    "ask_turns": ask_turns.run,
    "tokens": tokens.run,
    "ready_set": ready_set.run,
    "supervisors_due": supervisors_due.run,
    "review": review.run,
    "sandbox": sandbox.run,
    "checkout": checkout.run,
    "attach": attach.run,
    "pack": pack.run,
    "gates": gates.run,
    "judged": judged.run,
    "engine": engine.run,
    "program_runs": program_runs.run,
    "first_request": first_request.run,
    "ack_at_work": ack_at_work.run,
    "walk": walk.run,
    "newcomer": newcomer.run,
    "walk_modules": walk_modules.run,
}
PROMISED: dict[str, Bench] = {
    "hypothesis_full": suites.hypothesis_full,
    "kill_every_step": suites.kill_every_step,
}
LONG: dict[str, Bench] = {
    "kill_chats": suites.kill_chats,
    "kill_throng": suites.kill_throng,
    "kill_signed": suites.kill_signed,
    "kill_work": suites.kill_work,
    "kill_programs": suites.kill_programs,
    "kill_mvp": suites.kill_mvp,
    "kill_open_source": suites.kill_open_source,
    "kill_enterprise": suites.kill_enterprise,
    "kill_planning": suites.kill_planning,
    "kill_forges": suites.kill_forges,
    "containers": suites.containers,
    "engines": suites.programs,
    "engines_compared": suites.engines_compared,
    "drop_sockets": suites.drop_sockets,
    "crowded_doors": suites.crowded_doors,
    "ack_at_83": ack.run_long,
    "corpus": corpus.run,
    "managers": managers.run,
    "clumsy": clumsy.run,
    "tiny_model": tiny.run,
    "soak": soak.run,
    "judge": record.run,
}


LONGEST = 3600  # seconds that one part may take


def main() -> int:
    asked = _arguments()
    if asked.mutants:
        slice_of_it = ["run", "--minutes", str(asked.minutes), "--seed", str(asked.seed)]
        return subprocess.call([sys.executable, "-m", "tests.bench.mutation", *slice_of_it])
    every = {**QUICK, **PROMISED, **LONG}
    wanted = asked.only or list(every if asked.all else QUICK if asked.quick else {**QUICK, **PROMISED})
    rows: list[Row] = []
    for name in wanted:
        known = results.find(name, results.commit()) if asked.resume else None
        alone = len(wanted) == 1
        rows += known if known is not None else _measure(name, every[name]) if alone else _measure_apart(name)
    told = [{**asdict(row), "target": row.target, "verdict": row.verdict} for row in rows]
    print(json.dumps(told, indent=2, ensure_ascii=False) if asked.json else table(rows))
    return 1 if any(row.verdict == "over" for row in rows) else 0


def _measure(name: str, bench: Bench) -> list[Row]:
    started, commit = time.monotonic(), results.commit()
    print(f"{name} …", file=sys.stderr, flush=True)
    rows = bench(lambda said: print(f"  {said}", file=sys.stderr, flush=True))
    took = time.monotonic() - started
    print(f"  took {took:.0f} s", file=sys.stderr, flush=True)
    results.keep(name, rows, took, commit)
    return rows


def _measure_apart(name: str) -> list[Row]:
    """In a process of its own: what one part loads or breaks is not in the next, and none takes for ever."""
    command = [sys.executable, "-m", "tests.bench", "--json", "--only", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as part:
        try:
            said, _ = part.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(part.pid, signal.SIGKILL)
            return [Row(name=name, ours=LONGEST, unit="s", failed="ended, for it took more than an hour")]
        except BaseException:
            os.killpg(part.pid, signal.SIGTERM)  # it leads a session of its own, so Ctrl-C does not reach it
            raise
    try:
        found = json.loads(said)
    except ValueError:
        return [Row(name=name, ours=0, failed=f"exit code {part.returncode} and no result")]
    return [Row(**{key: value for key, value in row.items() if key not in ("target", "verdict")}) for row in found]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--quick", action="store_true", help=f"without {' and '.join(PROMISED)}, which take a while")
    parser.add_argument("--all", action="store_true", help=f"also {' and '.join(LONG)}, which take long")
    parser.add_argument("--resume", action="store_true", help="without parts that were measured on this very commit")
    parser.add_argument("--mutants", action="store_true", help="plant faults, and count how many the tests notice")
    parser.add_argument("--seed", type=int, default=1, help="which faults --mutants plants")
    parser.add_argument("--minutes", type=float, default=55, help="how long --mutants plants; the next time it goes on")
    names = [*QUICK, *PROMISED, *LONG]
    parser.add_argument("--only", action="append", metavar="PART", choices=names, help="just this one")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
