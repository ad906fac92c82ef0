"""Servers that speak OpenAI's chat in their own ways: vLLM, llama.cpp and OpenRouter."""

from collections.abc import Iterator
from dataclasses import replace

from pydantic import ConfigDict

from tests.fakes.wires import chat
from tests.fakes.wires.shape import Blocks, Heard, Json, Made, Refused, split

PRICE = 1e-6  # dollars a token


class Asked(chat.Asked):
    """What they do not know they ignore."""

    model_config = ConfigDict(extra="ignore", strict=True)


class Vllm(chat.Chat):
    """Thinking comes in a field of its own; tools only where the server was started for them."""

    provider = "hosted_vllm"
    model = "own"
    asked = Asked

    def parse(self, body: bytes) -> tuple[chat.Asked, Json]:
        asked, given = super().parse(body)
        if asked.response_format and asked.response_format.type != "text" and not self.host.json_mode:
            raise Refused(400, "response_format is not supported by this server", kind="BadRequestError")
        if asked.tools and not self.host.tools:
            text = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
            raise Refused(400, text, kind="BadRequestError")
        return asked, given

    def message(self, made: Made) -> Json:
        return {**super().message(made), "reasoning_content": made.thinks or None}

    def deltas(self, made: Made) -> Iterator[Json]:
        yield from ({"reasoning_content": piece} for piece in split(made.thinks))
        yield from super().deltas(made)

    def error(self, refused: Refused) -> object:
        kind = refused.kind or ("NotFoundError" if refused.status == 404 else "BadRequestError")
        return {"error": {"message": refused.message, "type": kind, "param": None, "code": refused.status}}

    def overflow(self, heard: Heard, tokens: int) -> Refused | None:
        most, answer = self.host.window, heard.most or 0
        return Refused(
            400,
            f"This model's maximum context length is {most} tokens. However, you requested {tokens + answer} tokens "
            f"({tokens} in the messages, {answer} in the completion). Please reduce the length of the messages.",
            kind="BadRequestError",
        )

    def card(self, name: str) -> Json:
        return {**super().card(name), "owned_by": "vllm", "max_model_len": self.host.window}


class LlamaCpp(chat.Chat):
    """Tools are dropped without a word where the chat template has none; decoding is bound to a schema."""

    provider = "openai"
    model = "own"
    asked = Asked

    def parse(self, body: bytes) -> tuple[chat.Asked, Json]:
        asked, given = super().parse(body)
        if asked.response_format and asked.response_format.type != "text" and not self.host.json_mode:
            raise Refused(400, 'response_format type must be one of "text"')
        return asked if self.host.tools else asked.model_copy(update={"tools": None}), given

    def message(self, made: Made) -> Json:
        return {**super().message(made), **({"reasoning_content": made.thinks} if made.thinks else {})}

    def error(self, refused: Refused) -> object:
        kind = refused.kind or {401: "authentication_error", 503: "unavailable_error"}.get(
            refused.status, "invalid_request_error" if refused.status < 500 else "server_error"
        )
        return {"error": {"code": refused.status, "message": refused.message, "type": kind, **refused.more}}

    def overflow(self, heard: Heard, tokens: int) -> Refused | None:
        most, kind = self.host.window, "exceed_context_size_error"
        text = f"request ({tokens} tokens) exceeds the available context size ({most} tokens), try increasing it"
        return Refused(400, text, kind=kind, n_prompt_tokens=tokens, n_ctx=most)

    def about(self) -> dict[str, Json]:
        caps = {"supports_tools": self.host.tools, "supports_tool_calls": self.host.tools}
        return {**super().about(), "/props": {"chat_template_caps": caps, "default_generation_settings": {}}}

    def card(self, name: str) -> Json:
        return {**super().card(name), "owned_by": "llamacpp", "meta": {"n_ctx": self.host.window, "n_vocab": 49152}}


class OpenRouter(chat.Chat):
    """Many models behind one address: marks are passed on, and the price is told with the answer."""

    provider = "openrouter"
    model = "anthropic/claude-sonnet-4.5"
    asked = Asked
    takes_marks = True

    def parse(self, body: bytes) -> tuple[chat.Asked, Json]:
        asked, given = super().parse(body)
        if asked.tools and not self.host.tools:
            raise Refused(404, "No endpoints found that support tool use.")
        return asked, given

    def read(self, path: str, body: bytes) -> Heard:
        heard, laid = super().read(path, body), Blocks()
        for message in heard.body["messages"]:
            content = message.get("content") or ""
            for part in [{"text": content, **message}] if isinstance(content, str) else content:
                laid.add(part["text"], marked="cache_control" in part)
        return replace(heard, marks=tuple(laid.marks))

    def message(self, made: Made) -> Json:
        return {**super().message(made), "reasoning": made.thinks or None}

    def usage(self, made: Made) -> Json:
        return {**super().usage(made), "cost": PRICE * (made.tokens + made.written + made.thought)}

    def error(self, refused: Refused) -> object:
        return {"error": {"message": refused.message, "code": refused.status}, "user_id": "user_fake"}

    def overflow(self, heard: Heard, tokens: int) -> Refused | None:
        text = f"This endpoint's maximum context length is {self.host.window} tokens. However, you requested about"
        return Refused(400, f"{text} {tokens} tokens of text input. Please reduce the length of either one.")

    def card(self, name: str) -> Json:
        price = {"prompt": str(PRICE), "completion": str(PRICE)}
        return {**super().card(name), "context_length": self.host.window, "pricing": price}
