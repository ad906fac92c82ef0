"""What becomes of a post when Slack answers badly, slowly or not at all."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest

from agents.domain.ids import Account, Thread
from bot.messages import Arrow, Attached, Card, Gone, Graph, Later, Node, Refused, Shut, Unsure
from bot.platforms.slack.platform import SlackPlatform
from bot.platforms.slack.web_client import Pace, SlackClient
from tests.bot.slack_plan import PLAN
from tests.conformance.slack_rig import ANA, SlackRig, open_rig
from tests.fakes.ports import free_port
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.slack.faults import Fault
from tests.fakes.slack.listening import options_for
from tests.fakes.slack.world import BOT_USER

CARD = Card(title="T-1 · add login", text="Being planned")
POST = "chat.postMessage"


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[SlackRig]:
    async with AsyncExitStack() as stack:
        yield await open_rig(stack, tmp_path)


@pytest.mark.parametrize("fault", [Fault.RESET_AFTER, Fault.ERROR_AFTER, Fault.NOT_JSON, Fault.PLAIN_TEXT])
async def test_a_lost_answer_is_unsure_and_the_post_is_found(rig: SlackRig, fault: Fault) -> None:
    thread = await rig.thread()
    rig.fake.server.faults.plan(POST, fault)
    with pytest.raises(Unsure):
        await rig.platform.post(thread, "status:T-1", CARD)
    (posted,) = rig.fake.posts()
    assert len(rig.fake.calls(POST)) == 1, "the SDK must not send it again by itself"
    assert await rig.platform.find(thread, "status:T-1") == posted.ts


@pytest.mark.parametrize("fault", [Fault.RESET_BEFORE, Fault.ERROR_BEFORE, Fault.REFUSED])
async def test_a_request_that_may_not_have_arrived_is_unsure_and_not_found(rig: SlackRig, fault: Fault) -> None:
    thread = await rig.thread()
    rig.fake.server.faults.plan(POST, fault, detail="internal_error")
    with pytest.raises(Unsure):
        await rig.platform.post(thread, "status:T-1", CARD)
    assert await rig.platform.find(thread, "status:T-1") is None


async def test_a_limit_says_when_and_holds_up_only_its_own_kind(rig: SlackRig) -> None:
    thread = await rig.thread()
    id = await rig.platform.post(thread, "status:T-1", CARD)
    rig.fake.server.faults.plan(POST, Fault.RATE_LIMITED, seconds=7)
    with pytest.raises(Later) as told:
        await rig.platform.post(thread, "reply:1", CARD)
    assert told.value.seconds == 7
    with pytest.raises(Later) as again:
        await rig.platform.post(thread, "reply:2", CARD)
    assert again.value.seconds == pytest.approx(7, abs=1)
    assert len(rig.fake.calls(POST)) == 2, "Slack is not asked again before its time"
    await rig.platform.edit(thread, id, CARD)
    rig.fake.world.add_channel("C0OTHER", "other", {BOT_USER, ANA})
    other = Thread(f"slack:T0TEAM:C0OTHER:{rig.fake.say(ANA, 'C0OTHER', 'x')}")
    await rig.platform.post(other, "reply:3", CARD)


async def test_a_slack_that_cannot_be_reached_took_nothing(rig: SlackRig) -> None:
    async with aiohttp.ClientSession() as session:
        options = replace(options_for(rig.fake, "socket"), api_url=f"http://127.0.0.1:{free_port()}/api/")
        away = SlackPlatform(SlackClient(options, session), Pace(0.0))
        with pytest.raises(Later):
            await away.post(await rig.thread(), "status:T-1", CARD)


async def test_a_slow_answer_is_given_up_and_found(rig: SlackRig) -> None:
    thread = await rig.thread()
    rig.fake.server.faults.plan(POST, Fault.SLOW, seconds=5)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await rig.platform.post(thread, "status:T-1", CARD)
    assert await rig.platform.find(thread, "status:T-1")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("channel_not_found", Shut),
        ("is_archived", Shut),
        ("not_in_channel", Shut),
        ("invalid_blocks", Refused),
        ("restricted_action", Shut),
        ("an_error_nobody_knows", Refused),
        ("invalid_auth", Later),
        ("token_revoked", Later),
        ("ratelimited", Later),
        ("fatal_error", Unsure),
    ],
)
async def test_each_refusal_means_what_it_means(rig: SlackRig, error: str, kind: type[Exception]) -> None:
    rig.fake.server.faults.plan(POST, Fault.REFUSED, detail=error)
    with pytest.raises(kind) as told:
        await rig.platform.post(await rig.thread(), "status:T-1", CARD)
    assert type(told.value) is kind


async def test_a_missing_scope_names_what_the_app_needs(rig: SlackRig) -> None:
    rig.fake.server.scopes -= {"reactions:write"}
    thread = await rig.thread()
    with pytest.raises(Refused, match="reactions:write"):
        await rig.platform.mark_seen(thread, thread.rpartition(":")[2])


async def test_where_it_may_not_read_it_does_not_post_again(rig: SlackRig) -> None:
    rig.fake.server.scopes -= {"channels:history"}
    with pytest.raises(Unsure):
        await rig.platform.find(await rig.thread(), "status:T-1")


async def test_a_reply_below_a_deleted_message_does_not_stay_at_the_top(rig: SlackRig) -> None:
    thread = await rig.thread()
    rig.fake.delete(CHANNEL, thread.rpartition(":")[2])
    with pytest.raises(Gone):
        await rig.platform.post(thread, "decision:1", CARD)
    assert rig.fake.posts() == []
    rig.fake.server.faults.plan(POST, Fault.RESET_AFTER)
    with pytest.raises(Unsure):
        await rig.platform.post(thread, "decision:2", CARD)
    with pytest.raises(Gone):
        await rig.platform.find(thread, "decision:2")
    assert rig.fake.posts() == []


async def test_an_edit_takes_the_old_buttons_away_and_keeps_the_key(rig: SlackRig) -> None:
    thread = await rig.thread()
    id = await rig.platform.post(thread, "decision:1", PLAN)
    await rig.platform.edit(thread, id, Card(title="Decided"))
    (shown,) = rig.fake.answers(CHANNEL, thread.rpartition(":")[2])
    assert (shown.labels, shown.edited) == ((), True)
    assert await rig.platform.find(thread, "decision:1") == id


async def test_a_whisper_to_someone_who_left_slack_is_refused(rig: SlackRig) -> None:
    with pytest.raises(Refused):
        await rig.platform.whisper(await rig.thread(), Account("slack:T0TEAM:U0GONE"), "whisper:1", CARD)


async def test_what_did_not_fit_is_attached_once_and_its_loss_costs_nothing(rig: SlackRig) -> None:
    thread, long = await rig.thread(), replace(CARD, text="word " * 5_000)
    id = await rig.platform.post(thread, "decision:1", long)
    await rig.platform.edit(thread, id, long)
    card, file = rig.fake.answers(CHANNEL, thread.rpartition(":")[2])
    assert "more characters" in card.words
    assert long.text.strip() in file.files[0]
    rig.fake.server.scopes -= {"files:write"}
    assert await rig.platform.post(thread, "decision:2", long)


DIFF = replace(CARD, files=(Attached(name="T-1.diff", text="+one\n-two\n"),))


@pytest.mark.parametrize("fault", [Fault.RESET_AFTER, Fault.ERROR_AFTER, Fault.NOT_JSON])
async def test_a_diff_whose_card_was_posted_without_an_answer_comes_once(rig: SlackRig, fault: Fault) -> None:
    thread = await rig.thread()
    rig.fake.server.faults.plan(POST, fault)
    with pytest.raises(Unsure):
        await rig.platform.post(thread, "decision:1", DIFF)
    for _ in range(2):  # the outbox looks, then edits; and later once more
        found = await rig.platform.find(thread, "decision:1")
        assert found
        await rig.platform.edit(thread, found, DIFF)
    card, file = rig.fake.answers(CHANNEL, thread.rpartition(":")[2])
    assert card.ts == found and file.files == ("+one\n-two\n",)


@pytest.mark.parametrize("fault", [Fault.RESET_AFTER, Fault.ERROR_AFTER, Fault.NOT_JSON, Fault.PLAIN_TEXT])
async def test_a_diff_whose_own_answer_was_lost_is_not_sent_again(rig: SlackRig, fault: Fault) -> None:
    thread = await rig.thread()
    rig.fake.server.faults.plan("files.completeUploadExternal", fault)
    id = await rig.platform.post(thread, "decision:1", DIFF)
    assert await rig.platform.find(thread, "decision:1") == id
    await rig.platform.edit(thread, id, DIFF)
    assert [m.files for m in rig.fake.answers(CHANNEL, thread.rpartition(":")[2])] == [(), ("+one\n-two\n",)]


async def test_the_diff_of_a_newer_card_comes_though_an_older_one_has_the_same_name(rig: SlackRig) -> None:
    thread = await rig.thread()
    await rig.platform.post(thread, "decision:1", DIFF)
    rig.fake.server.faults.plan(POST, Fault.RESET_AFTER)
    with pytest.raises(Unsure):
        await rig.platform.post(thread, "decision:2", DIFF)
    await rig.platform.edit(thread, await rig.platform.find(thread, "decision:2") or "", DIFF)
    assert [len(m.files) for m in rig.fake.answers(CHANNEL, thread.rpartition(":")[2])] == [0, 1, 0, 1]


@pytest.mark.parametrize("method", [POST, "conversations.open", "chat.postEphemeral"])
async def test_a_long_text_for_one_person_is_a_direct_message_and_comes_once(rig: SlackRig, method: str) -> None:
    thread = await rig.thread()
    rig.fake.server.faults.plan(method, Fault.RESET_AFTER)
    with pytest.raises(Unsure):
        await rig.platform.whisper(thread, rig.ana, "whisper:1", DIFF)
    await rig.platform.whisper(thread, rig.ana, "whisper:1", DIFF)
    direct = rig.fake.world.direct(ANA).id
    sent = [m.shown() for m in rig.fake.world.messages if m.channel == direct]
    assert [m.files for m in sent] == [(), ("+one\n-two\n",)] and "Being planned" in sent[0].text
    note = rig.fake.thread(CHANNEL, thread.rpartition(":")[2], ANA)[-1]
    assert note.ephemeral and "direct message" in note.words and "direct message" in note.text


async def test_a_message_has_an_address(rig: SlackRig) -> None:
    thread = await rig.thread()
    id = await rig.platform.post(thread, "decision:1", CARD)
    link = await rig.platform.permalink(thread, id)
    assert link.startswith(f"https://acme.slack.com/archives/{CHANNEL}/p{id.replace('.', '')}?thread_ts=")
    with pytest.raises(Gone):
        await rig.platform.permalink(thread, "1.1")


async def test_a_plan_comes_with_its_picture_once(rig: SlackRig) -> None:
    nodes = (Node(id="1", label="model", column=0), Node(id="2", label="api", column=1))
    graph = Graph(nodes=nodes, arrows=(Arrow(start="1", end="2"),), text="2 after 1")
    thread, plan = await rig.thread(), replace(CARD, graph=graph)
    id = await rig.platform.post(thread, "decision:1", plan)
    await rig.platform.edit(thread, id, plan)
    _, picture = rig.fake.answers(CHANNEL, thread.rpartition(":")[2])
    assert "PNG" in picture.files[0][:8]


async def test_every_message_has_words_for_a_notification_and_unfurls_nothing(rig: SlackRig) -> None:
    thread = await rig.thread()
    await rig.platform.post(thread, "status:T-1", CARD)
    await rig.platform.whisper(thread, rig.ana, "whisper:1", CARD)
    assert rig.fake.api.missing_text == []
    assert rig.fake.posts()[0].unfurls == (False, False)


async def test_one_message_a_second_goes_into_a_channel_and_none_is_lost() -> None:
    pace = Pace(0.2)
    clock = asyncio.get_running_loop().time
    times = []
    for _ in range(4):
        await pace.turn("C1")
        times.append(clock())
    assert all(at - times[0] >= 0.2 * number - 0.01 for number, at in enumerate(times))
    slow = Pace(3600.0)
    await slow.turn("C1")
    await slow.turn("C2")  # another channel does not wait
    crowd = Pace(1.0)
    turns = await asyncio.gather(*(crowd.turn("C1") for _ in range(6)), return_exceptions=True)
    assert sum(isinstance(turn, Later) for turn in turns) == 3, "a long wait is the outbox's"


async def test_slacks_own_limit_is_kept_at_the_default_pace(rig: SlackRig) -> None:
    """Three in a burst, then one a second: what comes faster is refused with 429 (P12)."""
    rig.fake.server.pace.per_second = 5.0
    thread = await rig.thread()
    platform = SlackPlatform(rig.platform._client, Pace(0.25))
    for number in range(6):
        await platform.post(thread, f"reply:{number}", CARD)
    assert rig.fake.server.pace.refused == 0
