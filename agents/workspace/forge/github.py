"""GitHub as a forge: branches pushed by real git, pull requests and comments made once, merges of the approved head."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from agents.domain.checks.remote import RemoteCheck
from agents.domain.ids import derive_id
from agents.domain.text.redact import Redact
from agents.domain.work.git_names import Message, as_signed, commit_message
from agents.ports import ForgeFailed, NoDrafts, Pull, PullRequest, Target
from agents.ports.judging import ANYWHERE
from agents.workspace.forge import github_shapes
from agents.workspace.forge.github_api import GitHubApi, Unsure, expect_status
from agents.workspace.forge.github_checks import CheckReader
from agents.workspace.forge.github_shapes import CommentShown, Merged, PullShown, Repo, User, read
from agents.workspace.forge.remotes import Pushing, Remote, web_of
from agents.workspace.forge.repository import (
    Repository,
    missing_branch,
    require_branch,
    require_commit,
    require_target,
    rewritten_branch,
)

TRIES = 3
SETTLE = 10.0  # seconds after which what was accepted is also shown
READY = "mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { clientMutationId } }"


class GitHubForge:
    """Implements agents.ports.Forge."""

    def __init__(self, api: GitHubApi, remotes: Mapping[str, Remote], redact: Redact) -> None:
        self._api = api
        self._remotes = remotes
        self._redact = redact
        self._pushing = Pushing(api.url, api.token)
        self._login: str | None = None
        self._checks = CheckReader(api, redact)

    async def base(self, project: str, number: int = 0) -> str:
        if number:
            return require_branch((await self._pull(self.remote(project), number)).base.ref)
        return require_branch((await self._repository(project)).default_branch)

    async def open(self, pull: Pull) -> PullRequest:
        branch, head, remote = require_branch(pull.branch), require_commit(pull.head), self.remote(pull.project)
        base = require_branch(pull.into or await self.base(pull.project))
        if branch == base:
            raise ForgeFailed(f"Work cannot be on {base} itself", next_step="Give it a branch of its own.")
        found = await self._found(remote, pull)
        if found and pull.into:
            require_target(found.number, found.base.ref, base)
        if found is None or found.state == "open":
            await self._pushing.push(remote, branch, head, pull.replaces)
            found = found or await self._opened(remote, pull, base)
            await self._label(remote, found.number, pull.labels)
        at = head if found.state == "open" else found.head.sha
        return PullRequest(number=found.number, url=found.html_url, head=at, state=found.standing, draft=found.draft)

    async def _label(self, remote: Remote, number: int, labels: Sequence[str]) -> None:
        """A label that is there already stays; to add it twice is to add it once."""
        if labels:
            path = f"/repos/{remote.full}/issues/{int(number)}/labels"
            answer = await self._api.change("POST", path, {"labels": list(labels)})
            expect_status(answer, f"the label of #{number}", 200)

    async def ready(self, project: str, number: int) -> None:
        """REST cannot say it. Lost answers are looked for before it is said again."""
        remote, what = self.remote(project), f"to mark #{number} as ready"
        for _ in range(TRIES):
            shown = await self._pull(remote, number)
            if not shown.draft or shown.standing != "open":
                return
            try:
                await self._api.graphql(READY, {"id": shown.node_id}, what)
                return
            except Unsure:
                await self._api.wait(SETTLE)
        raise Unsure(what)

    def runs_checks(self, project: str) -> bool:
        return True

    async def checks(self, project: str, commit: str) -> Sequence[RemoteCheck]:
        return await self._checks.read(self.remote(project), require_commit(commit))

    async def comment(self, key: str, project: str, number: int, text: str) -> None:
        """On a pull request or an issue. Ours is known by a mark that nobody sees, and by who wrote it."""
        path = f"/repos/{self.remote(project).full}/issues/{int(number)}/comments"
        mark = _mark(key)
        body = f"{self._harmless(text)}\n\n{mark}"
        for _ in range(TRIES):
            if await self._is_said(path, mark):
                return
            try:
                expect_status(await self._api.change("POST", path, {"body": body}), f"a comment on #{number}", 201)
                return
            except Unsure:
                await self._api.wait(SETTLE)
        if not await self._is_said(path, mark):
            raise Unsure(f"a comment on #{number}")

    async def merge(
        self, project: str, number: int, head: str, message: Message, target: Target = ANYWHERE
    ) -> str | None:
        remote = self.remote(project)
        words = as_signed(message)
        title, _, rest = words.finish(commit_message(self._redact(words.text), "Merge")).partition("\n")
        told = {"commit_title": title.strip(), "commit_message": rest.strip()}
        wish = {**told, "sha": require_commit(head), "merge_method": (await self._repository(project)).method}
        for _ in range(TRIES):
            shown = await self._pull(remote, number)
            merged = shown.standing == "merged"
            require_target(number, shown.base.ref, target.branch or shown.base.ref, merged=merged)
            if merged:
                return shown.merge_commit_sha
            if shown.state != "open":
                raise ForgeFailed(f"#{number} was closed on GitHub", next_step="Open it again there, then press again.")
            if shown.draft:
                step = "Mark it ready for review there, then press again."
                raise ForgeFailed(f"#{number} is a draft on GitHub. Nothing was merged", next_step=step)
            if shown.head.sha != head:
                return None
            await self._still_has(remote, shown.base.ref, target.start)
            try:
                answer = await self._api.change("PUT", f"/repos/{remote.full}/pulls/{int(number)}/merge", wish)
            except Unsure:
                await self._api.wait(SETTLE)
                continue
            if answer.status in (405, 409):
                again = await self._pull(remote, number)  # somebody else may have merged it this moment
                return again.merge_commit_sha if again.standing == "merged" else None
            commit = read(Merged, expect_status(answer, f"the merge of #{number}").data, f"the merge of #{number}").sha
            went = (await self._pull(remote, number)).base.ref  # somebody may have turned it elsewhere this moment
            require_target(number, went, target.branch or went, merged=True)
            return commit
        raise Unsure(f"the merge of #{number}")

    async def _still_has(self, remote: Remote, branch: str, start: str) -> None:
        """Raises ForgeFailed if a branch on GitHub is gone, or has lost the commit that work began from."""
        ours, tip = Repository(remote.commits), await self._pushing.at(remote, require_branch(branch))
        if not tip:
            raise missing_branch(branch)
        if start and not await ours.has(tip):
            await self._pushing.fetch(remote, f"refs/heads/{branch}")
        if start and not await ours.leads_to(start, tip):
            raise rewritten_branch(branch)

    async def publish(self, project: str, branch: str, head: str) -> str:
        await self._pushing.push(self.remote(project), require_branch(branch), require_commit(head))
        return f"git fetch && git switch {branch}"

    async def fetch_branch(self, project: str, branch: str) -> str:
        remote = self.remote(project)
        ours = Repository(remote.commits)
        there = await self._pushing.at(remote, require_branch(branch))
        if there:
            if not await ours.has(there):
                await self._pushing.fetch(remote, f"refs/heads/{branch}")
            await ours.catch_up(branch, there)
        return there

    def remote(self, project: str) -> Remote:
        if project not in self._remotes:
            raise ForgeFailed(f"There is no repository on GitHub for {project}", next_step="Give it a `url` there.")
        return self._remotes[project]

    async def _found(self, remote: Remote, pull: Pull) -> PullShown | None:
        """The pull request of this key; else one that somebody opened for the branch and that is open still."""
        mine, others = None, None
        query = {"state": "all", "head": f"{remote.owner}:{pull.branch}"}
        async for entry in self._api.pages(f"/repos/{remote.full}/pulls", **query):
            shown = read(PullShown, entry, "a pull request")
            whose = shown.head.repo.full_name if shown.head.repo else ""
            if shown.head.ref != pull.branch or whose.casefold() != remote.full.casefold():
                continue
            if _mark(pull.key) in (shown.body or "") and await self._is_mine(shown.user):
                mine = mine or shown
            elif shown.state == "open":
                others = others or shown
        return mine or others

    async def _opened(self, remote: Remote, pull: Pull, base: str) -> PullShown:
        what = f"a pull request for {pull.branch}"
        body = f"{self._harmless(pull.body)}\n\n{_mark(pull.key)}"
        told = {"title": github_shapes.title(self._redact(pull.title)), "head": pull.branch, "base": base, "body": body}
        wish: dict[str, object] = {**told, **({"draft": True} if pull.draft else {})}
        for _ in range(TRIES):
            try:
                answer = await self._api.change("POST", f"/repos/{remote.full}/pulls", wish)
            except Unsure:
                await self._api.wait(SETTLE)
                if there := await self._found(remote, pull):
                    return there
                continue
            if answer.status == 422 and (there := await self._found(remote, pull)):
                return there  # it was there already
            if answer.status == 422 and pull.draft and "draft" in answer.message.casefold():
                step = "Write `config: {draft: none}` for the pull step of its workflow."
                raise NoDrafts(f"GitHub knows no drafts in {remote.full}: {answer.message}", next_step=step)
            return read(PullShown, expect_status(answer, what, 201).data, what)
        raise Unsure(what)

    async def _is_said(self, path: str, mark: str) -> bool:
        async for entry in self._api.pages(path):
            said = read(CommentShown, entry, "a comment")
            if mark in (said.body or "") and await self._is_mine(said.user):
                return True
        return False

    async def _is_mine(self, user: User | None) -> bool:
        """A mark can be copied, a login cannot. An app's token has no login to ask for: a bot it must be then."""
        if self._login is None:
            self._login = await self._my_login()
        if user is None:
            return False
        return user.login == self._login if self._login else user.type == "Bot"

    async def _my_login(self) -> str:
        try:
            reply = await self._api.get("/user")
        except Unsure:
            raise
        except ForgeFailed:
            return ""
        return read(User, reply.data, "me").login if reply.status == 200 else ""

    async def _pull(self, remote: Remote, number: int) -> PullShown:
        what = f"pull request {number} of {remote.full}"
        reply = await self._api.get(f"/repos/{remote.full}/pulls/{int(number)}")
        return read(PullShown, expect_status(reply, what).data, what)

    async def _repository(self, project: str) -> Repo:
        full = self.remote(project).full
        return read(Repo, expect_status(await self._api.get(f"/repos/{full}"), full).data, full)

    def _harmless(self, text: str) -> str:
        return github_shapes.harmless(self._redact(text), urlsplit(web_of(self._api.url)).hostname or "")


def _mark(key: str) -> str:
    return f"<!-- overlord:{derive_id('forge', key)} -->"
