"""What an answer took, read from the answer on its way: whole, or in the pieces of a stream."""

import json
from dataclasses import dataclass, field
from typing import Any

LARGEST = 8 << 20  # bytes of one event, or of a whole answer: more is not read, and counts as cut off


@dataclass(slots=True)
class Usage:
    """Tokens that were told so far. `whole`: the answer came to its end. `problem`: the provider's own words for why it
    did not."""

    tokens_in: int = 0  # those that the provider had kept among them
    tokens_out: int = 0
    cached: int = 0
    written: int = 0  # to what the provider keeps; some take more for that
    whole: bool = False
    problem: str = ""
    heard: int = 0  # characters of the answer, whatever is told of it

    def take(self, data: dict[str, Any]) -> None:
        """One event of a stream, or the answer as a whole."""
        raise NotImplementedError


def _number(found: object) -> int:
    return found if isinstance(found, int) and found >= 0 and not isinstance(found, bool) else 0


def _part(data: object, name: str) -> dict[str, Any]:
    found = data.get(name) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


class MessagesUsage(Usage):
    """Anthropic's: the question is counted at the beginning, the answer at the end."""

    def take(self, data: dict[str, Any]) -> None:
        kind = data.get("type")
        if kind == "error":
            self.problem = str(_part(data, "error").get("message") or _part(data, "error").get("type") or "an error")
        self.whole = self.whole or kind in ("message", "message_stop")
        told = _part(_part(data, "message") if kind == "message_start" else data, "usage")
        if told:
            self.cached = max(self.cached, _number(told.get("cache_read_input_tokens")))
            self.written = max(self.written, _number(told.get("cache_creation_input_tokens")))
            plain = _number(told.get("input_tokens"))
            self.tokens_in = max(self.tokens_in, plain + self.cached + self.written)
            self.tokens_out = max(self.tokens_out, _number(told.get("output_tokens")))


class ChatUsage(Usage):
    """OpenAI's older protocol: told once, in the last piece."""

    def take(self, data: dict[str, Any]) -> None:
        if told := _part(data, "usage"):
            self.tokens_in, self.tokens_out = _number(told.get("prompt_tokens")), _number(told.get("completion_tokens"))
            self.cached = _number(_part(told, "prompt_tokens_details").get("cached_tokens"))
        choices = data.get("choices")
        if isinstance(choices, list):
            self.whole = self.whole or any(_part({"it": each}, "it").get("finish_reason") for each in choices)
        if problem := _part(data, "error"):
            self.problem = str(problem.get("message") or "an error")


@dataclass(slots=True)
class ResponsesUsage(Usage):
    """OpenAI's newer protocol: told with the end of the answer, however it ended."""

    also: Usage = field(default_factory=ChatUsage)

    def take(self, data: dict[str, Any]) -> None:
        if data.get("object") in ("chat.completion", "chat.completion.chunk"):
            self.also.take(data)
            self._copy()
            return
        kind = str(data.get("type", ""))
        answer = _part(data, "response") or (data if data.get("object") == "response" else {})
        if told := _part(answer, "usage"):
            self.tokens_in, self.tokens_out = _number(told.get("input_tokens")), _number(told.get("output_tokens"))
            self.cached = _number(_part(told, "input_tokens_details").get("cached_tokens"))
        ends = ("response.completed", "response.incomplete")
        self.whole = self.whole or kind in ends or answer.get("status") in ("completed", "incomplete")
        problem = _part(answer, "error") or (data if kind == "error" else {})
        if problem:
            self.problem = str(problem.get("message") or problem.get("code") or "an error")

    def _copy(self) -> None:
        for name in ("tokens_in", "tokens_out", "cached", "whole", "problem"):
            setattr(self, name, getattr(self.also, name))


class GeminiUsage(Usage):
    """Google's: each piece tells all so far."""

    def take(self, data: dict[str, Any]) -> None:
        if told := _part(data, "usageMetadata"):
            self.tokens_in = max(self.tokens_in, _number(told.get("promptTokenCount")))
            out = _number(told.get("candidatesTokenCount")) + _number(told.get("thoughtsTokenCount"))
            self.tokens_out = max(self.tokens_out, out)
            self.cached = max(self.cached, _number(told.get("cachedContentTokenCount")))
        candidates = data.get("candidates")
        if isinstance(candidates, list):
            self.whole = self.whole or any(_part({"it": each}, "it").get("finishReason") for each in candidates)
        if problem := _part(data, "error"):
            self.problem = str(problem.get("message") or "an error")


@dataclass(slots=True)
class Reading:
    """Takes the bytes of an answer as they pass, and gives the usage what they say. Nothing in them can stop it."""

    usage: Usage
    stream: bool
    size: int = 0
    _rest: bytearray = field(default_factory=bytearray)

    def feed(self, piece: bytes) -> None:
        self.size += len(piece)
        if len(self._rest) + len(piece) > LARGEST:
            self._rest.clear()
            return
        self._rest += piece
        if self.stream:
            *lines, rest = bytes(self._rest).split(b"\n")
            self._rest = bytearray(rest)
            for line in lines:
                self._line(line)

    def end(self) -> Usage:
        if self.stream:
            self._line(bytes(self._rest))
        else:
            self._take(bytes(self._rest))
        return self.usage

    def _line(self, line: bytes) -> None:
        if line.startswith(b"data:"):
            self._take(line[5:])

    def _take(self, text: bytes) -> None:
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            return
        for each in data if isinstance(data, list) else [data]:
            if isinstance(each, dict):
                self.usage.take(each)
                self.usage.heard += _said_in(each)


_SAYS = frozenset({"text", "thinking", "partial_json", "delta", "content", "reasoning_content", "arguments"})


def _said_in(event: dict[str, Any]) -> int:
    """Characters that a model made, wherever in an event they stand."""
    size, waiting = 0, list[tuple[str, Any]](event.items())
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, str):
            size += len(value) if name in _SAYS else 0
        elif isinstance(value, dict):
            waiting += value.items()
        elif isinstance(value, list):
            waiting += [(name, each) for each in value]
    return size
