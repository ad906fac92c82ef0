"""Whoever writes something that looks like a key is told so, alone and once a message."""

from tests.domain.secret_corpus import BARE
from tests.scenarios.conftest import Play
from tests.scenarios.stage import Shown

KEY, OTHER = BARE["github classic"], BARE["anthropic"]


async def told(play: Play, who: str, thread: str) -> list[Shown]:
    everybody_sees = await play.silence(who, thread)
    assert not any("looks like a key" in message.text for message in everybody_sees if not message.private)
    return [message for message in await play.stage.whispers(who, thread) if "looks like a key" in message.text]


async def test_one_private_sentence_a_message(play: Play) -> None:
    thread = await play.stage.say("ana", f"speed up web, the token is {KEY}", mention=True)
    await play.sees("ana", thread, "Waiting for a plan", "[secret]")
    (notice,) = await told(play, "ana", thread)
    assert "own history" in notice.text
    assert KEY not in notice.text
    assert not await told(play, "mallory", thread), "nobody else is told"
    await play.stage.edit("ana", thread, f"speed up web, the token was {OTHER}")
    await play.sees("ana", thread, "was [secret]")
    assert len(await told(play, "ana", thread)) == 1
