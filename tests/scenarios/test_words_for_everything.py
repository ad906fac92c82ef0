"""Whoever does not see a picture, a colour or a sign is told it in words.

Every scenario holds what it showed to this when it ends (`opened` in conftest.py); here is the picture itself,
and that the judge can be displeased.
"""

import pytest

from agents.domain.ids import DecisionId
from bot.messages import Button, Card, Choice, Graph, Tone
from tests.fakes import manners
from tests.fakes.discord.world import Message as DiscordMessage, User
from tests.fakes.slack.world import BOT, BOT_USER, Message as SlackMessage
from tests.fakes.work import Workshop
from tests.scenarios.conftest import Opened, Play
from tests.scenarios.working import THREE_SUBTASKS, given

CHOICE = Choice(decision=DecisionId("d" * 22), letter="a")


async def descriptions(play: Play, thread: str) -> list[str]:
    """What is said of pictures to those who do not see them."""
    stage = play.stage
    if stage.name == "console":
        seen = await play.program.queries.conversation(thread, stage.account("ana"))  # type: ignore[arg-type]
        return [m.card.graph.text for m in seen.messages if m.card and m.card.graph] if seen else []
    if stage.name == "slack":
        sent = stage.fake.world.messages  # type: ignore[attr-defined]
        return [word for m in sent for word, name in zip(m.file_words, m.file_names, strict=True) if ".png" in name]
    sent = stage.fake.world.messages()  # type: ignore[attr-defined]
    return [a["description"] for m in sent for a in m.attachments if a["filename"].endswith(".png")]


async def test_the_picture_of_a_plan_is_described(opened: Opened) -> None:
    play = await opened(given(Workshop(), decompose=THREE_SUBTASKS))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await play.silence("ana", thread)
    assert await descriptions(play, thread) == ["Order: 1 and 2 side by side, then 3, then 4"]


def slack(text: str = "A card", **more: object) -> SlackMessage:
    return SlackMessage(channel="C1", ts="1.1", user=BOT_USER, text=text, bot_id=BOT, **more)  # type: ignore[arg-type]


def blocks(label: str) -> list[dict[str, object]]:
    button = {"type": "button", "text": {"type": "plain_text", "text": label}, "value": "x"}
    return [
        {"type": "section", "text": {"type": "mrkdwn", "text": "Words"}},
        {"type": "actions", "elements": [button]},
    ]


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (slack(blocks=blocks("Approve plan")), ""),
        (slack(blocks=blocks("✅")), "a button without words"),
        (slack(files=["x"], file_names=["plan.png"], file_words=[""]), "a file without words"),
        (slack(files=["x"], file_names=["plan.png"], file_words=["Order: 1"]), ""),
        (slack(text="…", blocks=blocks("Approve plan")), "a notification without words"),
        (slack(blocks=[{"type": "image", "image_url": "https://x", "alt_text": "·"}]), "a picture without words"),
    ],
)
def test_the_judge_of_slack(message: SlackMessage, told: str) -> None:
    complaints = manners.of_slack([message])
    assert complaints == [] if not told else any(told in each for each in complaints)


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ({"components": [{"components": [{"type": 2, "label": "🚀"}]}]}, "a button without words"),
        ({"components": [{"components": [{"type": 3, "placeholder": "", "options": []}]}]}, "a menu without words"),
        ({"attachments": [{"filename": "plan.png", "description": ""}]}, "a file without words"),
        ({"content": "", "embeds": [{"color": 1, "description": "✓"}]}, "a colour without words"),
    ],
)
def test_the_judge_of_discord(part: dict[str, object], told: str) -> None:
    bot = User("1", "overlord")
    (complaint,) = manners.of_discord([DiscordMessage("2", "3", bot, **{"content": "Words", **part})], "1")  # type: ignore[arg-type]
    assert told in complaint
    assert manners.of_discord([DiscordMessage("2", "3", bot, "A card")], "1") == []


def test_the_judge_of_cards() -> None:
    bare = Card(
        title="!",
        tone=Tone.BAD,
        graph=Graph(nodes=(), arrows=(), text=""),
        buttons=(Button(label="👍", choice=CHOICE),),
    )
    assert [each.partition(" without")[0] for each in manners.of_cards([bare])] == ["a colour", "a picture", "a button"]
    assert manners.of_cards([Card(title="T-1 is merged", tone=Tone.GOOD)]) == []
