"""What differs between two commits, as git's own store has it: no attribute, filter or line-end setting has a say."""

from dataclasses import dataclass

from agents.domain.checks.evaluation import Change
from agents.workspace.git.git import Git

PLAIN = ("-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short")
_ABSENT = "000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    path: str
    mode: str
    blob: str
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """One path of a diff, with its blob on both sides."""

    change: Change
    before: Entry | None
    after: Entry | None


async def differing(git: Git, base: str, commit: str, *, errors: str = "surrogateescape") -> tuple[Differing, ...]:
    """`errors`: how names are read that are no text."""
    said = await git.run("diff-tree", *PLAIN, "-z", "--raw", "--numstat", "--no-abbrev", base, commit)
    return _parsed(said.decode(errors=errors).split("\0")[:-1])


def _parsed(fields: list[str]) -> tuple[Differing, ...]:
    """`:mode mode id id S`, path, … and then `added TAB removed TAB path` of each."""
    raw, counts = dict[str, list[str]](), dict[str, tuple[int, int]]()
    ahead = iter(fields)
    for each in ahead:
        if each.startswith(":"):
            raw[next(ahead)] = each.lstrip(":").split(" ")
        else:
            added, removed, path = each.split("\t", 2)
            counts[path] = (_count(added), _count(removed))
    return tuple(_one(path, told, counts.get(path, (0, 0))) for path, told in raw.items())


def _one(path: str, told: list[str], counted: tuple[int, int]) -> Differing:
    before, after, old, new, status = told
    mode = "" if after == _ABSENT else after
    change = Change(path=path, status=status[:1], added=counted[0], removed=counted[1], mode=mode)
    return Differing(change=change, before=_side(path, before, old), after=_side(path, after, new))


def _side(path: str, mode: str, blob: str) -> Entry | None:
    return None if mode == _ABSENT else Entry(path=path, mode=mode, blob=blob)


def _count(written: str) -> int:
    return int(written) if written.isdigit() else 0  # a dash: binary
