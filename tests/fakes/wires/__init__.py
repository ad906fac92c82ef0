"""The protocols that models are asked by, each as strict as the original. `ModelServer` serves one of them."""

from tests.fakes.wires.chat import Chat
from tests.fakes.wires.compatible import LlamaCpp, OpenRouter, Vllm
from tests.fakes.wires.gemini import Gemini
from tests.fakes.wires.messages import Messages
from tests.fakes.wires.ollama import Ollama
from tests.fakes.wires.responses import Responses
from tests.fakes.wires.shape import Host, Wire

WIRES: dict[str, type[Wire]] = {
    "chat": Chat,
    "responses": Responses,
    "anthropic": Messages,
    "gemini": Gemini,
    "ollama": Ollama,
    "vllm": Vllm,
    "llama.cpp": LlamaCpp,
    "openrouter": OpenRouter,
}

__all__ = ["WIRES", "Host", "Wire"]
