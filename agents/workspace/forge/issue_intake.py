"""Work that arrives as an issue with a label, and what is said there about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from agents.domain.text.sanitize import clean, cut, hidden_in, one_line
from agents.ports import ForgeFailed
from agents.workspace.forge.github import SETTLE, TRIES, GitHubForge
from agents.workspace.forge.github_api import GitHubApi, Unsure, expect_status
from agents.workspace.forge.github_shapes import EventShown, IssueShown, read
from agents.workspace.forge.remotes import Remote

ASKS = "overlord"
NEEDS_ATTENTION = "needs-attention"
TITLE_MOST, BODY_MOST = 300, 20_000
# Whose words count as a request. Anybody may open an issue, so others are heard once a person decides so.
HEARD = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledIssue:
    """An issue that asks for work. Its words are its author's: they are data, whoever put the label there."""

    key: str  # of this labelling: taken off and put on again, it is a new request
    project: str
    number: int
    url: str
    title: str
    body: str
    author: str  # login
    heard: bool  # whether its author may ask; if not, a person decides
    labelling: int = 0  # grows with time: who asked first
    hidden: int = 0  # characters that a reader would not have seen; they are gone


class GitHubIntake:
    """Looks for labelled issues. What it remembers only saves requests: whoever takes them counts each key once."""

    def __init__(self, api: GitHubApi, remotes: Mapping[str, Remote], label: str = ASKS) -> None:
        self._api = api
        self._remotes = remotes
        self._label = label
        self._etags = dict[str, str]()
        self._labellings = dict[tuple[str, int, str], EventShown | None]()  # by repository, number and last change

    async def news(self, project: str) -> Sequence[LabelledIssue]:
        """Open issues that have the label, in the order in which they got it. Raises ForgeFailed.

        None if nothing changed since the last look.
        """
        remote = self._remotes[project]
        path, query = f"/repos/{remote.full}/issues", {"labels": self._label, "state": "open"}
        first = await self._api.get(path, etag=self._etags.get(project, ""), per_page="100", page="1", **query)
        if first.status == 304:
            return ()
        entries = list(expect_status(first, f"the issues of {remote.full}").data)
        if first.has_next:
            entries = [entry async for entry in self._api.pages(path, **query)]
        shown = [read(IssueShown, entry, "an issue") for entry in entries]
        asked = [issue for issue in shown if issue.pull_request is None]
        found = [await self._read(project, remote, issue) for issue in asked]
        now = {(remote.full, issue.number, issue.updated_at) for issue in asked}
        self._labellings = {at: event for at, event in self._labellings.items() if at in now or at[0] != remote.full}
        # only now, so that what was not read is asked for again; and it stands for one page only
        self._etags[project] = "" if first.has_next else first.headers.get("etag", "")
        return tuple(sorted(found, key=lambda issue: (issue.labelling, issue.number)))

    def forget(self, project: str) -> None:
        """What was found was not all taken: it is found again at the next look, as it is by then."""
        self._etags.pop(project, None)

    async def _read(self, project: str, remote: Remote, issue: IssueShown) -> LabelledIssue:
        at = (remote.full, issue.number, issue.updated_at)
        if not issue.updated_at or at not in self._labellings:
            self._labellings[at] = await self._labelling(remote, issue.number)
        event = self._labellings[at]
        body = issue.body or ""
        return LabelledIssue(
            key=f"github:{remote.full}#{issue.number}@{event.id if event else 0}",
            project=project,
            number=issue.number,
            url=issue.html_url,
            title=one_line(clean(issue.title), TITLE_MOST),
            body=cut(clean(body), BODY_MOST),
            author=issue.user.login if issue.user else "",
            heard=issue.author_association in HEARD,
            labelling=event.id if event else 0,
            hidden=hidden_in(issue.title) + hidden_in(body),
        )

    async def _labelling(self, remote: Remote, number: int) -> EventShown | None:
        """When the label was last put there."""
        last = None
        async for entry in self._api.pages(f"/repos/{remote.full}/issues/{number}/events"):
            if isinstance(entry, dict) and entry.get("event") == "labeled":
                event = read(EventShown, entry, "an event")
                last = event if event.label and event.label.name == self._label else last
        return last


class IssueDesk:
    """Implements agents.ports.Issues: says on the issue what became of it. Each saying has a key, and is said once."""

    def __init__(self, api: GitHubApi, forge: GitHubForge, label: str = ASKS) -> None:
        self._forge = forge
        self._api = api
        self._label = label

    async def tell(self, key: str, project: str, number: int, text: str) -> None:
        await self._forge.comment(key, project, number, text)

    async def mark_blocked(self, key: str, project: str, number: int, why: str) -> None:
        """Said on the issue, and the label goes. Putting it back asks again."""
        await self._forge.comment(key, project, number, why)
        await self._set_label(project, number, self._label, there=False)

    async def attention(self, key: str, project: str, number: int, why: str) -> None:
        """Three tool errors, the turn limit, a time-out."""
        await self._forge.comment(key, project, number, why)
        await self._set_label(project, number, NEEDS_ATTENTION, there=True)

    async def _set_label(self, project: str, number: int, label: str, *, there: bool) -> None:
        """One that is as it should be is not changed again."""
        full = self._forge.remote(project).full
        path, what = f"/repos/{full}/issues/{int(number)}", f"a label of {full}#{number}"
        for _ in range(TRIES):
            issue = read(IssueShown, expect_status(await self._api.get(path), what).data, what)
            if (label in [one.name for one in issue.labels]) is there:
                return
            try:
                if there:
                    expect_status(await self._api.change("POST", f"{path}/labels", {"labels": [label]}), what)
                else:
                    gone = await self._api.change("DELETE", f"{path}/labels/{quote(label, safe='')}")
                    expect_status(gone, what, 200, 404)
                return
            except Unsure:
                await self._api.wait(SETTLE)
        raise Unsure(what)


class NoIssues:
    """Implements agents.ports.Issues where GitHub is not set up any more."""

    async def tell(self, key: str, project: str, number: int, text: str) -> None:
        raise ForgeFailed(f"Issue {number} of {project} cannot be reached", next_step="Set GITHUB_TOKEN again.")

    mark_blocked = tell
    attention = tell
