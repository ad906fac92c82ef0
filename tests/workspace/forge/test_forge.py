"""What every forge must do: work is handed over once, as it was approved, and words in it do nothing."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agents.ports import ForgeFailed, Pull, Target
from tests.workspace import repositories as repos
from tests.workspace.forge_rig import PROJECT, RIGS, SECRET, Rig


@pytest.fixture(params=RIGS)
async def rig(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Rig]:
    async with RIGS[request.param](tmp_path) as made:
        yield made


async def test_work_is_for_the_branch_that_the_repository_is_on(rig: Rig) -> None:
    assert await rig.forge.base(PROJECT) == "main"


async def test_opening_brings_the_branch_and_one_pull_request(rig: Rig) -> None:
    main = repos.tip(rig.far, "main")
    pull = rig.pull()
    opened = await rig.forge.open(pull)
    assert (opened.number, opened.head, opened.state) == (1, pull.head, "open")
    assert repos.tip(rig.far, pull.branch) == pull.head
    assert repos.tip(rig.far, "main") == main
    assert [(seen.branch, seen.title, seen.state) for seen in rig.seen()] == [(pull.branch, "Add b", "open")]


async def test_opening_again_finds_it_and_takes_the_new_head(rig: Rig) -> None:
    pull = rig.pull()
    first = await rig.forge.open(pull)
    assert await rig.forge.open(pull) == first
    better = replace(pull, head=repos.commit(rig.ours, {"src/b.py": "b = 2\n"}, on=pull.head))
    again = await rig.forge.open(better)
    assert (again.number, again.head) == (first.number, better.head)
    assert repos.tip(rig.far, pull.branch) == better.head
    assert len(rig.seen()) == 1


async def test_two_pieces_of_work_are_two_pull_requests(rig: Rig) -> None:
    one = await rig.forge.open(rig.pull())
    two = await rig.forge.open(rig.pull({"src/c.py": "c = 1\n"}, key="T-1.2", branch="ai/t-1-2-c"))
    assert (one.number, two.number) == (1, 2)


async def test_a_merge_is_of_exactly_the_approved_head(rig: Rig) -> None:
    pull = rig.pull()
    opened = await rig.forge.open(pull)
    main = repos.tip(rig.far, "main")
    assert await rig.forge.merge(PROJECT, opened.number, main, "Add b") is None, "that is another commit"
    assert repos.tip(rig.far, "main") == main
    merged = await rig.forge.merge(PROJECT, opened.number, pull.head, "Add b\n\nApproved by Ana.")
    assert merged == repos.tip(rig.far, "main")
    assert repos.git(rig.far, "show", "-s", "--format=%P", merged).split() == [main, pull.head]
    assert repos.git(rig.far, "show", f"{merged}:src/b.py") == "b = 1"
    assert repos.git(rig.far, "show", "-s", "--format=%B", merged) == "Add b\n\nApproved by Ana."
    assert [seen.state for seen in rig.seen()] == ["merged"]


async def test_merged_before_is_merged(rig: Rig) -> None:
    pull = rig.pull()
    opened = await rig.forge.open(pull)
    merged = await rig.forge.merge(PROJECT, opened.number, pull.head, "Add b")
    repos.put_on(rig.far, "main", {"x": "later\n"})
    assert await rig.forge.merge(PROJECT, opened.number, pull.head, "Add b") == merged
    assert (await rig.forge.open(pull)).state == "merged"
    assert repos.git(rig.far, "rev-list", "--count", "--merges", "main") == "1"


@pytest.mark.parametrize("kind", ["local, bare", "GitHub"])
async def test_what_others_did_meanwhile_is_kept(tmp_path: Path, kind: str) -> None:
    async with RIGS[kind](tmp_path) as rig:
        pull = rig.pull()
        opened = await rig.forge.open(pull)
        theirs = repos.put_on(rig.far, "main", {"src/other.py": "o = 1\n"})
        merged = await rig.forge.merge(PROJECT, opened.number, pull.head, "Add b")
        assert merged
        assert repos.git(rig.far, "show", "-s", "--format=%P", merged).split() == [theirs, pull.head]
        assert repos.git(rig.far, "show", "main:src/other.py") == "o = 1"


async def test_what_does_not_fit_any_more_is_not_merged(rig: Rig) -> None:
    pull = rig.pull({"src/a.py": "a = 2\n"})
    opened = await rig.forge.open(pull)
    theirs = repos.put_on(rig.far, "main", {"src/a.py": "a = 3\n"})
    assert await rig.forge.merge(PROJECT, opened.number, pull.head, "Change a") is None
    assert repos.tip(rig.far, "main") == theirs
    assert [seen.state for seen in rig.seen()] == ["open"]


def turn_to_another_branch(rig: Rig) -> str:
    """Whoever works there goes on with another branch. Where that is."""
    other = repos.commit(rig.far, {"release": "1\n"}, on=repos.tip(rig.far, "main"))
    repos.git(rig.far, "update-ref", "refs/heads/release", other)
    if (rig.far / ".git").is_dir():
        repos.git(rig.far, "switch", "-q", "release")
    repos.git(rig.far, "symbolic-ref", "HEAD", "refs/heads/release")
    if rig.fake:
        rig.fake.world.repos["acme/shop"].default_branch = "release"
    return other


async def opened_for_main(rig: Rig) -> tuple[Pull, int, Target]:
    start = repos.tip(rig.far, "main")
    pull = rig.pull(into="main")
    return pull, (await rig.forge.open(pull)).number, Target(branch="main", start=start)


@pytest.mark.parametrize("when", ["before it is opened", "before it is merged"])
async def test_a_merge_goes_where_it_was_asked_for_whatever_is_checked_out(rig: Rig, when: str) -> None:
    start = repos.tip(rig.far, "main")
    other = turn_to_another_branch(rig) if when == "before it is opened" else ""
    pull, number, target = await opened_for_main(rig)
    other = other or turn_to_another_branch(rig)
    assert await rig.forge.base(PROJECT) == "release" and await rig.forge.base(PROJECT, number) == "main"
    merged = await rig.forge.merge(PROJECT, number, pull.head, "Add b", target)
    assert merged == repos.tip(rig.far, "main") and repos.tip(rig.far, "release") == other
    assert repos.git(rig.far, "show", "-s", "--format=%P", merged).split() == [start, pull.head]


async def test_a_branch_that_is_gone_is_told_and_nothing_is_merged_elsewhere(rig: Rig) -> None:
    pull, number, target = await opened_for_main(rig)
    other = turn_to_another_branch(rig)
    repos.git(rig.far, "update-ref", "-d", "refs/heads/main")
    with pytest.raises(ForgeFailed, match=r"no branch main any more\. Nothing was merged"):
        await rig.forge.merge(PROJECT, number, pull.head, "Add b", target)
    assert repos.tip(rig.far, "release") == other and not repos.tip(rig.far, "main")
    assert [seen.state for seen in rig.seen()] == ["open"]


async def test_what_was_taken_out_of_a_branch_does_not_come_back_with_a_merge(rig: Rig) -> None:
    """The branch is rewritten under the work: its own diff is what was shown, and a merge would bring more."""
    before = repos.tip(rig.far, "main")
    repos.put_on(rig.far, "main", {"key.txt": "published by mistake\n"})
    repos.git(rig.ours, "fetch", "-q", str(rig.far), "+refs/heads/main:refs/heads/main")
    pull, number, target = await opened_for_main(rig)
    repos.git(rig.far, "update-ref", "refs/heads/main", before)
    with pytest.raises(ForgeFailed, match=r"main was rewritten.*Nothing was merged"):
        await rig.forge.merge(PROJECT, number, pull.head, "Add b", target)
    assert repos.tip(rig.far, "main") == before and [seen.state for seen in rig.seen()] == ["open"]


async def test_one_that_is_open_for_another_branch_is_not_taken(rig: Rig) -> None:
    pull, number, target = await opened_for_main(rig)
    other, main = turn_to_another_branch(rig), repos.tip(rig.far, "main")
    with pytest.raises(ForgeFailed, match="is for the branch main, but release was shown"):
        await rig.forge.open(replace(pull, into="release"))
    with pytest.raises(ForgeFailed, match="is for the branch main, but release was shown"):
        await rig.forge.merge(PROJECT, number, pull.head, "Add b", replace(target, branch="release"))
    assert (repos.tip(rig.far, "main"), repos.tip(rig.far, "release")) == (main, other)


async def test_a_comment_is_made_once_for_each_key_where_people_read_it(rig: Rig) -> None:
    opened = await rig.forge.open(rig.pull())
    for key, text in (("k1", "The tests pass."), ("k1", "The tests pass."), ("k2", "They still do.")):
        await rig.forge.comment(key, PROJECT, opened.number, text)
    (seen,) = rig.seen()
    assert len(seen.comments) == (2 if rig.fake else 0)
    assert not rig.fake or "The tests pass." in seen.comments[0]


async def test_a_draft_is_opened_once_and_is_one_until_it_is_ready(rig: Rig) -> None:
    pull = rig.pull(draft=True)
    opened = await rig.forge.open(pull)
    assert (opened.number, opened.state, opened.draft) == (1, "open", True)
    assert await rig.forge.open(pull) == opened
    better = replace(pull, head=repos.commit(rig.ours, {"src/b.py": "b = 2\n"}, on=pull.head))
    assert (await rig.forge.open(better)).draft and repos.tip(rig.far, pull.branch) == better.head
    assert [(seen.draft, seen.state) for seen in rig.seen()] == [(True, "open")]
    for _ in range(2):
        await rig.forge.ready(PROJECT, opened.number)
    again = await rig.forge.open(better)
    assert (again.number, again.draft) == (1, False), "what is ready is not made a draft again"
    assert [(seen.draft, seen.state) for seen in rig.seen()] == [(False, "open")]


async def test_a_draft_is_not_merged_before_it_is_ready(rig: Rig) -> None:
    pull, main = rig.pull(draft=True), repos.tip(rig.far, "main")
    opened = await rig.forge.open(pull)
    with pytest.raises(ForgeFailed, match=r"#1 is a draft.*Nothing was merged"):
        await rig.forge.merge(PROJECT, opened.number, pull.head, "Add b")
    assert repos.tip(rig.far, "main") == main
    await rig.forge.ready(PROJECT, opened.number)
    merged = await rig.forge.merge(PROJECT, opened.number, pull.head, "Add b")
    assert merged and merged == repos.tip(rig.far, "main")
    await rig.forge.ready(PROJECT, opened.number)
    assert [(seen.draft, seen.state) for seen in rig.seen()] == [(False, "merged")]


async def test_checks_are_read_where_a_forge_runs_some(rig: Rig) -> None:
    pull = rig.pull()
    await rig.forge.publish(PROJECT, pull.branch, pull.head)
    assert rig.forge.runs_checks(PROJECT) is bool(rig.fake)
    assert await rig.forge.checks(PROJECT, pull.head) == ()
    with pytest.raises(ForgeFailed, match="nowhere"):
        await rig.forge.ready("nowhere", 1)


async def test_a_branch_with_somebody_elses_commits_is_left_alone(rig: Rig) -> None:
    pull = rig.pull()
    other = repos.commit(rig.far, {"src/b.py": "mine\n"}, on=repos.tip(rig.far, "main"), who="Bob")
    repos.git(rig.far, "update-ref", f"refs/heads/{pull.branch}", other)
    with pytest.raises(ForgeFailed, match="did not make"):
        await rig.forge.open(pull)
    assert repos.tip(rig.far, pull.branch) == other


@pytest.mark.parametrize(
    "branch", ["--upload-pack=x", "$(x)", "a..b", "x.lock", "a/.b", "-x", "", "a b", "x" * 300, "ai/x\n", "refs/../x"]
)
async def test_a_branch_that_git_could_mistake_is_refused(rig: Rig, branch: str) -> None:
    with pytest.raises(ForgeFailed):
        await rig.forge.open(rig.pull(branch=branch))
    assert repos.git(rig.far, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


async def test_work_is_never_on_the_base_itself_and_a_head_is_a_commit(rig: Rig) -> None:
    for odd in (rig.pull(branch="main"), rig.pull(head="HEAD"), rig.pull(head="--all")):
        with pytest.raises(ForgeFailed):
            await rig.forge.open(odd)
    assert rig.seen() == []


async def test_secrets_reach_neither_the_pull_request_nor_the_history(rig: Rig) -> None:
    pull = rig.pull(title=f"Use {SECRET}", body=f"With {SECRET[:20]}\n{SECRET[20:]} in it")
    opened = await rig.forge.open(pull)
    await rig.forge.comment("k", PROJECT, opened.number, f"token={SECRET}")
    assert bool(rig.seen()[0].comments) is bool(rig.fake)
    merged = await rig.forge.merge(PROJECT, opened.number, pull.head, f"Use {SECRET}")
    assert merged
    (seen,) = rig.seen()
    shown = "".join((seen.title, seen.body, *seen.comments, repos.git(rig.far, "show", "-s", "--format=%B", merged)))
    assert SECRET not in "".join(shown.split())
    assert "[secret]" in seen.title


async def test_words_in_a_message_do_nothing_in_the_history(rig: Rig) -> None:
    """Attack 50."""
    pull = rig.pull()
    opened = await rig.forge.open(pull)
    hostile = "Add b [skip ci]\n\nFine.\n\n[ci skip]\nSigned-off-by: Lead <lead@example.com>\nCo-authored-by: X <x@x>"
    merged = await rig.forge.merge(PROJECT, opened.number, pull.head, hostile)
    assert merged
    told = repos.git(rig.far, "show", "-s", "--format=%B", merged)
    assert "skip" not in told
    assert repos.git(rig.far, "show", "-s", "--format=%(trailers)", merged) == ""
    assert "Lead" not in repos.git(rig.far, "show", "-s", "--format=%an %cn", merged)


async def test_something_that_is_not_there_is_told(rig: Rig) -> None:
    with pytest.raises(ForgeFailed):
        await rig.forge.merge(PROJECT, 99, "a" * 40, "x")
    with pytest.raises(ForgeFailed):
        await rig.forge.comment("k", PROJECT, 99, "x")
    with pytest.raises(ForgeFailed, match="nowhere"):
        await rig.forge.base("nowhere")
