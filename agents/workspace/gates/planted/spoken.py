"""What go and cargo say of tests while they run, read from their output; and the same without the planted ones."""

import re
from collections.abc import Collection, Sequence

from agents.workspace.gates.planted.belief import Heard, Told
from agents.workspace.gates.planted.seeding import Seed

_GO_FAILED = re.compile(r"--- FAIL: (\S+)")
_GO_ENDED = re.compile(r"(ok  |FAIL)\t(\S+)(?:\t|\s+\[|$)")
_GO_STATUS = re.compile(r"exit status (\d+)$")
_CARGO_TEST = re.compile(r"test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)")
_CARGO_RESULT = re.compile(r"test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed;(.*)")
_CARGO_RUNNING = re.compile(r"running \d+ tests?$")
_CARGO_NEXT = re.compile(r"running \d+ tests?$| +Running | +Doc-tests |error: ")
_CARGO_COUNT = re.compile(r"\d+")
_CARGO_AGAIN = re.compile(r"error: (?:test|doctest) failed, to rerun pass (`[^`]*`)")
_CARGO_MANY = re.compile(r"error: \d+ targets? failed")


def hear_go(said: str, seeds: Sequence[Seed]) -> tuple[Heard, str]:
    """Each package tells its tests that fail, and then how it ended."""
    planted, told, shown = {seed.fails for seed in seeds} | {seed.passes for seed in seeds}, list[Told](), list[str]()
    block = list[str]()
    for line in said.splitlines():
        block.append(line)
        if ended := _GO_ENDED.match(line):
            about = ended[2]
            told += _of_package(block, about, ended[1] == "FAIL", [seed for seed in seeds if seed.about == about])
            real = any(each.about == about and each.kind == "real" and each.outcome == "failed" for each in told)
            shown += _go_lines(block, planted, real=real)
            block = []
    real = any(each.kind == "real" and each.outcome == "failed" for each in told)
    shown += block if real else [line for line in block if line != "FAIL"]
    return Heard(spoke=bool(told), planned=_places(seeds), told=tuple(told), ended=bool(told)), "\n".join(shown) + "\n"


def _of_package(block: Sequence[str], about: str, failed: bool, seeds: Sequence[Seed]) -> list[Told]:
    names = [found[1] for line in block if (found := _GO_FAILED.match(line))]
    caught = [_told("fails", about, "failed") for seed in seeds if seed.fails in names]
    lied = [_told("passes", about, "failed") for seed in seeds if seed.passes in names]
    own = [name for name in names if not any(name in (seed.fails, seed.passes) for seed in seeds)]
    status = [found[1] for line in block if (found := _GO_STATUS.match(line))]
    explained = caught and not own and "FAIL" in block and status in ([], ["1"])  # else it ended of something else
    if not failed:
        return [*caught, *lied, _told("real", about, "passed")]
    return [*caught, *lied] if explained else [*caught, *lied, _told("real", about, "failed")]


def _go_lines(block: Sequence[str], planted: Collection[str], *, real: bool) -> list[str]:
    kept, hidden = list[str](), False
    for line in block:
        named = _GO_FAILED.match(line)
        if named or not line.startswith((" ", "\t")):
            hidden = bool(named) and bool(named and named[1] in planted)
        if not hidden:
            kept.append(line)
    if real or not any(_GO_FAILED.match(line) for line in block):
        return kept
    left = [line for line in kept if line != "FAIL" and not _GO_STATUS.match(line)]
    return [re.sub(r"^FAIL\t", "ok  \t", line) for line in left]


def hear_cargo(said: str, seeds: Sequence[Seed]) -> tuple[Heard, str]:
    lines = said.splitlines()
    ends = {found[1]: found[2] for line in lines if (found := _CARGO_TEST.match(line))}
    told = list[Told]()
    for seed in seeds:
        for kind, name in (("fails", seed.fails), ("passes", seed.passes)):
            if name in ends:
                told.append(
                    _told(kind, seed.about, {"ok": "passed", "FAILED": "failed"}.get(ends.pop(name), "skipped"))
                )
    told += [_told("real", name, "failed") for name, how in ends.items() if how == "FAILED"]
    told += [_told("real", name, "passed") for name, how in ends.items() if how == "ok"]
    counted = sum(int(found[2]) for line in lines if (found := _CARGO_RESULT.match(line)))
    failed = sum(each.outcome == "failed" for each in told)
    broken = "Caused by:" in lines or any(line.startswith("error: could not compile") for line in lines)
    begun, ended = (sum(1 for line in lines if each.match(line)) for each in (_CARGO_RUNNING, _CARGO_RESULT))
    heard_all = {seed.about for seed in seeds} <= {each.about for each in told if each.kind == "fails"}
    broken = broken or (ended < begun and heard_all)  # one was ended in the middle, after ours; else ours are silent
    if counted > failed or broken:
        told.append(_told("real", "", "failed"))
    heard = Heard(spoke=bool(told), planned=_places(seeds), told=tuple(told), ended=bool(told))
    return heard, _cargo_lines(lines, seeds, real=bool(heard.failures))


def _cargo_lines(lines: Sequence[str], seeds: Sequence[Seed], *, real: bool) -> str:
    """Target by target: from what it is about to run to how that ended."""
    planted = {name for seed in seeds for name in (seed.fails, seed.passes)}
    kept, block, spared, hid = list[str](), list[str](), set[str](), False
    for line in lines:
        if block and _CARGO_NEXT.match(line):  # it never told how it ended
            kept, block = [*kept, *block], []
        if block or _CARGO_RUNNING.match(line):
            block.append(line)
            if ended := _CARGO_RESULT.match(line):
                found, hid = _of_target(block, ended, planted)
                kept += found
                block = []
        elif again := _CARGO_AGAIN.match(line):
            spared |= {again[1]} if hid else set()
            kept += [] if hid else [line]
            hid = False
        elif (real or not _CARGO_MANY.match(line)) and line.strip() not in spared:
            kept.append(line)
    return "\n".join((*kept, *block)) + "\n"


def _of_target(block: Sequence[str], ended: re.Match[str], planted: Collection[str]) -> tuple[list[str], bool]:
    """And whether it fails only for what was planted."""
    named = [found for line in block if (found := _CARGO_TEST.match(line)) and found[1] in planted]
    failed = int(ended[2]) - sum(found[2] == "FAILED" for found in named)
    passed = int(ended[1]) - sum(found[2] == "ok" for found in named)
    kept, hidden = list[str](), False
    for line in block[1:-1]:
        if line.startswith("---- ") and line.endswith(" stdout ----"):
            hidden = line.split()[1] in planted
        elif line == "failures:":
            hidden = not failed
        own = _CARGO_TEST.match(line)
        if not hidden and line.strip() not in planted and not (own and own[1] in planted):
            kept.append(line)
    start = _CARGO_COUNT.sub(lambda found: str(int(found[0]) - len(named)), block[0], count=1)
    end = f"test result: {'FAILED' if failed else 'ok'}. {passed} passed; {failed} failed;{ended[3]}"
    return [start, *kept, end], failed == 0 and int(ended[2]) > 0


def _told(kind: str, about: str, outcome: str) -> Told:
    return Told(kind, about, outcome, expected=False)


def _places(seeds: Sequence[Seed]) -> tuple[str, ...]:
    return tuple(seed.about for seed in seeds)
