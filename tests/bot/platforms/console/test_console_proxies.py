"""Behind a proxy: whom it speaks for counts only if the operator named it, and then everybody signs in."""

from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from bot.config.settings_source import BadSettings, load_settings
from bot.platforms.console import ConsoleSettings
from bot.platforms.console.guard import Forwarded
from tests.bot.console_tokens import Tokens, enter, shared
from tests.fakes.console import visitor

NEAR, FAR, CLIENT = "10.0.0.7", "10.1.0.1", "192.0.2.66"


async def told(proxies: tuple[str, ...], peer: str, *headers: tuple[str, str]) -> tuple[str, str]:
    """Whom the pages take the request to be from, and by which scheme."""
    seen: list[Scope] = []

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope)

    scope = {"type": "http", "scheme": "http", "client": (peer, 4711), "headers": [_raw(*header) for header in headers]}
    await Forwarded(page, proxies)(scope, None, None)  # type: ignore[arg-type]
    return seen[0]["client"][0], seen[0]["scheme"]


def _raw(name: str, value: str) -> tuple[bytes, bytes]:
    return name.lower().encode(), value.encode("latin-1")


FOR = "X-Forwarded-For"


@pytest.mark.parametrize(
    ("peer", "headers", "client"),
    [
        (NEAR, [(FOR, CLIENT)], CLIENT),
        (NEAR, [(FOR, f"127.0.0.1, {CLIENT}")], CLIENT),  # what the client wrote itself stands before it
        (NEAR, [(FOR, "127.0.0.1"), (FOR, CLIENT)], CLIENT),
        (NEAR, [(FOR, f"127.0.0.1, {CLIENT}, {FAR}")], CLIENT),  # through two proxies of ours
        (NEAR, [(FOR, f"{CLIENT}:4711")], CLIENT),
        (NEAR, [(FOR, "[2001:db8::5]:4711")], "2001:db8::5"),
        (NEAR, [(FOR, f"{CLIENT}, localhost")], NEAR),
        (NEAR, [(FOR, f"{CLIENT}, unknown")], NEAR),
        (NEAR, [(FOR, "")], NEAR),
        (NEAR, [("Forwarded", f"for={CLIENT}")], NEAR),
        (NEAR, [("X-Real-IP", CLIENT)], NEAR),
        (NEAR, [], NEAR),
        (CLIENT, [(FOR, "127.0.0.1")], CLIENT),  # no proxy of ours
        ("", [(FOR, "127.0.0.1")], ""),
    ],
)
async def test_only_what_a_named_proxy_added_counts(peer: str, headers: list[tuple[str, str]], client: str) -> None:
    assert (await told((NEAR, "10.1.0.0/16"), peer, *headers))[0] == client


@pytest.mark.parametrize(
    ("peer", "said", "scheme"),
    [(NEAR, "https", "https"), (NEAR, "gopher", "http"), (NEAR, "https, http", "http"), (CLIENT, "https", "http")],
)
async def test_the_scheme_is_the_proxys_to_tell(peer: str, said: str, scheme: str) -> None:
    assert (await told((NEAR,), peer, ("X-Forwarded-Proto", said)))[1] == scheme


async def test_forms_and_cookies_work_behind_a_proxy_that_speaks_https() -> None:
    behind = {"Host": "overlord.example", "X-Forwarded-Proto": "https", FOR: CLIENT}
    async with shared(Tokens(), proxies=("127.0.0.1",), names=("overlord.example",)) as visit:
        visit.client.headers.update({**behind, "Origin": "https://overlord.example"})
        page = await visit.get("/login")
        assert "secure" in page.headers["set-cookie"].lower()
        visit.client.cookies.clear()  # the client would not send secure ones over this plain connection
        cookie = page.headers["set-cookie"].partition(";")[0]
        entered = await visit.post("/login", {"Cookie": cookie}, name="ana", token="token-of-ana", next="/needs")
        assert entered.headers["location"] == "/needs"
        visit.client.headers["X-Forwarded-Proto"] = "http"
        assert (await visit.post("/login", {"Cookie": cookie}, name="ana", token="token-of-ana")).status_code == 403


async def test_behind_a_proxy_nobody_is_the_operator_unasked() -> None:
    async with shared(Tokens(), proxies=("127.0.0.1",)) as visit:
        for claim in ({}, {FOR: "127.0.0.1"}, {FOR: "::1"}, {FOR: "localhost"}):
            assert (await visit.get("/needs", **claim)).headers["location"].startswith("/login")


async def test_guesses_are_counted_for_whom_the_proxy_names() -> None:
    async with shared(Tokens(), proxies=("127.0.0.1",)) as visit, visitor(visit.url) as other:
        visit.client.headers[FOR] = CLIENT
        for number in range(11):
            visit.client.headers[FOR] = f"10.9.9.{number}, {CLIENT}"  # what the client adds in front changes nothing
            last = await enter(visit, "guess")
        assert last.status_code == 429
        visit.client = other
        visit.client.headers[FOR] = "192.0.2.77"
        assert (await enter(visit, "token-of-ana")).status_code == 303


def settings(tmp_path: Path, **environ: str):  # type: ignore[no-untyped-def]
    return load_settings({"OVERLORD_HOME": str(tmp_path), **environ}, cwd=tmp_path, user="ana")


def test_a_console_behind_a_proxy_has_no_operator(tmp_path: Path) -> None:
    assert "console:ana" in settings(tmp_path).operators
    behind = settings(tmp_path, OVERLORD_CONSOLE_PROXIES="127.0.0.1, 10.0.0.0/24", OVERLORD_CONSOLE_NAMES="a.example")
    console = behind.section(ConsoleSettings)
    assert (console.proxies, console.names) == (("127.0.0.1/32", "10.0.0.0/24"), ("a.example",))
    assert behind.operators == {"cli:ana"}
    assert any("proxies speak for others" in str(warning) for warning in behind.warnings)


@pytest.mark.parametrize("written", ["localhost", "10.0.0.1/8", "everybody", "*", "10.0.0"])
def test_a_proxy_is_named_by_its_address(tmp_path: Path, written: str) -> None:
    with pytest.raises(BadSettings, match="is not the address of a proxy"):
        settings(tmp_path, OVERLORD_CONSOLE_PROXIES=written)
