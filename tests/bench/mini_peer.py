"""mini-swe-agent as its command line sets it up, on one request; run by the peers' Python, which has nothing of ours.

Arguments: the address of a server, its key, a model, the folder of the project, the request.
"""

import os
import sys
from pathlib import Path
from typing import Any

os.environ |= {"MSWEA_SILENT_STARTUP": "1", "MSWEA_COST_TRACKING": "ignore_errors", "MSWEA_CONFIGURED": "true"}
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "true")

import minisweagent  # type: ignore[import-not-found]
import yaml  # type: ignore[import-untyped]
from minisweagent.agents.default import DefaultAgent  # type: ignore[import-not-found]
from minisweagent.environments.local import LocalEnvironment  # type: ignore[import-not-found]
from minisweagent.models.litellm_model import LitellmModel  # type: ignore[import-not-found]


class Strict(LitellmModel):  # type: ignore[misc]
    """Without a field of litellm's own, which says nothing and which the server, strict as it is, refuses."""

    def _prepare_messages_for_api(self, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        prepared = super()._prepare_messages_for_api(messages)
        return [{name: part for name, part in each.items() if name != "provider_specific_fields"} for each in prepared]


def main(url: str, key: str, model: str, folder: str, request: str) -> None:
    written = yaml.safe_load((Path(minisweagent.__file__).parent / "config" / "mini.yaml").read_text())
    told = {**written["model"].get("model_kwargs", {}), "api_base": url, "api_key": key}
    thinks = Strict(**{**written["model"], "model_name": f"openai/{model}", "model_kwargs": told})
    place = LocalEnvironment(**{**written["environment"], "cwd": folder})
    names = ("system_template", "instance_template", "step_limit", "cost_limit")
    rules = {name: written["agent"][name] for name in names}
    print(DefaultAgent(thinks, place, **rules).run(request)["exit_status"])


if __name__ == "__main__":
    main(*sys.argv[1:])
