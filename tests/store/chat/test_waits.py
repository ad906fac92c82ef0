"""How long a provider wants to be left alone, as the store keeps it."""

from datetime import UTC, datetime, timedelta

from store.database import Database

NOW = datetime(2030, 1, 1, tzinfo=UTC)
SCOPE = "slack:chat.postMessage:C1"


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


async def test_a_wait_is_kept_until_it_is_over_and_for_its_own_platform_alone(url: str) -> None:
    database = Database(url)
    await database.write(lambda tx: tx.waits.keep(SCOPE, timedelta(seconds=30), NOW))
    assert await database.read(lambda tx: tx.waits.remaining("slack", after(10))) == {SCOPE: 20.0}
    assert await database.read(lambda tx: tx.waits.remaining("discord", after(10))) == {}
    assert await database.read(lambda tx: tx.waits.remaining("slack", after(30))) == {}
    database.close()


async def test_the_last_word_of_a_provider_counts_and_what_is_over_is_dropped(url: str) -> None:
    database = Database(url)
    await database.write(lambda tx: tx.waits.keep("slack:chat.update:C1", timedelta(seconds=1), NOW))
    await database.write(lambda tx: tx.waits.keep(SCOPE, timedelta(seconds=30), NOW))
    await database.write(lambda tx: tx.waits.keep(SCOPE, timedelta(seconds=5), after(2)))
    assert await database.read(lambda tx: tx.waits.remaining("slack", NOW)) == {SCOPE: 5.0}
    database.close()


async def test_a_clock_that_is_set_back_makes_no_wait_longer_than_it_was(url: str) -> None:
    database = Database(url)
    await database.write(lambda tx: tx.waits.keep(SCOPE, timedelta(seconds=30), NOW))
    assert await database.read(lambda tx: tx.waits.remaining("slack", after(-3600))) == {SCOPE: 30.0}
    database.close()
