"""A strict Discord on loopback: REST and gateway for real client libraries, people for the tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from tests.fakes.discord.gateway import Gateway
from tests.fakes.discord.http import PREFIX, Answer, Call, Http
from tests.fakes.discord.interactions import Interactions
from tests.fakes.discord.limits import ApiError
from tests.fakes.discord.messages import Messages
from tests.fakes.discord.people import People
from tests.fakes.discord.shapes import Shapes, document
from tests.fakes.discord.world import Json, World

TOKEN = "fake.discord.token"


class FakeDiscord(People):
    """One guild, "acme", with a channel "general"; more can be made through `world`."""

    def __init__(self, token: str = TOKEN) -> None:
        self.token = token
        self.world = World(application="100000000000000001")
        self.guild = self.world.guild("acme")
        self.general = self.world.text_channel(self.guild, "general")
        self.shapes = Shapes(document())
        self.gateway = Gateway(self.world, token)
        self.messages = Messages(self.world, self.gateway.tell)
        self.messages.reads_content = lambda: self.gateway.privileged
        self.interactions = Interactions(self.world, self.messages)
        self.http = Http(token, self.shapes)
        self.trouble, self.buckets = self.http.trouble, self.http.buckets
        self.messages.add_routes(self.http)
        self.interactions.add_routes(self.http)
        self._add_routes()
        self.address = ""
        self.permissions = (1 << 50) - 1  # of the bot, in every guild

    @property
    def api_url(self) -> str:
        return f"http://{self.address}{PREFIX}"

    @property
    def gateway_url(self) -> str:
        return f"ws://{self.address}/gateway"

    @property
    def bot_mention(self) -> str:
        return f"<@{self.world.bot.id}>"

    @asynccontextmanager
    async def running(self, port: int = 0) -> AsyncIterator["FakeDiscord"]:
        runner = web.AppRunner(self.http.app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        host, number = runner.addresses[0][:2]
        self.address = f"{host}:{number}"
        self.gateway.url = self.gateway_url
        try:
            yield self
        finally:
            self.gateway.drop()
            await runner.cleanup()
        assert not self.shapes.problems, "\n".join(self.shapes.problems)

    def _add_routes(self) -> None:
        self.http.app.router.add_get("/gateway", self.gateway.connect)
        self.http.route("GET", "/users/@me", self._me)
        self.http.route("GET", "/applications/@me", self._application)
        self.http.route("GET", "/oauth2/applications/@me", self._application)
        self.http.route("GET", "/gateway", lambda call: {"url": self.gateway_url})
        self.http.route("GET", "/gateway/bot", self._gateway_bot)
        self.http.route("GET", "/users/@me/guilds", self._my_guilds)
        self.http.route("GET", "/guilds/{guild_id}/roles", self._roles)
        self.http.route("GET", "/guilds/{guild_id}/channels", self._channels)
        self.http.route("GET", "/guilds/{guild_id}/members/{user_id}", self._member)

    def _me(self, call: Call) -> Answer:
        return {**self.world.bot.json, "mfa_enabled": True, "locale": "en-US", "verified": True, "email": None}

    def _application(self, call: Call) -> Answer:
        content = (1 << 19) if self.gateway.privileged else 0  # message content, as for apps in fewer than 100 guilds
        return {
            "id": self.world.bot.id,
            "name": "Overlord",
            "icon": None,
            "description": "",
            "type": None,
            "bot": self.world.bot.json,
            "bot_public": False,
            "bot_require_code_grant": False,
            "verify_key": "0" * 64,
            "flags": content,
            "flags_new": str(content),
            "redirect_uris": [],
            "interactions_endpoint_url": None,
            "role_connections_verification_url": None,
            "owner": self.world.user("owner").json,
            "approximate_guild_count": len(self.world.guilds),
            "approximate_user_install_count": 0,
            "approximate_user_authorization_count": 0,
            "explicit_content_filter": 0,
            "team": None,
            "eligible_oauth2_scopes": [],
        }

    def _gateway_bot(self, call: Call) -> Answer:
        limit = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
        return {"url": self.gateway_url, "shards": 1, "session_start_limit": limit}

    def _my_guilds(self, call: Call) -> Answer:
        blank: Json = {"icon": None, "banner": None, "owner": False, "features": []}
        may = {"permissions": str(self.permissions)}
        return [{**blank, **may, "id": guild.id, "name": guild.name} for guild in self.world.guilds.values()]

    def _guild_of(self, call: Call) -> str:
        if call.path["guild_id"] not in self.world.guilds:
            raise ApiError(404, 10004, "Unknown Guild")
        return call.path["guild_id"]

    def _roles(self, call: Call) -> Answer:
        return self.world.guilds[self._guild_of(call)].roles

    def _channels(self, call: Call) -> Answer:
        return [channel.json for channel in self.world.guilds[self._guild_of(call)].channels if not channel.parent]

    def _member(self, call: Call) -> Answer:
        guild = self.world.guilds[self._guild_of(call)]
        user = guild.members.get(call.path["user_id"])
        if user is None:
            raise ApiError(404, 10007, "Unknown Member")
        return guild.member(user)
