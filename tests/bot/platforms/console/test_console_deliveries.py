"""Forms become deliveries, once, and nothing that cannot be sent is lost."""

import asyncio
import time

import pytest

from agents.domain.errors import OverlordError
from agents.domain.ids import Account, DecisionId, Thread, derive_id
from bot.messages import Choice, Edited, Pressed, Said
from bot.platforms.console.deliveries import MENTION, to_said, without_mention
from bot.platforms.console.sign_in import Viewer
from bot.queries import Heard
from tests.fakes.console import Visit, console
from tests.fakes.desk import START, ScriptedDesk

JSON = {"Accept": "application/json"}


async def test_a_request_starts_a_thread() -> None:
    async with console() as visit:
        response = await visit.say("@overlord add rate limiting", nonce="first-number")
        message = derive_id("console", "console:ana:first-number")
        thread = f"console:general:{message}"
        assert visit.desk.heard == [
            Said(
                key="console:ana:first-number",
                thread=Thread(thread),
                channel="console:general",
                message=message,
                by=Account("console:ana"),
                name="Ana",
                text="add rate limiting",
                mentions_bot=True,
                at=visit.desk.heard[0].at,
            )
        ]
        assert response.status_code == 303
        assert response.headers["location"] == f"/thread/{thread}"


async def test_a_reply_stays_in_its_thread() -> None:
    async with console() as visit:
        await visit.say("@overlord add login")
        thread = visit.desk.heard[0].thread
        await visit.say("with a passkey please", thread=thread)
        reply = visit.desk.heard[1]
        assert isinstance(reply, Said)
        assert (reply.thread, reply.mentions_bot) == (thread, False)


async def test_everything_on_the_direct_line_is_for_the_bot() -> None:
    async with console() as visit:
        await visit.say("what needs me", channel="@ana")
        first = visit.desk.heard[0]
        assert isinstance(first, Said)
        assert (first.channel, first.direct, first.thread.startswith("console:@ana:")) == ("console:@ana", True, True)


@pytest.mark.parametrize(
    ("text", "mentioned", "other", "left"),
    [
        ("@overlord add login", True, False, "add login"),
        ("@Overlord: add login", True, False, "add login"),
        ("please, @OVERLORD, stop", True, False, "please, stop"),
        ("@overlord\nadd login", True, False, "add login"),
        ("thanks @overlord", True, False, "thanks"),
        ("thanks @overlord.", True, False, "thanks ."),
        ("@ben can you look?", False, True, "@ben can you look?"),
        ("@overlord ask @ben", True, True, "ask @ben"),
        ("write to ana@overlord.dev", False, False, "write to ana@overlord.dev"),
        ("use @overlord/ui and @types/node", False, False, "use @overlord/ui and @types/node"),
        ("@overlords unite", False, True, "@overlords unite"),
        ("@overlord put `@dataclass` on it", True, False, "put `@dataclass` on it"),
        ("nothing here", False, False, "nothing here"),
    ],
)
def test_who_is_spoken_to(text: str, mentioned: bool, other: bool, left: str) -> None:
    form = {"nonce": "any-number", "channel": "general", "text": text}
    heard = to_said(form, Viewer(login="ana", csrf=""), "Ana", START)
    assert (heard.mentions_bot, heard.addresses_other, heard.text) == (mentioned, other, left)


def test_a_long_text_of_at_signs_is_read_quickly() -> None:
    text = "@" * 8_000 + "a." * 4_000
    assert without_mention(text) == text
    assert not MENTION.search(text)


async def test_the_same_form_counts_once() -> None:
    async with console() as visit:
        first = await visit.say("@overlord add login", nonce="same-number")
        second = await visit.say("@overlord add login", nonce="same-number")
        assert len(visit.desk.heard) == 1
        assert first.headers["location"] == second.headers["location"]


BAD = [
    ({"text": "   "}, "nothing to send"),
    ({"text": "@overlord "}, "nothing to send"),
    ({"text": "x" * 8_001}, "8,001 characters long; a message can have 8,000"),
    ({"text": "keep me", "nonce": "short"}, "lost its number"),
    ({"text": "keep me", "nonce": "not/allowed!"}, "lost its number"),
    ({"text": "keep me", "channel": "elsewhere"}, "no such channel"),
    ({"text": "keep me", "channel": "@ben"}, "no such channel"),
    ({"text": "keep me", "thread": "console:general:unknown"}, "not here any more"),
    ({"text": "keep me", "thread": "console:@ben:x"}, "another channel"),
]


@pytest.mark.parametrize(("fields", "words"), BAD)
async def test_what_cannot_be_sent_is_said_and_kept(fields: dict[str, str], words: str) -> None:
    async with console() as visit:
        page = await visit.say(**fields)
        assert page.status_code == 400
        assert words in page.text
        assert fields["text"].strip() in page.text
        answer = await visit.post("/say", JSON, **{"channel": "general", **fields})
        assert words in answer.json()["error"]
        assert visit.desk.heard == []


async def test_eight_thousand_characters_of_any_script_fit() -> None:
    async with console() as visit:
        await visit.get("/c/general")
        whole = {"csrf": visit.csrf, "nonce": "any-script", "channel": "general", "text": "語" * 8_000}
        parts = {name: (None, value) for name, value in whole.items()}
        response = await visit.client.post("/say", files=parts)
        assert response.status_code == 303


async def test_a_problem_of_the_desk_is_told_and_the_words_are_kept() -> None:
    async with console() as visit:
        visit.desk.problem = OverlordError("The disk is full", next_step="Make room, then send it again.")
        page = await visit.say("@overlord keep these words", nonce="kept-number")
        assert page.status_code == 409
        assert "The disk is full." in page.text
        assert "Make room, then send it again." in page.text
        assert "keep these words" in page.text
        assert 'value="kept-number"' in page.text


async def test_an_author_may_change_a_message() -> None:
    async with console() as visit:
        await visit.say("@overlord add logn")
        first = visit.desk.heard[0]
        await visit.post("/edit", thread=first.thread, message=first.message, text="add login")
        edited = visit.desk.heard[1]
        assert isinstance(edited, Edited)
        assert (edited.message, edited.text, edited.channel) == (first.message, "add login", "console:general")


async def test_nobody_changes_the_words_of_others() -> None:
    desk = ScriptedDesk({"ana": "Ana", "ben": "Ben"})
    thread = Thread("console:general:ben-said")
    message = desk.write(thread, "console:general", Account("console:ben"), "mine")
    async with console(desk) as visit:
        page = await visit.post("/edit", thread=thread, message=message.id, text="yours")
        assert page.status_code == 400
        assert "Only the author" in page.text
        assert desk.heard == []


async def plan(visit: Visit) -> tuple[Thread, str, DecisionId]:
    await visit.say("@overlord add login")
    thread = visit.desk.heard[0].thread
    message = next(m for m in visit.desk.threads[thread].messages if m.card and m.card.decision)
    assert message.card and message.card.decision
    return thread, message.id, message.card.decision


async def test_a_press_in_a_thread_names_its_message() -> None:
    async with console() as visit:
        thread, message, decision = await plan(visit)
        token = Choice(decision=decision, letter="b").token
        response = await visit.post("/press", thread=thread, message=message, token=token, words="smaller steps")
        pressed = visit.desk.heard[1]
        assert isinstance(pressed, Pressed)
        assert (pressed.message, pressed.shown, pressed.words) == (message, "", "smaller steps")
        assert pressed.channel == "console:general"
        assert response.headers["location"] == f"/thread/{thread}"


class LateDesk(ScriptedDesk):
    """As the real one: what follows from a press is posted a little later."""

    def _pressed(self, pressed: Pressed) -> Heard:
        asyncio.get_running_loop().call_later(0.2, super()._pressed, pressed)
        self.changed("needs", pressed.thread)  # the fact, of which the cards know nothing yet
        return Heard(refused=False, words="")


@pytest.mark.parametrize(("known", "says"), [(True, "approve by Ana"), (False, "already decided")])
async def test_without_scripts_the_page_after_a_press_shows_what_came_of_it(known: bool, says: str) -> None:
    async with console(LateDesk()) as visit:
        thread, message, decision = await plan(visit)
        token = Choice(decision=decision if known else DecisionId("x" * 22), letter="a").token
        response = await visit.post("/press", thread=thread, message=message, token=token)
        page = (await visit.get(response.headers["location"])).text
        assert says in page
        assert (f'value="{token}"' in page) is False


async def test_a_page_with_scripts_follows_by_itself_and_need_not_wait() -> None:
    class Silent(ScriptedDesk):
        def _pressed(self, pressed: Pressed) -> Heard:
            return Heard(refused=False, words="")

    async with console(Silent()) as visit:
        thread, message, decision = await plan(visit)
        token = Choice(decision=decision, letter="a").token
        began = time.monotonic()
        assert (await visit.post("/press", JSON, thread=thread, message=message, token=token)).status_code == 200
        assert time.monotonic() - began < 1.5


async def test_a_press_on_the_ledger_says_what_was_shown_and_returns_there() -> None:
    async with console() as visit:
        thread, _, decision = await plan(visit)
        token = Choice(decision=decision, letter="a").token
        response = await visit.post("/press", thread=thread, message="", shown="print", token=token, back="/needs")
        pressed = visit.desk.heard[1]
        assert isinstance(pressed, Pressed)
        assert (pressed.message, pressed.shown) == ("", "print")
        assert response.headers["location"].startswith("/needs?pressed=console%3Ageneral")


@pytest.mark.parametrize("token", ["", "nonsense", "a" * 22 + ".ab", "a" * 22, "x" * 200])
async def test_a_button_that_is_not_ours_is_refused(token: str) -> None:
    async with console() as visit:
        page = await visit.post("/press", thread="console:general:x", token=token)
        assert page.status_code == 400
        assert visit.desk.heard == []


async def test_a_press_never_leads_to_another_site() -> None:
    async with console() as visit:
        thread, _, decision = await plan(visit)
        token = Choice(decision=decision, letter="a").token
        response = await visit.post("/press", thread=thread, token=token, back="//evil.example/")
        assert response.headers["location"].startswith("/?pressed=")
