"""Options of the console."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agents.domain.errors import SettingsProblem
from agents.domain.limits import Limits
from bot.network.endpoints import Endpoint
from bot.network.peers import HERE, LookUp
from bot.platforms.console.settings import LOOPBACK
from bot.query_api import Sessions


def needs_login(host: str, proxies: tuple[str, ...], look_up: LookUp | None) -> bool:
    """Whether people must sign in: unless it is certain that whoever connects is the operator's own user."""
    return host not in LOOPBACK or bool(proxies) or look_up is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleOptions:
    host: str = "127.0.0.1"
    port: int = 8765
    proxies: tuple[str, ...] = ()  # addresses and networks whose forwarded address counts; then everybody signs in
    limits: Limits = field(default_factory=Limits)
    look_up: LookUp | None = HERE  # who is at the other end on loopback; None: cannot be known here
    names: tuple[str, ...] = ()  # other Host headers it answers to, as a proxy sends them: "overlord.example"
    channels: tuple[str, ...] = ("general",)
    login: str = "operator"  # who the reader is on loopback
    secret: bytes  # of this installation, at least 16 bytes: signs what forms carry, so they survive a restart
    sessions: Sessions | None = None  # None: loopback, nobody signs in
    suggestions: Sequence[str] = ()
    now: Callable[[], datetime]
    extra: Mapping[str, Endpoint] = field(default_factory=dict)  # "/healthz", "/metrics"
    open_paths: frozenset[str] = frozenset({"/healthz"})  # extras that anybody may read, whatever Host they ask for

    def __post_init__(self) -> None:
        if self.sessions is None and needs_login(self.host, self.proxies, self.look_up):
            raise SettingsProblem(
                f"The console would be open to everybody on {self.host}",
                next_step="Give each person a login token, or bind it to 127.0.0.1, without a proxy.",
            )
        if len(self.secret) < 16:
            raise SettingsProblem(
                "The console's secret is shorter than 16 bytes", next_step="Make it with secrets.token_bytes(32)."
            )

    @property
    def hosts(self) -> frozenset[str]:
        """Host headers that are ours. Anything else is a name somebody pointed at this address."""
        known = ("127.0.0.1", "localhost", "::1", self.host)
        bare = frozenset(f"[{name}]" if ":" in name else name for name in known)
        with_port = frozenset(f"{name}:{self.port}" for name in bare)
        return with_port | frozenset(self.names) | (bare if self.port == 80 else frozenset())
