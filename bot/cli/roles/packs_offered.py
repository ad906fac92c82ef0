"""Packs of roles that `overlord init` proposes for a project, those that it surely needs chosen beforehand."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import typer

from agents.catalog.roles.pack_files import Pack, packaged_packs
from agents.catalog.roles.user_files import read_user_files
from agents.catalog.validation import did_you_mean
from agents.domain.errors import OverlordError
from agents.domain.project.role_packs import Seen
from agents.domain.text.sanitize import clean
from agents.workspace.git.git import GitFailed
from agents.workspace.pack_clues import find_packs


def offer_packs(folder: Path, home: Path, on: Sequence[str], named: Sequence[str], *, asks: bool) -> tuple[str, ...]:
    """Shows them and asks; returns those to be switched on. `named`: by a flag, so that nobody need be asked."""
    known = {**packaged_packs(), **read_user_files(home).packs}
    if unknown := next((name for name in named if name not in known), ""):
        raise OverlordError(f"There is no pack {unknown}", next_step=did_you_mean(unknown, known))
    seen = _seen(folder, known)
    for each in seen:
        mark = "x" if each.sure or each.pack in on else " "
        typer.echo(clean(f"{'Roles:':<11}[{mark}] {_title(known[each.pack])}: {_why(each)}"))
    if seen and (rest := [name for name in known if name not in {each.pack for each in seen}]):
        typer.echo(f"{'':<11}[ ] not seen here: {', '.join(rest)}")
    wanted = [*named]
    sure = [each.pack for each in seen if each.sure and each.pack not in on]
    if asks and not named and seen:
        wanted = _choose(sure, known)
    return tuple(name for name in dict.fromkeys(wanted) if name not in on)


def _choose(sure: Sequence[str], known: Mapping[str, Pack]) -> list[str]:
    while True:
        said = typer.prompt("Packs to switch on (names, or none)", default=" ".join(sure) or "none")
        names = [] if said.strip() == "none" else said.replace(",", " ").split()
        unknown = next((name for name in names if name not in known), "")
        if not unknown:
            return names
        typer.echo(f"There is no pack {unknown}. {did_you_mean(unknown, known)}")


def _seen(folder: Path, known: Mapping[str, Pack]) -> list[Seen]:
    try:
        return asyncio.run(find_packs(folder, {name: pack.detect for name, pack in known.items()}))
    except GitFailed:
        return []


def _title(pack: Pack) -> str:
    return f"{pack.name}, {pack.title} ({', '.join(pack.roles_named)})"


def _why(seen: Seen) -> str:
    named = f"{seen.file} names {seen.word}" if seen.word else f"there is {seen.file}"
    return named if seen.sure else f"{named}, but not as what it runs on"
