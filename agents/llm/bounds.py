"""Bounds what is read of a provider's answer, while it is read: litellm takes it whole, whatever its size."""

import importlib
from collections.abc import AsyncIterator
from typing import Any

LARGEST = 8 << 20  # bytes of one answer, unpacked; the longest that models write are a tenth of that
_TRANSPORT = ("litellm.llms.custom_httpx.aiohttp_transport", "LiteLLMAiohttpTransport", "handle_async_request")


class TooLarge(Exception):
    """A provider's answer that was not read to its end."""


def bound_answers() -> None:
    """For every provider: litellm has no setting for it, but one class through which all of them are read."""
    module, name, method = _TRANSPORT
    transport = getattr(importlib.import_module(module), name)
    inner = getattr(transport, method)
    if getattr(inner, "bounded", False):
        return

    async def handle(self: Any, request: Any) -> Any:
        response = await inner(self, request)
        response.stream = _limit_size(response.stream)
        return response

    handle.bounded = True  # type: ignore[attr-defined]
    setattr(transport, method, handle)


def _limit_size(stream: Any) -> Any:
    """httpx wants a stream of its own kind."""

    class Bounded(importlib.import_module("httpx").AsyncByteStream):  # type: ignore[misc]
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for part in stream:
                size += len(part)
                if size > LARGEST:
                    await stream.aclose()
                    raise TooLarge(f"the answer has more than {LARGEST >> 20} MB")
                yield part

        async def aclose(self) -> None:
            await stream.aclose()

    return Bounded()
