"""Real repositories to work on: somebody's own, and our copy of it in which a minion's commits are made."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_QUIET = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "PATH": os.environ.get("PATH", os.defpath)}


def git(folder: Path, *arguments: str, who: str = "Ana", env: Mapping[str, str] | None = None) -> str:
    """As a person would run it."""
    named = {f"GIT_{role}_NAME": who for role in ("AUTHOR", "COMMITTER")}
    mailed = {f"GIT_{role}_EMAIL": f"{who.lower()}@example.com" for role in ("AUTHOR", "COMMITTER")}
    made = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**_QUIET, **named, **mailed, **(env or {})},
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, f"git {' '.join(arguments)}: {made.stderr}"
    return made.stdout.strip()


def tip(repository: Path, branch: str) -> str:
    """Empty if there is no such branch."""
    made = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}"],
        cwd=repository, env=_QUIET, capture_output=True, text=True,
    )  # fmt: skip
    return made.stdout.strip()


def has(repository: Path, commit: str) -> bool:
    asked = ["git", "cat-file", "-e", f"{commit}^{{commit}}"]
    return subprocess.run(asked, cwd=repository, env=_QUIET, capture_output=True).returncode == 0


def somebodys(folder: Path, files: Mapping[str, str] | None = None) -> Path:
    """A repository of a person, with main checked out."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    write(folder, files or {"README.md": "hello\n", "src/a.py": "a = 1\n"})
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "The beginning")
    return folder


def begin(folder: Path) -> None:
    """Make a folder a repository with a commit, if it is none: work can begin on no other."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ".git").exists() and not (folder / "HEAD").exists():
        git(folder, "init", "-q", "-b", "main")
        git(folder, "commit", "-q", "--allow-empty", "-m", "The beginning")


def bare(source: Path, target: Path) -> Path:
    git(source, "clone", "-q", "--bare", str(source), str(target))
    return target


def commit(
    repository: Path, files: Mapping[str, str | None], *, on: str = "main", message: str = "Work", who: str = "Minion"
) -> str:
    """A commit on a branch or commit, made without a checkout and without moving any branch."""
    index = {"GIT_INDEX_FILE": str(repository / f"index-{os.getpid()}")}
    git(repository, "read-tree", on, env=index)
    for path, text in files.items():
        if text is None:
            git(repository, "rm", "-q", "--cached", "--", path, env={**index, "GIT_WORK_TREE": str(repository)})
            continue
        blob = subprocess.run(
            ["git", "hash-object", "-w", "--stdin"],
            cwd=repository,
            env=_QUIET,
            input=text,
            text=True,
            capture_output=True,
        ).stdout.strip()
        git(repository, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", env=index)
    tree = git(repository, "write-tree", env=index)
    Path(index["GIT_INDEX_FILE"]).unlink()
    return git(repository, "commit-tree", tree, "-p", on, "-m", message, who=who)


def put_on(repository: Path, branch: str, files: Mapping[str, str | None], message: str = "Somebody's work") -> str:
    """As when another person pushes."""
    made = commit(repository, files, on=branch, message=message, who="Bob")
    git(repository, "update-ref", f"refs/heads/{branch}", made)
    return made


def write(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file of a checkout, its .git apart."""
    paths = (path for path in folder.rglob("*") if ".git" not in path.parts and path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(paths)}
