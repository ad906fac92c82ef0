"""CI of a repository on GitHub: check runs of apps, commit statuses of other servers, and logs of jobs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Run:
    """A check run. What Actions runs is a job as well, of the same id."""

    id: int
    name: str
    url: str
    app: str = "github-actions"
    status: str = "queued"
    conclusion: str | None = None
    summary: str = ""

    def shown(self) -> dict[str, Any]:
        return {
            **self.as_job(),
            "app": {"slug": self.app},
            "output": {"title": None, "summary": self.summary or None},
        }

    def as_job(self) -> dict[str, Any]:
        told = {"id": self.id, "name": self.name, "status": self.status, "conclusion": self.conclusion}
        return {**told, "html_url": self.url}


@dataclass
class Ci:
    """`on_push` is told of each commit that is asked about for the first time: what its CI begins."""

    on_push: Callable[["Ci", str], None] = lambda ci, commit: None
    runs: dict[str, list[Run]] = field(default_factory=dict)  # by commit
    statuses: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)  # by commit and context
    logs: dict[int, str] = field(default_factory=dict)
    commits: list[str] = field(default_factory=list)  # in the order in which they came
    may_read_checks: bool = True
    may_read_actions: bool = True
    web: str = ""

    def begin(self, commit: str, web: str) -> None:
        self.web = web
        if commit not in self.commits:
            self.commits.append(commit)
            self.on_push(self, commit)

    def number_of(self, commit: str) -> int:
        return self.commits.index(commit) + 1

    def run(self, commit: str, name: str, conclusion: str | None = None, log: str = "", **more: Any) -> Run:
        """One run, ended if it has a conclusion. The same name again is its latest run."""
        known = [run for run in self.runs.get(commit, []) if run.name != name]
        id = 1 + sum(len(each) for each in self.runs.values()) + len(self.logs)
        made = Run(**{"id": id, "name": name, "url": f"{self.web}/runs/{id}", **more})
        if conclusion:
            made.status, made.conclusion = "completed", conclusion
        if log:
            self.logs[id] = log
        self.runs[commit] = [*known, made]
        return made

    def status(self, commit: str, context: str, state: str, target_url: str = "", description: str = "") -> None:
        told = {"context": context, "state": state, "target_url": target_url or None, "description": description}
        self.statuses.setdefault(commit, {})[context] = told


def every_push(conclusion: str | None, name: str = "build", log: str = "") -> Callable[[Ci, str], None]:
    """CI that has the same to say of each commit; None: it begins and does not end."""

    def begin(ci: Ci, commit: str) -> None:
        ci.run(commit, name, conclusion, log)

    return begin
