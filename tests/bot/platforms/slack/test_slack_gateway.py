"""What is heard from Slack, over the wire, in Socket Mode and by signed HTTP."""

from collections.abc import AsyncIterator

import pytest

from agents.domain.errors import SettingsProblem
from bot.messages import Card
from tests.bot.slack_plan import ANA, BO, DECISION, HERE, PLAN, plan_in
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.slack.faults import Fault
from tests.fakes.slack.listening import HTTP, SOCKET, Listening, listening
from tests.fakes.slack.people import MENTION
from tests.fakes.slack.shown import words_of
from tests.fakes.slack.world import BOT_USER, TEAM


@pytest.fixture(params=[SOCKET, HTTP])
async def here(request: pytest.FixtureRequest) -> AsyncIterator[Listening]:
    async with listening(request.param) as there:
        there.fake.world.add_user(ANA, "Ana")
        yield there


# ── words ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_mention_comes_as_two_events_and_is_heard_once(here: Listening) -> None:
    for number in range(6):  # in either order
        here.fake.say(ANA, CHANNEL, f"{MENTION} add login {number}")
    await here.fake.deliveries.settled()
    assert sorted(said.text for said in here.said) == [f"add login {number}" for number in range(6)]
    assert here.again == 6
    said = here.said[0]
    assert said.by == f"slack:{TEAM}:{ANA}"
    assert said.name == "Ana"
    assert said.channel == HERE
    assert said.thread == f"{HERE}:{said.message}"
    assert (said.mentions_bot, said.direct, said.addresses_other) == (True, False, False)
    assert all(sent.ok and sent.attempts == 1 for sent in here.fake.deliveries.sent)


async def test_replies_and_direct_messages_are_told_apart(here: Listening) -> None:
    root = here.fake.say(ANA, CHANNEL, f"{MENTION} lunch?")
    await here.fake.deliveries.settled()
    here.fake.say(BO, CHANNEL, f"<@{ANA}> sure &amp; soon, see <https://x.example|the page> in <#C1|general>", root)
    direct = here.fake.world.direct(ANA).id
    here.fake.say(ANA, direct, "status")
    await here.fake.deliveries.settled()
    first, reply, private = sorted(here.said, key=lambda said: float(said.message))
    assert first.mentions_bot
    assert reply.thread == f"{HERE}:{root}"
    assert reply.began_by == first.by
    assert reply.addresses_other
    assert reply.text == "@Ana sure & soon, see the page (https://x.example) in #general"
    assert private.direct
    assert private.thread == f"slack:{TEAM}:{direct}:{private.message}"


async def test_what_people_say_to_each_other_is_not_taken_in(here: Listening) -> None:
    root = here.fake.say(ANA, CHANNEL, "shall we fire Bo?")
    here.fake.say(BO, CHANNEL, f"<@{ANA}> I can read this", root)
    here.fake.edit(ANA, CHANNEL, root, f"shall we promote Bo, {MENTION}?")
    await here.fake.deliveries.settled()
    assert here.fake.calls("users.info") == [], "nobody is asked about either"
    here.fake.react(ANA, CHANNEL, root, "octagonal_sign")
    await here.fake.deliveries.settled()
    assert here.heard == []
    assert here.fake.unacknowledged == []


async def test_a_thread_is_ours_from_the_words_that_made_it_so(here: Listening) -> None:
    root = here.fake.say(ANA, CHANNEL, "the login is slow")
    here.fake.say(BO, CHANNEL, "is it?", root)
    asked = here.fake.say(BO, CHANNEL, f"{MENTION} make it quick", root)
    await here.fake.deliveries.settled()
    here.fake.say(ANA, CHANNEL, "thank you", root)
    here.fake.edit(ANA, CHANNEL, root, "the login was slow")
    here.fake.edit(BO, CHANNEL, asked, f"{MENTION} make it quicker")
    await here.fake.deliveries.settled()
    assert [said.text for said in here.said] == ["make it quick", "thank you"]
    assert [edited.text for edited in here.edited] == ["make it quicker"]
    assert here.said[0].began_by == f"slack:{TEAM}:{ANA}"


async def test_an_edit_is_heard_and_what_slack_changes_by_itself_is_not(here: Listening) -> None:
    ts = here.fake.say(ANA, CHANNEL, f"{MENTION} add login")
    await here.fake.deliveries.settled()
    here.fake.unfurl(CHANNEL, ts)
    here.fake.edit(ANA, CHANNEL, ts, f"{MENTION} add log-out")
    await here.fake.deliveries.settled()
    (edited,) = here.edited
    assert (edited.text, edited.message, edited.by) == ("add log-out", ts, f"slack:{TEAM}:{ANA}")
    assert edited.thread == f"{HERE}:{ts}"
    here.fake.delete(CHANNEL, ts)
    await here.fake.deliveries.settled()
    assert len(here.heard) == 2


async def test_a_stop_sign_is_the_word_stop(here: Listening) -> None:
    thread, plan = await plan_in(here)
    here.fake.react(BO, CHANNEL, plan, "octagonal_sign")
    here.fake.react(ANA, CHANNEL, thread, "octagonal_sign")
    here.fake.react(BO, CHANNEL, thread, "octagonal_sign")  # on somebody else's message it means nothing
    here.fake.react(BO, CHANNEL, plan, "thumbsup")
    await here.fake.deliveries.settled()
    stops = [said for said in here.said if said.text == "stop"]
    assert {(s.by, s.mentions_bot) for s in stops} == {
        (f"slack:{TEAM}:{BO}", True),
        (f"slack:{TEAM}:{ANA}", False),
    }
    assert {s.thread for s in stops} == {f"{HERE}:{thread}"}
    await here.platform.mark_seen(stops[0].thread, stops[0].message)


async def test_what_nobody_listens_to_is_acknowledged_all_the_same(here: Listening) -> None:
    here.fake.deliveries.event({"type": "channel_rename", "channel": {"id": "C1", "name": "new"}})
    here.fake.deliveries.event({"type": "message", "channel": CHANNEL, "subtype": "channel_join", "user": ANA})
    here.fake.deliveries.event({"type": "message", "channel": CHANNEL, "user": ANA, "text": {"odd": 1}})
    for kind in ("shortcut", "message_action", "view_closed", "block_suggestion", "never_heard_of"):
        sent = await here.fake.deliveries.interaction("interactive", {"type": kind, "team": {"id": TEAM}})
        assert sent.ok, kind
    await here.fake.deliveries.settled()
    assert here.fake.unacknowledged == []
    assert here.heard == []


# ── presses, forms, commands ────────────────────────────────────────────────────────────────────────────────────


async def test_a_press_names_its_token_its_message_and_its_presser(here: Listening) -> None:
    thread, plan = await plan_in(here)
    await here.fake.press(BO, CHANNEL, plan, "Approve plan")
    await here.fake.press(BO, CHANNEL, plan, "Snooze")
    first, second = here.pressed
    assert first.token == f"{DECISION}.a"
    assert (first.message, first.thread, first.channel) == (plan, f"{HERE}:{thread}", HERE)
    assert (first.by, first.words) == (f"slack:{TEAM}:{BO}", "")
    assert second.token == f"{DECISION}.d"


async def test_a_button_that_asks_opens_a_form_and_the_form_is_the_press(here: Listening) -> None:
    thread, plan = await plan_in(here)
    await here.fake.press(BO, CHANNEL, plan, "Request changes")
    await here.until(lambda: here.fake.form(BO))
    assert here.pressed == []
    form = here.fake.form(BO)
    assert form
    assert "What should change?" in words_of(form.body["blocks"])
    sent = await here.fake.submit(BO, "smaller steps, please")
    assert sent.ok
    (pressed,) = here.pressed
    assert (pressed.token, pressed.words) == (f"{DECISION}.b", "smaller steps, please")
    assert (pressed.message, pressed.thread) == (plan, f"{HERE}:{thread}")


async def test_a_menu_entry_that_wants_confirming_is_asked_for(here: Listening) -> None:
    _, plan = await plan_in(here)
    await here.fake.press(ANA, CHANNEL, plan, "Cancel task")
    await here.until(lambda: here.fake.form(ANA))
    assert here.pressed == []
    await here.fake.submit(ANA)
    assert [pressed.token for pressed in here.pressed] == [f"{DECISION}.e"]


async def test_a_form_that_does_not_open_is_said_so(here: Listening) -> None:
    thread, plan = await plan_in(here)
    here.fake.server.faults.plan("views.open", Fault.REFUSED, detail="expired_trigger_id")
    await here.fake.press(ANA, CHANNEL, plan, "Request changes")
    await here.until(lambda: any(s.ephemeral for s in here.fake.thread(CHANNEL, thread, ANA)))
    assert "did not open" in here.fake.thread(CHANNEL, thread, ANA)[-1].words


async def test_a_slash_command_starts_a_thread_below_what_was_asked(here: Listening) -> None:
    sent = await here.fake.command(ANA, CHANNEL, "add login &amp; log-out")
    assert sent.ok
    (said,) = here.said
    (anchor,) = here.fake.root(CHANNEL)
    assert (said.text, said.mentions_bot) == ("add login & log-out", True)
    assert said.thread == f"{HERE}:{anchor.ts}"
    assert anchor.words == f"@{ANA} asked: add login & log-out"
    await here.platform.post(said.thread, "status:T-1", PLAN)
    assert len(here.fake.answers(CHANNEL, anchor.ts)) == 2


async def test_a_slash_command_where_the_bot_is_not_goes_on_in_private(here: Listening) -> None:
    here.fake.world.add_channel("C0OTHER", "other", {ANA})
    await here.fake.command(ANA, "C0OTHER", "")
    (said,) = here.said
    assert said.text == "help"
    assert said.direct
    assert said.channel == f"slack:{TEAM}:D{ANA}"


async def test_the_home_shows_what_needs_somebody_and_its_buttons_say_what_was_shown() -> None:
    asked: list[str] = []

    async def needs(account: str) -> tuple[list[Card], int]:
        asked.append(account)
        return ([PLAN], 42) if len(asked) == 1 else ([], 0)

    async with listening(SOCKET, needs=needs) as here:
        here.fake.open_home(ANA)
        await here.until(lambda: here.fake.home(ANA))
        assert "… and 41 more: say `what needs me` to me, and I list all of them." in words_of(here.fake.home(ANA))
        assert asked == [f"slack:{TEAM}:{ANA}"]
        await here.fake.press_home(ANA, "Approve plan")
        (pressed,) = here.pressed
        assert (pressed.message, pressed.shown, pressed.token) == ("", "f" * 32, f"{DECISION}.a")
        await here.until(lambda: "Nothing needs you" in words_of(here.fake.home(ANA)))


# ── identity (attacks 7, 15, 16) ────────────────────────────────────────────────────────────────────────────────


async def test_bots_webhooks_and_our_own_echo_are_not_heard(here: Listening) -> None:
    words = f"{MENTION} approve"
    here.fake.say("U0ROBOT", CHANNEL, words, bot_id="B0OTHER", subtype="bot_message")
    here.fake.say("", CHANNEL, words, bot_id="B0HOOK", subtype="bot_message", username="Ana")
    here.fake.say(BOT_USER, CHANNEL, words)
    here.fake.say("USLACKBOT", CHANNEL, words)
    here.fake.world.add_user("U0QUIET", "Ana", is_bot=True)
    here.fake.say("U0QUIET", CHANNEL, words)
    await here.fake.deliveries.settled()
    _, plan = await plan_in(here)
    await here.fake.deliveries.settled()
    assert [said.text for said in here.said] == ["add login"]
    assert here.platform.echoes.get((here.said[0].thread, "decision:1")) == plan


async def test_a_borrowed_name_changes_no_account(here: Listening) -> None:
    here.fake.world.add_user("U0MALLORY", "Ana")
    here.fake.say("U0MALLORY", CHANNEL, f"{MENTION} approve", username="Ana")
    await here.fake.deliveries.settled()
    assert here.said[0].by == f"slack:{TEAM}:U0MALLORY"


async def test_someone_of_another_team_keeps_their_own(here: Listening) -> None:
    here.fake.world.add_user("U0GUEST", "Gil", team="T0FOREIGN")
    here.fake.say("U0GUEST", CHANNEL, f"{MENTION} approve")
    _, plan = await plan_in(here)
    await here.fake.press("U0GUEST", CHANNEL, plan, "Approve plan")
    here.fake.react("U0GUEST", CHANNEL, plan, "octagonal_sign")
    await here.fake.deliveries.settled()
    foreign = [d for d in here.heard if d.by != f"slack:{TEAM}:{ANA}"]
    assert {d.by for d in foreign} == {"slack:T0FOREIGN:U0GUEST"}
    assert {d.channel for d in foreign} == {HERE}
    assert len(foreign) == 3
    assert {d.by: d.outsider for d in here.said + here.pressed} == {
        "slack:T0FOREIGN:U0GUEST": True,
        f"slack:{TEAM}:{ANA}": False,
    }


async def test_who_belongs_elsewhere_by_the_directory_alone_is_an_outsider(here: Listening) -> None:
    here.fake.world.add_user("U0GUEST", "Gil", team="T0FOREIGN")
    event = {"type": "app_mention", "user": "U0GUEST", "text": f"{MENTION} hi", "ts": "1.2", "channel": CHANNEL}
    here.fake.deliveries.event(event)
    await here.fake.deliveries.settled()
    assert [said.outsider for said in here.said] == [True]


@pytest.mark.parametrize("mode", [SOCKET, HTTP])
async def test_user_groups_are_asked_for_at_the_press(mode: str) -> None:
    """Attack 16: who has left the group since the card was posted is not in it any more."""
    leads, foreign = f"slack-group:{TEAM}:S0LEADS", "slack-group:T0FOREIGN:S0LEADS"
    async with listening(mode, groups=frozenset({leads, foreign})) as here:
        here.fake.world.groups["S0LEADS"] = {BO}
        _, plan = await plan_in(here)
        await here.fake.press(BO, CHANNEL, plan, "Approve plan")
        await here.fake.press(ANA, CHANNEL, plan, "Approve plan")
        assert [pressed.memberships for pressed in here.pressed] == [(leads,), ()]
        here.fake.world.groups["S0LEADS"] = {ANA}
        await here.fake.press(BO, CHANNEL, plan, "Approve plan")
        await here.fake.press(ANA, CHANNEL, plan, "Approve plan")
        assert [pressed.memberships for pressed in here.pressed][2:] == [(), (leads,)], "a press asks anew"
        assert here.said[0].memberships == ()


async def test_a_group_that_cannot_be_asked_for_lets_nobody_in() -> None:
    async with listening(SOCKET, groups=frozenset({f"slack-group:{TEAM}:S0LEADS"})) as here:
        here.fake.world.groups["S0LEADS"] = {ANA}
        here.fake.server.faults.plan("usergroups.users.list", *[Fault.ERROR_BEFORE] * 9)
        here.fake.say(ANA, CHANNEL, f"{MENTION} stop")
        await here.fake.deliveries.settled()
        assert here.said[0].memberships == ()


async def test_an_event_for_another_installation_is_not_heard(here: Listening) -> None:
    event = {"type": "app_mention", "user": ANA, "text": "x", "ts": "1.2", "channel": CHANNEL}
    here.fake.deliveries.event(event, authorizations=[{"team_id": "T0FOREIGN"}])
    await here.fake.deliveries.settled()
    assert here.heard == []


async def test_a_value_nobody_of_us_wrote_is_no_press(here: Listening) -> None:
    _, plan = await plan_in(here)
    for value in ("approve", "", "d" * 22, "x" * 2000):
        sent = await here.fake.press(ANA, CHANNEL, plan, "Approve plan", value=value)
        assert sent.ok
    assert here.pressed == []


# ── settings ────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_token_that_slack_refuses_is_told_to_the_operator() -> None:
    with pytest.raises(SettingsProblem, match="SLACK_BOT_TOKEN"):
        async with listening(SOCKET, bot_token="xoxb-somebody-elses"):
            pass


async def test_a_port_in_use_is_told_to_the_operator() -> None:
    async with listening(HTTP) as here:
        taken = int(here.fake.deliveries.url.rpartition(":")[2].partition("/")[0])
        with pytest.raises(SettingsProblem, match="OVERLORD_HTTP_PORT"):
            async with listening(HTTP, http_port=taken):
                pass


@pytest.mark.parametrize("words", ["help", "status", "what needs me", ""])
async def test_a_slash_command_that_asks_how_things_stand_goes_on_in_private(here: Listening, words: str) -> None:
    sent = await here.fake.command(ANA, CHANNEL, words)
    assert sent.ok and "Only you see the answer" in str(sent.answer)
    (said,) = here.said
    assert said.direct and said.text == (words or "help")
    assert not here.fake.root(CHANNEL), "nothing stands in the channel"
