"""What the console refuses before any page is made."""

import httpx
import pytest

from agents.domain.errors import SettingsProblem
from bot.platforms.console.sign_in import ConsoleOptions
from bot.queries import Answer
from tests.fakes.console import SECRET, Visit, console
from tests.fakes.desk import START


async def test_a_name_that_is_not_ours_is_refused() -> None:
    async with console() as visit:
        for name in ("evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost", ""):
            response = await visit.get("/needs", Host=name.format(port=visit.client.base_url.port))
            assert response.status_code == 421, name
            assert "cookie" not in " ".join(response.headers)


async def test_every_way_to_name_this_machine_works() -> None:
    async with console() as visit:
        for name in ("127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}"):
            response = await visit.get("/needs", Host=name.format(port=visit.client.base_url.port))
            assert response.status_code == 200, name


async def test_a_proxy_may_have_its_own_name() -> None:
    async with console(names=("overlord.example",)) as visit:
        assert (await visit.get("/needs", Host="overlord.example")).status_code == 200


FOREIGN = [
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://localhost:1", "Sec-Fetch-Site": "same-site"},
    {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
    {"Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none"},
]


async def test_a_form_of_another_page_is_refused() -> None:
    async with console() as visit:
        for headers in FOREIGN:
            response = await visit.post("/say", headers, channel="general", text="@overlord hello")
            assert response.status_code == 403, headers
        assert visit.desk.heard == []


async def test_a_browser_that_hides_the_origin_of_our_own_form_is_believed() -> None:
    async with console() as visit:
        ours = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}
        response = await visit.post("/say", ours, channel="general", text="@overlord hello")
        assert response.status_code == 303


async def test_a_form_without_its_token_is_given_back_with_the_words() -> None:
    async with console() as visit:
        response = await visit.post("/say", channel="general", text="do not lose this", csrf="0" * 64)
        assert response.status_code == 400
        assert "do not lose this" in response.text
        assert visit.desk.heard == []


async def test_a_token_without_its_cookie_is_not_enough() -> None:
    async with console() as visit:
        await visit.get("/needs")
        visit.client.cookies.clear()
        response = await visit.say("@overlord hello")
        assert response.status_code == 400
        assert visit.desk.heard == []


async def test_the_token_may_come_in_a_header() -> None:
    async with console() as visit:
        await visit.get("/needs")
        header = {"X-Overlord-Token": visit.csrf}
        response = await visit.post("/say", header, channel="general", text="@overlord hi", csrf="")
        assert response.status_code == 303


async def test_pages_carry_careful_headers() -> None:
    async with console() as visit:
        headers = (await visit.get("/c/general")).headers
        policy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
        assert headers["content-security-policy"] == policy
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert (await visit.get("/static/base.css")).headers["cache-control"] == "no-cache"


async def test_the_cookie_is_for_this_site_only_and_out_of_reach_of_scripts() -> None:
    async with console() as visit:
        cookie = (await visit.get("/needs")).headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert "set-cookie" not in (await visit.get("/needs")).headers


async def test_a_second_window_does_not_end_the_first() -> None:
    async with console() as visit:
        await visit.get("/needs")
        async with httpx.AsyncClient(base_url=visit.url) as other:
            second = await other.get("/needs")
        assert visit.csrf in second.text


async def test_a_body_that_is_too_big_is_not_read() -> None:
    async with console() as visit:
        announced = await visit.say("x" * 70_000)
        assert announced.status_code == 413

        async def pieces() -> object:
            for _ in range(70):
                yield b"x" * 1000

        form = {"Content-Type": "application/x-www-form-urlencoded"}
        chunked = await visit.client.post("/say", content=pieces(), headers=form)  # type: ignore[arg-type]
        assert chunked.status_code == 413
        assert visit.desk.heard == []


def test_an_open_console_needs_tokens() -> None:
    with pytest.raises(SettingsProblem, match="open to everybody"):
        ConsoleOptions(host="0.0.0.0", secret=SECRET, now=lambda: START)


def test_a_short_secret_is_no_secret() -> None:
    with pytest.raises(SettingsProblem, match="16 bytes"):
        ConsoleOptions(secret=b"short", now=lambda: START)


async def test_health_answers_to_any_name_and_metrics_only_to_ours() -> None:
    async def well() -> Answer:
        return Answer(text="ok")

    async with console(extra={"/healthz": well, "/metrics": well}) as visit:
        assert (await visit.get("/healthz", Host="10.0.0.7")).text == "ok"
        assert (await visit.get("/metrics")).text == "ok"
        assert (await visit.get("/metrics", Host="10.0.0.7")).status_code == 421


async def test_a_port_in_use_is_told_in_words() -> None:
    async with console() as visit:
        with pytest.raises(SettingsProblem, match=r"cannot listen on 127\.0\.0\.1 port"):
            await _second(visit)


async def _second(visit: Visit) -> None:
    async with console(port=visit.client.base_url.port):
        pass
