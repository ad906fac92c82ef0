"""How much of a prompt is new: the tokens behind the longest beginning that an earlier call of the task has sent.

Providers keep the beginning of a prompt and charge a tenth for it; so what is not new is nearly free. Measured over
all calls of one task but the first, on the real templates, with a project of 300 files. Specialists are given less to
read than others (`input_tokens`), which costs the first of them its beginning.
"""

import asyncio

from agents.catalog.models import MODELS
from agents.catalog.yaml import read_packaged
from agents.llm.answers import schema_for
from agents.llm.gateway import Gateway
from agents.llm.prompts import Prompts
from tests.bench.ask_walk import files_of, walk
from tests.bench.rows import Row, Say
from tests.fakes.model_server import common

MOST_NEW = 10.0  # per cent


def run(say: Say) -> list[Row]:
    new, total = asyncio.run(_measure(say))
    return [Row(name="prompt_tokens_new", ours=100 * new / total, unit="%", most_ours=MOST_NEW)]


async def _measure(say: Say) -> tuple[int, int]:
    await Gateway().warm()
    prompts = Prompts(b"bench", files=files_of)
    sizes = MODELS.read(read_packaged("policies", "models.yaml").data).to_written().sizes
    before: list[str] = []
    new = total = 0
    for number, (asked, shape) in enumerate(walk()):
        nonce = prompts.nonce(str(number))
        prompt = await prompts.prompt(asked, schema_for(shape, nonce), nonce, sizes[asked.role])
        text = "\n\n".join((prompt.system, *prompt.context, prompt.question))
        kept = max((common(text, earlier) for earlier in before), default=0)
        fresh, whole = tokens(text[kept:]), tokens(text)
        say(f"{asked.question}: {whole} tokens, {fresh} new")
        if before:
            new, total = new + fresh, total + whole
        before.append(text)
    return new, total


def tokens(text: str) -> int:
    import litellm

    return int(litellm.token_counter(model="gpt-4", text=text)) if text else 0
