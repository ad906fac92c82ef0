"""The fake's gateway: sessions that can be resumed, and sockets that die in every way sockets die."""

import asyncio
import json
import time
import zlib
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from tests.fakes.discord.world import DM, Channel, Json, World, without_content

GUILDS, GUILD_MESSAGES, REACTIONS, DMS, DM_REACTIONS, CONTENT = 1, 1 << 9, 1 << 10, 1 << 12, 1 << 13, 1 << 15
PRIVILEGED = (1 << 1) | (1 << 8) | CONTENT
DISPATCH, BEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11
_NEEDS = {"MESSAGE": (GUILD_MESSAGES, DMS), "MESSAGE_REACTION": (REACTIONS, DM_REACTIONS), "THREAD": (GUILDS, GUILDS)}


@dataclass
class Session:
    id: str
    intents: int
    sequence: int = 0
    sent: list[Json] = field(default_factory=list)  # everything, for a resume
    socket: "Socket | None" = None


class Socket:
    """One connection. `deaf`: open, but nothing comes out of it any more."""

    def __init__(self, ws: web.WebSocketResponse, request: web.Request) -> None:
        self.ws, self._request = ws, request
        self.deaf = False
        self.acks = True
        self.beaten = False  # whether a heartbeat came since it was last looked at
        self._stream = zlib.compressobj() if request.query.get("compress") == "zlib-stream" else None
        self._turn = asyncio.Lock()

    async def send(self, payload: Json) -> None:
        text = json.dumps(payload)
        async with self._turn:
            if self.deaf or self.ws.closed:
                return
            if self._stream is None:
                await self.ws.send_str(text)
            else:
                await self.ws.send_bytes(self._stream.compress(text.encode()) + self._stream.flush(zlib.Z_SYNC_FLUSH))

    def cut(self) -> None:
        if self._request.transport:
            self._request.transport.abort()


class Gateway:
    """`heartbeat` is what HELLO asks for; `privileged` is what the portal allows."""

    def __init__(self, world: World, token: str) -> None:
        self._world, self._token = world, token
        self.heartbeat = 41.25
        self.privileged = True
        self.refusing = False  # new connections are turned away
        self.forgets = False  # resumes are refused
        self.url = ""
        self.sessions: dict[str, Session] = {}
        self.identifies = 0
        self.resumes = 0
        self.beats = 0
        self._tasks: set[asyncio.Task[None]] = set()

    # ── what a client does ──────────────────────────────────────────────────────────────────────────────────────

    async def connect(self, request: web.Request) -> web.StreamResponse:
        if self.refusing:
            return web.Response(status=503)
        ws = web.WebSocketResponse(max_msg_size=0, autoping=True)
        await ws.prepare(request)
        socket = Socket(ws, request)
        pulse = asyncio.get_running_loop().create_task(self._expect_heartbeats(socket))
        await socket.send({"op": HELLO, "d": {"heartbeat_interval": int(self.heartbeat * 1000)}})
        try:
            async for message in ws:
                if message.type is WSMsgType.TEXT and not socket.deaf:
                    await self._heard(socket, json.loads(message.data))
        finally:
            pulse.cancel()
            for session in self.sessions.values():
                if session.socket is socket:
                    session.socket = None
        return ws

    async def _expect_heartbeats(self, socket: Socket) -> None:
        """A client without a pulse is put out, as Discord does."""
        while True:
            socket.beaten = False
            await asyncio.sleep(self.heartbeat * 1.5)
            if not socket.beaten and not socket.deaf:
                await socket.ws.close(code=4009, message=b"Session timed out.")

    async def _heard(self, socket: Socket, payload: Json) -> None:
        data = payload.get("d")
        match payload["op"]:
            case 1:
                self.beats += 1
                socket.beaten = True
                if socket.acks:
                    await socket.send({"op": ACK, "d": None})
            case 2:
                await self._identify(socket, data or {})
            case 6:
                await self._resume(socket, data or {})

    async def _identify(self, socket: Socket, data: Json) -> None:
        self.identifies += 1
        if data["token"] != self._token:
            await socket.ws.close(code=4004, message=b"Authentication failed.")
            return
        if data["intents"] & PRIVILEGED and not self.privileged:
            await socket.ws.close(code=4014, message=b"Disallowed intent(s).")
            return
        session = Session(f"session-{self._world.id()}", data["intents"], socket=socket)
        self.sessions[session.id] = session
        await self._dispatch(session, "READY", self._ready(session))
        for guild in self._world.guilds.values():
            await self._dispatch(session, "GUILD_CREATE", self._guild(guild.id))

    async def _resume(self, socket: Socket, data: Json) -> None:
        self.resumes += 1
        session = self.sessions.get(str(data.get("session_id")))
        if session is None or self.forgets or data["token"] != self._token:
            await socket.send({"op": INVALID, "d": False})
            return
        session.socket = socket
        missed = [event for event in session.sent if event["s"] > (data["seq"] or 0)]
        for event in missed:
            await socket.send(event)
        await self._dispatch(session, "RESUMED", {})

    # ── what happens ────────────────────────────────────────────────────────────────────────────────────────────

    def tell(self, event: str, data: Json, channel: Channel) -> None:
        """Send an event to every session that asked for its kind."""
        for session in list(self.sessions.values()):
            if self._wants(session, event, channel):
                self._later(session, event, self._as_seen(session, event, data, channel))

    def _later(self, session: Session, event: str, data: Json) -> None:
        task = asyncio.get_running_loop().create_task(self._dispatch(session, event, data))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _dispatch(self, session: Session, event: str, data: Json) -> None:
        session.sequence += 1
        payload = {"op": DISPATCH, "t": event, "s": session.sequence, "d": data}
        session.sent.append(payload)
        if session.socket:
            try:
                await session.socket.send(payload)
            except ConnectionError:
                session.socket = None

    @staticmethod
    def _wants(session: Session, event: str, channel: Channel) -> bool:
        for prefix in ("MESSAGE_REACTION", "MESSAGE", "THREAD"):
            if event.startswith(prefix):
                guild, direct = _NEEDS[prefix]
                return bool(session.intents & (direct if channel.type == DM else guild))
        return True

    def _as_seen(self, session: Session, event: str, data: Json, channel: Channel) -> Json:
        if channel.guild:
            data = {**data, "guild_id": channel.guild}
            author = self._world.users.get(str((data.get("author") or {}).get("id")))
            if author and not data.get("webhook_id"):
                member = self._world.guilds[channel.guild].member(author)
                data["member"] = {key: value for key, value in member.items() if key != "user"}
        if event not in ("MESSAGE_CREATE", "MESSAGE_UPDATE") or session.intents & CONTENT:
            return data
        return without_content(data, channel, self._world.bot)

    # ── how sockets die ─────────────────────────────────────────────────────────────────────────────────────────

    @property
    def sockets(self) -> list[Socket]:
        return [session.socket for session in self.sessions.values() if session.socket]

    def drop(self) -> None:
        """The connection is gone without a word."""
        for socket in self.sockets:
            socket.cut()

    async def close(self, code: int) -> None:
        for socket in self.sockets:
            await socket.ws.close(code=code)

    def half_open(self) -> None:
        """The connection stands, and nothing passes any more."""
        for socket in self.sockets:
            socket.deaf = True

    def stop_acks(self) -> None:
        for socket in self.sockets:
            socket.acks = False

    async def ask_to_reconnect(self) -> None:
        for socket in self.sockets:
            await socket.send({"op": RECONNECT, "d": None})

    async def invalidate(self, *, resumable: bool = False) -> None:
        for session in list(self.sessions.values()):
            if session.socket:
                await session.socket.send({"op": INVALID, "d": resumable})
            if not resumable:
                self.sessions.pop(session.id)

    async def repeat(self, last: int = 1) -> None:
        """Send what was sent last once more, as happens after a resume."""
        for session in self.sessions.values():
            for event in session.sent[-last:]:
                if session.socket:
                    await session.socket.send(event)

    async def listened(self, within: float = 60.0) -> None:
        """Wait until somebody listens."""
        late = time.monotonic() + within
        while all(socket.deaf for socket in self.sockets):
            assert time.monotonic() < late, "nobody listens"
            await asyncio.sleep(0.01)

    def _ready(self, session: Session) -> Json:
        bot = self._world.bot
        return {
            "v": 10,
            "user": {**bot.json, "verified": True, "mfa_enabled": True, "email": None},
            "guilds": [{"id": id, "unavailable": True} for id in self._world.guilds],
            "session_id": session.id,
            "resume_gateway_url": self.url,
            "application": {"id": bot.id, "flags": 0},
        }

    def _guild(self, id: str) -> Json:
        guild = self._world.guilds[id]
        return {
            "id": id,
            "name": guild.name,
            "owner_id": "1",
            "roles": guild.roles,
            "emojis": [],
            "stickers": [],
            "features": [],
            "member_count": len(guild.members),
            "members": [guild.member(self._world.bot)],
            "channels": [channel.json for channel in guild.channels if not channel.parent],
            "threads": [channel.json for channel in guild.channels if channel.parent and not channel.archived],
            "voice_states": [],
            "presences": [],
            "unavailable": False,
            "large": False,
        }
