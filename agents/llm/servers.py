"""Asks a model's server what it can do: how much it takes, whether it calls tools, how many calls side by side."""

import asyncio
import json
import os
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import replace
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from agents.domain.models.ability import Ability
from agents.domain.models.routing import Model

PATIENCE = 3.0  # seconds for one look
LONGEST = 8 << 20  # bytes of what a server says of itself
OLLAMA_WINDOW = 32_768  # of what a model could take: more costs memory on the machine that serves it
_ONE_AT_ONCE = ("llamafile/", "lm_studio/")  # made for one person
_OLLAMA = ("ollama_chat", "ollama")
OWN = frozenset({"openai", "hosted_vllm", "llamafile", "lm_studio", *_OLLAMA})  # names of servers of one's own


def is_ollama(model: Model) -> bool:
    return model.name.partition("/")[0] in _OLLAMA


def is_own(model: Model) -> bool:
    """Whether it is served by a server of one's own, and not by a provider under its own name."""
    return model.name.partition("/")[0] in OWN and (bool(model.base_url) or is_ollama(model))


def is_near(model: Model) -> bool:
    """Whether its server is on this machine or in this house, where tokens have no price."""
    host = urlsplit(model.base_url).hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        return is_own(model) and ("." not in host or host.endswith((".local", ".internal", ".lan", ".localhost")))


async def look_at(model: Model) -> Ability:
    """Nothing known, where a server says nothing of itself. Asks no model anything, so it costs nothing."""
    look = _openrouter if model.name.startswith("openrouter/") else _ollama if is_ollama(model) else _compatible
    known = is_own(model) or look is _openrouter
    return await asyncio.to_thread(look, model) if known else Ability()


def _openrouter(model: Model) -> Ability:
    """litellm's list has none of its models; its own has prices and windows."""
    base = model.base_url.rstrip("/") or os.environ.get("OPENROUTER_API_BASE") or "https://openrouter.ai/api/v1"
    card = _card(_get(f"{base}/models", model), model.name.partition("/")[2])
    pricing = _map(card.get("pricing"))
    try:
        price = float(pricing["prompt"]), float(pricing["completion"])
    except (LookupError, TypeError, ValueError):
        price = None
    return Ability(window=_count(card.get("context_length")), price=price if price and min(price) >= 0 else None)


def _card(listed: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What a server says of one of its models; of the only one, whatever it is called."""
    data = listed.get("data")
    cards = [_map(card) for card in data] if isinstance(data, list) else []
    return next((card for card in cards if card.get("id") == name), cards[0] if len(cards) == 1 else {})


def _ollama(model: Model) -> Ability:
    base = model.base_url.rstrip("/") or "http://127.0.0.1:11434"
    shown = _get(f"{base}/api/show", model, {"model": model.name.partition("/")[2]})
    info = _map(shown.get("model_info"))
    sizes = [_count(value) for name, value in info.items() if name.endswith(".context_length")]
    able = shown.get("capabilities")
    tools = "tools" in able if isinstance(able, list) else None
    return Ability(window=min(max(sizes, default=0) or OLLAMA_WINDOW, OLLAMA_WINDOW), at_once=1, tools=tools)


def _compatible(model: Model) -> Ability:
    base = model.base_url.rstrip("/")
    card = _card(_get(f"{base}/models", model), model.name.partition("/")[2])
    meta = _map(card.get("meta"))
    sizes = (card.get("max_model_len"), card.get("context_length"), meta.get("n_ctx"), meta.get("n_ctx_train"))
    window = next((size for size in map(_count, sizes) if size), 0)
    able = Ability(window=window, at_once=1 if meta or model.name.startswith(_ONE_AT_ONCE) else 0)
    return _with_props(able, _get(f"{base.removesuffix('/v1')}/props", model)) if meta else able


def _with_props(able: Ability, props: Mapping[str, Any]) -> Ability:
    """llama.cpp says which words its chat template has, and how many it serves at once."""
    caps, slots = _map(props.get("chat_template_caps")), _count(props.get("total_slots"))
    told = [bool(caps[name]) for name in ("supports_tools", "supports_tool_calls") if name in caps]
    return replace(able, at_once=slots or able.at_once, tools=all(told) if told else None)


def _get(url: str, model: Model, body: Mapping[str, object] | None = None) -> dict[str, Any]:
    headers = {"Content-Type": "application/json"}
    if model.api_key:
        headers["Authorization"] = f"Bearer {model.api_key}"
    data = json.dumps(body).encode() if body is not None else None
    proxies = [urllib.request.ProxyHandler({})] if is_near(model) else []
    open_url: Callable[..., Any] = urllib.request.build_opener(*proxies).open
    try:
        with open_url(urllib.request.Request(url, data, headers), timeout=PATIENCE) as reply:
            said = json.loads(reply.read(LONGEST))
    except (OSError, ValueError):
        return {}
    return _map(said)


def _map(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 100_000_000 else 0
