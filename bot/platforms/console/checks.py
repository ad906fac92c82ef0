"""`overlord doctor` on the console: whether its port is free, or Overlord itself has it."""

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator

from bot.config.settings import Settings
from bot.doctor_check import Check, fail, ok
from bot.platforms.console.settings import ConsoleSettings
from bot.platforms.provider_checks import Now

ANSWER = 2  # seconds for a program on this machine to say who it is


def checks(settings: Settings, now: Now) -> Iterator[Check]:
    yield _port(settings.section(ConsoleSettings))


def _port(console: ConsoleSettings) -> Check:
    host, port = console.host, console.port
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return ok("console port", f"{host} port {port} is free")
    except OSError as error:
        if _answers(console.url):
            return ok("console port", f"Overlord runs on {console.url}")
        seen = f"{host} port {port} cannot be used: {error.strerror}"
        return fail("console port", seen, "Stop what uses it, or set OVERLORD_CONSOLE_PORT to another port.")


def _answers(url: str) -> bool:
    """Whether an Overlord speaks at this address, well or not."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"{url}/healthz", timeout=ANSWER) as reply:
            body = reply.read(10_000)
    except urllib.error.HTTPError as error:
        body = error.read(10_000)
    except OSError:
        return False
    try:
        said = json.loads(body)
    except ValueError:
        return False
    return isinstance(said, dict) and "ok" in said
