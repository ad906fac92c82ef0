"""What the tests of checkouts stand on: a person's repository with work of theirs in it, and the state folder."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agents.ports import Checkout, Workspace
from agents.workspace.git.checkouts import GitCheckouts

BRANCH = "ai/t-14.2-refuse-expired-links"
FILES = {"README.md": "# Links\n", "src/links.py": "def make():\n    return 1\n", "src/old.py": "old = True\n"}


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "init.defaultBranch=main")
    ran = subprocess.run(["git", "-C", str(folder), *who, *arguments], capture_output=True, text=True)
    assert ran.returncode == 0, f"git {' '.join(arguments)}: {ran.stderr}"
    return ran.stdout.strip()


@dataclass(frozen=True, slots=True)
class Yard:
    user: Path
    home: Path

    @property
    def mirror(self) -> Path:
        return self.home / "repos" / "links.git"

    def checkouts(self) -> GitCheckouts:
        """Made anew, as after a restart."""

        async def environment(project: str, base: str, folder: Path) -> Workspace:
            return Workspace(path=folder, environ={"PROJECT": project})

        return GitCheckouts({"links": self.user}, self.home, environment)

    def people_commit(self, files: Mapping[str, str], message: str = "More") -> str:
        write(self.user, files)
        git(self.user, "add", "-A")
        git(self.user, "commit", "-q", "-m", message)
        return git(self.user, "rev-parse", "HEAD")

    def seen(self) -> tuple[str, ...]:
        """All that a person would notice of their own checkout."""
        index = (self.user / ".git" / "index").read_bytes().hex()
        refs = git(self.user, "for-each-ref")
        return git(self.user, "rev-parse", "HEAD"), git(self.user, "status", "--porcelain"), refs, index

    def show(self, commit: str, path: str) -> str:
        return git(self.mirror, "show", f"{commit}:{path}")

    def all_objects(self) -> bytes:
        command = ["git", "--git-dir", str(self.mirror), "cat-file", "--batch-all-objects", "--batch"]
        return subprocess.run(command, capture_output=True, check=True).stdout

    def folders(self) -> list[str]:
        """Branches' folders, and whatever else lies about; not the ones kept ready."""
        there = [*(self.home / "worktrees").glob("*/*"), *(self.mirror / "worktrees").glob("*")]
        return sorted({path.name for path in there if not path.name.startswith("@")})

    async def opened(self, branch: str = BRANCH) -> tuple[GitCheckouts, Checkout]:
        checkouts = self.checkouts()
        return checkouts, await checkouts.open("links", branch, await checkouts.tip("links", "HEAD"))


def yard(base: Path) -> Yard:
    user = base / "user"
    user.mkdir(parents=True)
    git(user, "init", "-q")
    made = Yard(user=user, home=base / "home")
    made.people_commit(FILES, "first")
    write(user, {"draft.txt": "not committed\n", "README.md": "# Links, being rewritten\n"})
    git(user, "status")  # which refreshes the index, so that it does not change later
    return made


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (1_700_000_000, 1_700_000_000))
