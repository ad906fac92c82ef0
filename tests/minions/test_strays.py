"""A formatter that ran over the tree: what it changed beside the work is offered to be put back, and ends nothing."""

import stat

from agents.ports import Finished
from tests.minions.field import DONE, DONE_AND_BACK, Field, differing, directory

FORMATS = "for f in $(git ls-files); do echo >> $f; done; echo new > stray.txt; rm tests/test_codes.py"
OVER_THE_TREE = [("run_command", {"command": FORMATS})]
WORK = [("write_file", {"path": "shortlinks/work.py", "content": "x = 1\n"})]


async def test_it_is_offered_at_the_end_and_accepted_there(ground: Field) -> None:
    ground.scope, ground.watches_scope = directory("shortlinks/work.py"), True
    outcome, talker = await ground.run(WORK, OVER_THE_TREE, DONE, DONE_AND_BACK)
    assert isinstance(outcome, Finished)
    told = str(talker.heard[-1][-1]["content"])
    assert told.startswith("Not taken yet: ") and "README.md: outside what this subtask may write" in told
    assert "put_back set to true" in told and "request_scope" in told
    assert differing(ground.root) == ["shortlinks/work.py"], "what was there is as it was, what is new is gone"


async def test_it_is_put_back_by_a_tool_all_or_by_name(ground: Field) -> None:
    ground.scope, ground.watches_scope = directory("shortlinks/work.py"), True
    one = [("put_back", {"paths": ["README.md"]})]
    outcome, talker = await ground.run(WORK, OVER_THE_TREE, one, [("put_back", {})], [("put_back", {})], DONE)
    assert isinstance(outcome, Finished) and differing(ground.root) == ["shortlinks/work.py"]
    told = [str(message["content"]) for message in talker.heard[-1] if message["role"] == "tool"]
    assert told[2].startswith("1 file put back") and "README.md" not in told[3]
    assert told[4] == "Nothing is changed outside your scope."


async def test_what_is_not_put_back_is_said_three_times_and_then_left_to_the_gate(ground: Field) -> None:
    ground.scope, ground.watches_scope = directory("shortlinks/work.py"), True
    outcome, talker = await ground.run(WORK, OVER_THE_TREE, DONE, DONE, DONE, DONE)
    assert isinstance(outcome, Finished)
    assert sum("Not taken yet" in str(message["content"]) for message in talker.heard[-1]) == 3
    assert len(differing(ground.root)) > 5


async def test_the_offer_holds_however_often_it_was_made(ground: Field) -> None:
    ground.scope, ground.watches_scope = directory("shortlinks/work.py"), True
    outcome, _ = await ground.run(WORK, OVER_THE_TREE, DONE, DONE, DONE, DONE_AND_BACK)
    assert isinstance(outcome, Finished) and differing(ground.root) == ["shortlinks/work.py"]


async def test_files_come_back_with_their_mode_and_links_are_not_followed(ground: Field) -> None:
    ground.scope, ground.watches_scope = directory("shortlinks/work.py"), True
    away = ground.root.parent / "away"
    away.mkdir()
    (away / "test_cli.py").write_text("not ours")
    (ground.root / "README.md").unlink()
    (ground.root / "README.md").symlink_to(away / "test_cli.py")
    (ground.root / "pyproject.toml").chmod(0o755)
    (ground.root / "pyproject.toml").write_text("changed")
    await ground.run(WORK, [("put_back", {})], DONE)
    assert not (ground.root / "README.md").is_symlink() and (away / "test_cli.py").read_text() == "not ours"
    assert not (ground.root / "pyproject.toml").stat().st_mode & stat.S_IXUSR
    (ground.root / "tests").rename(ground.root.parent / "tests-away")
    (ground.root / "tests").symlink_to(away)
    ground.attempt, ground.watches_scope = 2, False
    _, talker = await ground.run([("put_back", {"paths": ["tests/test_cli.py"]})], DONE)
    assert "Not put back: tests/test_cli.py" in str(talker.heard[-1][-1]["content"])
    assert (away / "test_cli.py").read_text() == "not ours", "a link in a folder's place leads nowhere"
