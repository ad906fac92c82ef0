"""What the `overlord manifest` commands of several platforms share."""

import json as as_json
from typing import Annotated, Any

import typer

from agents.catalog.yaml import read_yaml, write_yaml
from manifests import packaged

Name = Annotated[str, typer.Option(help="What the bot is called there.")]
Command = Annotated[str, typer.Option(help="The slash command.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of YAML.")]


def packaged_manifest(platform: str) -> Any:
    return read_yaml(packaged(platform, "app.yaml")).data


def show(data: Any, json: bool) -> None:
    text = as_json.dumps(data, indent=2, ensure_ascii=False) + "\n" if json else write_yaml(data)
    typer.echo(text, nl=False)
