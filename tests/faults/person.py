"""A person at the console, over real HTTP: sends a form until it is acknowledged, as a browser's user would."""

import re
import time
from typing import Protocol

import httpx

from bot.messages import Button
from bot.platforms.console.rendering import thread_path
from tests.faults.killing import PATIENCE, TICK
from tests.faults.outside import Shown

_CSRF = re.compile(r'data-csrf="([0-9a-f]+)"')


class Bot(Protocol):
    """Whom a person speaks to: it may die at any moment."""

    @property
    def address(self) -> str: ...

    def revive(self) -> None:
        """Start it again if it has died, unless that is somebody else's business."""
        ...


class Person:
    def __init__(self, bot: Bot, name: str) -> None:
        self._bot = bot
        self._name = name  # makes this person's nonces unlike those of others
        self._cookies = httpx.Cookies()
        self._csrf = ""
        self._sent = 0
        self._client = self._connected()
        self.tries = 0  # requests made, acknowledged or not

    def close(self) -> None:
        self._client.close()

    def say(self, text: str, thread: str = "", nonce: str = "") -> str:
        """Write in #general; returns the thread."""
        return self._act("/say", {"text": text, "channel": "general", "thread": thread}, nonce)

    def press(self, button: Button, on: Shown, thread: str, nonce: str = "", words: str = "go on, please") -> None:
        form = {"token": button.choice.token, "thread": thread, "channel": "console:general", "message": on.message}
        if button.asks:
            form["words"] = words
        self._act("/press", form, nonce)

    def edit(self, text: str, thread: str) -> None:
        """Edit the message that began the thread."""
        self._act("/edit", {"text": text, "thread": thread, "message": thread.rpartition(":")[2]}, "")

    def reads(self, thread: str) -> str:
        """The page of a thread."""
        return self._asked("GET", thread_path(thread)).text

    def _act(self, path: str, form: dict[str, str], nonce: str) -> str:
        self._sent += 1
        form = {**form, "nonce": nonce or f"{self._name}-{self._sent:04}"}
        if not self._csrf:
            self._csrf = _CSRF.findall(self._asked("GET", "/c/general").text)[0]
        answer = self._asked("POST", path, {**form, "csrf": self._csrf})
        return str(answer.json()["thread"])

    def _asked(self, method: str, path: str, form: dict[str, str] | None = None) -> httpx.Response:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            answer = self._try(method, path, form)
            if answer is not None and answer.status_code == 200:
                return answer
            if answer is not None and answer.status_code < 409:
                raise AssertionError(f"{method} {path}: {answer.status_code} {answer.text[:500]}")
            time.sleep(TICK)
        raise AssertionError(f"{method} {path} was never acknowledged")

    def _try(self, method: str, path: str, form: dict[str, str] | None) -> httpx.Response | None:
        self._bot.revive()
        self.tries += 1
        here = self._bot.address
        headers = {"Origin": here, "Accept": "application/json"} if form else {}
        try:
            return self._client.request(method, here + path, data=form, headers=headers)
        except httpx.TransportError:  # it died: nobody knows whether it had taken it
            self._cookies = self._client.cookies
            self._client.close()
            self._client = self._connected()
            return None

    def _connected(self) -> httpx.Client:
        return httpx.Client(verify=False, cookies=self._cookies, timeout=60)
