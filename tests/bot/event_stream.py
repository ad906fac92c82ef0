"""Helpers that the tests of console stream share with others."""

from collections.abc import AsyncIterator

from tests.fakes.console import Visit


async def events(chunks: AsyncIterator[str]) -> AsyncIterator[dict[str, str]]:
    """Events as a browser reads them; comments are passed over."""
    rest = ""
    async for chunk in chunks:
        rest += chunk
        while "\n\n" in rest:
            block, _, rest = rest.partition("\n\n")
            if not block.startswith(":"):
                yield dict(line.split(": ", 1) for line in block.splitlines())


async def mark(visit: Visit) -> str:
    return (await visit.get("/needs")).text.partition('data-at="')[2].partition('"')[0]
