"""The client's address behind a proxy. Only proxies named by the operator are trusted, and only in what they added."""

from collections.abc import Iterable
from ipaddress import ip_network

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.network.peers import Ip, Network, read_address


class Forwarded:
    """Middleware. Without a named proxy it is not there at all, and no forwarded header counts."""

    def __init__(self, app: ASGIApp, proxies: tuple[str, ...]) -> None:
        self._app = app
        self._proxies: tuple[Network, ...] = tuple(ip_network(proxy) for proxy in proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope.get("client") and self._trusts(read_address(scope["client"][0])):
            headers = Headers(scope=scope)
            client = self._behind(scope["client"][0], headers.getlist("x-forwarded-for"))
            scheme = headers.getlist("x-forwarded-proto")[-1:]
            scope = {**scope, "client": (client, 0)}
            if scheme and scheme[0] in ("http", "https"):
                scope["scheme"] = scheme[0]
        await self._app(scope, receive, send)

    def _behind(self, proxy: str, told: Iterable[str]) -> str:
        """Each proxy adds at the end whom it heard: from there back to the first that is no proxy of ours."""
        for written in reversed(",".join(told).split(",")):
            address = read_address(written.strip())
            if address is None:
                break
            proxy = str(address)
            if not self._trusts(address):
                break
        return proxy

    def _trusts(self, address: Ip | None) -> bool:
        return address is not None and any(address in network for network in self._proxies)
