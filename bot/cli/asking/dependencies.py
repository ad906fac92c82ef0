"""`overlord tasks dependencies FILE`: what components import from each other is suggested, and confirmed one by one."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from agents.catalog.forms.feature_files import BadFeature, Feature, read_feature
from agents.catalog.validation import did_you_mean
from agents.catalog.yaml import parse_yaml, read_body
from agents.catalog.yaml_edit import CannotEdit, append_item
from agents.domain.context.listing import Listing
from agents.domain.errors import OverlordError
from agents.domain.phases.detecting import Detected, Seen, find_dependencies
from agents.domain.text.sanitize import clean
from agents.workspace.git.git import Git, GitFailed, git_dir
from agents.workspace.git.objects import listing as listing_of, named_files
from bot.cli import session
from bot.cli.session import Json

LISTS = ("package.json", "pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt")
COMPONENT, EXTERNAL, SKIP = "component", "external", "skip"


def show_dependencies(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A feature file.")],
    path: Annotated[Path, typer.Option("--path", help="The project's folder, where its code is committed.")] = Path(),
    json: Json = False,
) -> None:
    """Suggest what components of a feature file wait for, from what their code imports; each is confirmed."""
    text = read_body(file).decode("utf-8-sig")
    feature = read_feature(str(file), text)
    found = asyncio.run(_detect(feature, path))
    if json:
        session.show_json(
            {"dependencies": [*_plain(found.edges, feature)], "unknown": [*_plain(found.unknown, feature)]}
        )
        return
    for seen in found.late:
        what = f"{_name(feature, seen.component)} imports {_name(feature, seen.needs)} of a later phase"
        typer.echo(clean(f"[!] {what} ({_place(seen)}): move one of them."))
    made = _confirm(feature, found, text, str(file))
    if made != text:
        file.write_text(made, encoding="utf-8")
        typer.echo(f"{file} is changed.")
    elif not (found.edges or found.unknown):
        typer.echo("Nothing is imported that the file does not say.")


async def _detect(feature: Feature, path: Path) -> Detected:
    try:
        commit = await Git(directory=git_dir(path)).commit_at("HEAD")
        listing = await listing_of(path, commit)
        wanted = [name for name in listing.files if name.endswith((".py", ".pyi")) or _is_script(name)]
        wanted = [name for name in wanted if _is_of(name, feature)] + _settings_in(listing)
        bodies = await named_files(path, wanted, commit)
    except GitFailed as problem:
        step = "Name the folder of a repository with --path."
        raise OverlordError(f"The code in {path} cannot be read: {problem}", next_step=step) from problem
    texts = {name: body.decode("utf-8", "replace") for name, body in bodies.items()}
    known = (*feature.external, *_packages(texts))
    return find_dependencies(feature.plan, listing, lambda name: texts.get(name, ""), known)


def _is_script(name: str) -> bool:
    return name.endswith((".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte"))


def _is_of(name: str, feature: Feature) -> bool:
    return any(name == path or (path.endswith("/") and name.startswith(path)) for path in feature.plan.paths)


def _settings_in(listing: Listing) -> list[str]:
    ends = (*LISTS, "tsconfig.json", "jsconfig.json", "tsconfig.base.json")
    return [name for name in listing.files if name.rpartition("/")[2] in ends][:50]


def _packages(texts: dict[str, str]) -> Iterator[str]:
    """Words of the files that list what a project needs: what stands there is no question."""
    for name, text in texts.items():
        if name.rpartition("/")[2] in LISTS:
            for word in text.replace("_", "-").replace('"', " ").replace("'", " ").split():
                bare = word.strip("[](){},;:").partition("[")[0]
                for mark in "=<>~!;@":
                    bare = bare if bare.startswith("@") and mark == "@" else bare.partition(mark)[0]
                yield from (bare, bare.replace("-", "_"))


def _confirm(feature: Feature, found: Detected, text: str, name: str) -> str:
    """The file with what was confirmed; each change leaves a file that is a plan."""
    for seen in found.edges:
        typer.echo(clean(f"{_name(feature, seen.component)} → {_name(feature, seen.needs)} ({_place(seen)})"))
        if typer.confirm("Does it wait for it?", default=True):
            text = _waiting(feature, text, name, seen.component, seen.needs)
    for seen in found.unknown:
        typer.echo(clean(f"[!] {_name(feature, seen.component)} → {seen.package} ({_place(seen)})"))
        match _choose(f"Is {seen.package} a component or an external package?"):
            case "component":
                number = _which(feature)
                text = _waiting(feature, text, name, seen.component, number)
            case "external":
                text = append_item(text, name, ("feature", "external"), seen.package)
    return text


def _waiting(feature: Feature, text: str, name: str, component: int, needs: int) -> str:
    """The file with this dependency; as it was, with a word on why, where it cannot be put in."""
    if needs in read_feature(name, text).plan.subtasks[component - 1].blocked_by:
        return text
    mine, where = feature.components[component]
    full = feature.components[needs][0]
    wanted = full.removeprefix(f"{mine.partition('.')[0]}.")
    try:
        made = append_item(text, name, (*where, "depends_on"), wanted)
        read_feature(name, made)
    except CannotEdit:
        line = parse_yaml(text, name=name).place(where)
        typer.echo(f"{line}: I do not change what is written so. Add `depends_on: [{wanted}]` to it yourself.")
        return text
    except BadFeature as problem:
        typer.echo(f"That is left out: {problem.told[-1]}")
        return text
    return made


def _choose(question: str) -> str:
    while True:
        said = typer.prompt(f"{question} [{COMPONENT}/{EXTERNAL}/{SKIP}]", default=SKIP).strip().casefold()
        if fits := [each for each in (COMPONENT, EXTERNAL, SKIP) if said and each.startswith(said)]:
            return fits[0]


def _which(feature: Feature) -> int:
    names = {full: number for number, (full, _) in feature.components.items()}
    names |= {full.partition(".")[2]: number for full, number in names.items()}
    while True:
        said = typer.prompt("Which component?").strip()
        if said in names:
            return names[said]
        typer.echo(f"There is no component {said}. {did_you_mean(said, names)}")


def _name(feature: Feature, number: int) -> str:
    return feature.components[number][0]


def _place(seen: Seen) -> str:
    return f"{seen.file} line {seen.line}: {seen.text}"


def _plain(found: tuple[Seen, ...], feature: Feature) -> Iterator[dict[str, object]]:
    for seen in found:
        on = _name(feature, seen.needs) if seen.needs else seen.package
        yield {
            "component": _name(feature, seen.component),
            "on": on,
            "file": seen.file,
            "line": seen.line,
            "import": seen.text,
        }
