"""Fetches the sources of other people's projects by pip, npm and apt as this machine has them; kept by their hash."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.corpus.projects import Client, Project

PATIENCE = 180.0
APT = Path("/etc/apt")
_NO_ANSWER = re.compile(
    r"(?i)could not (?:resolve|connect)|temporary failure|timed? ?out|ETIMEDOUT|ENOTFOUND|ECONNREFUSED|EAI_AGAIN"
    r"|connection (?:refused|reset)|network is unreachable|no matching distribution|404|not found|unable to find"
)


class NotFetched(Exception):
    """Why the source of a project is not to be had here; nothing about Overlord."""


class Kept(StrEnum):
    """Where an archive came from."""

    BEFORE = "kept from before"
    NOW = "fetched now"


def cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "overlord-tests" / "corpus"


def fetch(project: Project, kept: Path | None = None) -> tuple[Path, Kept]:
    """The archive whose hash is written down, or NotFetched. Another one of the same name is not taken."""
    place = (kept or cache()) / project.sha256
    found = next((path for path in _files(place) if _hash(path) == project.sha256), None)
    if found:
        return found, Kept.BEFORE
    with TemporaryDirectory(prefix="overlord-corpus-") as made:
        problem = NotFetched("")
        try:
            _FETCH[project.client](project, Path(made))
        except NotFetched as raised:  # apt says no, too, where only another archive of the package is not to be had
            problem = raised
        archive = next((path for path in _files(Path(made)) if _hash(path) == project.sha256), None)
        if archive is None and str(problem):
            raise problem
        if archive is None:
            names = ", ".join(path.name for path in _files(Path(made))) or "nothing"
            raise NotFetched(f"{project.client} gave {names}, whose hash is not the one that is written down")
        place.mkdir(parents=True, exist_ok=True)
        fresh = place / f".{os.getpid()}"
        shutil.copyfile(archive, fresh)
        fresh.rename(place / archive.name)
        return place / archive.name, Kept.NOW


def no_answer(client: Client) -> str:
    """Why the registry behind a client is not to be had at the moment; empty if it is."""
    with TemporaryDirectory(prefix="overlord-corpus-") as made:
        try:
            if client is Client.NPM:
                _run(["npm", "view", "tape", "version"], Path(made))
            else:
                _run([_python(), "-m", "pip", "download", "--quiet", "--no-deps", "-d", made, "iniconfig"], Path(made))
        except NotFetched as why:
            return str(why)
    return ""


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.name.startswith("."))


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _by_pip(project: Project, into: Path) -> None:
    """The hash is compared before pip asks the archive's own build for its metadata."""
    wanted = into / "wanted.txt"
    wanted.write_text(f"{project.package}=={project.version} --hash=sha256:{project.sha256}\n")
    options = ("--quiet", "--no-deps", "--no-binary", ":all:", "--disable-pip-version-check", "--require-hashes")
    _run([_python(), "-m", "pip", "download", *options, "-d", str(into), "-r", str(wanted)], into)


def _python() -> str:
    """Ours may have no pip."""
    return str(Path(sys.base_prefix) / "bin" / "python3")


def _by_npm(project: Project, into: Path) -> None:
    _run(["npm", "pack", "--ignore-scripts", "--silent", f"{project.package}@{project.version}"], into)


def _by_apt(project: Project, into: Path) -> None:
    """From the machine's own sources, with lists of our own: neither its settings nor its lists are changed."""
    parts, lists = into / "parts", into / "lists"
    (lists / "partial").mkdir(parents=True)
    parts.mkdir()
    for source in (*APT.glob("sources.list.d/*.sources"), *APT.glob("sources.list.d/*.list"), APT / "sources.list"):
        if source.is_file():
            text = source.read_text(errors="replace")
            (parts / source.name).write_text(re.sub(r"(?m)^(Types:\s*)deb\b.*$|^deb(?=\s)", _of_source, text))
    told = {"Dir::Etc::SourceList": "/dev/null", "Dir::Etc::SourceParts": str(parts), "Dir::State::Lists": str(lists)}
    options = [word for name, value in told.items() for word in ("-o", f"{name}={value}")]
    apt = ["apt-get", "-qq", *options, "-o", "APT::Sandbox::User=root"]
    _run([*apt, "update"], into)
    _run([*apt, "source", "--tar-only", "--download-only", f"{project.package}={project.version}"], into)


def _of_source(found: re.Match[str]) -> str:
    return f"{found[1]}deb-src" if found[1] else "deb-src"


_FETCH = {Client.PIP: _by_pip, Client.NPM: _by_npm, Client.APT: _by_apt}


def _run(command: Sequence[str], folder: Path) -> None:
    if shutil.which(command[0]) is None:
        raise NotFetched(f"{command[0]} is not on this machine")
    try:
        ran = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotFetched(f"{command[0]} got no answer within {PATIENCE:g} s") from None
    if ran.returncode != 0:
        said = (ran.stderr or ran.stdout).strip().splitlines() or ["nothing"]
        why = next((line for line in said if _NO_ANSWER.search(line)), said[-1])
        raise NotFetched(f"{Path(command[0]).name} says: {_without_address(why)[:200]}")


def _without_address(text: str) -> str:
    return re.sub(r"\w+://\S+", "(address)", text)
