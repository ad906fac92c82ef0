"""Slack as a stage: people write and press on a strict fake; slack-bolt and the whole program stand behind it."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack

from agents.domain.ids import Account
from bot.platforms.slack import notation
from bot.platforms.slack.blocks import read_press
from bot.platforms.slack.forms import Form
from tests.fakes import manners
from tests.fakes.ports import free_port
from tests.fakes.slack import FakeSlack, fake_slack
from tests.fakes.slack.delivery import SIGNING_SECRET
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.slack.people import MENTION, errors_in
from tests.fakes.slack.server import APP_TOKEN, BOT_TOKEN
from tests.fakes.slack.shown import controls
from tests.fakes.slack.world import TEAM
from tests.scenarios.stage import Host, Setup, Shown, until, wait_for_button

RETRIES = (0.1,) * 200  # Slack sends again until the program is back


def table_fields(rows: Sequence[str], columns: Sequence[str], lines: str) -> dict[str, str]:
    """What a person does to a table so that it says what these lines say."""
    wanted = [[part.strip() for part in line.split("|")] for line in lines.splitlines() if not line.startswith("#")]
    filled = {f"{key}.place": "drop" for key in rows}
    for at, (key, *given) in enumerate((line for line in wanted if line[0] in rows), 1):
        filled[f"{key}.place"] = str(at)
        fields = zip(columns, given, strict=False)
        filled |= {f"{key}.{name}": text for name, text in fields if text or name not in ("title", "kind")}
    return filled


class SlackStage:
    """Implements tests.scenarios.stage.Stage. A thread is named as the program names it."""

    name = "slack"

    def __init__(self, fake: FakeSlack) -> None:
        self.fake = fake
        self.form_errors: dict[str, str] = {}  # beside the fields of the form that was sent last

    @property
    def channel(self) -> str:
        return notation.channel(TEAM, CHANNEL)

    def account(self, who: str) -> Account:
        return notation.account(TEAM, self._user(who))

    async def say(self, who: str, text: str, *, thread: str = "", mention: bool = False, direct: bool = False) -> str:
        user, words = self._user(who), f"{MENTION} {_escaped(text)}" if mention else _escaped(text)
        if thread:
            place = notation.place(thread)
            self.fake.say(user, place.channel, words, place.ts)
            return thread
        channel = self.fake.world.direct(user).id if direct else CHANNEL
        return notation.thread(TEAM, channel, self.fake.say(user, channel, words))

    def name_in_text(self, who: str) -> str:
        return f"<@{self._user(who)}>"

    def alone(self, who: str, thread: str) -> str:
        return thread

    async def edit(self, who: str, thread: str, text: str) -> None:
        place = notation.place(thread)
        first = self.fake.world.get(place.channel, place.ts)
        words = f"{MENTION} {_escaped(text)}" if first.text.startswith(MENTION) else _escaped(text)
        self.fake.edit(self._user(who), place.channel, place.ts, words)

    async def press(self, who: str, thread: str, label: str, words: str = "") -> None:
        """A person whose press is not acknowledged sees a warning and presses again."""
        user, place = self._user(who), notation.place(thread)
        self.fake.world.channels[place.channel].members.add(user)
        await wait_for_button(self, who, thread, label)
        on = next(m for m in reversed(self.fake.thread(place.channel, place.ts, user)) if label in m.labels)

        message = next(m for m in self.fake.world.messages if m.ts == on.ts)
        carried = next(read_press(c.value) for c in controls(message.blocks) if c.label == label)

        async def taken() -> bool:
            return (await self.fake.press(user, place.channel, on, label)).ok

        await until(taken, f"an answer to {label}")  # and with it the button may be gone
        if carried and carried.opens_form:
            await self._fill(user, words)

    async def _fill(self, user: str, words: str) -> None:
        async def opened() -> bool:
            return self.fake.form(user) is not None

        await until(opened, "the form")
        form = self.fake.form(user)
        assert form
        table = Form.read(form.body["private_metadata"])
        filled = table_fields(table.rows, table.columns, words) if table and table.rows else None
        if table and table.fields:
            filled = json.loads(words)
        self.form_errors = errors_in(await self.fake.submit(user, words, filled))

    async def shown(self, who: str, thread: str) -> list[Shown]:
        """What the blocks say and what a notification says; a file belongs to the card before it."""
        place = notation.place(thread)
        return [
            Shown(text=f"{seen.words}\n{seen.text}", buttons=seen.labels, by_bot=seen.by_bot, private=seen.ephemeral)
            for seen in self.fake.thread(place.channel, place.ts, self._user(who))
            if not seen.files
        ]

    async def whispers(self, who: str, thread: str) -> list[Shown]:
        return [shown for shown in await self.shown(who, thread) if shown.private]

    async def is_seen(self, thread: str) -> bool:
        place = notation.place(thread)
        return bool(self.fake.world.get(place.channel, place.ts).reactions.get("eyes"))

    async def complaints(self) -> list[str]:
        return manners.of_slack(self.fake.world.messages)

    def _user(self, who: str) -> str:
        id = f"U0{''.join(c for c in who.upper() if c.isalnum())}"
        return self.fake.world.add_user(id, who.capitalize()).id


def _escaped(text: str) -> str:
    """As Slack sends what people type."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"&lt;(@U\w+)&gt;", r"<\1>", escaped)  # a name that was picked is a mention


async def open_stage(stack: AsyncExitStack, setup: Setup) -> tuple[SlackStage, Host]:
    """In Socket Mode."""
    return await _open(stack, setup, {"SLACK_APP_TOKEN": APP_TOKEN}, "")


async def open_http_stage(stack: AsyncExitStack, setup: Setup) -> tuple[SlackStage, Host]:
    """By signed HTTP."""
    port = free_port()
    environ = {"SLACK_SIGNING_SECRET": SIGNING_SECRET, "OVERLORD_HTTP_PORT": str(port)}
    return await _open(stack, setup, environ, f"http://127.0.0.1:{port}/slack/events")


async def _open(stack: AsyncExitStack, setup: Setup, how: Mapping[str, str], url: str) -> tuple[SlackStage, Host]:
    fake = await stack.enter_async_context(fake_slack())
    fake.deliveries.times.retries, fake.deliveries.url = RETRIES, url
    stage = SlackStage(fake)
    host = Host(setup, stage, {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_API_URL": fake.api_url, **how})
    stack.push_async_callback(host.stop)
    await host.start()
    return stage, host
