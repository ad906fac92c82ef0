"""What GitHub knows: repositories with real git behind them, issues, pull requests, and every effect that was had."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fakes.github.ci import Ci
from tests.workspace import repositories as repos

BOT = "overlord-bot"
WORDS_MOST = 65_536


class Refused(Exception):
    """An answer other than yes."""

    def __init__(self, status: int, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"message": message, "documentation_url": "https://docs.github.com/rest", **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Something that changed for everybody to see."""

    kind: str  # push, pull, ready, comment, merge, label, unlabel
    what: str


@dataclass
class Issue:
    number: int
    title: str
    body: str
    login: str
    association: str
    labels: list[str] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    state: str = "open"
    updated: int = 0
    pull: dict[str, Any] | None = None  # head (branch), base, sha, merged, merge_commit_sha, draft


@dataclass
class Repo:
    owner: str
    name: str
    path: Path  # bare
    default_branch: str = "main"
    allow: tuple[str, ...] = ("merge", "squash", "rebase")
    may_push: bool = True
    drafts: bool = True  # private repositories of a free plan have none
    issues: list[Issue] = field(default_factory=list)
    ci: Ci = field(default_factory=Ci)

    @property
    def full(self) -> str:
        return f"{self.owner}/{self.name}"

    def issue(self, number: int) -> Issue:
        if not 1 <= number <= len(self.issues):
            raise Refused(404, "Not Found")
        return self.issues[number - 1]

    def pull(self, number: int) -> Issue:
        found = self.issue(number)
        if found.pull is None:
            raise Refused(404, "Not Found")
        return found

    def head_of(self, found: Issue) -> str:
        """The commit a pull request is at: where its branch is, while it is open."""
        assert found.pull is not None
        if found.state == "open":
            found.pull["sha"] = repos.tip(self.path, found.pull["head"]) or found.pull["sha"]
        return str(found.pull["sha"])


class World:
    def __init__(self) -> None:
        self.repos: dict[str, Repo] = {}
        self.effects: list[Effect] = []
        self.before_merge: Callable[[], object] = lambda: None  # what somebody does just before
        self.before_push: Callable[[], object] = lambda: None
        self._ids = 1000

    def next_id(self) -> int:
        self._ids += 1
        return self._ids

    def count(self, kind: str) -> int:
        return sum(effect.kind == kind for effect in self.effects)

    def add(self, owner: str, name: str, source: Path, folder: Path) -> Repo:
        path = folder / owner / f"{name}.git"
        path.parent.mkdir(parents=True, exist_ok=True)
        repos.bare(source, path)
        repos.git(path, "config", "http.receivepack", "true")
        self.repos[f"{owner}/{name}"] = Repo(owner=owner, name=name, path=path)
        return self.repos[f"{owner}/{name}"]

    def repo(self, owner: str, name: str) -> Repo:
        if f"{owner}/{name}" not in self.repos:
            raise Refused(404, "Not Found")
        return self.repos[f"{owner}/{name}"]

    def open_issue(
        self, repo: Repo, title: str, body: str = "", login: str = "ana", association: str = "MEMBER"
    ) -> Issue:
        issue = Issue(number=len(repo.issues) + 1, title=title, body=body, login=login, association=association)
        repo.issues.append(issue)
        return issue

    def label(self, repo: Repo, issue: Issue, label: str, by: str = "ana") -> None:
        """As a person does it, or we."""
        if label in issue.labels:
            return
        issue.labels.append(label)
        issue.updated = self.next_id()
        issue.events.append(
            {"id": self.next_id(), "event": "labeled", "actor": {"login": by}, "label": {"name": label}}
        )
        if by == BOT:
            self.effects.append(Effect(kind="label", what=f"{repo.full}#{issue.number} {label}"))

    def unlabel(self, repo: Repo, issue: Issue, label: str) -> None:
        if label not in issue.labels:
            raise Refused(404, "Label does not exist")
        issue.labels.remove(label)
        issue.updated = self.next_id()
        self.effects.append(Effect(kind="unlabel", what=f"{repo.full}#{issue.number} {label}"))

    def comment(self, repo: Repo, issue: Issue, body: str, login: str = BOT) -> dict[str, Any]:
        if not body.strip():
            raise Refused(422, "Validation Failed", errors=[{"code": "missing_field", "field": "body"}])
        if len(body) > WORDS_MOST:
            raise Refused(422, "Validation Failed", errors=[{"message": "Body is too long"}])
        kind = "User" if login != BOT else "Bot"
        made = {"id": self.next_id(), "body": body, "user": {"login": login, "type": kind}}
        issue.comments.append(made)
        issue.updated = self.next_id()
        if login == BOT:
            self.effects.append(Effect(kind="comment", what=f"{repo.full}#{issue.number}"))
        return made

    def open_pull(self, repo: Repo, given: dict[str, Any]) -> Issue:
        head, base = str(given["head"]), str(given["base"])
        branch = head.removeprefix(f"{repo.owner}:")
        sha, onto = repos.tip(repo.path, branch), repos.tip(repo.path, base)
        if not sha or not onto:
            field_ = "head" if not sha else "base"
            raise Refused(
                422, "Validation Failed", errors=[{"resource": "PullRequest", "field": field_, "code": "invalid"}]
            )
        if any(
            i.pull and i.state == "open" and i.pull["head"] == branch and i.pull["base"] == base for i in repo.issues
        ):
            told = f"A pull request already exists for {repo.owner}:{branch}."
            raise Refused(
                422, "Validation Failed", errors=[{"resource": "PullRequest", "code": "custom", "message": told}]
            )
        if repos.git(repo.path, "rev-list", "--count", f"{onto}..{sha}") == "0":
            told = f"No commits between {base} and {branch}"
            raise Refused(422, "Validation Failed", errors=[{"code": "custom", "message": told}])
        if not str(given.get("title", "")).strip() or len(str(given["title"])) > 256:
            raise Refused(422, "Validation Failed", errors=[{"field": "title", "code": "invalid"}])
        draft = given.get("draft", False)
        if not isinstance(draft, bool):
            raise Refused(422, "Invalid request. draft is not of type `boolean`.")
        if draft and not repo.drafts:
            told = "Draft pull requests are not supported in this repository."
            raise Refused(422, "Validation Failed", errors=[{"resource": "PullRequest", "message": told}])
        issue = self.open_issue(repo, str(given["title"]), str(given.get("body") or ""), BOT, "COLLABORATOR")
        issue.pull = {
            **{"head": branch, "base": base, "sha": sha, "draft": draft},
            **{"merged": False, "merge_commit_sha": None},
        }
        self.effects.append(Effect(kind="pull", what=f"{repo.full} {branch}"))
        return issue

    def mark_ready(self, node: str) -> None:
        """As the mutation of GraphQL does it: what is no draft is refused."""
        named = {f"PR_{repo.full}_{i.number}": (repo, i) for repo in self.repos.values() for i in repo.issues if i.pull}
        if node not in named:
            raise Refused(200, f"Could not resolve to a node with the global id of '{node}'")
        repo, issue = named[node]
        assert issue.pull is not None
        if not issue.pull["draft"] or issue.state != "open":
            raise Refused(200, "Pull request is not a draft")
        issue.pull["draft"] = False
        self.effects.append(Effect(kind="ready", what=f"{repo.full}#{issue.number}"))

    def merge(self, repo: Repo, issue: Issue, given: dict[str, Any]) -> str:
        assert issue.pull is not None
        self.before_merge()
        head, base = repo.head_of(issue), issue.pull["base"]
        method = given.get("merge_method", "merge")
        if issue.pull["draft"]:
            raise Refused(405, "Pull Request is still a draft")
        if issue.state != "open" or method not in repo.allow:
            raise Refused(405, "Pull Request is not mergeable")
        if given.get("sha") and given["sha"] != head:
            raise Refused(409, "Head branch was modified. Review and try the merge again.")
        tip = repos.tip(repo.path, base)
        tree = subprocess.run(
            ["git", "merge-tree", "--write-tree", tip, head], cwd=repo.path, capture_output=True, text=True
        )
        if tree.returncode != 0:
            raise Refused(405, "Pull Request is not mergeable")
        parents = ["-p", tip, "-p", head] if method == "merge" else ["-p", tip]
        message = f"{given.get('commit_title', issue.title)}\n\n{given.get('commit_message', '')}".strip()
        made = repos.git(repo.path, "commit-tree", tree.stdout.split()[0], *parents, "-m", message, who="GitHub")
        repos.git(repo.path, "update-ref", f"refs/heads/{base}", made, tip)
        issue.state = "closed"
        issue.pull.update(merged=True, merge_commit_sha=made)
        self.effects.append(Effect(kind="merge", what=f"{repo.full}#{issue.number}"))
        return made
