"""Who may do what to a task, by button as by words, and what those who may not are told."""

from agents.domain.task.task import TaskState
from tests.fakes.slack.world import TEAM
from tests.fakes.work import Workshop
from tests.scenarios.conftest import ALL, Given, Opened, Play
from tests.scenarios.discord_stage import DiscordStage
from tests.scenarios.first_words import AT_FIRST
from tests.scenarios.slack_stage import SlackStage
from tests.scenarios.stage import until
from tests.scenarios.working import at_work, given

STAGES = ALL
ALONE = "channels: {{'{channel}': {{self_approval: false}}}}"


async def test_a_bystander_asks_for_changes_to_a_plan_by_button_and_approves_nothing(opened: Opened) -> None:
    play = await opened(Given(config=ALONE))
    thread = await play.stage.say("ana", AT_FIRST, mention=True)
    card = await play.sees("gil", thread, "please look at the plan")
    assert "Anybody here may ask for changes, by button or in words" in card.text
    await play.stage.press("gil", thread, "Approve plan")
    assert (await play.sees("gil", thread, "This is not yours to decide", "It needs an approver", "ask")).private
    await play.stage.press("gil", thread, "Request changes", words="keep the old links")
    await play.sees("ana", thread, "Changes requested by", "keep the old links")
    await play.happened("PlanChangeRequested")
    await play.sees("ana", thread, "please look at the plan, version 2")


async def test_the_owner_asks_for_changes_at_the_merge_and_a_bystander_does_not(opened: Opened) -> None:
    work = Workshop()
    play, thread = await at_work(opened, given(work, config=ALONE))
    card = await play.sees("ana", thread, "T-1 is ready to merge")
    assert "To ask for changes: the owner of the task or an approver" in card.text
    await play.stage.press("gil", thread, "Request changes", words="make it blue")
    refusal = await play.sees("gil", thread, "This is not yours to decide", "the owner of the task or an approver")
    assert refusal.private and "You can ask " in refusal.text
    before = (await play.task()).delivery.head
    await play.stage.press("ana", thread, "Request changes", words="make it green")
    await play.sees("ana", thread, "T-1 is ready to merge", "make it green", gone="Merge it")
    await play.sees("ana", thread, "To ask for changes")
    task = await play.task()
    assert task.delivery.head != before and not work.forge.merged


async def test_who_is_in_the_crowd_that_the_settings_name_approves_until_they_leave_it(opened: Opened) -> None:
    """Slack's user groups and Discord's roles; the console knows none, so there an account is named."""
    play = await opened(Given())
    crowd, members = crowd_of(play)
    await play.host.stop()
    play.host.amend("approver: [", f"approver: ['{crowd}', ")
    await play.host.start()
    for number, joins in enumerate((True, False, True)):
        members.clear()
        members.update({play.stage.account("gil").rpartition(":")[2]} if joins else ())
        thread = await play.stage.say("ana", AT_FIRST, mention=True)
        await play.sees("ana", thread, "please look at the plan")
        await play.stage.press("gil", thread, "Approve plan")
        if joins and play.stage.name != "console":
            await play.sees("ana", thread, "Plan approved by", gone="Approve plan")
        else:
            refusal = await play.sees("gil", thread, "This is not yours to decide")
            assert refusal.private and (play.stage.name == "console" or "everybody" in refusal.text)
        assert (await play.task()).id == f"T-{number + 1}"


def crowd_of(play: Play) -> tuple[str, set[str]]:
    """How the settings name a crowd of this platform, and who is in it now."""
    if isinstance(play.stage, DiscordStage):
        guild = play.stage.fake.guild
        role = play.stage.fake.world.id()
        return f"discord-role:{guild.id}:{role}", guild.named.setdefault(role, set())
    if isinstance(play.stage, SlackStage):
        return f"slack-group:{TEAM}:S0LEADS", play.stage.fake.world.groups.setdefault("S0LEADS", set())
    return "slack-group:T1:S1", set()


async def test_the_owner_cancels_on_the_card_of_the_plan(opened: Opened) -> None:
    play = await opened(Given())
    thread = await play.stage.say("ana", AT_FIRST, mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await play.stage.press("ana", thread, "Cancel task", words="no longer wanted")
    await play.sees("ana", thread, "no longer wanted", gone="Approve plan")
    assert (await play.task()).state is TaskState.CANCELLED


async def test_a_refused_press_names_whoever_may_and_says_how_to_name_somebody(opened: Opened) -> None:
    play = await opened(Given())
    thread = await play.stage.say("ana", AT_FIRST, mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await play.stage.press("gil", thread, "Approve plan")
    stranger = await play.sees("gil", thread, "It needs an approver. You can ask ")
    assert stranger.private and play.stage.account("lead") in stranger.text, "nobody has met the approver yet"
    await play.stage.say("lead", "status", thread=thread, mention=True)
    await play.sees("gil", thread, "Waiting for an approver to decide the plan")

    async def named() -> bool:
        """Pressed again: the approver's words may not have been heard yet."""
        await play.silence("gil", thread)
        await play.stage.press("gil", thread, "Approve plan")
        await play.silence("gil", thread)
        whispers = await play.stage.whispers("gil", thread)
        return any("you can ask lead." in whisper.text.lower() for whisper in whispers)

    await until(named, "the approver's name")
    await play.host.stop()
    play.host.amend("approver: [", "approver: [] # [")
    await play.host.start()
    await play.stage.press("hal", thread, "Approve plan")
    if play.stage.name == "console":
        told = await play.sees("hal", thread, "You can ask the operator; nobody else is named")
    else:
        told = await play.sees("hal", thread, "Nobody is named who may decide this", "OVERLORD_APPROVERS")
    assert told.private
