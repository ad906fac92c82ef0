"""The REST endpoints, as docs.github.com describes them: paths, fields, refusals, pages."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from tests.fakes.github.ci import Run
from tests.fakes.github.world import BOT, Issue, Refused, Repo, World
from tests.workspace import repositories as repos


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    repo: Repo
    number: int
    query: dict[str, str]
    given: dict[str, Any]
    tail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    body: Any
    status: int = 200


class Rest:
    def __init__(self, world: World, web_url: Callable[[], str]) -> None:
        self._world = world
        self._web_url = web_url

    def routes(self) -> dict[tuple[str, str], Callable[[Asked], Answer]]:
        issue = "/issues/{number:\\d+}"
        pull = "/pulls/{number:\\d+}"
        return {
            ("GET", ""): self._repo,
            ("GET", "/issues"): self._issues,
            ("GET", issue): lambda asked: Answer(body=self._issue(asked.repo, asked.repo.issue(asked.number))),
            ("GET", f"{issue}/comments"): lambda asked: Answer(body=asked.repo.issue(asked.number).comments),
            ("POST", f"{issue}/comments"): self._comment,
            ("GET", f"{issue}/events"): lambda asked: Answer(body=asked.repo.issue(asked.number).events),
            ("POST", f"{issue}/labels"): self._label,
            ("DELETE", f"{issue}/labels/{{tail}}"): self._unlabel,
            ("GET", "/pulls"): self._pulls,
            ("POST", "/pulls"): self._open,
            ("GET", pull): lambda asked: Answer(body=self._pull(asked.repo, asked.repo.pull(asked.number))),
            ("PUT", f"{pull}/merge"): self._merge,
            ("GET", "/commits/{tail:[0-9a-f]{40}}/check-runs"): self._check_runs,
            ("GET", "/commits/{tail:[0-9a-f]{40}}/status"): self._status,
            ("GET", "/actions/runs"): self._workflow_runs,
            ("GET", "/actions/runs/{number:\\d+}/jobs"): self._jobs,
        }

    def _check_runs(self, asked: Asked) -> Answer:
        if not asked.repo.ci.may_read_checks:
            raise Refused(403, "Resource not accessible by personal access token")
        return Answer(body={"check_runs": [run.shown() for run in self._runs_of(asked.repo, asked.tail)]})

    def _status(self, asked: Asked) -> Answer:
        """The latest of each context, as GitHub combines them."""
        self._runs_of(asked.repo, asked.tail)
        found = asked.repo.ci.statuses.get(asked.tail, {})
        return Answer(body={"sha": asked.tail, "statuses": [*found.values()]})

    def _workflow_runs(self, asked: Asked) -> Answer:
        if not asked.repo.ci.may_read_actions:
            raise Refused(403, "Resource not accessible by personal access token")
        has = any(run.app == "github-actions" for run in asked.repo.ci.runs.get(asked.query.get("head_sha", ""), []))
        number = asked.repo.ci.number_of(asked.query["head_sha"]) if has else 0
        return Answer(body={"workflow_runs": [{"id": number, "name": "CI"}] if has else []})

    def _jobs(self, asked: Asked) -> Answer:
        runs = asked.repo.ci.runs[asked.repo.ci.commits[asked.number - 1]]
        return Answer(body={"jobs": [run.as_job() for run in runs if run.app == "github-actions"]})

    def _runs_of(self, repo: Repo, commit: str) -> list[Run]:
        if not repos.has(repo.path, commit):
            raise Refused(422, f"No commit found for SHA: {commit}")
        repo.ci.begin(commit, f"{self._web_url()}/{repo.full}")
        return repo.ci.runs.get(commit, [])

    def _repo(self, asked: Asked) -> Answer:
        allow = {f"allow_{name}": kind in asked.repo.allow for name, kind in _METHODS.items()}
        named = {"full_name": asked.repo.full, "default_branch": asked.repo.default_branch}
        return Answer(body={**named, **allow, "permissions": {"push": asked.repo.may_push}})

    def _issues(self, asked: Asked) -> Answer:
        """Pull requests are among the issues, as they are on GitHub."""
        wanted = {name for name in asked.query.get("labels", "").split(",") if name}
        state = asked.query.get("state", "open")
        found = [i for i in asked.repo.issues if wanted <= set(i.labels) and state in (i.state, "all")]
        return Answer(body=[self._issue(asked.repo, issue) for issue in reversed(found)])

    def _comment(self, asked: Asked) -> Answer:
        issue = asked.repo.issue(asked.number)
        return Answer(body=self._world.comment(asked.repo, issue, _text(asked.given, "body")), status=201)

    def _label(self, asked: Asked) -> Answer:
        labels, issue = asked.given.get("labels"), asked.repo.issue(asked.number)
        if not isinstance(labels, list) or not all(isinstance(label, str) and label for label in labels):
            raise Refused(422, "Validation Failed")
        for label in labels:
            self._world.label(asked.repo, issue, label, by=BOT)
        return Answer(body=[{"name": label} for label in issue.labels])

    def _unlabel(self, asked: Asked) -> Answer:
        issue = asked.repo.issue(asked.number)
        self._world.unlabel(asked.repo, issue, asked.tail)
        return Answer(body=[{"name": label} for label in issue.labels])

    def _pulls(self, asked: Asked) -> Answer:
        state, head = asked.query.get("state", "open"), asked.query.get("head", "")
        if head and ":" not in head:
            raise Refused(422, "head must be user:ref-name")
        branch = head.removeprefix(f"{asked.repo.owner}:")
        pulls = [i for i in asked.repo.issues if i.pull and (not head or i.pull["head"] == branch)]
        found = [i for i in pulls if state in (i.state, "all")]
        return Answer(body=[self._pull(asked.repo, issue) for issue in reversed(found)])

    def _open(self, asked: Asked) -> Answer:
        for name in ("title", "head", "base"):
            _text(asked.given, name)
        return Answer(body=self._pull(asked.repo, self._world.open_pull(asked.repo, asked.given)), status=201)

    def _merge(self, asked: Asked) -> Answer:
        made = self._world.merge(asked.repo, asked.repo.pull(asked.number), asked.given)
        return Answer(body={"sha": made, "merged": True, "message": "Pull Request successfully merged"})

    def _issue(self, repo: Repo, issue: Issue) -> dict[str, Any]:
        kind = "pull" if issue.pull else "issues"
        shown = {
            "number": issue.number,
            "title": issue.title,
            "body": issue.body or None,
            "state": issue.state,
            "user": {"login": issue.login, "type": "Bot" if issue.login == BOT else "User"},
            "author_association": issue.association,
            "updated_at": f"{datetime.fromtimestamp(issue.updated, UTC):%Y-%m-%dT%H:%M:%SZ}",
            "labels": [{"name": label} for label in issue.labels],
            "html_url": f"{self._web_url()}/{repo.full}/{kind}/{issue.number}",
        }
        return {**shown, "pull_request": {"url": shown["html_url"]}} if issue.pull else shown

    def _pull(self, repo: Repo, issue: Issue) -> dict[str, Any]:
        assert issue.pull is not None
        head = {"ref": issue.pull["head"], "sha": repo.head_of(issue), "repo": {"full_name": repo.full}}
        known = {"merged": issue.pull["merged"], "merge_commit_sha": issue.pull["merge_commit_sha"]}
        merged_at = "2026-01-01T00:00:00Z" if issue.pull["merged"] else None
        base = {"ref": issue.pull["base"]}
        named = {"draft": issue.pull["draft"], "node_id": f"PR_{repo.full}_{issue.number}"}
        return {**self._issue(repo, issue), **known, **named, "merged_at": merged_at, "head": head, "base": base}


_LISTS = ("check_runs", "statuses", "workflow_runs", "jobs")
_METHODS = {"merge_commit": "merge", "squash_merge": "squash", "rebase_merge": "rebase"}


def _text(given: dict[str, Any], name: str) -> str:
    if not isinstance(given.get(name), str) or not given[name]:
        raise Refused(422, "Validation Failed", errors=[{"field": name, "code": "missing_field"}])
    return str(given[name])


def paged(request: web.Request, body: Any) -> tuple[Any, dict[str, str]]:
    """A list comes in pages, and says where the next one is. Some lists lie below a name, beside how many there are."""
    if isinstance(body, dict) and (under := next((name for name in _LISTS if name in body), "")):
        part, headers = paged(request, body[under])
        return {**body, "total_count": len(body[under]), under: part}, headers
    if not isinstance(body, list):
        return body, {}
    size = min(int(request.query.get("per_page", "30")), 100)
    page = int(request.query.get("page", "1"))
    more = len(body) > page * size
    following = request.url.update_query(page=page + 1)
    return body[(page - 1) * size : page * size], {"Link": f'<{following}>; rel="next"'} if more else {}
