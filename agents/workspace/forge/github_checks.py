"""What CI says of a commit on GitHub: check runs and commit statuses, and the end of the logs of those that failed."""

from dataclasses import replace
from typing import Any, TypeVar

from agents.domain.checks.remote import CheckState, RemoteCheck
from agents.domain.text.redact import Redact
from agents.domain.text.sanitize import clean, cut, one_line
from agents.ports import ForgeFailed
from agents.workspace.forge.github_api import Forbidden, GitHubApi, entries_of, expect_status
from agents.workspace.forge.github_shapes import RunShown, StatusShown, WorkflowRun, read
from agents.workspace.forge.remotes import Remote, web_of

NAME_MOST, WHY_MOST, LOG_MOST = 80, 200, 4_000
REMEMBERED = 200  # answers that a later look is compared with
ACTIONS = "github-actions"
CHECKS_MOST = 500  # more are a mistake, or meant to drown us
LOGS_MOST = 5  # of so many that failed the log is fetched
RIGHTS = "Give the token the right to read Actions and commit statuses; a classic one needs the scope `repo`."
# What a run came to. What is not here is not known, and counts as failed.
_CONCLUSIONS: dict[str, CheckState] = {
    "success": CheckState.PASSED,
    "neutral": CheckState.PASSED,
    "skipped": CheckState.SKIPPED,
    "action_required": CheckState.WAITING,  # for somebody on GitHub
}
_STATES: dict[str, CheckState] = {"success": CheckState.PASSED, "pending": CheckState.WAITING}
Shape = TypeVar("Shape", RunShown, StatusShown, WorkflowRun)


class CheckReader:
    """Lists that did not change since the last look cost nothing of GitHub's limits."""

    def __init__(self, api: GitHubApi, redact: Redact) -> None:
        self._api = api
        self._redact = redact
        self._known = dict[str, tuple[str, list[Any]]]()  # by path: the ETag, and what it stands for

    async def read(self, remote: Remote, commit: str) -> tuple[RemoteCheck, ...]:
        """All of them, each by its latest run. Raises ForgeFailed."""
        page = f"{web_of(self._api.url)}/{remote.full}/commit/{commit}/checks"
        try:
            runs = await self._runs(remote, commit)
            statuses = await self._listed(StatusShown, f"/repos/{remote.full}/commits/{commit}/status", "statuses")
        except Forbidden as forbidden:
            what = f"GitHub does not let me read the checks of {remote.full}: {forbidden.what}"
            raise ForgeFailed(what, next_step=RIGHTS) from forbidden
        found = [_of_run(run, page) for run in runs]
        failed = [at for at, check in enumerate(found) if check.state is CheckState.FAILED]
        for at in failed[:LOGS_MOST]:
            found[at] = replace(found[at], output=await self._log(remote, runs[at]))
        return tuple(self._harmless(check) for check in (*found, *(_of_status(each, page) for each in statuses)))

    async def _runs(self, remote: Remote, commit: str) -> list[RunShown]:
        """A fine-grained token cannot be given the right to read checks; it may read jobs of Actions instead."""
        try:
            return await self._listed(RunShown, f"/repos/{remote.full}/commits/{commit}/check-runs", "check_runs")
        except Forbidden:
            runs = await self._listed(
                WorkflowRun, f"/repos/{remote.full}/actions/runs", "workflow_runs", head_sha=commit
            )
            jobs = [f"/repos/{remote.full}/actions/runs/{run.id}/jobs" for run in runs]
            return [job for path in jobs for job in await self._listed(RunShown, path, "jobs")]

    async def _listed(self, shape: type[Shape], path: str, under: str, **query: str) -> list[Shape]:
        key = f"{path}?{query}"
        etag, entries = self._known.get(key, ("", []))
        first = await self._api.get(path, etag=etag, per_page="100", page="1", **query)
        if first.status != 304:
            entries = entries_of(expect_status(first, "the checks of a commit"), under)
            if first.has_next:
                entries = [entry async for entry in self._api.pages(path, under=under, **query)]
            else:  # an ETag stands for one page only
                self._remember(key, first.headers.get("etag", ""), entries)
        return [read(shape, entry, "a check") for entry in entries[:CHECKS_MOST]]

    def _remember(self, key: str, etag: str, entries: list[Any]) -> None:
        self._known.pop(key, None)
        self._known[key] = (etag, entries)
        while len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]

    async def _log(self, remote: Remote, run: RunShown) -> str:
        """A job of Actions has a log; others may have said something themselves."""
        path = f"/repos/{remote.full}/actions/jobs/{run.id}/logs"
        log = await self._api.tail(path, LOG_MOST) if run.app is None or run.app.slug == ACTIONS else ""
        said = (run.output.title, run.output.summary) if run.output else ()
        return log or "\n".join(each for each in said if each)

    def _harmless(self, check: RemoteCheck) -> RemoteCheck:
        """Anybody who can change a workflow writes here."""
        return replace(
            check,
            name=one_line(self._redact(clean(check.name)), NAME_MOST) or "unnamed",
            why=one_line(self._redact(clean(check.why)), WHY_MOST),
            output=cut(self._redact(clean(check.output[-LOG_MOST:])), LOG_MOST).strip(),
        )


def _of_run(run: RunShown, page: str) -> RemoteCheck:
    said = (run.conclusion or "").replace("_", " ")
    if run.status != "completed":
        state, why = CheckState.WAITING, run.status.replace("_", " ")
    else:
        state = _CONCLUSIONS.get(run.conclusion or "", CheckState.FAILED)
        why = "waits for somebody on GitHub" if state is CheckState.WAITING else f"{said or 'no result'} on GitHub"
    return RemoteCheck(name=run.name, state=state, url=_link(run.html_url, page), why=why)


def _of_status(status: StatusShown, page: str) -> RemoteCheck:
    state = _STATES.get(status.state, CheckState.FAILED)
    why = f"{status.state} on GitHub{f': {status.description}' if status.description else ''}"
    return RemoteCheck(name=status.context, state=state, url=_link(status.target_url, page), why=why)


def _link(given: str | None, page: str) -> str:
    """On GitHub itself. What a status links to may be anywhere, so then it is the page of the commit."""
    ours = page.partition("/commit/")[0]
    whole = given or ""
    return whole if whole.startswith(f"{ours}/") and whole.isprintable() and " " not in whole else page
